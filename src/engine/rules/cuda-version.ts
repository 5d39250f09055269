import { exactVersion, localLabel, valueOf } from "../model/index.ts";
import type { BaseImage, CudaToolkitChoice, Finding, InstalledBody, Requirement } from "../model/index.ts";
import { observationsOf } from "../model/index.ts";
import { otherCuda } from "./binaries/cuda.ts";
import { withBuilt } from "./binaries/report.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { conditionSuffix, finding, shortPath, targetsPhrase, torchName } from "./support.ts";

/** torch's own check refuses another major and lets another minor pass with a warning (torch/utils/cpp_extension.py). */
export const cudaVersion: Rule = {
  name: "cuda-version",
  severity: "error",
  summary: "The CUDA toolkit of the build, or the CUDA that a built file loads, is not the one that torch was built with.",
  check(context) {
    return withBuilt(cudaVersion, context, [...chosenToolkits(context), ...foundToolkit(context), ...images(context)], otherCuda);
  },
};

function chosenToolkits(context: RuleContext): Finding[] {
  const { installed } = context;
  const torch = installed && valueOf(installed.facts, "cuda-version");
  if (installed === undefined || torch === undefined) return [];
  return observationsOf(context.observations, "cuda-toolkit").flatMap((choice) => {
    const found = judgeChoice(choice, torch, installed);
    return found === undefined ? [] : [finding(cudaVersion, { ...found, location: choice.evidence.location, against: evidenceOf(installed) })];
  });
}

function judgeChoice(choice: CudaToolkitChoice, torch: string | null, installed: InstalledBody): Pick<Finding, "message" | "severity"> | undefined {
  if (choice.version === undefined) return undefined;
  const asked = `The build asks for CUDA ${choice.version}${choice.minimum ? " or newer" : ""}${conditionSuffix(choice.conditions)}`;
  if (torch === null) {
    // A machine without a GPU is where many people edit; only an unconditional, exact choice says something.
    return choice.minimum || choice.conditions.length > 0 ? undefined : { severity: "info", message: `${asked}, and ${torchName(installed)} is built without CUDA: its CUDA libraries and headers are not there to link.` };
  }
  const order = compareCuda(choice.version, torch);
  if (order.major !== 0 && !(choice.minimum && order.major < 0)) {
    return { severity: "error", message: `${asked}, and ${torchName(installed)} is built with CUDA ${torch}. torch refuses a toolkit of another major version ("The detected CUDA version (${choice.version}) mismatches the version that was used to compile PyTorch (${torch})"). Build with a CUDA ${torch.split(".")[0] ?? ""} toolkit or install a torch for CUDA ${choice.version.split(".")[0] ?? ""}.` };
  }
  if (choice.minimum || order.minor === 0 || !choice.version.includes(".")) return undefined;
  return { severity: "info", message: `${asked}, and ${torchName(installed)} is built with CUDA ${torch}: the same major version, which torch accepts with a warning.` };
}

/** The toolkit that a build on this machine would take: the first one found. */
function foundToolkit(context: RuleContext): Finding[] {
  const { installed } = context;
  const torch = installed && valueOf(installed.facts, "cuda-version");
  if (installed === undefined || typeof torch !== "string" || (installed.source !== "environment" && installed.source !== "libtorch")) return [];
  const toolkits = context.toolchains.flatMap((body) => {
    const version = valueOf(body.facts, "cuda-version");
    return typeof version === "string" ? [{ version, path: body.path }] : [];
  });
  const first = toolkits[0];
  const exact = observationsOf(context.observations, "cuda-toolkit").some((one) => !one.minimum && (one.version !== undefined || one.path !== undefined));
  if (first === undefined || exact || compareCuda(first.version, torch).major === 0) return [];
  const targets = context.declared.map((body) => body.target).filter((target) => target.usesTorch === true && target.languages.includes("CUDA"));
  const target = targets[0];
  if (target === undefined) return [];
  const matching = toolkits.find((one) => compareCuda(one.version, torch).major === 0);
  const advice = matching === undefined ? `Install a CUDA ${torch.split(".")[0] ?? ""} toolkit.` : `Set CUDA_HOME=${matching.path}, which is CUDA ${matching.version}.`;
  return [finding(cudaVersion, {
    message: `The CUDA toolkit found first on this machine, ${first.path}, is CUDA ${first.version}, and ${torchName(installed)} is built with CUDA ${torch}; ${targetsPhrase(targets.map((one) => one.name))} would be compiled with it. ${advice}`,
    location: target.location,
    target: target.name,
    related: targets.slice(1, 10).map((one) => ({ message: `${one.name} is compiled with CUDA too.`, location: one.location })),
    against: evidenceOf(installed),
  })];
}

