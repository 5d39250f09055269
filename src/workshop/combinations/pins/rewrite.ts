/** One pin, rewritten in place: nothing but the version's own characters changes. */
import { withUserOf } from "../../../engine/binaries/remote/index.ts";
import type { LineIndex} from "../../../engine/model/index.ts";
import { localLabel, parseVersion, publicVersion, satisfies } from "../../../engine/model/index.ts";
import type { IndexKnowledge, KnownWheel } from "../types.ts";
import { canonical } from "./choose.ts";
import type { Pin } from "./choose.ts";
import type { PinChange, PinLeft, RollTarget } from "./types.ts";

interface Means {
  readonly target: RollTarget;
  readonly knowledge: IndexKnowledge;
  /** Labels of the torches that are rolled: "cpu", "cu130". With one of them all change to the target's label, with several each keeps its own. */
  readonly labels: ReadonlySet<string>;
  /** The text of the file, as it was read for the pins. */
  readonly text: string;
  readonly index: LineIndex;
}

export type Rewritten = { readonly changes: readonly PinChange[]; /** The version that is asked for now. */ readonly version: string } | { readonly left: PinLeft };

export function rewritePin(pin: Pin, means: Means): Rewritten {
  const { requirement } = pin;
  const name = canonical(requirement.name);
  const wanted = versionFor(pin, means);
  if ("because" in wanted) return leave(pin, wanted.because);
  if (wanted.version === pin.version) return { changes: [], version: pin.version };
  if (requirement.url !== undefined) return rewriteLink(pin, wanted.version, means);
  if (requirement.role === "conda" && requirement.group !== "pip" && parseVersion(wanted.version)?.dev !== undefined) return leave(pin, "conda's channels have no nightlies.");
  const { start, end } = offsets(requirement.specifierLocation ?? requirement.location, means);
  const slice = means.text.slice(start, end);
  if (requirement.specifierLocation !== undefined && /^={1,2}[^=,\s]+=[^=]/.test(slice)) return leave(pin, "It names a build of conda, which belongs to the old version.");
  if (hasHash(means.text, end)) return leave(pin, "It has --hash of the old files. Change it with the tool that wrote the hashes (pip-compile --generate-hashes, uv pip compile --generate-hashes).");
  const places = occurrences(slice, pin.version);
  if (places.length === 1 && places[0] !== undefined) {
    const rest = requirement.specifier.replace(pin.version, wanted.version);
    if (satisfies(pin.isSeries ? fullVersion(name, means.target) : wanted.version, rest) === false) return leave(pin, `Beside the version it has further conditions, and ${rest} admits nothing.`);
    return { changes: [change(pin, name, start + places[0], pin.version, wanted.version, means)], version: wanted.version };
  }
  if (places.length > 1) return leave(pin, `The version ${pin.version} stands in it ${places.length} times.`);
  return rewriteVariable(pin, name, slice, wanted.version, means);
}

/** The version for one pin: with a label where the pin has one. */
function versionFor({ requirement, version, isSeries }: Pin, { target, knowledge, labels }: Means): { readonly version: string } | { readonly because: string } {
  const name = canonical(requirement.name);
  const wanted = fullVersion(name, target);
  if (wanted === "") return { because: `No ${name} for torch ${target.torch} is known.` };
  const plain = publicVersion(wanted) ?? wanted;
  // As many numbers as there were.
  if (isSeries) return { version: (parseVersion(plain)?.release ?? []).slice(0, version.split(".").length).join(".") };
  const label = localLabel(version);
  if (label === undefined) return { version: plain };
  if (label === localLabel(wanted) || labels.size <= 1) return { version: wanted };
  const own = `${plain}+${label}`;
  const isKnown = knowledge.wheels.some((one) => one.package === name && one.version === own && one.gone === undefined);
  return isKnown ? { version: own } : { because: `Whether there is a ${name} ${own} is not known: no index that was read has it. --index adds one.` };
}

function fullVersion(name: string, target: RollTarget): string {
  return (name === "torch" ? target.torch : target.packages[name]) ?? "";
}

function leave({ requirement }: Pin, because: string): Rewritten {
  return { left: { path: requirement.location.path, line: requirement.location.range.start.line + 1, text: requirement.text, because, byHand: true } };
}

