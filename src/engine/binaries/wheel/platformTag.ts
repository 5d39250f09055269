import type { Evidence, WheelDisagreement } from "../../model/index.ts";
import { compareVersions } from "../../model/index.ts";
import { isLoader, outsideNeeds } from "./loading.ts";
import { policiesOf, policySource } from "./policies.ts";
import type { Libc, Policy } from "./policies.ts";
import { isGrafted, providerOf, stemOf } from "./provided.ts";
import type { WheelContent, WheelLibrary } from "./types.ts";

export interface PlatformVerdict {
  readonly tag: string | undefined;
  readonly tagBesideTorch: string | undefined;
  readonly disagreements: readonly WheelDisagreement[];
  readonly notKnown: readonly string[];
}

/** A symbol version that some policy may not allow. */
interface VersionUse {
  readonly member: string;
  readonly library: string;
  readonly version: string;
}

/** All that policies are compared with. */
interface Uses {
  readonly libc: Libc;
  readonly machine: "x86_64" | "aarch64";
  readonly versions: readonly VersionUse[];
  readonly libraries: readonly WheelLibrary[];
  /** Needs a newer processor than the tag's architecture, by its own note. */
  readonly newerProcessor: WheelLibrary | undefined;
}

/** From glibc 2.36 on a file may say by this name that it uses packed relocations. Source: glibc 2.36, NEWS. */
const packedRelocations = { name: "GLIBC_ABI_DT_RELR", since: "2.36" };
const manylinuxAliases: Readonly<Record<string, string>> = { manylinux1: "2.5", manylinux2010: "2.12", manylinux2014: "2.17" };
const machineOfTag = /_(x86_64|aarch64|i686|armv7l|ppc64le|ppc64|s390x|riscv64|loongarch64)$/;

/**
 * The strictest platform tag that all libraries keep to, found as auditwheel finds it (PEP 600): versions of symbols,
 * libraries from outside, internals of libraries, and the processor; and the promises of the name that they break.
 */
export function judgePlatform(content: WheelContent): PlatformVerdict {
  const uses = usesOf(content);
  if (uses === undefined) {
    return { tag: undefined, tagBesideTorch: undefined, disagreements: [], notKnown: [] };
  }
  const policies = policiesOf(uses.libc, uses.machine);
  // The versions of musl cannot be told from a file: the newest policy is named, as auditwheel does.
  const candidates = uses.libc === "musl" ? policies.slice(-1) : policies;
  const fits = (besideTorch: boolean) => candidates.find((policy) => uses.newerProcessor === undefined && brokenVersions(uses, policy).length === 0 && forbiddenOf(uses, policy).length === 0 && outsideOf(uses, policy, besideTorch).length === 0);
  const named = (policy: Policy | undefined) => `${policy?.name ?? "linux"}_${uses.machine}`;
  return {
    tag: named(fits(false)),
    tagBesideTorch: named(fits(true)),
    disagreements: [...machineDisagreements(content), ...firstOfEach(promisesOf(content.name.tags.platforms, uses.machine).flatMap((promise) => brokenPromises(content, uses, promise, policies)))],
    notKnown: uses.libc === "musl" ? ["Which version of musl the libraries need cannot be told from them: its symbols carry no versions."] : [],
  };
}

/** Libraries of one machine and one C library: those of the first, as a wheel is for one of each. */
function usesOf({ libraries }: WheelContent): Uses | undefined {
  const [first] = libraries;
  const machine = first?.body.profile.machine;
  if (machine === undefined) {
    return undefined;
  }
  const ofMachine = libraries.filter((one) => one.body.profile.machine === machine && one.body.profile.kind !== "object");
  const libc = ofMachine.flatMap((one) => libcOf(one) ?? [])[0] ?? "glibc";
  const same = ofMachine.filter((one) => (libcOf(one) ?? libc) === libc);
  return {
    libc,
    machine,
    libraries: same,
    versions: same.flatMap(({ member, body }) => body.profile.versionNeeds.filter((need) => !isLoader(need.library)).flatMap((need) => need.versions.map((version) => ({ member, library: need.library, version })))),
    newerProcessor: same.find((one) => (one.body.profile.isaLevel ?? 1) > 1),
  };
}

function libcOf({ body }: WheelLibrary): Libc | undefined {
  const { needed } = body.profile;
  return needed.some((name) => /^(?:libc\.musl-|ld-musl-)/.test(name)) ? "musl" : needed.some((name) => /^libc\.so\.\d/.test(name)) ? "glibc" : undefined;
}

function brokenVersions({ versions }: Uses, policy: Policy): readonly VersionUse[] {
  return versions.filter(({ version }) => {
    const [family = "", ...rest] = version.split("_");
    return policy.versions.get(family)?.has(rest.join("_")) === false;
  });
}

