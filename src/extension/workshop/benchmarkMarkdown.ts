import { verdictWords } from "../../views/words.ts";
import { duration, median, shareText } from "../../workshop/benchmark/index.ts";
import type { BenchmarkReport, BenchmarkRun, Comparison, Measurement } from "../../workshop/benchmark/types.ts";

/** Never a bare percentage: the interval says how much of it is known. */
function ratioText({ ratio, interval }: Comparison): string {
  return ratio === undefined ? "" : `× ${ratio.toFixed(3)}${interval === undefined ? "" : ` (between ${interval[0].toFixed(3)} and ${interval[1].toFixed(3)})`}`;
}

/** "gather/64B: slower, 12.3 µs before, 14.1 µs now, × 1.146 (between 1.120 and 1.170)". */
export function comparisonLine(comparison: Comparison): string {
  const parts = [
    verdictWords[comparison.verdict],
    ...(comparison.before === undefined ? [] : [`${duration(comparison.before)} before`]),
    ...(comparison.now === undefined ? [] : [`${duration(comparison.now)} now`]),
    ...(comparison.ratio === undefined ? [] : [ratioText(comparison)]),
  ];
  return `${comparison.name}: ${parts.join(", ")}`;
}

function cell(text: string): string {
  return text.replace(/[|\\`*_<>[\]]/g, "\\$&").replace(/\s+/g, " ");
}

/** As the command line has it: the mean of the two in the middle, where their number is even. */
function medianText({ seconds, problem }: Measurement): string {
  return seconds.length === 0 ? cell(problem ?? "") : duration(median(seconds));
}

/** The result of one measuring, with the comparison to the one before. */
export function reportMarkdown(report: BenchmarkReport, name: string): string {
  const lines = [`# Benchmarks of ${cell(name)}`, ""];
  if (report.reason !== undefined) {
    lines.push(cell(report.reason), "");
  }
  for (const run of report.runs) {
    lines.push(...runLines(run), "", "| benchmark | median | samples | of the possible | compared with the run before |", "|---|---:|---:|---:|---|");
    for (const measurement of run.measurements) {
      const isOfIt = (one: { readonly name: string; readonly plan?: string }): boolean => one.name === measurement.name && one.plan === run.plan;
      const fraction = report.fractions.find(isOfIt);
      const comparison = report.comparisons.find(isOfIt);
      const compared = comparison === undefined ? "" : `${verdictWords[comparison.verdict]} ${ratioText(comparison)}`;
      lines.push(`| ${cell(measurement.name)} | ${medianText(measurement)} | ${measurement.seconds.length} | ${fraction === undefined ? "" : shareText(fraction)} | ${compared} |`);
    }
    lines.push("");
  }
  if (report.warnings.length > 0) {
    lines.push("## Warnings", "", ...report.warnings.map((one) => `- ${cell(one)}`), "");
  }
  return lines.join("\n");
}

/** What was measured before, newest first. */
export function historyMarkdown(runs: readonly BenchmarkRun[], name: string): string {
  const lines = [`# Measured in ${cell(name)}`, ""];
  for (const run of runs) {
    lines.push(...runLines(run), "", "| benchmark | median | samples |", "|---|---:|---:|");
    for (const measurement of run.measurements) {
      lines.push(`| ${cell(measurement.name)} | ${medianText(measurement)} | ${measurement.seconds.length} |`);
    }
    lines.push("");
  }
  return lines.join("\n");
}

function runLines(run: BenchmarkRun): string[] {
  const { machine } = run;
  const parts = [`${machine.cpu}, ${machine.cores} cores`, ...(machine.governor === undefined ? [] : [`governor ${machine.governor}`]), ...machine.gpus.map((gpu) => `${gpu.name}${gpu.driver === undefined ? "" : ` (driver ${gpu.driver})`}`), `load ${machine.load.map((one) => one.toFixed(2)).join(" to ")}`];
  const ceilings = run.ceilings === undefined ? [] : [
    ...(run.ceilings.copyBytes === undefined ? [] : [`copies ${(run.ceilings.copyBytes / 1e9).toFixed(1)} GB/s at most`]),
    ...(run.ceilings.flops === undefined ? [] : [`computes ${(run.ceilings.flops / 1e9).toFixed(1)} GFLOP/s at most`]),
  ];
  return [`## ${cell(run.plan)}, ${run.started}${run.commit === undefined ? "" : `, ${run.commit.slice(0, 12)}`}`, "", cell([...parts, ...ceilings].join(", "))];
}
