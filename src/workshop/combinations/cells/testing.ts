import * as path from "node:path";
import { benchmark } from "../../benchmark/index.ts";
import { defaultTimeLimit, smoke } from "../../smoke/index.ts";
import type { SmokeReport, TestResult } from "../../smoke/types.ts";
import type { Project } from "../../project/types.ts";
import { recordedReason, writeWhole } from "../../process/index.ts";
import { CannotDo } from "../../workshop.ts";
import { benchmarkFileName, smokeFileName } from "./files.ts";
import type { CombinationReason } from "../types.ts";
import { testsInCell } from "./building.ts";
import type { Ended, Trial } from "./trial.ts";

/** Milliseconds for each process that measures: all benchmarks of a program run in one. */
const longestMeasuring = 1_800_000;

/** Runs the project's smoke tests in the copy. */
export async function smokeStep(trial: Trial, project: Project): Promise<Ended> {
  const { root, interpreter, workshop } = trial;
  if (project.smoke.length === 0) {
    return { outcome: "passed", isNothing: true, reason: { message: "The project has no smoke tests that are known." } };
  }
  const plans = project.smoke.map((plan) => testsInCell(plan, trial));
  const report = await smoke({ root, plans, interpreter, against: [interpreter], only: [], except: [], failed: false, timeLimit: defaultTimeLimit }, workshop, (event) => {
    if (event.kind === "output") {
      workshop.activity.output(event.text);
    } else if (event.kind === "ended" && event.result.parent === undefined) {
      workshop.activity.note(`${event.result.outcome}: ${event.result.label}${event.result.reason === undefined ? "" : `. ${event.result.reason}`}`);
    }
  });
  await writeWhole(path.join(trial.task.folder, smokeFileName), `${JSON.stringify(report, undefined, 2)}\n`);
  return smokeEnded(report);
}

function smokeEnded({ outcome, results, problems }: SmokeReport): Ended {
  const top = results.filter((one) => one.parent === undefined);
  const passed = top.filter((one) => one.outcome === "passed").length;
  const skipped = top.filter((one) => one.outcome === "skipped").length;
  const counts = { passed, failed: top.length - passed - skipped, skipped };
  const bad = results.filter((one) => one.outcome !== "passed" && one.outcome !== "skipped");
  const [problem] = problems;
  if (outcome === "failed") {
    // A case inside says more than the whole, and what skew explains more than what it brings down.
    const first = bad.find((one) => one.explanation !== undefined && one.explanation.confidence === undefined) ?? bad.find((one) => one.parent !== undefined) ?? bad[0];
    return { outcome: "failed", counts, reason: reasonOf(first, bad.length) };
  }
  if (outcome === "cancelled") {
    return { outcome: "unknown", counts, reason: { message: "The smoke tests were cancelled." } };
  }
  if (problem !== undefined) {
    return { outcome: "unknown", counts, reason: { message: `${problem.plan}: ${problem.message}` } };
  }
  if (outcome === "no-tests") {
    return { outcome: "passed", isNothing: true, reason: { message: "No smoke test was found to run." } };
  }
  const [one] = top;
  return passed > 0 ? { outcome: "passed", counts } : { outcome: "unknown", counts, reason: { message: `Every smoke test was skipped (${skipped}): ${one?.reason ?? "no reason was given"}` } };
}

function reasonOf(test: TestResult | undefined, count: number): CombinationReason {
  if (test === undefined) {
    return { message: "A smoke test failed." };
  }
  const others = count < 2 ? "" : ` ${count - 1} more did not pass.`;
  const words = { failed: "failed", crashed: "crashed", "timed-out": "timed out", "missing-executable": "has no program", "not-run": "was not run", cancelled: "was cancelled", passed: "passed", skipped: "was skipped" }[test.outcome];
  const said = test.reason ?? test.messages[0]?.message.split("\n", 1)[0];
  const { message, ...rule } = recordedReason(test.explanation, said ?? "");
  const sentence = `${test.label} ${words}${message === "" ? "." : `: ${message}`}`;
  return { message: `${/[.!?]$/.test(sentence) ? sentence : `${sentence}.`}${others}`, test: test.id, ...rule };
}

/** Measures the project's benchmarks a few times. That they take too long here says nothing of the combination. */
export async function benchmarkStep(trial: Trial, project: Project): Promise<Ended> {
  const { root, interpreter, workshop } = trial;
  if (project.benchmarks.length === 0) {
    return { outcome: "passed", isNothing: true, reason: { message: "The project has no benchmarks that are known." } };
  }
  try {
    const report = await benchmark({ root, plans: project.benchmarks, repetitions: trial.file.repetitions, interpreter, against: [interpreter], timeLimit: longestMeasuring }, workshop);
    await writeWhole(path.join(trial.task.folder, benchmarkFileName), `${JSON.stringify(report, undefined, 2)}\n`);
    const measurements = report.runs.flatMap((run) => run.measurements);
    const skipped = measurements.filter((one) => one.skipped === true).length;
    const measured = measurements.filter((one) => one.seconds.length > 0 && one.problem === undefined).length;
    const counts = { passed: measured, failed: measurements.length - measured - skipped, skipped };
    switch (report.outcome) {
      case "measured":
      case "regressed": return measured > 0 ? { outcome: "passed", counts } : { outcome: "unknown", counts, reason: { message: `Every benchmark was skipped (${skipped}).` } };
      case "failed": {
        const failures = report.runs.flatMap((run) => run.failures ?? []);
        const isSlow = failures.length > 0 && failures.every(({ ending }) => ending.kind === "timed-out");
        return { outcome: isSlow ? "unknown" : "failed", isOfHere: isSlow, counts, reason: { message: report.reason ?? "A benchmark failed." } };
      }
      case "no-benchmarks": return { outcome: "passed", isNothing: true, reason: { message: report.reason ?? "There is no benchmark." } };
      case "cancelled": return { outcome: "unknown", counts, reason: { message: "The benchmarks were cancelled." } };
    }
  } catch (error) {
    if (error instanceof CannotDo) {
      return { outcome: "unknown", isOfHere: true, reason: { message: error.message } };
    }
    throw error;
  }
}
