import { layoutChanges, silentChanges } from "../../catalogue/index.ts";
import type { Evidence } from "../../model/index.ts";
import { compareVersions, publicVersion, valueOf } from "../../model/index.ts";
import { torchName } from "../classify.ts";
import { shimVersion } from "../stableShims.ts";
import type { TraitComparison } from "../types.ts";
import { handedOver, layoutOfCandidates } from "./handedOver.ts";
import type { HandedOver } from "./handedOver.ts";
import type { Comparison, Sides } from "./setting.ts";
import { known } from "./setting.ts";

type SilentChange = NonNullable<ReturnType<typeof silentChanges>>[number];

/** At most so many classes are named in a sentence. */
const namedClasses = 4;

/** The oldest torch with all functions of the stable ABI that the file needs. */
export const stableMinimum: Comparison = ({ built, environment, stableNames }) => {
  const versions = stableNames.flatMap((name) => {
    const since = shimVersion(name, environment.stableShims);
    return since === undefined ? [] : [{ name, ...since }];
  });
  const strictest = versions.sort((a, b) => compareVersions(b.since, a.since))[0];
  const theirs = known(environment.body, "torch-version");
  if (strictest === undefined || theirs === undefined) {
    return undefined;
  }
  const agrees = compareVersions(publicVersion(theirs.value) ?? theirs.value, strictest.since) >= 0;
  const because = `${strictest.name} exists since torch ${strictest.since}${agrees ? "" : `, and the installed torch is ${theirs.value}`}.`;
  return { trait: "stable-abi-minimum", built: strictest.since, installed: theirs.value, agrees, weight: "error", because, evidence: [{ kind: "file", path: built.path, what: `needs ${strictest.name}` }, ...theirs.evidence] };
};

/** The stamp's torch against the installed one, key by key; the gravest disagreement is told. */
export const stamp: Comparison = (sides) => {
  const { stamp: lines } = sides.built.profile;
  if (lines === undefined) {
    return undefined;
  }
  const findings = [stampedVersion(sides, lines), stampedAbi(sides, lines), stampedTarget(sides, lines)].filter((one) => one !== undefined);
  return findings.find((one) => one.agrees === false) ?? findings[0];
};

type Stamp = Readonly<Record<string, string>>;

function stampedVersion(sides: Sides, lines: Stamp): TraitComparison | undefined {
  const version = lines["torch.version"];
  const theirs = known(sides.environment.body, "torch-version");
  if (version === undefined || theirs === undefined || lines["torch.abi"] === "stable") {
    return undefined;
  }
  const git = lines["torch.git"];
  const installedGit = valueOf(sides.environment.body.facts, "torch-git-version");
  const sameGit = git === undefined || installedGit === undefined || installedGit.startsWith(git) || git.startsWith(installedGit);
  const sameVersion = version === theirs.value || version === releaseOf(theirs.value);
  const agrees = sameVersion && sameGit;
  const because = agrees
    ? `The stamp says that the file was built with torch ${version}, which is installed.`
    : sameVersion
      ? `The stamp says that the file was built with torch ${version} of commit ${git}, and the installed torch ${theirs.value} is of commit ${installedGit}: the version is the same, the build is not.`
      : `The stamp says that the file was built with torch ${version}, and ${theirs.value} is installed: torch's C++ ABI is promised for the very torch with which one compiles.`;
  return compared(sides, "torch.version", version, theirs.value, agrees, because);
}

/** "2.13.0" of "2.13.0a0+cpu": all that torch's headers know. A stamp has the rest where torch's package was beside them. */
function releaseOf(version: string): string | undefined {
  return /^\d+\.\d+\.\d+/.exec(version)?.[0];
}

/** The libstdc++ ABI of a file that was compiled without torch's headers is no matter of torch's. */
function stampedAbi(sides: Sides, lines: Stamp): TraitComparison | undefined {
  const abi = lines["torch.cxx11_abi"] ?? (lines["torch.version"] === undefined ? undefined : lines["cxx.cxx11_abi"]);
  const theirs = known(sides.environment.body, "libstdcxx-abi");
  if (abi === undefined || theirs === undefined || lines["torch.abi"] === "stable") {
    return undefined;
  }
  const agrees = abi === String(theirs.value);
  return compared(sides, "torch.cxx11_abi", abi, String(theirs.value), agrees, agrees ? `The stamp and the installed torch agree on _GLIBCXX_USE_CXX11_ABI=${abi}.` : `The stamp says _GLIBCXX_USE_CXX11_ABI=${abi}, and the installed torch has ${theirs.value}.`);
}

