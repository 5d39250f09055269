import { basename } from "node:path";
import type { CudaToolkit } from "../catalogue/index.ts";
import type { ArchitectureList, Condition, CudaArchitecture, DeclaredBody, Evidence, Finding, SourceEvidence } from "../model/index.ts";
import { compareVersions, factsOf, observationsOf, valueOf } from "../model/index.ts";
import { capabilityName, effectiveFacts, parseCMakeArchitectureList, parseTorchArchitectureList } from "../sources/flags/index.ts";
import { otherGpu } from "./binaries/cuda.ts";
import { withBuilt } from "./binaries/report.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { describe, finding, groupBy, joinWords, locationKey, place, placeWhen, targetsPhrase, torchName, viaPlaces } from "./support.ts";
import { dependsOnTorchVersion } from "./torch.ts";

export const cudaArchitectures: Rule = {
  name: "cuda-architectures",
  severity: "warning",
  summary: "GPU code is asked for that the CUDA toolkit cannot make, that runs on one kind of GPU alone, or that the GPU at hand cannot run.",
  check,
};

interface Request {
  /** Targets that get it; empty for a list of the whole project. */
  readonly names: readonly string[];
  readonly architectures: readonly CudaArchitecture[];
  readonly conditions: readonly Condition[];
  readonly evidence: SourceEvidence;
  /** What asks, as the subject of a sentence without its place: `TORCH_CUDA_ARCH_LIST "8.0"`, `the flags of target ops`. */
  readonly subject: string;
}

interface Toolkit {
  readonly table: CudaToolkit;
  readonly words: string;
  readonly evidence: readonly Evidence[];
}

/** Whoever branches on the toolkit or the GPU knows which architectures go with it. */
const versionBranch = /cuda|nvcc|toolkit|compute_cap|capability|arch|sm_?\d|kepler|maxwell|pascal|volta|turing|ampere|hopper|blackwell/i;

/** `SM GREATER -1`, `"${SM}" STREQUAL 70`: whoever builds names the GPU. Without a name the default is taken, which is the project's. */
const namesGpu = /(?:^|[^A-Za-z0-9_])_?SM(?:_?(?:POS|NUM|LIST))?(?![A-Za-z0-9_])/;

