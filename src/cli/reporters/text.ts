import { styleText } from "node:util";
import { valueOf } from "../../engine/model/index.ts";
import type { Finding, Gap, InstalledBody, Location, Severity } from "../../engine/model/index.ts";
import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import { plural, wrap } from "./layout.ts";
import { printable, printableStyled } from "./printable.ts";
import { docsOf, relativeTo } from "../../tools/places.ts";
import type { Report } from "./report.ts";

export type Style = Parameters<typeof styleText>[0];

export const severityStyle: Readonly<Record<Severity, Style>> = { error: ["bold", "red"], warning: ["bold", "yellow"], info: ["bold", "blue"], hint: "dim" };
/** Longer lines are cut around the place. */
const longestLine = 140;

/** The report for people: findings by target, each with its line, the other side and a way out. */
export function textReport(report: Report): string {
  const paint = (style: Style, text: string): string => (report.colours ? styleText(style, text, { validateStream: false }) : text);
  const { diagnosis, findings } = report;
  const out: string[] = [];
  const { root } = diagnosis;
  const name = (file: string): string => relativeTo(report.workingDirectory, file);
  out.push(`${paint("bold", root)}`);
  out.push(...diagnosis.installed.map((body) => `checked against ${torchPhrase(body)}`));
  out.push(readPhrase(diagnosis));
  for (const [title, group] of byTarget(findings, diagnosis)) {
    out.push("", paint("underline", title));
    for (const finding of group) {
      out.push("", ...findingLines(report, finding, name, paint));
    }
  }
  out.push(...gapLines(report, "file", "Problems in files", 20, name, paint));
  out.push(...gapLines(report, "evaluation", "Not evaluated", 8, name, paint));
  for (const build of diagnosis.configured) {
    out.push("", paint("underline", `Configured build ${name(build.folder)}`), ...configuredLines(build, name));
  }
  out.push("", paint("underline", "Not checked"));
  for (const sentence of diagnosis.notChecked) {
    out.push(...wrap(sentence, "  "));
  }
  const sources = sourceLines(findings);
  if (sources.length > 0) {
    out.push("", paint("underline", "Sources of the catalogue's rows"), ...sources);
  }
  out.push("", summary(report, paint), "");
  return out.map(report.colours ? printableStyled : printable).join("\n");
}

/** Each row that a finding rests on, once. */
function sourceLines(findings: readonly Finding[]): string[] {
  const rows = new Set<string>();
  for (const finding of findings) {
    for (const evidence of finding.against) {
      if (evidence.kind === "catalogue") {
        rows.add(`${evidence.table}, ${evidence.row}: ${evidence.source}`);
      }
    }
  }
  return [...rows].flatMap((row) => wrap(row, "    ", "  "));
}

function gapLines(report: Report, kind: Gap["kind"], title: string, most: number, name: (file: string) => string, paint: (style: Style, text: string) => string): string[] {
  const gaps = report.diagnosis.gaps.filter((gap) => gap.kind === kind);
  if (gaps.length === 0) {
    return [];
  }
  const lines = gaps.slice(0, most).flatMap((gap) => wrap(`${gap.location === undefined ? name(gap.path) : placeOf(gap.location, name)}: ${gap.message}`, "    ", "  "));
  return ["", paint("underline", title), ...lines, ...(gaps.length > most ? [`  and ${gaps.length - most} more; --format json lists all`] : [])];
}

/** What CMake passes, where that is not what the build files seem to say. */
function configuredLines(build: Diagnosis["configured"][number], name: (file: string) => string): string[] {
  const lines: string[] = [];
  for (const { target, outcome, differences } of build.comparisons) {
    if (outcome === "missing") {
      lines.push(...wrap(`${target}: static reading does not know this target.`, "    ", "  "));
    }
    for (const { language, setting, read, truth, location } of differences) {
      const seen = read.length === 0 ? "nothing" : read.join(" or ");
      lines.push(...wrap(`${target}, ${language}: ${setting} is ${truth ?? "not set"} in the configured build; the build files read as ${seen} (${placeOf(location, name)}).`, "    ", "  "));
    }
  }
  return lines.length === 0 ? [`  agrees with the static reading of ${plural(build.comparisons.length, "target")}`] : lines;
}

/** A finding with its line, the other side and the ways out. */
export function findingLines(report: Pick<Report, "lineOf">, finding: Finding, name: (file: string) => string, paint: (style: Style, text: string) => string): string[] {
  const out = [`${paint(severityStyle[finding.severity], finding.severity)} ${paint("bold", finding.rule)}  ${placeOf(finding.location, name)}`];
  out.push(...wrap(finding.message, "  "));
  out.push(...excerpt(report, finding.location, paint));
  for (const place of finding.related.slice(0, 6)) {
    out.push(...wrap(`${placeOf(place.location, name)}: ${place.message}`, "    ", "  see "));
  }
  if (finding.related.length > 6) {
    out.push(`      and ${finding.related.length - 6} more places`);
  }
  for (const evidence of finding.against) {
    if (evidence.kind === "file") {
      out.push(...wrap(`${evidence.path}: ${evidence.what}`, "    ", "  saw "));
    } else if (evidence.kind === "catalogue") {
      out.push(...wrap(`the catalogue's ${evidence.table}, row ${evidence.row}`, "    ", "  saw "));
    }
  }
  for (const fix of finding.fixes) {
    out.push(...wrap(fix.title, "    ", "  fix "));
  }
  out.push(paint("dim", `  ${docsOf(finding.rule)}`));
  return out;
}

