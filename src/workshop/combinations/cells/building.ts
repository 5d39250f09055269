import * as path from "node:path";
import { isInside } from "../../../engine/files/index.ts";
import { build } from "../../build/index.ts";
import type { BuildReport } from "../../build/types.ts";
import type { BuildPlan, Project, SmokePlan } from "../../project/types.ts";
import { CannotDo } from "../../workshop.ts";
import type { CombinationReason } from "../types.ts";
import type { Ended, Trial } from "./trial.ts";

/** Rules about build files whose findings may be why a build fails; all others say what goes wrong later. */
const rulesOfBuilds: ReadonlySet<string> = new Set(["cxx-standard", "removed-api", "host-compiler", "cuda-version", "cuda-architectures", "torch-abi-lookup", "libstdcxx-abi"]);

export interface Built {
  readonly ended: Ended;
  /** What came out of it, renewed or not: shared libraries and wheels. */
  readonly products: readonly string[];
}

/** Builds the first plan of the project, in the copy, with the scratch environment's Python. */
export async function buildStep(trial: Trial, project: Project): Promise<Built> {
  const { root, interpreter, workshop } = trial;
  const [first] = project.builds;
  if (first === undefined) {
    return { products: [], ended: { outcome: "passed", isNothing: true, reason: { message: "The project has nothing to build." } } };
  }
  const plan = inCell(first, trial);
  try {
    // Trying is what was asked for: what check says before it does not keep it from being tried.
    const report = await build({ root, plan, parts: project.parts, interpreter, against: [interpreter], stopOn: "never", fresh: false }, workshop);
    return { ended: endedOf(report), products: [...report.products.map((one) => one.file), ...(report.unchanged ?? [])] };
  } catch (error) {
    if (error instanceof CannotDo) {
      return { products: [], ended: { outcome: "unknown", isOfHere: true, reason: { message: error.message } } };
    }
    throw error;
  }
}

/** A build folder that lies elsewhere is the user's: the cell has one of its own. */
function inCell(plan: BuildPlan, { task }: Trial): BuildPlan {
  return plan.kind === "cmake" && !isInside(plan.folder, task.folder) ? { ...plan, folder: buildFolderOf(task.folder) } : plan;
}

function buildFolderOf(folder: string): string {
  return path.join(folder, "build");
}

/** A test that CTest knows of is in the build folder of the cell. */
export function testsInCell(plan: SmokePlan, { task }: Trial): SmokePlan {
  return plan.kind === "ctest" && !isInside(plan.folder, task.folder) ? { ...plan, folder: buildFolderOf(task.folder) } : plan;
}

function endedOf(report: BuildReport): Ended {
  switch (report.outcome) {
    case "built": return { outcome: "passed" };
    case "failed": return isOfHere(report) ? { outcome: "unknown", isOfHere: true, reason: reasonOf(report) } : { outcome: "failed", reason: reasonOf(report) };
    case "stopped": return { outcome: "unknown", reason: reasonOf(report) };
    case "cancelled": return { outcome: "unknown", reason: { message: "The build was cancelled." } };
  }
}

/** The words of the build room's own reasons, of CMake's ExternalProject and FetchContent, of git and of pip. */
const ofHere = /There is no room left on the disk|was killed, as happens|(?:C|C\+\+|CUDA) compiler was found|was not found\. Install|on a read-only file system|Each download failed|unable to access '|Could not resolve host|Failed to connect to |Temporary failure in name resolution/;

/** A full disk, a program that is not installed, sources that could not be fetched say nothing of the combination. */
function isOfHere({ reason = "", problems, steps }: BuildReport): boolean {
  return [reason, ...problems.map((one) => one.message)].some((text) => ofHere.test(text)) || steps.some(({ ending }) => ending.kind === "not-started" || ending.kind === "signalled");
}

function reasonOf({ reason = "The build failed; its log says why.", root, before, problems, explanation }: BuildReport): CombinationReason {
  const errors = problems.filter((one) => one.severity === "error");
  const [error] = errors;
  const others = errors.length < 2 ? "" : ` (and ${errors.length - 1} more ${errors.length === 2 ? "error" : "errors"})`;
  const place = error?.location === undefined ? "" : `${path.relative(root, error.location.path)}:${error.location.range.start.line + 1}: `;
  const message = error === undefined ? reason : `The build failed: ${place}${error.message.split("\n", 1)[0] ?? ""}${others}.`.replace(/\.\.$/, ".");
  const finding = before.find((one) => one.severity === "error" && rulesOfBuilds.has(one.rule));
  if (explanation !== undefined && (finding === undefined || explanation.rule === finding.rule)) {
    const { confidence, headline, rule } = explanation;
    return { message: `${message} ${headline}`, ...(rule === undefined || (confidence === "possible" && finding === undefined) ? {} : { rule }) };
  }
  return finding === undefined ? { message } : { message: `${message} Before the build, ${finding.rule} was found: ${finding.message}`, rule: finding.rule };
}