/** A container image whose CUDA toolkit is not that of the torch installed into it, where something may be compiled with both. */
function images(context: RuleContext): Finding[] {
  const bases = observationsOf(context.observations, "base-image");
  const hasOwn = context.declared.some((body) => body.target.usesTorch === true && body.target.languages.includes("CUDA"));
  return context.requirements.flatMap((requirement) => {
    if (requirement.name !== "torch" || requirement.role !== "image" || !requirement.known) return [];
    const base = imageOf(requirement, bases);
    const pinned = cudaOfRequirement(context, requirement);
    if (base?.cudaVersion === undefined || pinned === undefined || holdsNoToolkit(base.image)) return [];
    // torch brings the CUDA libraries that it runs with: the toolkit of an image matters to what is compiled there.
    if (!hasOwn && !observationsOf(context.observations, "build-isolation").some((one) => !one.isolated && one.evidence.location.path === requirement.location.path)) return [];
    const image = base.cudaVersion;
    const orders = pinned.versions.map((version) => compareCuda(image, version));
    const sameMajor = orders.some((one) => one.major === 0);
    if (orders.some((one) => one.major === 0 && one.minor === 0)) return [];
    const consequence = sameMajor
      ? "Extensions built in this image are compiled by a toolkit of another minor version, which torch accepts with a warning."
      : "torch refuses to build extensions with a toolkit of another major version.";
    return [finding(cudaVersion, {
      message: `The image ${base.image} holds CUDA ${image}, and ${pinned.what} is built with CUDA ${pinned.versions.join(" or ")}. ${consequence}`,
      severity: sameMajor ? "info" : "error",
      location: requirement.location,
      related: [{ message: `${base.image} is the base image (${shortPath(base.evidence.location.path, context.root)}).`, location: base.evidence.location }],
    })];
  });
}

/** The flavours `base` and `runtime` of nvidia/cuda and pytorch/pytorch leave out nvcc and the headers (hub.docker.com/r/nvidia/cuda, "Overview of Images"). */
function holdsNoToolkit(image: string): boolean {
  const tag = image.slice(image.lastIndexOf("/") + 1).split("@")[0]?.split(":")[1] ?? "";
  return /(?:^|-)(?:base|runtime)(?:-|$)/.test(tag);
}

/** The stage that a line belongs to: the last FROM before it. */
function imageOf(requirement: Requirement, bases: readonly BaseImage[]): BaseImage | undefined {
  return bases.findLast((base) => base.evidence.location.path === requirement.location.path && base.evidence.location.range.start.line < requirement.location.range.start.line);
}

function cudaOfRequirement(context: RuleContext, requirement: Requirement): { readonly what: string; readonly versions: readonly string[] } | undefined {
  const version = exactVersion(requirement.specifier);
  if (version === undefined) return undefined;
  const label = localLabel(version) ?? requirement.indexUrls.map((url) => /\/(cu\d{2,3}|cpu|rocm[\d.]+)\b/.exec(url)?.[1]).find((one) => one !== undefined);
  if (label !== undefined) {
    const digits = /^cu(\d+)(\d)$/.exec(label);
    return digits === null ? undefined : { what: `torch ${version.includes("+") ? version : `${version}+${label}`}`, versions: [`${digits[1] ?? ""}.${digits[2] ?? ""}`] };
  }
  const release = context.catalogue.torchRelease(version);
  const versions = release?.variants.filter((one) => one.isDefault && one.platform.startsWith("linux-")).flatMap((one) => one.cudaVersion ?? []);
  // Without a label the index serves its default build, and a mirror may serve any other: only what no build has counts.
  const all = release?.variants.flatMap((one) => one.cudaVersion ?? []) ?? [];
  const base = versions === undefined || versions.length === 0 ? undefined : [...new Set(all)];
  return base === undefined ? undefined : { what: `torch ${version}`, versions: base };
}

/** Compares "12.8.1" with "12.4" by major, then by minor where both state one. */
function compareCuda(a: string, b: string): { readonly major: number; readonly minor: number } {
  const [aMajor = 0, aMinor] = a.split(".").map(Number);
  const [bMajor = 0, bMinor] = b.split(".").map(Number);
  return { major: aMajor - bMajor, minor: aMajor === bMajor && aMinor !== undefined && bMinor !== undefined ? aMinor - bMinor : 0 };
}

function evidenceOf(installed: InstalledBody): Finding["against"] {
  return installed.facts.find((fact) => fact.trait === "cuda-version")?.evidence ?? [];
}
