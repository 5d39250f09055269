import { styleText } from "node:util";
import type { Location } from "../../engine/model/index.ts";
import type { DiscoveredTests, SmokeReport, TestOutcome, TestResult } from "../../workshop/smoke/types.ts";
import { plural, wrap } from "./layout.ts";
import { printable, printableLines } from "./printable.ts";
import { relativeTo } from "../../tools/places.ts";
import { explanationLines } from "./explanationLines.ts";
import type { Style } from "./text.ts";

export interface SmokeTextOptions {
  readonly workingDirectory: string;
  readonly colours: boolean;
}

type Paint = (style: Style, text: string) => string;

const styles: Readonly<Record<TestOutcome, Style>> = {
  passed: "green", failed: ["bold", "red"], crashed: ["bold", "red"], "timed-out": ["bold", "red"], "missing-executable": ["bold", "red"], skipped: "yellow", "not-run": ["bold", "red"], cancelled: "yellow",
};

export const outcomeWords: Readonly<Record<TestOutcome, string>> = {
  passed: "passed", failed: "failed", crashed: "crashed", "timed-out": "timed out", "missing-executable": "missing executable", skipped: "skipped", "not-run": "not run", cancelled: "cancelled",
};

/** Lines of a test's output that the report shows. */
const shownLines = 30;
const shownMessages = 10;
const shownFrames = 8;
const shownSkipped = 20;