function offsets({ range }: Pin["requirement"]["location"], { index, text }: Means): { readonly start: number; readonly end: number } {
  return { start: index.offsetAt(range.start) ?? text.length, end: index.offsetAt(range.end) ?? text.length };
}

function change({ requirement }: Pin, what: string, at: number, from: string, to: string, { index }: Means): PinChange {
  const location = index.locate(requirement.location.path, at, from.length);
  return { path: requirement.location.path, line: location.range.start.line + 1, what, from, to, edit: { location, newText: to } };
}

/** Offsets at which the version stands as a whole. */
export function occurrences(text: string, version: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(version); at >= 0; at = text.indexOf(version, at + 1)) {
    if (!/[\w.+!]/.test(text[at - 1] ?? " ") && !/^(?:[\w+]|\.\w)/.test(text.slice(at + version.length))) found.push(at);
  }
  return found;
}

/** `--hash` in the rest of the logical line. */
function hasHash(text: string, end: number): boolean {
  const rest = /^(?:\\\r?\n|[^\n])*/.exec(text.slice(end, end + 64 * 1024))?.[0] ?? "";
  return /\s--hash[=\s]/.test(rest);
}

/** The wheel of the same Python, platform and label in the place of the one that is named by its address. */
function rewriteLink(pin: Pin, version: string, means: Means): Rewritten {
  const { requirement } = pin;
  const name = canonical(requirement.name);
  const { start, end } = offsets(requirement.location, means);
  const link = requirement.url ?? "";
  const at = means.text.slice(start, end).indexOf(link);
  const tags = /-(cp\d+-\w+-[\w.]+)\.whl/.exec(link)?.[1];
  const wheel = means.knowledge.wheels.find((one): one is KnownWheel => one.package === name && one.version === version && one.gone === undefined && tags !== undefined && `${one.python}-${one.abi}-${one.platforms.join(".")}` === tags);
  if (at < 0 || wheel === undefined) return leave(pin, `It names a file, and no wheel of ${name} ${version} for ${tags ?? "the same Python and platform"} is known.`);
  const fragment = /#sha256=/i.test(link) ? (wheel.sha256 === undefined ? undefined : `#sha256=${wheel.sha256}`) : "";
  if (fragment === undefined) return leave(pin, `It names a file with its checksum, and that of ${wheel.file} is not known.`);
  return { changes: [change(pin, name, start + at, link, `${URL.canParse(link) ? withUserOf(link, wheel.url) : wheel.url}${fragment}`, means)], version };
}

/** `torch==${TORCH_VERSION}` of an image: the version stands where the variable is set. */
function rewriteVariable(pin: Pin, name: string, slice: string, version: string, means: Means): Rewritten {
  const [, suffix = ""] = /^[^+]*(\+.*)?$/.exec(pin.version) ?? [];
  const used = /[=\s]\$(?:\{(\w+)\}|(\w+))([\w.+]*)\s*$/.exec(slice.replace(/["']\s*$/, ""));
  const variable = used?.[1] ?? used?.[2];
  const behind = used?.[3] ?? "";
  const [old, wanted] = behind !== "" && behind === suffix ? [publicVersion(pin.version), publicVersion(version)] : [pin.version, version];
  if (variable !== undefined && behind.startsWith("+") && behind === suffix && !version.endsWith(behind)) {
    return leave(pin, `It asks for the build ${behind.slice(1)}, and ${version} is ${localLabel(version) === undefined ? "of no particular one" : `of ${localLabel(version)}`}: the index that was read may have others, and --index adds one.`);
  }
  if (variable === undefined || old === undefined || wanted === undefined || (behind !== "" && (behind !== suffix || !version.endsWith(behind)))) {
    return leave(pin, `Its version is computed; ${pin.version} does not stand there.`);
  }
  const definition = new RegExp(`^[ \\t]*(?:ARG|ENV)[ \\t]+${variable}(?:=|[ \\t]+)["']?`, "gim");
  const changes = [...means.text.matchAll(definition)].flatMap((match) => {
    const at = match.index + match[0].length;
    return occurrences(means.text.slice(at, at + old.length + 1), old).includes(0) ? [change(pin, name, at, old, wanted, means)] : [];
  });
  return changes.length > 0 ? { changes, version } : leave(pin, `Its version comes from ${variable}, which this file does not set to ${old}.`);
}
