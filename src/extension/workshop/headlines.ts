/** What came of a piece of work, in a sentence or two, with the rule that explains it: what the panel's header says. */
import * as vscode from "vscode";
import type { BenchmarkReport } from "../../workshop/benchmark/types.ts";
import type { BuildReport } from "../../workshop/build/types.ts";
import type { LibtorchReport } from "../../workshop/libtorch/index.ts";
import type { SmokeReport } from "../../workshop/smoke/types.ts";
import type { FailureExplanation } from "../../workshop/workshop.ts";
import { comparisonLine } from "./benchmarkMarkdown.ts";
import type { Outcome } from "./work.ts";

type Headline = Pick<Outcome, "ending" | "headline" | "rule">;

function saying(ending: Outcome["ending"], sentences: readonly string[], rule?: string): Headline {
  return { ending, headline: sentences.join(" "), ...(rule === undefined ? {} : { rule }) };
}

export function headlineOfBuild(report: BuildReport): Headline {
  const { outcome, plan, reason, products, before, problems, explanation } = report;
  switch (outcome) {
    case "built": {
      const conflict = products.find((one) => one.verdict === "conflict");
      if (conflict !== undefined) {
        return saying("failed", [vscode.l10n.t("Built: {0}.", plan.label), conflict.headline, ...(conflict.loaderSays === undefined ? [] : [conflict.loaderSays])], conflict.findings[0]?.rule);
      }
      const [first] = products;
      return saying("passed", [vscode.l10n.t("Built: {0}.", plan.label), ...(first === undefined ? [] : [first.headline])]);
    }
    case "failed": {
      const error = problems.find((one) => one.severity === "error");
      return saying("failed", [reason ?? vscode.l10n.t("Building {0} failed.", plan.label), ...(error === undefined || reason?.includes(error.message) === true ? [] : [`${error.tool}: ${error.message}`]), ...(explanation === undefined ? [] : [explanation.headline])], explanation?.rule);
    }
    case "stopped":
      return saying("stopped", [reason ?? vscode.l10n.t("Not built: {0}.", plan.label)], before[0]?.rule);
    case "cancelled":
      return saying("cancelled", [vscode.l10n.t("Cancelled: {0}.", plan.label)]);
  }
}

/** What a terminal says of a failure's cause, and of what to do. */
export function explanationLine({ rule, cause, message, fix, copy }: FailureExplanation): string {
  return [`${rule ?? cause}: ${message}`, fix, copy].filter((one) => one !== undefined).join(" ");
}

/** `counts`: "3 passed, 1 crashed". */
export function headlineOfSmoke({ outcome, results, problems }: SmokeReport, counts: string): Headline {
  if (outcome === "cancelled") {
    return saying("cancelled", [vscode.l10n.t("Cancelled: {0}.", counts)]);
  }
  const bad = results.filter((one) => one.parent === undefined && one.outcome !== "passed" && one.outcome !== "skipped");
  // One that is explained tells more than the first, and a guess less than what is sure.
  const first = bad.find((one) => one.explanation !== undefined && one.explanation.confidence === undefined) ?? bad.find((one) => one.explanation !== undefined) ?? bad[0];
  if (first === undefined) {
    return saying(outcome === "failed" ? "failed" : "passed", [`${counts}.`, ...problems.slice(0, 1).map(({ message }) => message)]);
  }
  const { label, reason, explanation, outcome: how } = first;
  const says = explanation?.confidence === "possible" ? [reason, explanation.message].filter((one) => one !== undefined).join(" ") : explanation?.message ?? reason ?? how;
  return saying("failed", [`${counts}.`, `${label}: ${says}`], explanation?.rule);
}

export function headlineOfBenchmark({ outcome, reason, runs, comparisons }: BenchmarkReport): Headline {
  const count = runs.reduce((sum, run) => sum + run.measurements.length, 0);
  const measured = count === 1 ? vscode.l10n.t("Measured 1 benchmark.") : vscode.l10n.t("Measured {0} benchmarks.", count);
  switch (outcome) {
    case "measured":
      return saying("passed", [measured]);
    case "regressed": {
      const slower = comparisons.filter((one) => one.verdict === "regressed");
      return saying("failed", [measured, ...slower.slice(0, 1).map((one) => `${comparisonLine(one)}.`), ...(slower.length > 1 ? [vscode.l10n.t("{0} more got slower.", slower.length - 1)] : [])]);
    }
    case "cancelled":
      return saying("cancelled", [reason ?? vscode.l10n.t("Cancelled.")]);
    case "failed":
    case "no-benchmarks":
      return saying("failed", [reason ?? vscode.l10n.t("Nothing was measured.")]);
  }
}

export function headlineOfLibtorch({ action, outcome, reason, chosen, candidates, warnings }: LibtorchReport): Headline {
  if (outcome === "found") {
    const where = chosen === undefined ? [] : [vscode.l10n.t("libtorch {0} is in {1}.", chosen.version ?? "", chosen.folder)];
    const others = action === "locate" && candidates.length > 1 ? [vscode.l10n.t("{0} were found.", candidates.length)] : [];
    return saying("passed", [...where, ...others, ...warnings.slice(0, 1)]);
  }
  return saying(outcome === "cancelled" ? "cancelled" : "failed", [reason ?? vscode.l10n.t("No libtorch was found.")]);
}
