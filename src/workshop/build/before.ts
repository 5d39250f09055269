import * as path from "node:path";
import { compareSeverity } from "../../engine/diagnosis/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import type { Finding } from "../../engine/model/index.ts";
import type { Examination, Workshop } from "../workshop.ts";
import { belongingTo, readProject } from "../project/index.ts";
import type { Belonging } from "../project/index.ts";
import type { BuildPlan } from "../project/types.ts";
import type { BuildRequest } from "./types.ts";

/** What is decided from the findings: to build, or why not. */
export interface Decision {
  readonly examination: Examination;
  /** Errors and warnings of what is built, and those of another builder of the same. */
  readonly findings: readonly Finding[];
  /** How many there are in other parts of the project. */
  readonly elsewhere: number;
  /** Why the build does not start; absent: it does. */
  readonly stopped?: string;
}

/**
 * Checks the project as `check` does, and lets the user, else `stopOn`, decide about what this build would carry. What was
 * decided about once (`known`) is not asked about again.
 */
export async function decide(request: BuildRequest, workshop: Workshop, known: readonly Finding[] = []): Promise<Decision> {
  const { activity, diagnostician } = workshop;
  for (;;) {
    activity.signal.throwIfAborted();
    activity.step("Checking the build files");
    const folder = request.plan.kind === "cmake" ? request.buildFolder ?? request.plan.folder : undefined;
    const examination = await diagnostician.check(request.root, request.against, activity.signal, folder);
    const serious = examination.findings.filter((one) => compareSeverity(one.severity, "warning") <= 0 && !isAboutBinary(one));
    const belonging = await belongings(serious, request, workshop);
    const findings = serious.filter((one) => belonging.get(one) !== "elsewhere");
    const found = { examination, findings, elsewhere: serious.length - findings.length };
    const isHandedOver = handedOver(request.plan);
    const fresh = findings.filter((one) => belonging.get(one) === "own" && !notOfThisBuild.has(one.rule) && !isHandedOver(one) && !known.some((other) => isSame(one, other)));
    if (fresh.length === 0) {
      return found;
    }
    const answer = await request.decide?.(fresh);
    if (answer === "check-again") {
      continue;
    }
    if (answer === "cancel") {
      return { ...found, stopped: "The build was not started: it was called off for what was found before it." };
    }
    const { stopOn } = request;
    const stopping = answer === "build" || stopOn === "never" ? [] : fresh.filter((one) => compareSeverity(one.severity, stopOn) <= 0);
    const [first] = stopping;
    return first === undefined ? found : { ...found, stopped: whyStopped(first, stopping.length - 1, request.root) };
  }
}

/** Whose each finding is. */
async function belongings(findings: readonly Finding[], { root, plan, parts, interpreter, buildFolder }: BuildRequest, { environment }: Workshop): Promise<ReadonlyMap<Finding, Belonging>> {
  if (findings.length === 0) {
    return new Map();
  }
  const known = parts ?? (await readProject(root, { environment, ...(interpreter === undefined ? {} : { interpreter }) })).parts;
  const belonging = belongingTo(plan, { root, parts: known }, buildFolder);
  return new Map(findings.map((one) => [one, belonging(one)]));
}

const binary = /\.(?:so(?:\.\d+)*|pyd|dylib|dll|a|o|whl)$/;

/**
 * What lies there already was built before; a build is how it is mended. Such a finding stands at the file, or at the target
 * that it was built from and says so (src/engine/rules/binaries/report.ts); one about the target's own text has the file as a
 * witness only.
 */
function isAboutBinary({ location, related }: Finding): boolean {
  return binary.test(location.path) || related.some((one) => binary.test(one.location.path) && one.message.endsWith(" was built from this target."));
}

/**
 * Rules about what is installed later, or by an isolated build, where this one takes what is there; and about where else a
 * product would work, while this build is for the Python and the machine that it runs on.
 */
const notOfThisBuild: ReadonlySet<string> = new Set(["build-isolation", "nightly-pin", "package-pair", "torch-requirement", "native-arch", "python-abi", "wheel-tag"]);

/**
 * A setup.py that has CMake build may hand the very variable over that is given a default where the finding stands. What
 * it decides by is its own, so that such a finding is shown and does not stop.
 */
function handedOver(plan: BuildPlan): (finding: Finding) => boolean {
  if (plan.kind !== "python") {
    return () => false;
  }
  const files = new NodeFiles();
  const text = (file: string): string => {
    const read = files.readText(file);
    return read.ok ? read.text : "";
  };
  const names = new Set([...text(path.join(plan.source, "setup.py")).matchAll(/-D(\w+)/g)].map(([, name]) => name));
  return ({ location }) => {
    const line = /\.py$/.test(location.path) ? undefined : text(location.path).split("\n")[location.range.start.line];
    return line?.match(/\w+/g)?.some((word) => names.has(word)) === true;
  };
}

/** Short: what was found is shown beside it. */
function whyStopped({ rule, message, location }: Finding, others: number, root: string): string {
  const relative = path.relative(root, location.path);
  const place = `${relative.startsWith("..") ? location.path : relative}:${location.range.start.line + 1}`;
  const [sentence] = message.split(/(?<=\.)\s+(?=[A-Z`])/, 1);
  const more = others === 0 ? "" : others === 1 ? " It would carry one more." : ` It would carry ${others} more.`;
  return `The build would carry what ${rule} found before it in ${place}. ${sentence ?? message}${more}`;
}

function isSame(a: Finding, b: Finding): boolean {
  return a.rule === b.rule && a.message === b.message && a.location.path === b.location.path && a.location.range.start.line === b.location.range.start.line;
}
