/** Which torch a target will meet: the installed one, or the releases that the project's requirements allow. */
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import type { TorchRelease } from "../catalogue/index.ts";
import type { CatalogueEvidence, Condition, DeclaredBody, LinkedLibrary, Requirement } from "../model/index.ts";
import { compareVersions, exactVersion, parseSpecifiers, satisfies, valueOf } from "../model/index.ts";
import type { SourceScan } from "../sources/cpp/types.ts";
import { once, onceForSources } from "./once.ts";
import type { RuleContext } from "./rule.ts";
import { isUnstableTorchHeader, sourcesOf } from "./sources.ts";
import { place, torchName } from "./support.ts";

/** Releases of torch that a project does not keep out. */
export interface TorchRange {
  /** Oldest first. Empty only when the catalogue holds none of them. */
  readonly releases: readonly TorchRelease[];
  /** The requirements that restrict it. */
  readonly requirements: readonly Requirement[];
  /** "torch>=1.5 (requirements.txt:1)" or "no requirement of the project bounds torch". */
  readonly words: string;
}

const metadataRoles: ReadonlySet<Requirement["role"]> = new Set<Requirement["role"]>(["build", "install", "setup-requires"]);
const fileRoles: ReadonlySet<Requirement["role"]> = new Set<Requirement["role"]>(["requirements-file", "constraint", "conda"]);

/** Folders whose requirements serve something else than building the project. */
const asideFolders = /(?:^|[\\/])(?:docs?|examples?|tutorials?|benchmarks?|tests?|third_party|3rdparty|docker|\.github)[\\/]/i;

/**
 * The releases that the requirements around a build file allow. What the package declares for itself counts first and
 * together; requirements files and conda environments, which are often alternatives, count when it declares nothing.
 */
export function allowedTorch(context: RuleContext, path: string): TorchRange {
  const known = knownRanges.get(context) ?? new Map<string, TorchRange>();
  knownRanges.set(context, known);
  let found = known.get(dirname(path));
  if (found === undefined) known.set(dirname(path), (found = workOutRange(context, path)));
  return found;
}

const knownRanges = new WeakMap<RuleContext, Map<string, TorchRange>>();

function workOutRange(context: RuleContext, path: string): TorchRange {
  const around = requirementsAround(context, path);
  const metadata = around.filter((one) => metadataRoles.has(one.role) && bounds(one));
  const releases = context.catalogue.torchReleases;
  if (metadata.length > 0) {
    const sets = metadata.map((one) => releasesOf(context, one));
    const common = releases.filter((release) => sets.every((set) => set.includes(release)));
    // Requirements that exclude each other are another rule's business: here any of them may be in force.
    return range(context, common.length > 0 ? common : union(releases, sets), metadata);
  }
  const files = around.filter((one) => fileRoles.has(one.role));
  // A bare "torch" among alternatives takes the bound away; torch.org's own metadata names none.
  if (files.length > 0 && files.some(bounds)) {
    const bounded = files.filter(bounds);
    return range(context, union(releases, bounded.map((one) => releasesOf(context, one))), bounded);
  }
  return range(context, releases, around.filter((one) => metadataRoles.has(one.role) || fileRoles.has(one.role)).slice(0, 1));
}

function bounds(requirement: Requirement): boolean {
  return (parseSpecifiers(requirement.specifier)?.length ?? 0) > 0;
}

function union(releases: readonly TorchRelease[], sets: readonly (readonly TorchRelease[])[]): readonly TorchRelease[] {
  return releases.filter((release) => sets.some((set) => set.includes(release)));
}

function releasesOf(context: RuleContext, requirement: Requirement): readonly TorchRelease[] {
  const exact = exactVersion(requirement.specifier);
  if (exact !== undefined) {
    const release = context.catalogue.torchRelease(exact);
    return release === undefined ? [] : [release];
  }
  return context.catalogue.torchReleases.filter((release) => satisfies(release.version, requirement.specifier) === true);
}

/** What is asked of torch in the files that serve a build file; in all of the project's where none of them does. */
export function requirementsAround(context: Pick<RuleContext, "root" | "requirements">, path: string): readonly Requirement[] {
  const torch = context.requirements.filter((one) => one.name === "torch" && one.known && !asideFolders.test(relative(context.root, one.location.path)));
  const above = torch.filter((one) => isAbove(folderServed(one.location.path), path));
  return above.length > 0 ? above : torch;
}

/** The folder whose build a requirement serves: `requirements/gpu.txt` serves the folder above. */
function folderServed(path: string): string {
  const folder = dirname(path);
  return /^(?:requirements?|reqs|conda|environments?|envs?)$/i.test(basename(folder)) ? dirname(folder) : folder;
}

