import type { RecordedSymbols } from "../../catalogue/index.ts";
import { canAllHold, evaluateMarker, parseMarker, parseRequirementText, satisfies } from "../../model/index.ts";
import type { Evidence, MarkerEnvironment, WheelDisagreement } from "../../model/index.ts";
import type { TorchNeed, TorchNeeds } from "./torchNeeds.ts";
import type { Verdict, WheelContent } from "./types.ts";

const unsaid = "@";

/** One way in which METADATA asks for torch. */
interface Requirement {
  /** As METADATA writes it. */
  readonly text: string;
  readonly specifier: string;
}

/**
 * Whether METADATA asks for a torch that has what the libraries need. What the releases export is recorded of the wheels
 * for Linux x86_64; of other machines nothing is said.
 */
export function judgeTorchRequirement(content: WheelContent, needs: TorchNeeds, history: RecordedSymbols): Verdict {
  const notKnown = needs.unrecorded.length === 0 ? [] : [unrecordedWords(needs)];
  if (content.libraries.some((one) => one.body.profile.machine !== "x86_64")) {
    return { disagreements: [], notKnown: [...notKnown, "Which releases of torch have what the libraries need is recorded for x86_64 alone."] };
  }
  const evidence = (what: string): readonly Evidence[] => [
    { kind: "file", path: `${content.where}/${content.metadata.folder}/METADATA`, what },
    { kind: "catalogue", table: "torch-symbols", row: needs.recorded[0]?.symbol ?? "", source: history.source },
  ];
  const say = (weight: WheelDisagreement["weight"], message: string, what: string, member = needs.member): WheelDisagreement => ({ kind: "requires-torch", weight, message, ...(member === undefined ? {} : { member }), evidence: evidence(what) });
  const asked = requirementsOf(content);
  const bounded = asked.filter((one) => one.specifier !== "" && !one.specifier.includes(unsaid));
  if (content.metadata.folder === undefined || needs.recorded.length === 0) {
    return { disagreements: [], notKnown };
  }
  if (asked.every((one) => one.specifier === "")) {
    const missing = asked.length === 0 ? "METADATA does not require torch" : `METADATA says "Requires-Dist: ${asked[0]?.text}", which admits every release`;
    const isNarrow = needs.wouldDo.length + needs.wouldDoInOtherBuilds.length < history.releases.length;
    const what = asked.length === 0 ? "no Requires-Dist names torch" : `Requires-Dist: ${asked[0]?.text}`;
    return { disagreements: needs.unstable > 0 || isNarrow ? [say(isNarrow && needs.unstable > 0 ? "warning" : "info", `${missing}. ${needs.member} needs ${kindWords(needs)}; ${wouldDoWords(needs, history)}.`, what)] : [], notKnown };
  }
  return { disagreements: bounded.flatMap((one) => judgeOne(one, needs, history, say)), notKnown };
}

function judgeOne({ text, specifier }: Requirement, needs: TorchNeeds, history: RecordedSymbols, say: (weight: WheelDisagreement["weight"], message: string, what: string, member?: string) => WheelDisagreement): readonly WheelDisagreement[] {
  const admitted = history.releases.filter((release) => satisfies(release, specifier) === true);
  const lacking = admitted.filter((release) => needs.lackingIn(release) !== undefined);
  const what = `Requires-Dist: ${text}`;
  const [firstLacking] = lacking;
  const need = firstLacking === undefined ? undefined : needs.lackingIn(lacking.at(-1) ?? firstLacking);
  if (need !== undefined) {
    const mayBeNewer = canAllHold([specifier, `>${history.releases.at(-1)}`]) !== false;
    const all = lacking.length === admitted.length && !mayBeNewer;
    return [say(all ? "error" : "warning", `METADATA says "${what}"${all ? ", and none of the releases that it admits has what the libraries need" : `, which admits torch ${runs(lacking, history.releases)}`}. ${missingWords(need, lacking.at(-1) ?? "")}; ${wouldDoWords(needs, history)}.`, what, need.member)];
  }
  const [oldest] = needs.wouldDo;
  if (needs.unstable === 0 && needs.unrecorded.length === 0 && admitted.length === 1 && needs.wouldDo.length > 1 && oldest !== undefined) {
    return [say("info", `METADATA says "${what}", which admits one release. The libraries use torch's stable ABI alone, and all they need of it is there from torch ${oldest} on.`, what)];
  }
  return [];
}

