import { styleText } from "node:util";
import { duration, median, shareText, spread } from "../../workshop/benchmark/index.ts";
import type { BenchmarkReport, BenchmarkRun, Comparison, ComparisonVerdict, Fraction, History, Measurement } from "../../workshop/benchmark/types.ts";
import { plural, wrap } from "./layout.ts";
import { printable } from "./printable.ts";
import type { Style } from "./text.ts";

type Paint = (style: Style, text: string) => string;

function painter(colours: boolean): Paint {
  return (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
}

const verdictStyle: Readonly<Partial<Record<ComparisonVerdict, Style>>> = { regressed: ["bold", "red"], improved: ["bold", "green"], "machines-differ": "yellow", "too-few": "yellow", unclear: "yellow", "not-measured": "yellow" };

/** What was measured and what it says, for people. No ratio stands without its interval. */
export function benchmarkText(report: BenchmarkReport, colours: boolean): string {
  const paint = painter(colours);
  const lines: string[] = [];
  for (const run of report.runs) {
    const fractions = run.variant === undefined ? report.fractions.filter((one) => one.plan === run.plan) : [];
    lines.push(...runLines(run, fractions, paint), "");
  }
  if (report.comparedWith !== undefined && report.comparisons.length > 0) {
    lines.push(paint("bold", `Compared with ${printable(report.comparedWith.name)}`), ...comparisonLines(report.comparisons, paint), "", ...wrap(report.comparedWith.method, ""), "");
  }
  for (const warning of report.warnings) {
    lines.push(...wrap(printable(warning), "         ", paint("yellow", "warning").concat(": ")));
  }
  if (report.warnings.length > 0) {
    lines.push("");
  }
  const style: Style = report.outcome === "measured" ? "bold" : ["bold", "red"];
  lines.push(...wrap(printable(`${headline(report)}${report.reason === undefined ? "" : ` ${report.reason}`}`), "").map((line) => paint(style, line)));
  if (report.runs.length > 0) {
    lines.push(`History: ${printable(report.history)}`);
  }
  return `${lines.join("\n")}\n`;
}

function headline(report: BenchmarkReport): string {
  const count = report.runs.filter((run) => run.variant === undefined).reduce((sum, run) => sum + run.measurements.filter((one) => one.seconds.length > 0).length, 0);
  switch (report.outcome) {
    case "measured":
      return `${plural(count, "benchmark")} measured.`;
    case "regressed":
      return "Regressed:";
    case "failed":
      return "Failed:";
    case "cancelled":
      return "Cancelled.";
    case "no-benchmarks":
      return "Nothing to measure.";
  }
}

function runLines(run: BenchmarkRun, fractions: readonly Fraction[], paint: Paint): string[] {
  const { machine, ceilings } = run;
  const lines = [paint("bold", printable(`${run.plan}${run.variant === undefined ? "" : `, ${run.variant}`}`)), ...wrap(printable([
    `${machine.cpu}, ${plural(machine.cores, "core")}`, machine.system, machine.virtual, machine.governor === undefined ? undefined : `governor ${machine.governor}`,
    ...machine.gpus.map((gpu) => [gpu.name, gpu.driver, gpu.clocks].filter((one) => one !== undefined).join(" ")), `load ${machine.load[0].toFixed(1)} to ${machine.load[1].toFixed(1)}`,
  ].filter((one) => one !== undefined).join("; ")), "  ")];
  const most = [
    ...(ceilings?.copyBytes === undefined ? [] : [`${(ceilings.copyBytes / 1e9).toFixed(1)} GB/s read and written`]),
    ...(ceilings?.flops === undefined ? [] : [`${(ceilings.flops / 1e9).toFixed(0)} GFLOP/s`]),
  ];
  if (most.length > 0) {
    lines.push(...wrap(printable(`Ceilings measured in this run: ${most.join(", ")} (${ceilings?.from ?? ""}).`), "  "));
  }
  const rows = run.measurements.map((one) => measurementRow(one, fractions.filter((fraction) => fraction.name === one.name)));
  const doubtful = fractions.flatMap((one) => one.doubtful ?? []);
  lines.push(...table([["benchmark", "median", "spread", "n", fractions.length === 0 ? "" : "of the possible"], ...rows]).map((line, index) => (index === 0 ? paint("dim", line) : line)));
  for (const reason of new Set(doubtful)) {
    lines.push(...wrap(`? ${printable(reason)}`, "    ", "  "));
  }
  return lines;
}

function measurementRow(one: Measurement, fractions: readonly Fraction[]): string[] {
  const name = printable(one.name);
  const { seconds } = one;
  if (seconds.length === 0) {
    return [name, one.skipped === true ? "skipped" : "none", "", "", printable(one.problem ?? "")];
  }
  return [
    name, duration(median(seconds)), seconds.length < 2 ? "" : `${(spread(seconds) * 100).toFixed(1)} %`, String(seconds.length),
    fractions.map((fraction) => `${shareText(fraction)}${fraction.doubtful === undefined ? "" : " ?"}`).join(", "),
  ];
}

const order: readonly ComparisonVerdict[] = ["regressed", "improved", "unclear", "not-measured", "machines-differ", "too-few", "no-difference", "only-now", "only-before"];

function comparisonLines(comparisons: readonly Comparison[], paint: Paint): string[] {
  const sorted = [...comparisons].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  const rows = sorted.map((one) => [
    one.verdict, printable(one.name), one.before === undefined ? "" : duration(one.before), one.now === undefined ? "" : duration(one.now),
    one.ratio === undefined || one.interval === undefined ? "" : `${one.ratio.toFixed(3)} (${one.interval[0].toFixed(3)} to ${one.interval[1].toFixed(3)})`,
    one.corrected === undefined ? "" : p(one.corrected), one.effect === undefined ? "" : one.effect.toFixed(2),
  ]);
  const lines = table([["verdict", "benchmark", "before", "now", "now / before (95 %)", "p", "effect"], ...rows])
    .map((line, index) => paint(index === 0 ? "dim" : verdictStyle[sorted[index - 1]?.verdict ?? "no-difference"] ?? "reset", line));
  // A verdict that withholds a claim says why; one reason often stands for many.
  const reasons = new Set(sorted.filter((one) => one.verdict === "machines-differ" || one.verdict === "too-few" || one.verdict === "not-measured").map((one) => one.reason ?? ""));
  return [...lines, ...[...reasons].flatMap((reason) => wrap(printable(reason), "  "))];
}

function p(value: number): string {
  return value >= 0.001 ? value.toFixed(3) : value.toExponential(0);
}

/** Columns as wide as their longest cell; the first and those of words to the left, numbers to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = (column: number): boolean => rows.slice(1).some((row) => /^\d/.test(row[column] ?? "")) && column > 0;
  return rows.map((row) => `  ${row.map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join("  ")}`.trimEnd());
}

/** What was measured before: a line for each run. */
export function historyText(history: History, colours: boolean): string {
  const paint = painter(colours);
  const names = new Map<string, string[]>();
  for (const baseline of history.baselines) {
    for (const run of baseline.runs) {
      names.set(run, [...(names.get(run) ?? []), baseline.name]);
    }
  }
  const rows = history.runs.map((run) => [printable(run.id), plural(run.measurements.length, "benchmark"), run.commit === undefined ? "" : printable(run.commit.replace(/^([0-9a-f]{10})[0-9a-f]+/, "$1")), printable((names.get(run.id) ?? []).map((name) => `baseline ${name}`).join(", ")), run.partial === true ? "partial" : ""]);
  const lines = rows.length === 0 ? [`Nothing was measured yet: ${printable(history.file)} has no runs.`] : table([["run", "", "commit", "", ""], ...rows]).map((line, index) => (index === 0 ? paint("dim", line) : line));
  return `${[...lines, ...history.problems.flatMap((problem) => wrap(printable(problem), "         ", "warning: "))].join("\n")}\n`;
}

/** The benchmarks of each plan. */
export function listText(plans: readonly { readonly id: string; readonly label: string; readonly format: string; readonly names: readonly string[]; readonly problem?: string }[], colours: boolean): string {
  const paint = painter(colours);
  if (plans.length === 0) {
    return "The project has no benchmarks that are known: none is named in abiding.json and none was detected.\n";
  }
  return `${plans.flatMap((plan) => [
    `${paint("bold", printable(plan.id))}  ${printable(plan.label)}, ${plan.format}`,
    ...plan.names.map((name) => `  ${printable(name)}`), ...(plan.problem === undefined ? [] : wrap(printable(plan.problem), "  ")),
  ]).join("\n")}\n`;
}
