/** What reports of other rooms say of a combination. Undefined where they say nothing: cancelled, nothing ran. */
import type { FitReport } from "../../../engine/model/index.ts";
import { recordedReason } from "../../process/index.ts";
import type { BenchmarkReport } from "../../benchmark/types.ts";
import type { BuildReport } from "../../build/types.ts";
import type { SmokeReport, TestResult } from "../../smoke/types.ts";
import { reasonOf } from "../predict/reason.ts";
import type { CombinationReason, CombinationRecord } from "../types.ts";

export type Said = Pick<CombinationRecord, "how" | "outcome" | "reason" | "counts">;

/** Results of tests that never ran: they say nothing of the torch. */
const untold: readonly TestResult["outcome"][] = ["missing-executable", "not-run", "cancelled"];

/** `isPart`: only some of the project's tests were asked for; that these pass says nothing of the others. */
export function saidBySmoke(report: SmokeReport, isPart: boolean): Said | undefined {
  if (report.outcome === "cancelled" || report.results.length === 0) return undefined;
  const results = report.results.filter((one) => one.parent === undefined);
  const missing = results.filter((one) => untold.includes(one.outcome));
  const failed = results.filter((one) => !["passed", "skipped", ...untold].includes(one.outcome));
  const passed = results.filter((one) => one.outcome === "passed").length;
  const counts = { passed, failed: failed.length + missing.length, skipped: results.length - passed - failed.length - missing.length };
  const [first] = failed;
  if (first !== undefined) return { how: "smoke", outcome: "failed", reason: reasonOfTest(first), counts };
  const unknown = (message: string): Said => ({ how: "smoke", outcome: "unknown", reason: { message }, counts });
  if (missing[0] !== undefined) return unknown(`${missing[0].label} did not run: ${missing[0].reason ?? missing[0].outcome}`);
  if (report.problems[0] !== undefined) return unknown(report.problems[0].message);
  if (passed === 0) return unknown(`All ${results.length} tests were skipped.`);
  return isPart ? undefined : { how: "smoke", outcome: "passed", counts };
}

function reasonOfTest(test: TestResult): CombinationReason {
  const words = `${test.label} ${test.outcome === "failed" ? "failed" : test.outcome}${test.reason === undefined ? "." : `: ${test.reason}`}`;
  return { ...recordedReason(test.explanation, words), test: test.id };
}

export function saidByBenchmark(report: BenchmarkReport, isPart: boolean): Said | undefined {
  if (report.outcome === "cancelled" || report.outcome === "no-benchmarks") return undefined;
  const measurements = report.runs.filter((run) => run.variant === undefined).flatMap((run) => run.measurements);
  const skipped = measurements.filter((one) => one.skipped === true).length;
  const passed = measurements.filter((one) => one.seconds.length > 0 && one.problem === undefined).length;
  const counts = { passed, failed: measurements.length - passed - skipped, skipped };
  if (report.outcome === "failed") return { how: "benchmark", outcome: "failed", reason: { message: report.reason ?? "A benchmark failed." }, counts };
  // Of two builds that were measured in turns the one is slower than the other; that says nothing of this torch.
  if (report.outcome === "regressed" && report.comparedWith?.interleaved !== true) {
    const worst = report.comparisons.find((one) => one.verdict === "regressed");
    return { how: "benchmark", outcome: "failed", reason: { message: report.reason ?? "A benchmark regressed.", ...(worst === undefined ? {} : { test: worst.name }) }, counts };
  }
  return isPart || passed === 0 ? undefined : { how: "benchmark", outcome: "passed", counts };
}

export function saidByBuild(report: BuildReport): Said | undefined {
  if (report.outcome === "built") return { how: "built", outcome: "passed" };
  // What was stopped before anything was built was not tried.
  if (report.outcome !== "failed") return undefined;
  const problem = report.problems.find((one) => one.severity === "error");
  const message = problem === undefined ? report.reason : `${problem.message}${report.reason === undefined ? "" : ` ${report.reason}`}`;
  return { how: "built", outcome: "failed", reason: { message: message ?? "The build failed." } };
}

export function saidByFit(report: FitReport): Said {
  const reason = reasonOf(report);
  return { how: "predicted", outcome: report.verdict, ...(reason === undefined ? {} : { reason }) };
}