/** Internals of a library that a file uses: they may be gone on the next machine. */
function forbiddenOf({ libraries }: Uses, policy: Policy): readonly { readonly member: string; readonly library: string; readonly symbol: string }[] {
  return libraries.flatMap(({ member, body, image }) => {
    const named = body.profile.needed.filter((name) => policy.forbidden.has(name));
    const imports = named.length === 0 ? [] : [...(image.imports() ?? [])].filter((one) => one.binding !== "weak");
    return named.flatMap((library) => imports.filter((one) => policy.forbidden.get(library)?.has(one.name) === true).map((one) => ({ member, library, symbol: one.name })));
  });
}

/**
 * Libraries from outside that a policy does not list. Beside torch those do not count that torch and CUDA bring, nor those
 * that lie in the wheel where the loader does not look: its Python code opens them beforehand.
 */
function outsideOf({ libraries }: Uses, policy: Policy, besideTorch: boolean): readonly (readonly [name: string, member: string])[] {
  const held = new Set(libraries.flatMap((one) => [one.member.split("/").at(-1), one.body.profile.soname]));
  return [...outsideNeeds(libraries, policy.libraries)].filter(([name]) => !besideTorch || (providerOf(name) === undefined && !held.has(name)));
}

interface Promise {
  readonly tag: string;
  readonly libc: Libc;
  readonly version: string;
  /** Absent: the tag is newer than the table, or between its rows. */
  readonly policy: Policy | undefined;
}

/** "manylinux_2_17_x86_64": undefined for tags that promise nothing of a C library, and for those of other machines. */
function promiseOf(tag: string, machine: "x86_64" | "aarch64"): Promise | undefined {
  if (machineOfTag.exec(tag)?.[1] !== machine) {
    return undefined;
  }
  const base = tag.slice(0, -machine.length - 1);
  const match = /^(many|musl)linux_(\d+)_(\d+)$/.exec(base);
  const version = match === null ? manylinuxAliases[base] : `${match[2]}.${match[3]}`;
  if (version === undefined) {
    return undefined;
  }
  const libc: Libc = match?.[1] === "musl" ? "musl" : "glibc";
  return { tag, libc, version, policy: policiesOf(libc, machine).find((one) => one.name === base || one.aliases.includes(base)) };
}

/** All promises of a name, the strictest first: what breaks a laxer one breaks that one too. */
function promisesOf(tags: readonly string[], machine: "x86_64" | "aarch64"): readonly Promise[] {
  return tags.flatMap((tag) => promiseOf(tag, machine) ?? []).sort((a, b) => compareVersions(a.version, b.version));
}

/** One disagreement of each weight and member: several tags of one name are broken by the same file. */
function firstOfEach(found: readonly WheelDisagreement[]): readonly WheelDisagreement[] {
  const seen = new Set<string>();
  return found.filter((one) => {
    const key = `${one.weight} ${one.member} ${one.evidence[0]?.kind === "file" ? one.evidence[0].what : ""}`;
    return !seen.has(key) && seen.add(key);
  });
}

