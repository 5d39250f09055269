import { styleText } from "node:util";
import type { CellResult, CellStep, RunReport } from "../../workshop/combinations/types.ts";
import type { RunPlan } from "../../workshop/combinations/index.ts";
import { shortNames } from "../../engine/binaries/mangling/index.ts";
import { plural, wrap } from "./layout.ts";
import { printable } from "./printable.ts";
import { docsOf, relativeTo } from "../../tools/places.ts";
import type { Style } from "./text.ts";

export interface RunTextOptions {
  readonly workingDirectory: string;
  readonly colours: boolean;
}

type Paint = (style: Style, text: string) => string;

const styles: Readonly<Record<CellResult["outcome"], Style>> = { passed: "green", failed: ["bold", "red"], unknown: "yellow", cancelled: "yellow" };
const words: Readonly<Record<CellResult["outcome"], string>> = { passed: "passed", failed: "failed", unknown: "not told", cancelled: "cancelled" };
const shownLeftOut = 30;

function painter(colours: boolean): Paint {
  return (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
}

/** One line for a cell that has ended, while others still run. */
export function endedCellLine({ cell, outcome, milliseconds, reason }: CellResult, isResumed: boolean, colours: boolean): string {
  const because = outcome === "passed" || reason === undefined ? "" : `. ${shortNames(reason.message)}`;
  return `${painter(colours)(styles[outcome], words[outcome].padEnd(9))} ${printable(cell.label)} ${isResumed ? "(before)" : time(milliseconds)}${printable(because)}\n`;
}

/** `--plan`: the cells, and what is left out. */
export function planText({ cells, leftOut, warnings }: RunPlan, options: RunTextOptions): string {
  const paint = painter(options.colours);
  return [
    ...cells.flatMap(({ label, id, index }) => [paint("bold", printable(label)), `  ${paint("dim", printable(`${id}${index === undefined ? "" : `, from ${index}`}`))}`]),
    ...leftOutLines(leftOut, paint), ...warningLines(warnings, paint),
    "", paint("bold", `${plural(cells.length, "cell")}${leftOut.length === 0 ? "" : `, ${leftOut.length} left out`}; nothing was tried.`), "",
  ].join("\n");
}

/** The report for people: what did not pass with its reason, step and log, then the counts. */
export function runText(report: RunReport, options: RunTextOptions): string {
  const paint = painter(options.colours);
  const out: string[] = [paint("bold", printable(report.root)), `run ${report.run}`];
  for (const result of report.results) {
    out.push("", ...resultLines(result, options, paint));
  }
  out.push(...leftOutLines(report.leftOut, paint), ...warningLines(report.warnings, paint), "");
  const counts = (["passed", "failed", "unknown", "cancelled"] as const).flatMap((outcome) => {
    const count = report.results.filter((one) => one.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${words[outcome]}`];
  });
  out.push(paint(report.outcome === "passed" ? ["bold", "green"] : ["bold", "red"], `${counts.join(", ") || "Nothing was tried"}${report.leftOut.length === 0 ? "" : `, ${report.leftOut.length} left out`}`));
  if (report.outcome === "cancelled") {
    out.push(`abiding combinations run --resume ${report.run} goes on with it.`);
  }
  if (report.results.some((one) => one.records.length > 0)) {
    out.push(`recorded in ${relativeTo(options.workingDirectory, report.records)}`);
  }
  return `${out.join("\n")}\n`;
}

function resultLines({ cell, outcome, steps, reason, milliseconds }: CellResult, options: RunTextOptions, paint: Paint): readonly string[] {
  const out = [`${paint(styles[outcome], words[outcome])} ${paint("bold", printable(cell.label))} ${time(milliseconds)}`];
  const done = steps.map((step) => `${step.name} ${stepWord(step)}`);
  if (done.length > 0) {
    out.push(...wrap(printable(done.join(", ")), "  "));
  }
  if (outcome === "passed" || reason === undefined) {
    return out;
  }
  const rule = reason.rule === undefined ? "" : ` [${reason.rule}, ${docsOf(reason.rule)}]`;
  out.push(...wrap(printable(`${shortNames(reason.message)}${rule}`), "    "));
  const log = steps.find((one) => one.outcome !== "passed")?.log;
  if (log !== undefined) {
    out.push(`    log: ${printable(relativeTo(options.workingDirectory, log))}`);
  }
  return out;
}

function stepWord({ outcome, counts, milliseconds }: CellStep): string {
  const word = outcome === "unknown" ? "could not be told" : outcome;
  const count = counts === undefined ? "" : ` (${[...(counts.passed > 0 ? [`${counts.passed} passed`] : []), ...(counts.failed > 0 ? [`${counts.failed} failed`] : []), ...(counts.skipped > 0 ? [`${counts.skipped} skipped`] : [])].join(", ") || "none ran"})`;
  return `${word}${count} in ${duration(milliseconds)}`;
}

function leftOutLines(leftOut: RunReport["leftOut"], paint: Paint): readonly string[] {
  const lines = leftOut.slice(0, shownLeftOut).flatMap(({ label, because }) => wrap(printable(`${label}: ${because}`), "    ", `${paint("yellow", "left out")} `));
  return leftOut.length === 0 ? [] : ["", ...lines, ...(leftOut.length > shownLeftOut ? [`and ${leftOut.length - shownLeftOut} more`] : [])];
}

function warningLines(warnings: readonly string[], paint: Paint): readonly string[] {
  return warnings.length === 0 ? [] : ["", ...warnings.flatMap((one) => wrap(printable(one), "  ", paint("bold", "! ")))];
}

function time(milliseconds: number): string {
  return `(${duration(milliseconds)})`;
}

function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 10 ? `${(milliseconds / 1000).toFixed(1)} s` : seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