function painter(colours: boolean): Paint {
  return (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
}

export function isBad({ outcome }: TestResult): boolean {
  return outcome !== "passed" && outcome !== "skipped";
}

/** How a test is called where its group is not shown: tests of pytest with their file. `--test` takes it too. */
function titleOf({ id, label, plan, parent }: TestResult): string {
  const within = id.startsWith(`${plan}::`) ? id.slice(plan.length + 2) : label;
  return parent === undefined && within.endsWith(`::${label}`) ? within : label;
}

/** One line for a test that has ended, while others still run. */
export function endedLine(result: TestResult, colours: boolean): string {
  const { cases: inside } = result;
  const cases = inside === undefined ? "" : ` (${plural(inside.total, "case")}${inside.skipped === 0 ? "" : `, ${inside.skipped} skipped`})`;
  return `${painter(colours)(styles[result.outcome], outcomeWords[result.outcome].padEnd(9))} ${printable(titleOf(result))}${cases} ${duration(result.milliseconds)}\n`;
}

/** The report for people: what did not pass with its reasons, what was skipped, and what it ran on. */
export function smokeText(report: SmokeReport, options: SmokeTextOptions): string {
  const paint = painter(options.colours);
  const out: string[] = [paint("bold", printable(report.root)), ...circumstances(report)];
  const inside = new Map<string, TestResult[]>();
  for (const result of report.results) if (result.parent !== undefined) inside.set(result.parent, [...(inside.get(result.parent) ?? []), result]);
  const ids = new Set(report.results.map((one) => one.id));
  const top = report.results.filter((one) => one.parent === undefined || !ids.has(one.parent));
  for (const result of top) {
    const cases = (inside.get(result.id) ?? []).filter(isBad);
    if (!isBad(result) && cases.length === 0) continue;
    // What failed inside says more than the whole; a crash or time-out is shown by both.
    const told = cases.filter((one) => one.outcome !== "not-run");
    out.push("", ...resultLines(result, options, paint, told.length === 0));
    for (const one of told) out.push("", ...resultLines(one, options, paint, true));
  }
  const skipped = new Set(top.filter((one) => one.outcome === "skipped").map((one) => one.id));
  const untidy = top.filter((one) => !isBad(one) && one.leftBehind !== undefined);
  if (untidy.length > 0) out.push("");
  for (const one of untidy) out.push(...wrap(printable(`${titleOf(one)}: ${leftBehind(one.leftBehind ?? 0)}`), "  ", paint("bold", "! ")));
  out.push(...skippedLines(report.results.filter((one) => one.parent === undefined || !skipped.has(one.parent)), paint));
  for (const { plan, message } of report.problems) out.push("", ...wrap(printable(`${plan}: ${message}`), "  ", paint("bold", "! ")));
  out.push("", summary(report, top, paint), "");
  return out.join("\n");
}

function circumstances({ circumstances: { gpus, noGpu, torch, importOrder, host } }: SmokeReport): readonly string[] {
  const meets = torch === undefined ? "no torch was found for it" : `torch ${torch.version ?? "of unknown version"}${torch.cuda === undefined || torch.cuda === null ? "" : ` (CUDA ${torch.cuda})`} of ${torch.name}`;
  return [
    ...wrap(printable(`on ${host.cpu}, ${host.system}; ${noGpu === undefined ? gpus.join(", ") : noGpu.replace(/\.$/, "")}; ${meets}`), ""),
    ...(importOrder === undefined ? [] : wrap(printable(`imported in this order: ${importOrder.join(", ")}`), "")),
  ];
}

function resultLines(result: TestResult, options: SmokeTextOptions, paint: Paint, whole: boolean): readonly string[] {
  const place = (location: Location | undefined): string => (location === undefined ? "" : `${relativeTo(options.workingDirectory, location.path)}:${location.range.start.line + 1}`);
  const out = [`${paint(styles[result.outcome], outcomeWords[result.outcome])} ${paint("bold", printable(titleOf(result)))} (${duration(result.milliseconds)})`];
  if (result.reason !== undefined) out.push(...wrap(printable(result.reason), "  "));
  if (result.explanation !== undefined) out.push(...explanationLines(result.explanation).map((line, at) => (at === 0 ? line.replace("because:", paint("bold", "because:")) : line)));
  if (result.leftBehind !== undefined) out.push(`  ${leftBehind(result.leftBehind)}`);
  if (!whole) return out;
  for (const { message, location, expected, actual } of result.messages.slice(0, shownMessages)) {
    const where = place(location);
    out.push(`  ${where === "" ? "" : `${paint("underline", printable(where))} `}${printable(message.split("\n")[0] ?? "")}`);
    if (expected !== undefined && actual !== undefined) out.push(`    expected: ${printable(cut(expected))}`, `    actual:   ${printable(cut(actual))}`);
  }
  for (const [at, frame] of (result.stack ?? []).slice(0, shownFrames).entries()) {
    const where = place(frame.location) || (frame.module ?? "");
    out.push(`  #${at} ${printable(frame.function)}${where === "" ? "" : ` at ${printable(where)}`}`);
  }
  // Python's stack at a crash is mostly pytest's own.
  const lines = result.output.trimEnd().split("\n").filter((line) => !/^ {2}File ".*(?:[/\\](?:_pytest|pytest|pluggy)[/\\].*|<frozen runpy>)", line \d+ in /.test(line));
  if (result.output.trim() !== "") {
    const shown = lines.slice(-shownLines);
    out.push(paint("dim", shown.length < lines.length ? `  | (the last ${shownLines} of ${lines.length} lines; --format json has more)` : "  |"), ...shown.map((line) => `${paint("dim", "  |")} ${printableLines(line.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replace(/\r/g, ""))}`));
  }
  return out;
}

/** Those with the same reason together. */
function skippedLines(results: readonly TestResult[], paint: Paint): readonly string[] {
  const reasons = new Map<string, string[]>();
  for (const one of results) {
    const { outcome, reason, skipped } = one;
    if (outcome !== "skipped") continue;
    const why = `${skipped === "no-gpu" ? "no GPU" : (skipped ?? "other")}: ${reason ?? "no reason was given"}`;
    reasons.set(why, [...(reasons.get(why) ?? []), titleOf(one)]);
  }
  return [...reasons].slice(0, shownSkipped).flatMap(([why, labels], at) => [
    ...(at === 0 ? [""] : []),
    ...wrap(printable(`${labels.slice(0, 5).join(", ")}${labels.length > 5 ? ` and ${labels.length - 5} more` : ""} (${why})`), "    ", `${paint("yellow", "skipped")} `),
  ]);
}

function summary({ outcome, problems }: SmokeReport, top: readonly TestResult[], paint: Paint): string {
  const counts = new Map<TestOutcome, number>();
  for (const one of top) counts.set(one.outcome, (counts.get(one.outcome) ?? 0) + 1);
  const words = Object.keys(outcomeWords).flatMap((one) => {
    const count = counts.get(one as TestOutcome);
    return count === undefined ? [] : [`${count} ${outcomeWords[one as TestOutcome]}`];
  });
  const total = duration(top.reduce((sum, one) => sum + one.milliseconds, 0));
  const text = top.length === 0 ? (outcome === "cancelled" ? "Cancelled before a test had run." : "No test was run.") : `${words.join(", ")} in ${total}${outcome === "cancelled" ? "; cancelled" : ""}`;
  return paint(outcome === "passed" && problems.length === 0 ? ["bold", "green"] : ["bold", "red"], text);
}

/** `--list`: the tests as a tree. */
export function testListText({ tests, problems }: DiscoveredTests, options: SmokeTextOptions): string {
  const paint = painter(options.colours);
  const depths = new Map<string, number>();
  const out: string[] = [];
  for (const test of tests) {
    const depth = test.parent === undefined ? 0 : (depths.get(test.parent) ?? 0) + 1;
    depths.set(test.id, depth);
    const where = test.location === undefined || test.kind === "group" ? "" : ` ${paint("dim", printable(`${relativeTo(options.workingDirectory, test.location.path)}:${test.location.range.start.line + 1}`))}`;
    const labels = test.labels.length === 0 ? "" : ` ${paint("dim", printable(`[${test.labels.join(", ")}]`))}`;
    out.push(`${"  ".repeat(depth)}${test.kind === "group" ? paint("bold", printable(test.label)) : printable(test.label)}${labels}${where}`);
    const remark = test.unlisted ?? test.disabled;
    if (remark !== undefined) out.push(...wrap(printable(remark), "  ".repeat(depth + 1)));
  }
  for (const { plan, message } of problems) out.push(...wrap(printable(`${plan}: ${message}`), "  ", paint("bold", "! ")));
  const count = tests.filter((test) => test.kind !== "group").length;
  return `${out.join("\n")}${out.length === 0 ? "" : "\n\n"}${plural(count, "test")}\n`;
}

function leftBehind(count: number): string {
  return count === 1 ? "1 process outlived it and was ended." : `${count} processes outlived it and were ended.`;
}

function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}

function cut(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 150)} ... ${text.slice(-150)}`;
}
