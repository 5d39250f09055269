import * as path from "node:path";
import { compareSeverity } from "../../engine/diagnosis/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import type { Finding } from "../../engine/model/index.ts";
import type { Examination, Workshop } from "../workshop.ts";
import type { BuildPlan, PythonBuild } from "../project/types.ts";
import type { BuildRequest } from "./types.ts";

/** What is decided from the findings: to build, or why not. */
export interface Decision {
  readonly examination: Examination;
  /** Errors and warnings of the project. */
  readonly findings: readonly Finding[];
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
    const findings = examination.findings.filter((one) => compareSeverity(one.severity, "warning") <= 0 && !isAboutBinary(one));
    const fresh = findings.filter((one) => isCarried(one, request.plan) && !known.some((other) => isSame(one, other)));
    if (fresh.length === 0) {
      return { examination, findings };
    }
    const answer = await request.decide?.(fresh);
    if (answer === "check-again") {
      continue;
    }
    if (answer === "cancel") {
      return { examination, findings, stopped: "The build was not started: it was called off for what was found before it." };
    }
    const { stopOn } = request;
    const stopping = answer === "build" || stopOn === "never" ? [] : fresh.filter((one) => compareSeverity(one.severity, stopOn) <= 0);
    const [first] = stopping;
    return first === undefined
      ? { examination, findings }
      : { examination, findings, stopped: `The build would carry ${stopping.length === 1 ? "a conflict that was" : `${stopping.length} conflicts that were`} found before it, the first of rule ${first.rule}: ${first.message}` };
  }
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

/** Rules about what is installed later, or by an isolated build: this one takes what is there. */
const aboutInstalls: ReadonlySet<string> = new Set(["build-isolation", "nightly-pin", "package-pair", "torch-requirement"]);
const cmakeFile = /(?:^|[\\/])(?:CMakeLists\.txt|CMakeCache\.txt|CMake(?:User)?Presets\.json|[^\\/]+\.cmake)$/;
const setupFile = /(?:^|[\\/])setup\.(?:py|cfg)$/;

/** Whether a build by this plan would carry it: what setup.py passes does not reach a build by CMake, nor the other way round. */
function isCarried({ rule, location }: Finding, plan: BuildPlan): boolean {
  if (aboutInstalls.has(rule)) {
    return false;
  }
  return plan.kind === "cmake" ? !setupFile.test(location.path) : plan.kind === "command" || drivesCMake(plan) || !cmakeFile.test(location.path);
}

function drivesCMake({ backend, source }: PythonBuild): boolean {
  const setup = new NodeFiles().readText(path.join(source, "setup.py"));
  return backend !== "setuptools" || (setup.ok && /cmake|skbuild/i.test(setup.text));
}

function isSame(a: Finding, b: Finding): boolean {
  return a.rule === b.rule && a.message === b.message && a.location.path === b.location.path && a.location.range.start.line === b.location.range.start.line;
}