function stampedTarget(sides: Sides, lines: Stamp): TraitComparison | undefined {
  const target = targetVersion(lines["torch.target"]);
  const theirs = known(sides.environment.body, "torch-version");
  if (target === undefined || theirs === undefined) {
    return undefined;
  }
  const agrees = compareVersions(publicVersion(theirs.value) ?? theirs.value, target) >= 0;
  return compared(sides, "torch.target", target, theirs.value, agrees, agrees ? `The stamp asks for torch ${target} or later.` : `The stamp says TORCH_TARGET_VERSION ${target}, and the installed torch is ${theirs.value}.`);
}

/** "2.10.0" of 0x020a000000000000: one byte each for major, minor and patch. */
function targetVersion(text: string | undefined): string | undefined {
  const digits = /^0x([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})[0-9a-f]{10}$/i.exec(text ?? "");
  return digits === null ? undefined : digits.slice(1, 4).map((byte) => Number.parseInt(byte, 16)).join(".");
}

function compared(sides: Sides, key: string, built: string, installed: string, agrees: boolean, because: string): TraitComparison {
  return { trait: "stamp", built, installed, agrees, weight: "error", because, evidence: [{ kind: "file", path: sides.built.path, what: `its stamp says ${key}=${sides.built.profile.stamp?.[key] ?? ""}` }] };
}

/** The torch with which the file was compiled, where anything tells. */
export function builtTorch(sides: Pick<Sides, "built" | "options">): string | undefined {
  return sides.options.builtWith?.version ?? sides.built.profile.stamp?.["torch.version"] ?? valueOf(sides.built.facts, "torch-version");
}

/**
 * Sizes of torch's public classes, and what else inline code has compiled in, between the torch of the build and the
 * installed one: symbols do not show them.
 */
export const layout: Comparison = (sides) => {
  const from = builtTorch(sides);
  const to = known(sides.environment.body, "torch-version");
  const sizes = from === undefined || to === undefined ? undefined : layoutChanges(from, to.value);
  const others = from === undefined || to === undefined ? undefined : silentChanges(from, to.value);
  if (sides.usesUnstable && from === undefined && to !== undefined) {
    return layoutOfCandidates(sides, to.value);
  }
  if (!sides.usesUnstable || from === undefined || to === undefined || sizes === undefined || others === undefined) {
    return undefined;
  }
  const evidence = [...(sides.options.builtWith === undefined ? [] : [sides.options.builtWith.source]), ...to.evidence];
  const first = sizes[0]?.class ?? others[0]?.name;
  if (first === undefined) {
    return { trait: "layout", built: from, installed: to.value, agrees: true, weight: "info", because: `The measured classes of torch lie in memory alike in ${from} and ${to.value}.`, evidence };
  }
  const given = handedOver(sides.unstableNames, sizes);
  const row: Evidence = { kind: "catalogue", table: "torch-layouts", row: first, source: sizes[0]?.source ?? others[0]?.source ?? "" };
  const what = sizes.length > 0
    ? `other sizes of ${listed(sizes.map((one) => `${one.class} (${one.from} and ${one.to} bytes)`))}`
    : `the same sizes of torch's classes, and other ${listed(others.map(nameOf))}`;
  return {
    trait: "layout",
    built: from,
    installed: to.value,
    agrees: false,
    weight: given.length > 0 ? "error" : "warning",
    because: `The file was compiled with torch ${from}, and ${torchName(sides.environment)} has ${what}. Code that was inlined into the file uses the old ones; nothing says so when it is loaded.${handed(given)}`,
    evidence: [...evidence, row],
  };
};

/** A sentence more where the file itself makes objects of a class that changed and hands them to torch. */
function handed([first]: readonly HandedOver[]): string {
  return first === undefined ? "" : ` The file makes objects of ${first.change.class} itself and hands them to ${first.to}: expect a crash.`;
}

function nameOf(one: SilentChange): string {
  const kinds = { member: "place of", "virtual-function": "virtual functions of", constant: "value of" } as const;
  return `${kinds[one.kind]} ${one.name}`;
}

function listed(names: readonly string[]): string {
  const rest = names.length - namedClasses;
  return `${names.slice(0, namedClasses).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
