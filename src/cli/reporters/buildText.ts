import * as path from "node:path";
import { styleText } from "node:util";
import { shortNames } from "../../engine/binaries/mangling/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import type { BuildProblem, BuildReport, BuildStep } from "../../workshop/build/index.ts";
import type { ExaminedFile, TorchInUse } from "../../workshop/workshop.ts";
import { explanationLines } from "./explanationLines.ts";
import { plural, wrap } from "./layout.ts";
import { printable, printableStyled } from "./printable.ts";
import { relativeTo } from "../../tools/places.ts";
import { lineReader } from "./report.ts";
import { findingLines, placeOf, severityStyle } from "./text.ts";
import type { Style } from "./text.ts";

export interface TextOptions {
  readonly workingDirectory: string;
  readonly colours: boolean;
}

type Paint = (style: Style, text: string) => string;

const outcomeStyle: Readonly<Record<BuildReport["outcome"], Style>> = { built: ["bold", "green"], failed: ["bold", "red"], stopped: ["bold", "red"], cancelled: ["bold", "yellow"] };
const verdictStyle: Readonly<Record<ExaminedFile["verdict"], Style>> = { "no-conflict": "green", conflict: "red", unknown: "yellow" };
/** `--format json` and the log have all. */
const mostShown = 20;

/** `abiding build` for people: the outcome, why, what was found, and what came out. */
export function buildText(report: BuildReport, { workingDirectory, colours }: TextOptions): string {
  const paint: Paint = (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
  const name = (file: string): string => relativeTo(workingDirectory, file);
  const time = report.steps.reduce((sum, step) => sum + step.milliseconds, 0);
  const out = [`${paint(outcomeStyle[report.outcome], report.outcome)}  ${report.plan.label}${report.steps.length === 0 ? "" : `, ${seconds(time)}`}`];
  if (report.reason !== undefined) {
    out.push(...wrap(shortNames(report.reason), "  "));
  }
  if (report.explanation !== undefined) {
    out.push(...explanationLines(report.explanation));
  }
  if (report.outcome === "stopped") {
    out.push(...wrap(`${report.before.some((one) => one.fixes.length > 0) ? "--fix applies the fixes first; " : ""}--fail-on never builds all the same.`, "  "));
  }
  out.push(...report.against.map((torch) => `  checked against ${torchPhrase(torch)}`));
  out.push(...report.steps.flatMap((step) => stepLines(step, paint, name)));
  out.push(...beforeLines(report, paint, name), ...problemLines(report.problems, paint, name), ...productLines(report, paint, name));
  if (report.notChecked.length > 0) {
    out.push("", paint("underline", "Not checked"), ...report.notChecked.flatMap((sentence) => wrap(sentence, "  ")));
  }
  return `${out.map(colours ? printableStyled : printable).join("\n")}\n`;
}

function seconds(milliseconds: number): string {
  return milliseconds < 60_000 ? `${(milliseconds / 1000).toFixed(1)} s` : `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

function torchPhrase({ name, version, cuda }: TorchInUse): string {
  return `torch ${version ?? "of unknown version"} (${[...(cuda === undefined ? [] : [cuda === null ? "no CUDA" : `CUDA ${cuda}`]), name].join(", ")})`;
}

function stepLines({ name: step, ending, line, log, milliseconds }: BuildStep, paint: Paint, name: (file: string) => string): string[] {
  const how = ending.kind === "exited" ? (ending.code === 0 ? "done" : `status ${ending.code}`) : ending.kind === "signalled" ? ending.signal : ending.kind;
  return [`  ${step.padEnd(9)}  ${how === "done" ? how : paint("red", how)} in ${seconds(milliseconds)}: ${line}`, ...(how === "done" || log === undefined ? [] : [`             log: ${name(log)}`])];
}

/** What stopped the build is shown in full; what did not was shown before it began. */
function beforeLines(report: BuildReport, paint: Paint, name: (file: string) => string): string[] {
  const { elsewhere } = report;
  const others = elsewhere === 0 ? [] : ["", `${plural(elsewhere, "finding")} elsewhere in the project, which this does not build: abiding check`];
  if (report.before.length === 0) {
    return others;
  }
  const lineOf = lineReader(new NodeFiles());
  const shown = report.outcome === "stopped"
    ? report.before.flatMap((finding) => ["", ...findingLines({ lineOf }, finding, name, paint)])
    : report.before.map((finding) => `  ${paint(severityStyle[finding.severity], finding.severity)} ${finding.rule}  ${placeOf(finding.location, name)}`);
  return ["", paint("underline", "Found before the build"), ...shown, ...others];
}

function problemLines(problems: readonly BuildProblem[], paint: Paint, name: (file: string) => string): string[] {
  if (problems.length === 0) {
    return [];
  }
  const sorted = [...problems].sort((a, b) => rank(a) - rank(b));
  const counts = (["error", "warning", "info"] as const).map((severity) => ({ severity, count: problems.filter((one) => one.severity === severity).length })).filter((one) => one.count > 0);
  const out = ["", paint("underline", `Messages of the tools: ${counts.map(({ severity, count }) => plural(count, severity === "info" ? "note" : severity)).join(", ")}`)];
  for (const problem of sorted.slice(0, mostShown)) {
    const place = problem.location === undefined ? "" : ` ${placeOf(problem.location, name)}`;
    const code = problem.code === undefined ? "" : ` [${problem.code}]`;
    out.push(...wrap(`${problem.tool}${place}: ${shortNames(problem.message.replaceAll("\n", " "))}${code}`, "    ", `  ${paint(severityStyle[problem.severity], problem.severity)} `));
  }
  return problems.length > mostShown ? [...out, `  and ${problems.length - mostShown} more; --format json lists all`] : out;
}

function rank({ severity }: BuildProblem): number {
  return severity === "error" ? 0 : severity === "warning" ? 1 : 2;
}

function productLines(report: BuildReport, paint: Paint, name: (file: string) => string): string[] {
  const out: string[] = [];
  if (report.products.length > 0) {
    out.push("", paint("underline", "Built"));
  }
  const told = new Set<string>();
  for (const { file, verdict, headline, loaderSays, findings, stamp } of report.products) {
    // Why nothing could be told is the same for every file, and is said once.
    const words = verdict === "unknown" && told.has(headline) ? "as above" : headline;
    told.add(headline);
    out.push(`  ${paint("bold", name(file))}`, ...wrap(words, "      ", `    ${paint(verdictStyle[verdict], verdict)}: `));
    if (loaderSays !== undefined) {
      out.push(...wrap(`The loader would say: ${loaderSays}`, "      ", "    "));
    }
    for (const finding of findings) {
      out.push(...wrap(`${finding.rule}: ${shortNames(finding.message)}`, "      ", `    ${paint(severityStyle[finding.severity], finding.severity)} `));
    }
    if (stamp !== undefined) {
      out.push(...wrap(Object.entries(stamp).map(([key, value]) => `${key}=${value}`).join(", "), "      ", "    stamp: "));
    }
  }
  const unchanged = report.unchanged ?? [];
  if (report.outcome === "built" && unchanged.length > 0) {
    out.push("", ...wrap(`${report.products.length === 0 ? "Nothing was built anew; up" : "Up"} to date: ${unchanged.slice(0, mostShown).map((file) => path.basename(file)).join(", ")}${unchanged.length > mostShown ? ` and ${unchanged.length - mostShown} more` : ""}.`, "  "));
  } else if (report.outcome === "built" && report.products.length === 0) {
    out.push("", "  The build made no shared library and no wheel.");
  }
  return out;
}
