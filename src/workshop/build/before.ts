import { compareSeverity } from "../../engine/diagnosis/index.ts";
import type { Finding } from "../../engine/model/index.ts";
import type { Examination, Workshop } from "../workshop.ts";
import type { BuildRequest } from "./types.ts";

/** What is decided from the findings: to build, or why not. */
export interface Decision {
  readonly examination: Examination;
  /** Errors and warnings about what would be built. */
  readonly findings: readonly Finding[];
  /** Why the build does not start; absent: it does. */
  readonly stopped?: string;
}

/**
 * Checks the project as `check` does, and lets the user, else `stopOn`, decide. What was decided about once (`known`) is not
 * asked about again.
 */
export async function decide(request: BuildRequest, workshop: Workshop, known: readonly Finding[] = []): Promise<Decision> {
  const { activity, diagnostician } = workshop;
  for (;;) {
    activity.signal.throwIfAborted();
    activity.step("Checking the build files");
    const examination = await diagnostician.check(request.root, request.against, activity.signal);
    const findings = examination.findings.filter((one) => compareSeverity(one.severity, "warning") <= 0 && !isAboutBinary(one));
    const fresh = findings.filter((one) => !known.some((other) => isSame(one, other)));
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

/** What lies there already was built before; a build is how it is mended. */
function isAboutBinary({ location }: Finding): boolean {
  return /\.(?:so(?:\.\d+)*|pyd|dylib|dll|a|o|whl)$/.test(location.path);
}

function isSame(a: Finding, b: Finding): boolean {
  return a.rule === b.rule && a.message === b.message && a.location.path === b.location.path && a.location.range.start.line === b.location.range.start.line;
}