function isAbove(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return !inside.startsWith("..") && !isAbsolute(inside);
}

function range(context: RuleContext, releases: readonly TorchRelease[], requirements: readonly Requirement[]): TorchRange {
  const first = requirements[0];
  const bounded = requirements.some(bounds);
  const words = first === undefined
    ? "no requirement of the project bounds torch"
    : bounded
      ? `the project asks for ${requirements.slice(0, 2).map((one) => `torch${one.specifier} (${place(one.location, context.root)})`).join(" and ")}`
      : `the project asks for torch without a bound (${place(first.location, context.root)})`;
  return { releases, requirements, words };
}

/** A row of the table of releases, as evidence. */
export function releaseEvidence(release: TorchRelease): CatalogueEvidence {
  return { kind: "catalogue", table: "torch-releases", row: release.version, source: release.sources[0] ?? "" };
}

/** Why an exact torch was not compared with, as a sentence to end a message that judges by the range. */
export const judgedByRange = "No installed torch was given, so this is judged by the releases that the project allows.";

/** Version and name of the torch to check against; undefined when none was given or its version is unknown. */
export function givenTorch(context: RuleContext): { readonly version: string; readonly name: string } | undefined {
  const version = context.installed === undefined ? undefined : valueOf(context.installed.facts, "torch-version");
  return context.installed === undefined || version === undefined ? undefined : { version, name: torchName(context.installed) };
}

/**
 * The torch that has lost something since `removedIn`, in words: the given one, or the newest that the project
 * allows. undefined when the torch in question still has it, or nothing is known.
 */
export function torchWithout(context: RuleContext, removedIn: string, path: string): string | undefined {
  const given = givenTorch(context);
  if (given !== undefined) return compareVersions(releasePart(given.version), removedIn) >= 0 ? given.name : undefined;
  if (context.installed !== undefined) return undefined;
  const allowed = allowedTorch(context, path);
  const newest = allowed.releases.at(-1);
  return newest !== undefined && compareVersions(newest.version, removedIn) >= 0 ? `torch ${newest.version}, which the project allows (${allowed.words})` : undefined;
}

/** "2.9.0a0+git1" -> "2.9.0": a pre-release of a release already lacks what the release lacks. */
export function releasePart(version: string): string {
  return /^\d+(?:\.\d+)*/.exec(version)?.[0] ?? version;
}

/**
 * `torch.__version__ >= "2.1"`, `TORCH_VERSION VERSION_LESS 2.7`, `TORCH_MAJOR`, `is_torch_2_1`; but not `torch.version.cuda`.
 * Variables for such versions are named in many ways, so the name alone has to do.
 */
const torchVersionTest = /torch_{0,2}\.?_{0,2}version(?:__)?(?![._](?:cuda|hip|xpu|rocm|debug))|torch_(?:major|minor|ver(?![a-z])|v?\d)/i;

/** The author already tells torch releases apart where this holds. */
export function dependsOnTorchVersion(conditions: readonly Condition[]): boolean {
  return conditions.some((one) => torchVersionTest.test(one.text.slice(0, 2000)));
}