/** The line with a caret under the place. */
function excerpt(report: Pick<Report, "lineOf">, location: Location, paint: (style: Style, text: string) => string): string[] {
  const { start, end } = location.range;
  const line = report.lineOf(location.path, start.line);
  if (line === undefined) {
    return [];
  }
  const from = start.character > longestLine - 20 ? start.character - 40 : 0;
  const shown = line.slice(from, from + longestLine);
  const before = shown.slice(0, start.character - from);
  const last = start.line === end.line ? end.character : line.length;
  const length = Math.max(1, Math.min(last, from + longestLine) - start.character);
  const number = String(start.line + 1);
  const gutter = " ".repeat(number.length);
  const pad = before.replaceAll(/[^\t]/g, " ");
  return [
    `  ${paint("dim", `${number} |`)} ${from > 0 ? "..." : ""}${shown}${from + longestLine < line.length ? "..." : ""}`,
    `  ${paint("dim", `${gutter} |`)} ${from > 0 ? "   " : ""}${pad}${paint("red", "^".repeat(length))}`,
  ];
}

function readPhrase({ files, declared, built, scanned }: Diagnosis): string {
  if (scanned) {
    return `${built.length === 1 ? "1 installed library uses" : `${built.length} installed libraries use`} torch`;
  }
  return `${plural(files.length, "build file")} read, ${plural(declared.length, "target")}${built.length === 0 ? "" : `, ${plural(built.length, "built file")}`}`;
}

/** By target, or by the distribution that brings the file. */
function byTarget(findings: readonly Finding[], { built, installed, scanned }: Diagnosis): ReadonlyMap<string, readonly Finding[]> {
  const groups = new Map<string, Finding[]>();
  const owners = new Map<string, string>();
  for (const { name, version, evidence } of scanned ? installed.flatMap((one) => one.distributions) : []) {
    if (evidence.kind === "file") {
      owners.set(evidence.path, `${name} ${version}`);
    }
  }
  for (const { body, distribution } of built) {
    if (distribution !== undefined) {
      owners.set(body.path, `${distribution.name} ${distribution.version}`);
    }
  }
  for (const finding of findings) {
    const target = finding.target === undefined ? owners.get(finding.location.path) ?? (scanned ? "Environment" : "Project") : `Target ${finding.target}`;
    const group = groups.get(target);
    if (group === undefined) {
      groups.set(target, [finding]);
    } else {
      group.push(finding);
    }
  }
  return groups;
}

/** A binary has no lines. */
export function placeOf(location: Location, name: (file: string) => string): string {
  const { start, end } = location.range;
  if (start.line + start.character + end.line + end.character === 0) {
    return name(location.path);
  }
  return `${name(location.path)}:${location.range.start.line + 1}:${location.range.start.character + 1}`;
}

function torchPhrase(body: InstalledBody): string {
  const version = valueOf(body.facts, "torch-version") ?? "of unknown version";
  const abi = valueOf(body.facts, "libstdcxx-abi");
  const cuda = valueOf(body.facts, "cuda-version");
  const details = [
    ...(abi === undefined ? [] : [`libstdc++ ABI ${abi}`]),
    ...(cuda === undefined ? [] : [cuda === null ? "no CUDA" : `CUDA ${cuda}`]),
    body.source === "catalogue" ? "from the catalogue of releases" : `${body.source === "profile" ? "profile" : "in"} ${body.name}`,
  ];
  return `torch ${version} (${details.join(", ")})`;
}

function summary(report: Report, paint: (style: Style, text: string) => string): string {
  const counts = new Map<Severity, number>();
  for (const finding of report.findings) {
    counts.set(finding.severity, (counts.get(finding.severity) ?? 0) + 1);
  }
  const parts: string[] = [];
  for (const [severity, one, many] of [["error", "error", "errors"], ["warning", "warning", "warnings"], ["info", "note", "notes"], ["hint", "hint", "hints"]] as const) {
    const count = counts.get(severity) ?? 0;
    if (count > 0) {
      parts.push(paint(severityStyle[severity], `${count} ${count === 1 ? one : many}`));
    }
  }
  const hidden = report.diagnosis.suppressed > 0 ? `; ${report.diagnosis.suppressed} suppressed` : "";
  return parts.length === 0 ? `No conflict found in what was checked${hidden}.` : `${parts.join(", ")}${hidden}.`;
}
