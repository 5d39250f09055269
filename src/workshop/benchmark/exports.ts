import { duration } from "../../views/words.ts";
import { ascending, median, quantile } from "./statistics/samples.ts";
import { fractionsOf } from "./fractions.ts";
import type { BenchmarkRun, Fraction } from "./types.ts";

export type ExportFormat = "json" | "csv" | "markdown";

/** Runs for other programs: `json` keeps everything and can be a baseline, `csv` has a row for each sample, `markdown` a table for each run. */
export function exportRuns(runs: readonly BenchmarkRun[], format: ExportFormat): string {
  switch (format) {
    case "json":
      return `${JSON.stringify({ schema: 1, runs }, undefined, 2)}\n`;
    case "csv":
      return csv(runs);
    case "markdown":
      return markdown(runs);
  }
}

const columns = ["run", "started", "plan", "variant", "commit", "benchmark", "repetition", "seconds", "clock", "bytes", "flops", "problem"];

/** RFC 4180: lines end with CR LF, and a cell with a comma, a quote or a line end stands in quotes. */
function csv(runs: readonly BenchmarkRun[]): string {
  const rows = runs.flatMap((run) => run.measurements.flatMap((one) => {
    const row = (repetition: number | undefined, seconds: number | undefined): (string | number | undefined)[] =>
      [run.id, run.started, run.plan, run.variant, run.commit, one.name, repetition, seconds, one.clock, one.bytes, one.flops, one.problem];
    return one.seconds.length === 0 ? [row(undefined, undefined)] : one.seconds.map((seconds, index) => row(index + 1, seconds));
  }));
  return [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** What a spreadsheet would take for a formula gets an apostrophe in front: names come from programs (OWASP, "CSV Injection"). */
function cell(value: string | number | undefined): string {
  if (value === undefined) {
    return "";
  }
  const text = typeof value === "string" ? value.replace(/^[=+\-@\t\r]/, "'$&") : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function markdown(runs: readonly BenchmarkRun[]): string {
  return runs.map((run) => {
    const fractions = fractionsOf(run);
    const rows = run.measurements.map((one) => {
      const sorted = ascending(one.seconds);
      const time = sorted.length === 0 ? escaped(one.problem ?? "not measured") : duration(median(one.seconds));
      const middle = sorted.length < 2 ? "" : `${duration(quantile(sorted, 0.25))} to ${duration(quantile(sorted, 0.75))}`;
      return `| ${escaped(one.name)} | ${time} | ${middle} | ${one.seconds.length} | ${fractions.filter((fraction) => fraction.name === one.name).map((fraction) => `${shareText(fraction)}${fraction.doubtful === undefined ? "" : " (doubtful)"}`).join(", ")} |`;
    });
    return [
      `## ${escaped(run.id)}`, "",
      `${escaped(run.machine.cpu)}, ${run.machine.cores} cores, ${escaped([run.machine.system, ...(run.machine.virtual === undefined ? [] : [run.machine.virtual]), ...run.machine.gpus.map((gpu) => gpu.name)].join(", "))}.${run.commit === undefined ? "" : ` Commit ${escaped(run.commit)}.`}`, "",
      ...run.warnings.flatMap((warning) => [`- ${escaped(warning)}`]), ...(run.warnings.length === 0 ? [] : [""]),
      "| benchmark | median | quartiles | repetitions | of the possible |", "|---|---:|---:|---:|---:|", ...rows, "",
    ].join("\n");
  }).join("\n");
}

/** Names may hold what Markdown or HTML would obey. */
function escaped(text: string): string {
  return text.replace(/[\\|<>&*_`[\]#]/g, "\\$&").replace(/[\r\n]+/g, " ");
}

/** "73 % of copy" */
export function shareText(fraction: Fraction): string {
  return `${(fraction.fraction * 100).toFixed(fraction.fraction < 0.1 ? 1 : 0)} % of ${fraction.of}`;
}