function brokenPromises(content: WheelContent, uses: Uses, promise: Promise, policies: readonly Policy[]): readonly WheelDisagreement[] {
  const seen = (member: string, what: string): readonly Evidence[] => [{ kind: "file", path: `${content.where}/${member}`, what }, { kind: "catalogue", table: "manylinux-policies", row: promise.policy?.name ?? promise.tag, source: policySource }];
  if (promise.libc !== uses.libc) {
    const member = uses.libraries.find((one) => libcOf(one) !== undefined)?.member;
    // What is linked statically runs with either.
    if (member === undefined) {
      return [];
    }
    return [{ kind: "platform-tag", weight: "error", member, message: `The name says ${promise.tag}, which is for machines with ${promise.libc}. ${member} is linked against ${uses.libc}.`, evidence: seen(member, `linked against ${uses.libc}`) }];
  }
  const found: WheelDisagreement[] = [];
  const holders = policies.filter((one) => brokenVersions(uses, one).length === 0);
  const needs = holders[0] === undefined ? "No manylinux tag allows all versions that the libraries need." : `What all of them keep to is ${holders[0].name}_${uses.machine}.`;
  const newer = worst(uses.versions.filter((one) => isBeyond(one, promise, content)));
  if (newer !== undefined) {
    const members = new Set(uses.versions.filter((one) => isBeyond(one, promise, content)).map((one) => one.member));
    found.push({ kind: "platform-tag", weight: areOptional(members, uses) ? "warning" : "error", member: newer.member, message: `The name says ${promise.tag}, which promises to load wherever glibc is ${promise.version} or newer${/^GLIBC_/.test(newer.version) ? "" : `, with the GCC libraries of that time`}. ${newer.member} needs ${newer.version} of ${newer.library}${members.size > 1 ? ` (${members.size} libraries need more than the tag allows)` : ""}. ${needs}`, evidence: seen(newer.member, `needs the symbol version ${newer.version} of ${newer.library}`) });
  }
  const [inner] = promise.policy === undefined ? [] : forbiddenOf(uses, promise.policy);
  if (inner !== undefined) {
    found.push({ kind: "platform-tag", weight: "warning", member: inner.member, message: `The name says ${promise.tag}, whose policy forbids the internals of ${inner.library}. ${inner.member} needs ${inner.symbol}.`, evidence: seen(inner.member, `needs ${inner.symbol}`) });
  }
  const outside = promise.policy === undefined ? [] : outsideOf(uses, promise.policy, true);
  const [[name, member] = []] = outside;
  if (name !== undefined && member !== undefined) {
    found.push({ kind: "platform-tag", weight: wasAudited(content) || areOptional(new Set(outside.map(([, one]) => one)), uses) ? "info" : "warning", member, message: `The name says ${promise.tag}, whose policy has a list of libraries that a wheel may expect on every machine. ${member} needs ${outside.slice(0, 4).map(([one]) => one).join(", ")}${outside.length > 4 ? ` and ${outside.length - 4} more` : ""}, which ${outside.length === 1 ? "is" : "are"} not in it, nor in the wheel, nor brought by torch or CUDA.`, evidence: seen(member, `NEEDED ${name}`) });
  }
  if (uses.newerProcessor !== undefined && !/_x86_64_v\d$/.test(promise.tag)) {
    const level = uses.newerProcessor.body.profile.isaLevel ?? 1;
    found.push({ kind: "platform-tag", weight: "warning", member: uses.newerProcessor.member, message: `The name says ${promise.tag}, which admits every x86-64 processor. ${uses.newerProcessor.member} is marked as needing x86-64-v${level}: the loader refuses it on older ones.`, evidence: seen(uses.newerProcessor.member, `.note.gnu.property: x86-64-v${level} needed`) });
  }
  return found;
}

/** Whether a machine that just keeps the promise lacks a version. The wheel's own copy of a library counts as the machine's. */
function isBeyond({ library, version }: VersionUse, { version: promised, policy, libc }: Promise, { libraries }: WheelContent): boolean {
  if (libc === "musl") {
    return false;
  }
  const [family = "", ...rest] = version.split("_");
  if (family === "GLIBC") {
    const number = version === packedRelocations.name ? packedRelocations.since : rest.join("_");
    return number === "PRIVATE" || (/^\d/.test(number) && compareVersions(number, promised) > 0);
  }
  const isAllowed = policy?.versions.get(family)?.has(rest.join("_"));
  return isAllowed === false && !libraries.some((one) => stemOf(one.member.split("/").at(-1) ?? "") === stemOf(library));
}

/** Libraries for ctypes of which others keep the promise: backends for other hardware, that are opened where they are of use. */
function areOptional(members: ReadonlySet<string>, { libraries }: Uses): boolean {
  const needed = new Set(libraries.flatMap((one) => one.body.profile.needed));
  const isOptional = (one: WheelLibrary) => one.body.profile.modules.length === 0 && !needed.has(one.member.split("/").at(-1) ?? "");
  const broken = libraries.filter((one) => members.has(one.member));
  return broken.every(isOptional) && libraries.some((one) => !members.has(one.member) && isOptional(one));
}

/** auditwheel writes all tags that a wheel keeps to into its name: what it lets pass was excluded on purpose. */
function wasAudited({ name, libraries }: WheelContent): boolean {
  return name.tags.platforms.length > 1 || libraries.some((one) => isGrafted(one.member, name.distribution));
}

/** glibc before others, then by number. */
function worst(uses: readonly VersionUse[]): VersionUse | undefined {
  const order = ({ version }: VersionUse) => [/^GLIBC_/.test(version) ? 1 : 0, version.slice(version.indexOf("_") + 1)] as const;
  return [...uses].sort((a, b) => order(b)[0] - order(a)[0] || compareVersions(order(b)[1], order(a)[1]))[0];
}

/** A module for another machine than the tag's. Libraries may be there for other purposes. */
function machineDisagreements({ name, libraries, where }: WheelContent): readonly WheelDisagreement[] {
  const machines = new Set(name.tags.platforms.filter((tag) => /linux/.test(tag)).flatMap((tag) => machineOfTag.exec(tag)?.[1] ?? []));
  const wrong = libraries.find((one) => one.body.profile.modules.length > 0 && machines.size > 0 && !machines.has(one.body.profile.machine));
  return wrong === undefined ? [] : [{ kind: "platform-tag", weight: "error", member: wrong.member, message: `The name says ${name.tags.platforms.join(", ")}, and ${wrong.member} is built for ${wrong.body.profile.machine}.`, evidence: [{ kind: "file", path: `${where}/${wrong.member}`, what: `an ELF file for ${wrong.body.profile.machine}` }] }];
}
