/** Benchmarks: in the Testing view, in a task, and the history of what was measured. */
import * as vscode from "vscode";
import { benchmark, defaultRepetitions, median } from "../../workshop/benchmark/index.ts";
import type { BenchmarkReport, Comparison } from "../../workshop/benchmark/types.ts";
import type { BenchmarkPlan } from "../../workshop/project/types.ts";
import { recordReport } from "../combinations/recording.ts";
import type { Bench } from "./bench.ts";
import { comparisonLine, reportMarkdown } from "./benchmarkMarkdown.ts";
import { headlineOfBenchmark } from "./headlines.ts";
import { BatchedScreen } from "./screen.ts";
import type { Screen } from "./screen.ts";
import type { TestTree } from "./testTree.ts";
import type { Selection } from "./testing.ts";
import { Refused, requireTrust } from "./trust.ts";
import { Work } from "./work.ts";

/** Milliseconds for one process of a benchmark: long enough for any that people wait for. */
const processLimit = 3_600_000;

async function measure(bench: Bench, root: string, plans: readonly BenchmarkPlan[], filter: string | undefined, isPart: boolean, work: Work, screen: Screen): Promise<BenchmarkReport> {
  const repetitions = vscode.workspace.getConfiguration("abiding", vscode.Uri.file(root)).get<number>("benchmark.repetitions", defaultRepetitions);
  const workshop = bench.workshop(work, screen);
  const report = await benchmark({ root, plans, repetitions, against: [], timeLimit: processLimit, baseline: "last", ...(filter === undefined ? {} : { filter }) }, workshop);
  await recordReport(root, { kind: "benchmark", report, plans, isPart }, workshop, screen);
  for (const comparison of report.comparisons) {
    screen.note(comparisonLine(comparison));
  }
  report.warnings.forEach((warning) => screen.note(warning));
  if (report.reason !== undefined) {
    screen.note(report.reason);
  }
  const regressed = report.comparisons.filter((one) => one.verdict === "regressed").length;
  const words = { measured: vscode.l10n.t("measured"), regressed: vscode.l10n.t("{0} slower", regressed), failed: vscode.l10n.t("benchmarks failed"), cancelled: vscode.l10n.t("benchmarks cancelled"), "no-benchmarks": vscode.l10n.t("no benchmarks") };
  const uri = bench.documents.put(`${bench.nameOf(root)} benchmarks.md`, reportMarkdown(report, bench.nameOf(root)));
  bench.works.tell({
    kind: "benchmark", root, ...headlineOfBenchmark(report), text: `${bench.nameOf(root)}: ${words[report.outcome]}`,
    command: { title: "", command: "markdown.showPreview", arguments: [uri] },
  });
  return report;
}

/** Measures what was selected in the Testing view. A benchmark that got slower outside the noise is a failed test. */
export async function measureInRun(bench: Bench, tree: TestTree, run: vscode.TestRun, selection: Selection, token: vscode.CancellationToken | undefined): Promise<void> {
  const { root } = selection;
  const plans = (tree.project(root)?.benchmarks ?? []).filter((one) => selection.plans.has(one.id));
  const filter = selection.only.length === 0 ? undefined : `^(?:${selection.only.map((name) => name.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&")).join("|")})$`;
  const work = new Work("benchmark", vscode.l10n.t("Measuring {0}", bench.nameOf(root)), root);
  await bench.works.do(work, [run.token, token], async () => {
    const screen = new BatchedScreen((text) => run.appendOutput(text));
    try {
      const chosen = new Set(selection.only);
      for (const plan of plans) {
        const item = tree.itemOf(root, plan.id);
        item?.children.forEach((child) => {
          const node = tree.nodeOf(child);
          if (chosen.size === 0 || (node?.kind === "benchmark" && chosen.has(node.name))) {
            run.started(child);
          }
        });
        // Before the first measuring there is nothing else to show it at.
        if (item?.children.size === 0) {
          run.started(item);
        }
      }
      const isPart = filter !== undefined || selection.except.length > 0 || plans.length < (tree.project(root)?.benchmarks.length ?? 0);
      const report = await measure(bench, root, plans, filter, isPart, work, screen);
      if (report.outcome === "cancelled") {
        return;
      }
      const excluded = new Set(selection.except);
      for (const one of report.runs) {
        const home = tree.itemOf(root, one.plan);
        for (const { name, seconds, problem } of one.measurements) {
          const item = excluded.has(name) ? undefined : tree.measurement(root, one.plan, name);
          if (item !== undefined) {
            const comparison = report.comparisons.find((other) => other.name === name && other.plan === one.plan);
            show(run, item, home, seconds, problem, comparison);
          }
        }
      }
      for (const plan of plans) {
        const item = tree.itemOf(root, plan.id);
        if (item === undefined) {
          continue;
        }
        if (report.runs.some((one) => one.plan === plan.id && one.measurements.length > 0)) {
          run.passed(item);
        } else {
          run.errored(item, new vscode.TestMessage(report.reason ?? report.warnings[0] ?? vscode.l10n.t("Nothing was measured.")));
        }
      }
      if (bench.watched.has(root)) {
        return;
      }
      await vscode.commands.executeCommand("markdown.showPreview", bench.documents.put(`${bench.nameOf(root)} benchmarks.md`, reportMarkdown(report, bench.nameOf(root))));
    } finally {
      screen.end();
    }
  });
}

function show(run: vscode.TestRun, item: vscode.TestItem, home: vscode.TestItem | undefined, seconds: readonly number[], problem: string | undefined, comparison: Comparison | undefined): void {
  const place = home?.uri === undefined ? undefined : new vscode.Location(home.uri, home.range ?? new vscode.Position(0, 0));
  const failing = (text: string): vscode.TestMessage => {
    const message = new vscode.TestMessage(text);
    message.location = place;
    return message;
  };
  const milliseconds = median(seconds) * 1000;
  if (problem !== undefined || seconds.length === 0) {
    run.errored(item, failing(problem ?? vscode.l10n.t("Nothing was measured.")));
  } else if (comparison?.verdict === "regressed") {
    run.failed(item, failing(comparisonLine(comparison)), milliseconds);
  } else {
    run.passed(item, milliseconds);
  }
}

/** Benchmarks as a task. `arguments`: a regular expression for names. */
export async function measureInTerminal(bench: Bench, task: { readonly root: string; readonly plan?: string; readonly arguments?: readonly string[] }, screen: Screen, token: vscode.CancellationToken): Promise<number> {
  requireTrust();
  const { root } = task;
  const { benchmarks } = await bench.project(root);
  const plans = task.plan === undefined ? benchmarks : benchmarks.filter((one) => one.id === task.plan);
  if (plans.length === 0) {
    throw new Refused(vscode.l10n.t("nothing was found to measure in {0}.", bench.nameOf(root)));
  }
  const work = new Work("benchmark", vscode.l10n.t("Measuring {0}", bench.nameOf(root)), root);
  const report = await bench.works.do(work, [token], () => measure(bench, root, plans, task.arguments?.[0], task.arguments?.[0] !== undefined || plans.length < benchmarks.length, work, screen));
  return report.outcome === "measured" ? 0 : 1;
}