/** Rows for torch that may apply on Linux, with those that always apply joined to each. */
function requirementsOf({ metadata, name }: WheelContent): readonly Requirement[] {
  const environment = environmentOf(name.tags.pythons, name.tags.abis);
  const always: Requirement[] = [];
  const sometimes: Requirement[] = [];
  for (const text of metadata.requires) {
    const parsed = parseRequirementText(text);
    if (parsed?.name !== "torch") {
      continue;
    }
    const marker = parsed.marker === undefined ? undefined : parseMarker(parsed.marker);
    const holds = marker === undefined ? parsed.marker === undefined : evaluateMarker(marker, environment);
    if (holds === false || /\bextra\b/.test(parsed.marker ?? "")) {
      continue;
    }
    // A pin of one build admits the release. A link to a file is such a pin, of a release that it does not say.
    const specifier = parsed.url === undefined ? parsed.specifier.replace(/\+[\w.]+/g, "") : unsaid;
    (holds === true ? always : sometimes).push({ text, specifier });
  }
  const joined: Requirement = { text: always.map((one) => one.text).join(", "), specifier: always.map((one) => one.specifier).filter((one) => one !== "").join(",") };
  if (sometimes.length === 0) {
    return always.length === 0 ? [] : [joined];
  }
  return sometimes.map((one) => ({ text: one.text, specifier: [joined.specifier, one.specifier].filter((part) => part !== "").join(",") }));
}

function environmentOf(pythons: readonly string[], abis: readonly string[]): MarkerEnvironment {
  const [python] = pythons;
  const version = pythons.length === 1 && abis.every((abi) => abi !== "abi3" && abi !== "none") ? /^cp3(\d+)$/.exec(python ?? "")?.[1] : undefined;
  return { sys_platform: "linux", platform_system: "Linux", os_name: "posix", platform_machine: "x86_64", implementation_name: "cpython", platform_python_implementation: "CPython", ...(version === undefined ? {} : { python_version: `3.${version}` }) };
}

function kindWords({ unstable, stable }: TorchNeeds): string {
  const cxx = `${unstable} ${unstable === 1 ? "name" : "names"} of torch's C++, which change from release to release`;
  const c = `${stable} ${stable === 1 ? "function" : "functions"} of torch's stable ABI`;
  return unstable === 0 ? c : stable === 0 ? cxx : `${cxx}, and ${c}`;
}

function missingWords(need: TorchNeed, release: string): string {
  return `Torch ${release} does not export ${need.symbol}, which ${need.member} needs`;
}

function wouldDoWords(needs: TorchNeeds, history: RecordedSymbols): string {
  const { wouldDo, wouldDoInOtherBuilds: others } = needs;
  const inOthers = others.length === 0 ? "" : `builds of ${runs(others, history.releases)} with _GLIBCXX_USE_CXX11_ABI=1 `;
  if (wouldDo.length === 0) {
    return others.length === 0 ? "no recorded release has all that they need" : `of the recorded releases (${history.releases[0]} to ${history.releases.at(-1)}) only ${inOthers}have all that the libraries need`;
  }
  return `of the recorded releases (${history.releases[0]} to ${history.releases.at(-1)}) these have all that the libraries need: ${runs(wouldDo, history.releases)}${others.length === 0 ? "" : `; ${inOthers}have it too`}`;
}

function unrecordedWords({ unrecorded }: TorchNeeds): string {
  const [first] = unrecorded;
  return `${unrecorded.length} ${unrecorded.length === 1 ? "name" : "names"} of torch that the libraries need (${first?.symbol}${unrecorded.length > 1 ? ", ..." : ""} in ${first?.member}) ${unrecorded.length === 1 ? "is" : "are"} not recorded of any release, and not counted.`;
}

/** "2.7.0 to 2.9.1, 2.12.0": stretches of releases without a gap. */
function runs(releases: readonly string[], all: readonly string[]): string {
  const stretches: string[][] = [];
  let before = -2;
  for (const release of releases) {
    const at = all.indexOf(release);
    const last = stretches.at(-1);
    if (at === before + 1 && last !== undefined) {
      last.push(release);
    } else {
      stretches.push([release]);
    }
    before = at;
  }
  return stretches.map((one) => (one.length === 1 ? one[0] : `${one[0]} to ${one.at(-1)}`)).join(", ");
}