const hipTest = /^\(?(?:bool\()?\s*(?:torch\.version\.hip|(?:is|use|with|build)?_?(?:rocm|hip)(?:_\w+)?)\s*\)*(?:\s+is not None)?$/i;

/** CUDA 10 and older go with torch 1.12 and older (data/torch-releases.json). */
const oldestCudaMajor = 11;

/**
 * Holds only for builds that the catalogue's range does not speak of: ROCm, whose releases are other files, and CUDA
 * toolkits older than any torch of today.
 */
export function outsideRange(conditions: readonly Condition[]): boolean {
  return conditions.some((one) => {
    if (one.branch === 0 && hipTest.test(one.text.trim())) return true;
    const bound = /^\(?\w*cuda\w*major\w*\s*(>=|>|<=|<)\s*(\d+)\)?$/i.exec(one.text.trim());
    if (bound === null) return false;
    const [, operator = "", number = ""] = bound;
    // The highest major that the condition admits.
    const highest = operator.startsWith("<") === (one.branch === 0) ? Number(number) - (operator === "<" || operator === ">=" ? 1 : 0) : Number.POSITIVE_INFINITY;
    return highest < oldestCudaMajor;
  });
}

const hardwareName = /(?:^|[\\/_.-])(rocm|hip|musa|npu|xpu|hpu|mlu|sdaa|supa)(?=[\\/_.-])/i;

/** `setup_rocm.py`, `op_builder/npu/`: a build file for hardware that the given torch does not serve. */
export function servesOtherHardware(context: RuleContext, path: string): boolean {
  const hardware = hardwareName.exec(relative(context.root, path))?.[1]?.toLowerCase();
  if (hardware === undefined || context.installed === undefined) return false;
  const { facts, distributions } = context.installed;
  if (hardware === "rocm" || hardware === "hip") return typeof valueOf(facts, "rocm-version") !== "string";
  if (hardware === "xpu" && /\+xpu/.test(valueOf(facts, "torch-version") ?? "")) return false;
  return !distributions.some((one) => one.name === `torch-${hardware}`);
}

type Includes = "unstable" | "stable" | "none" | "unknown";

/** What the sources of a target include of torch, through headers of the project. */
const torchIncludes = onceForSources(readIncludes);

/** The sources themselves mostly say it; only a target that has torch is followed into the project's headers. */
function readIncludes(context: RuleContext, body: DeclaredBody): Includes {
  const { sources, usesTorch } = body.target;
  const own = sources.flatMap((source) => (isAbsolute(source.path) ? (context.scan(source.path) ?? []) : []));
  const isOwn = (header: string): boolean => isInProject(context, body, header);
  const direct = includedOf(own, isOwn, usesTorch !== true);
  if (direct !== undefined && (direct === "unstable" || usesTorch !== true)) return direct;
  if (usesTorch !== true) return "unknown";
  const scans = sourcesOf(context, body).map((one) => one.scan);
  const reached = includedOf(scans, isOwn, false);
  if (reached !== undefined) return reached;
  const names = new Set(scans.map((one) => basename(one.path)));
  const complete = sources.length > 0 && sources.every((source) => names.has(basename(source.path)));
  return complete && scans.every((scan) => scan.includes.every((one) => one.angled || names.has(basename(one.header)))) ? "none" : "unknown";
}

/** The most that any of the sources includes. Under a macro it may be another target's: `plainOnly` leaves these out. */
function includedOf(scans: readonly SourceScan[], isOwn: (header: string) => boolean, plainOnly: boolean): "unstable" | "stable" | undefined {
  let found: "stable" | undefined;
  for (const scan of scans) {
    for (const { header, guards } of scan.includes) {
      if (plainOnly && guards.length > 0) continue;
      if (!/^(?:ATen|c10|caffe2|torch|THC?)\//.test(header) || isOwn(header)) continue;
      if (isUnstableTorchHeader(header) || /^THC?\//.test(header)) return "unstable";
      found = "stable";
    }
  }
  return found;
}

/** A project may hold a copy of c10 or of the header-only part, and include that. */
function isInProject(context: RuleContext, body: DeclaredBody, header: string): boolean {
  return body.target.includeDirectories.some((folder) => {
    const inside = relative(context.root, folder);
    return !inside.startsWith("..") && !isAbsolute(inside) && context.files.status(join(folder, header))?.kind === "file";
  });
}

/** Headers that bring in neither ATen/ATen.h nor torch/all.h, where torch refuses older standards. */
const withoutStandardCheck = /^(?:c10|caffe2)\/|^ATen\/cpu\//;

const linkedTorch = /^(?:.*[\\/])?(?:lib)?torch(?:_cpu|_cuda|_python)?(?:\.\w+)*$|TORCH_(?:PYTHON_)?LIBRAR|^Torch::/;

/** libtorch among the libraries that a target links, directly or through others. */
export const torchLinks: (body: DeclaredBody) => readonly LinkedLibrary[] = once((body) => body.target.links.filter((link) => linkedTorch.test(link.name)));

/**
 * Whether a target compiles a header of torch that stops with an #error below a standard. Where its includes are not all
 * known, only what links libtorch counts: torch's include directory alone may serve a header without that check.
 */
export function meetsStandardCheck(context: RuleContext, body: DeclaredBody): boolean {
  if (!exchangesObjects(context, body)) return false;
  if (torchIncludes(context, body) === "unknown") return body.target.builder !== "cmake" || torchLinks(body).length > 0;
  return includesCheckedHeader(context, body);
}

const includesCheckedHeader = onceForSources((context, body) =>
  sourcesOf(context, body).some(({ scan }) => scan.includes.some(({ header }) => isUnstableTorchHeader(header) && !withoutStandardCheck.test(header) && !isInProject(context, body, header))));

/** Whether a compiled target sees torch's headers. Imported and interface targets compile nothing. */
export function seesTorch(context: RuleContext, body: DeclaredBody): boolean {
  const { kind, usesTorch } = body.target;
  if (kind === "imported" || kind === "interface") return false;
  const includes = torchIncludes(context, body);
  return usesTorch === true ? includes !== "none" : includes === "stable" || includes === "unstable";
}

/** Whether C++ objects cross between a target and torch: not when it uses torch's stable headers alone. */
export function exchangesObjects(context: RuleContext, body: DeclaredBody): boolean {
  return seesTorch(context, body) && torchIncludes(context, body) !== "stable";
}
