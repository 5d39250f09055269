import * as path from "node:path";
import type { LibraryImage } from "../binaries/library.ts";
import { torchLibraryStem } from "../catalogue/index.ts";
import type { Unfound } from "./process.ts";
import type { ReleaseAnswer } from "./releases.ts";
import { maximumMissing } from "./symbols.ts";
import type { Import, Resolution } from "./symbols.ts";
import type { TorchProcess } from "./torchProcess.ts";
import { builtTorch } from "./traits/index.ts";
import type { Sides } from "./traits/index.ts";

export interface Gaps {
  readonly sides: Sides;
  readonly resolution: Resolution;
  /** Symbols that a library which was not found may hold. */
  readonly hidden: readonly Import[];
  readonly unlookedAt: readonly string[];
  readonly openedBefore: readonly LibraryImage[];
  readonly before: TorchProcess;
  readonly unreadVersions: ReadonlyMap<string, readonly string[]>;
  readonly releases: ReleaseAnswer;
  readonly unfound: readonly Unfound[];
  readonly isLayoutCompared: boolean;
}

/** Everything that an answer leaves open, in sentences. */
export function notChecked(gaps: Gaps): readonly string[] {
  const { sides } = gaps;
  return [
    ...sides.environment.notKnown,
    ...otherTorch(gaps),
    ...notFound(gaps),
    ...(gaps.resolution.missing.length >= maximumMissing ? [`The search for missing symbols ended after ${maximumMissing}.`] : []),
    ...notLookedInto(gaps),
    ...aboutOrder(gaps),
    ...aboutLayout(sides, gaps.isLayoutCompared),
    ...aboutGpu(sides),
    ...aboutReleases(gaps.releases),
    ...aboutOpening(sides),
    "Only what the loader does was worked out: whether functions still do the same in this torch was not.",
  ];
}

function notFound({ hidden, unfound }: Gaps): readonly string[] {
  const names = [...new Set(unfound.map((one) => one.name))];
  return hidden.length === 0 ? [] : [`${counted(hidden.length, "symbol")} that nothing else provides may lie in ${names.join(", ")}, which ${names.length === 1 ? "was" : "were"} not found.`];
}

/** Where the variables of the process lead import torch to libraries of another torch. */
function otherTorch({ sides: { environment }, before }: Gaps): readonly string[] {
  const foreign = before.model.objects.filter((one) => one.image !== undefined && torchLibraryStem(one.name) !== undefined && !environment.torchLibraries.includes(one.image));
  return foreign.length === 0 ? [] : [`import torch itself would load ${foreign.map((one) => `${one.path} (${one.how})`).join(", ")} in the place of its own: the answer is for a process with those.`];
}

function notLookedInto({ sides, resolution, unlookedAt, before: { assumed }, unreadVersions }: Gaps): readonly string[] {
  const sentences: string[] = [];
  if (unlookedAt.length > 0) {
    sentences.push(`Whether ${unlookedAt.join(", ")} ${unlookedAt.length === 1 ? "is" : "are"} installed was not checked.`);
  }
  // Of a machine that is not known the rest follows, and its environment says it in one sentence.
  if (sides.environment.machine === undefined) {
    return sentences;
  }
  for (const [library, imports] of resolution.uncertain) {
    const closed = imports.filter((one) => one.symbol.version !== undefined || (one.family !== "torch" && one.family !== "torch-stable" && one.family !== "own-or-other"));
    if (closed.length > 0 && library !== "") {
      sentences.push(`${counted(closed.length, "symbol")} of ${library} ${closed.length === 1 ? "was" : "were"} not checked: that library was not looked into.`);
    }
  }
  if (assumed.length > 0) {
    const names = assumed.map((one) => one.name).join(", ");
    sentences.push(`torch itself loads ${names}, which ${assumed.length === 1 ? "is" : "are"} not where the loader looks: without ${assumed.length === 1 ? "it" : "them"} import torch fails. ${assumed.length === 1 ? "It was" : "They were"} taken for present and not looked into.`);
  }
  const versions = [...unreadVersions].filter(([library]) => !unlookedAt.includes(library));
  if (versions.length > 0) {
    sentences.push(`Symbol versions of ${versions.map(([library]) => library).join(", ")} were not checked.`);
  }
  return sentences;
}

function aboutOrder({ sides: { built }, openedBefore }: Gaps): readonly string[] {
  const names = openedBefore.map((one) => path.basename(one.path)).join(", ");
  const [they, lie] = openedBefore.length === 1 ? ["it", "lies"] : ["them", "lie"];
  return names === "" ? [] : [`${path.basename(built.path)} needs ${names}, which ${lie} beside it where the loader does not look: it loads only after its package has opened ${they}, and that was taken for done.`];
}

function aboutLayout(sides: Sides, isCompared: boolean): readonly string[] {
  if (!sides.usesUnstable || isCompared) {
    return [];
  }
  const from = builtTorch(sides);
  return [from === undefined
    ? "Layouts of torch's classes were not compared: the file does not say with which torch it was compiled."
    : `Layouts of torch's classes were not compared: those of torch ${from} or of the installed one are not recorded.`];
}

function aboutGpu({ built, options }: Sides): readonly string[] {
  return built.profile.cuda === undefined || built.profile.cuda.architectures.length === 0 || options.gpu !== undefined ? [] : ["No GPU is known: whether the file holds code for it was not checked."];
}

function aboutReleases({ releases, unrecorded }: ReleaseAnswer): readonly string[] {
  return releases === undefined || unrecorded.length === 0 ? [] : [`The releases that would do are those for ${counted(unrecorded.length, "name")} less than the file needs: of ${unrecorded[0]}${unrecorded.length > 1 ? " and others" : ""} no release is recorded.`];
}

function aboutOpening({ built, scope }: Sides): readonly string[] {
  const image = scope.find((one) => one.path === built.path)?.image;
  const opens = [...(image?.imports() ?? [])].some((one) => one.name === "dlopen");
  return opens ? ["Libraries that the file opens while it runs (dlopen) were not followed."] : [];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