/** `bare_metal_version >= Version("12.8")`, as setup.py files of CUDA extensions ask nvcc. */
const toolkitTest = /^\(?bare_metal_version\s*(>=|>|<=|<)\s*(?:\w+\.)*(?:Version|parse)\(\s*["'](\d+\.\d+)["']\s*\)\)?$/;

/** Whether a test of the toolkit's version comes out as the branch needs it; undefined for other conditions. */
function toolkitDecides(condition: Condition, toolkit: string): boolean | undefined {
  const [, operator, version = ""] = toolkitTest.exec(condition.text.trim()) ?? [];
  if (operator === undefined) return undefined;
  const order = compareVersions(toolkit, version);
  const holds = operator === ">=" ? order >= 0 : operator === ">" ? order > 0 : operator === "<=" ? order <= 0 : order < 0;
  return holds === (condition.branch === 0);
}

function isChosen(condition: Condition, toolkit: string): boolean {
  const decided = toolkitDecides(condition, toolkit);
  if (decided !== undefined) return !decided;
  return condition.byDefault === false || versionBranch.test(condition.text) || (condition.branch === 0 && namesGpu.test(condition.text));
}

function check(context: RuleContext): readonly Finding[] {
  const toolkit = toolkitOf(context);
  const byTarget = targetRequests(context.declared);
  const lines = new Set(byTarget.map((one) => lineKey(one.evidence)));
  // The list of a folder and what its targets make of it are one request.
  const requests = [...listRequests(context).filter((one) => !lines.has(lineKey(one.evidence))), ...byTarget];
  const unknown = toolkit === undefined ? [] : unknownToToolkit(context, requests, toolkit);
  return withBuilt(cudaArchitectures, context, [...unknown, ...specificOnly(context, requests)], otherGpu);
}

/**
 * The toolkit that builds: an exact choice of the project, else the first on the machine, else torch's. One of another
 * major version than torch's does not build for that torch: BuildExtension refuses it.
 */
function toolkitOf(context: RuleContext): Toolkit | undefined {
  const choice = observationsOf(context.observations, "cuda-toolkit").find((one) => !one.minimum && one.version !== undefined && one.conditions.length === 0);
  const chosen = choice?.version === undefined ? undefined : context.catalogue.cudaToolkit(choice.version);
  if (choice !== undefined && chosen !== undefined) return { table: chosen, words: `CUDA ${chosen.version}, which the build chooses (${place(choice.evidence.location, context.root)})`, evidence: [choice.evidence] };
  const own = context.installed === undefined ? undefined : valueOf(context.installed.facts, "cuda-version");
  for (const body of context.toolchains) {
    const version = valueOf(body.facts, "cuda-version");
    if (typeof version === "string" && typeof own === "string" && version.split(".")[0] !== own.split(".")[0]) continue;
    const found = typeof version === "string" ? context.catalogue.cudaToolkit(version) : undefined;
    if (found !== undefined) return { table: found, words: `CUDA ${found.version} in ${body.path}`, evidence: factsOf(body.facts, "cuda-version").flatMap((one) => one.evidence) };
  }
  if (context.installed === undefined) return undefined;
  const fact = factsOf(context.installed.facts, "cuda-version").find((one) => typeof one.value === "string");
  const found = typeof fact?.value === "string" ? context.catalogue.cudaToolkit(fact.value) : undefined;
  return fact === undefined || found === undefined ? undefined : { table: found, words: `CUDA ${found.version}, with which ${torchName(context.installed)} is built (${describe(fact.evidence[0], context.root)})`, evidence: fact.evidence };
}

function lineKey(evidence: SourceEvidence): string {
  return `${evidence.location.path}:${evidence.location.range.start.line}`;
}

function listRequests(context: RuleContext): readonly Request[] {
  return observationsOf(context.observations, "architecture-list").flatMap((list) => {
    // An image brings its own toolkit.
    if (/(?:docker|container)file/i.test(basename(list.evidence.location.path))) return [];
    const architectures = list.value === undefined ? undefined : parseList(list);
    return architectures === undefined || list.value === undefined ? [] : [{ names: [], architectures, conditions: list.conditions, evidence: list.evidence, subject: `${list.variable} "${list.value}"` }];
  });
}

function parseList(list: ArchitectureList): readonly CudaArchitecture[] | undefined {
  return /TORCH_CUDA_ARCH_LIST/.test(list.variable) ? parseTorchArchitectureList(list.value ?? "") : parseCMakeArchitectureList(list.value ?? "");
}

function targetRequests(bodies: readonly DeclaredBody[]): readonly Request[] {
  const single = bodies.flatMap((body) =>
    factsOf(effectiveFacts(factsOf(body.facts, "cuda-architectures"), "CUDA"), "cuda-architectures").flatMap((fact) => {
      const evidence = fact.evidence[0];
      return fact.value === undefined || evidence.kind !== "source" ? [] : [{ body, architectures: fact.value, conditions: fact.conditions, evidence }];
    }),
  );
  return [...groupBy(single, (one) => locationKey(one.evidence.location)).values()].flatMap((group) => {
    const first = group[0];
    if (first === undefined) return [];
    const architectures = group.flatMap((one) => one.architectures).filter((one, index, all) => all.findIndex((other) => other.sm === one.sm && other.suffix === one.suffix) === index);
    return [{ names: group.map((one) => one.body.name), architectures, conditions: first.conditions, evidence: first.evidence, subject: `The flags of ${targetsPhrase(group.map((one) => one.body.name))}` }];
  });
}

/** One finding a target, however many flags of it are refused. */
function unknownToToolkit(context: RuleContext, requests: readonly Request[], toolkit: Toolkit): readonly Finding[] {
  const known = toolkit.table.architectures;
  const oldest = Math.min(...known.map((one) => one.sm));
  const isRefused = (one: CudaArchitecture): boolean => !known.some((other) => other.sm === one.sm && other.suffixes.includes(one.suffix));
  const refused = requests.filter((one) => one.architectures.some(isRefused) && !one.conditions.some((condition) => isChosen(condition, toolkit.table.version)) && !dependsOnTorchVersion(one.conditions));
  return [...groupBy(refused, (one) => one.names[0] ?? locationKey(one.evidence.location)).values()].flatMap((group) => {
    const first = group[0];
    if (first === undefined || known.length === 0) return [];
    const all = group.flatMap((one) => one.architectures.filter(isRefused));
    const dropped = [...new Set(all.filter((one) => one.sm < oldest).map(capabilityName))];
    const tooNew = [...new Set(all.filter((one) => one.sm >= oldest).map(capabilityName))];
    const parts = [
      dropped.length === 0 ? "" : `has dropped ${joinWords(dropped)} (its oldest is ${capabilityName({ sm: oldest, suffix: "", real: true, ptx: false })})`,
      tooNew.length === 0 ? "" : `does not know ${joinWords(tooNew)}`,
    ].filter((one) => one !== "");
    const example = all[0];
    return [finding(cudaArchitectures, {
      message: `${first.subject} (${placeWhen(first.evidence.location, first.conditions, context.root)}) ${first.names.length === 0 ? "asks" : "ask"} for GPU code that nvcc of ${toolkit.words} cannot make: it ${parts.join(" and ")}. nvcc stops with "Unsupported gpu architecture 'compute_${example?.sm ?? ""}${example?.suffix ?? ""}'".`,
      location: first.evidence.location,
      related: [...group.slice(1).map((one) => ({ message: `${joinWords(one.architectures.filter(isRefused).map(capabilityName))} is refused too`, location: one.evidence.location })), ...viaPlaces(first.evidence.via)],
      against: toolkit.evidence,
    })];
  });
}

/** Code for one kind of GPU, no other code and no PTX that a later GPU could compile. */
function specificOnly(context: RuleContext, requests: readonly Request[]): readonly Finding[] {
  const findings: Finding[] = [];
  for (const group of groupBy(requests, (one) => one.names[0] ?? locationKey(one.evidence.location)).values()) {
    const all = group.flatMap((one) => one.architectures);
    const first = group[0];
    if (first === undefined || all.length === 0 || !all.every((one) => one.suffix === "a" && !one.ptx) || group.some((one) => one.conditions.length > 0)) continue;
    const names = joinWords([...new Set(all.map(capabilityName))]);
    findings.push(finding(cudaArchitectures, {
      severity: "info",
      message: `${first.subject} (${place(first.evidence.location, context.root)}) ${first.names.length === 0 ? "makes" : "make"} GPU code for ${names} alone. Code for an architecture with the suffix a runs on exactly that compute capability, and no PTX is kept from which a driver could make code for another GPU: there, calls stop with "no kernel image is available for execution on the device".`,
      location: first.evidence.location,
      related: viaPlaces(first.evidence.via),
    }));
  }
  return findings;
}
