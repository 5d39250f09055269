import { dirname, resolve } from "node:path";
import { normaliseName, parseRequirementText } from "../../../model/index.ts";
import { distributionInLink } from "./collector.ts";
import type { Collector, RequirementSetting, SourceText } from "./collector.ts";

/** A logical line: continuation joined, comment gone; each character keeps its offset in the source. */
export interface LogicalLine {
  readonly text: string;
  readonly offsets: readonly number[];
}

/** Joins lines that end in a backslash. `comments`: whether " #" starts a comment. Source: pip, "Requirements File Format". */
export function logicalLines(text: string, from: number, to: number, comments: boolean): readonly LogicalLine[] {
  const result: LogicalLine[] = [];
  let characters = "";
  let offsets: number[] = [];
  let at = from;
  while (at < to) {
    let end = text.indexOf("\n", at);
    if (end < 0 || end > to) end = to;
    const next = end + 1;
    if (text[end - 1] === "\r") end -= 1;
    let line = text.slice(at, end);
    const comment = comments ? /(^|\s)#/.exec(line) : null;
    if (comment) line = line.slice(0, comment.index);
    const continued = !comment && line.endsWith("\\") && next <= to;
    if (continued) line = `${line.slice(0, -1)} `;
    characters += line;
    for (let i = 0; i < line.length; i += 1) offsets.push(at + i);
    if (!continued) {
      if (characters.trim() !== "") result.push({ text: characters, offsets });
      characters = "";
      offsets = [];
    }
    at = next;
  }
  if (characters.trim() !== "") result.push({ text: characters, offsets });
  return result;
}

interface Option {
  readonly name: string;
  readonly value: string;
  /** Offsets in the logical line. */
  readonly start: number;
  readonly end: number;
}

const option = /^\s*(--?[A-Za-z][\w-]*)(?:\s*=\s*|\s+)?(\S*)/;
const shortNames: Readonly<Record<string, string>> = { "-r": "--requirement", "-c": "--constraint", "-i": "--index-url", "-f": "--find-links", "-e": "--editable" };

function readOption(line: string): Option | undefined {
  const match = option.exec(line);
  if (!match) return undefined;
  const short = shortNames[(match[1] ?? "").slice(0, 2)];
  // pip accepts "-rbase.txt".
  const glued = short !== undefined && !line.trimStart().startsWith("--") && (match[1] ?? "").length > 2 ? /^\s*-.(\S+)/.exec(line) : null;
  const value = (glued ? glued[1] : match[2]) ?? "";
  const end = glued ? glued[0].length : match[0].length;
  return { name: glued && short !== undefined ? short : (shortNames[match[1] ?? ""] ?? match[1] ?? ""), value: value.replace(/^["']|["']$/g, ""), start: end - value.length, end };
}

/** Deeper chains of includes are a mistake, if not a loop. */
const deepest = 10;

/** Reads a requirements or constraints file; included files that no other reader takes up are read along with it. */
export function readRequirementsTxt(source: SourceText, collector: Collector, setting: RequirementSetting, isRead: (path: string) => boolean, depth = 0): void {
  const lines = logicalLines(source.text, 0, source.text.length, true);
  const options = lines.map((line) => readOption(line.text));
  const indexUrls = [...(setting.indexUrls ?? [])];
  for (const one of options) {
    if (one && /^--(index-url|extra-index-url|find-links)$/.test(one.name) && one.value !== "") indexUrls.push(one.value);
  }
  // pip applies index options of a file to all of its lines, wherever they stand.
  const replacesDefaultIndex = setting.replacesDefaultIndex === true || options.some((one) => one?.name === "--index-url");
  const inForce: RequirementSetting = { ...setting, indexUrls, replacesDefaultIndex };
  lines.forEach((line, index) => {
    const given = options[index];
    if (given && (given.name === "--requirement" || given.name === "--constraint")) {
      include(source, line, given, collector, inForce, isRead, depth);
      return;
    }
    if (given && given.name !== "--editable") return;
    readLine(source, line, given?.start ?? 0, collector, inForce);
  });
}

function include(source: SourceText, line: LogicalLine, given: Option, collector: Collector, setting: RequirementSetting, isRead: (path: string) => boolean, depth: number): void {
  const start = line.offsets[given.start] ?? 0;
  const end = (line.offsets[given.end - 1] ?? start) + 1;
  if (given.value === "" || /^[a-z]+:\/\//i.test(given.value) || given.value.includes("$")) {
    collector.gap(source, start, end, `The file that ${source.path} includes as "${given.value}" is not a local file and was not read.`);
    return;
  }
  const path = resolve(dirname(source.path), given.value);
  const constraint = given.name === "--constraint";
  collector.observations.push({ kind: "requirement-include", path, constraint, evidence: source.evidence(start, end), conditions: [] });
  if (isRead(path)) return;
  if (depth >= deepest) {
    collector.gap(source, start, end, `${source.path} includes files more than ${deepest} deep; "${given.value}" was not read.`);
    return;
  }
  const inner = collector.open(path);
  if (inner) readRequirementsTxt(inner, collector, constraint ? { ...setting, role: "constraint" } : setting, isRead, depth + 1);
}

function readLine(source: SourceText, line: LogicalLine, from: number, collector: Collector, setting: RequirementSetting): void {
  // Per-requirement options such as --hash end the requirement.
  const stop = /\s--[a-z]/.exec(line.text.slice(from));
  const text = line.text.slice(from, stop ? from + stop.index : line.text.length);
  const start = from + (text.length - text.trimStart().length);
  const body = text.trim();
  if (body === "") return;
  const begin = line.offsets[start] ?? 0;
  const end = (line.offsets[start + body.length - 1] ?? begin) + 1;
  if (/^([a-z+]+:\/\/|\.{0,2}\/|\.(\[|$))/i.test(body)) {
    const link = body.split(/\s*;|\s/)[0] ?? body;
    const distribution = distributionInLink(link);
    const egg = /#.*egg=([A-Za-z0-9._-]+)/.exec(link);
    const name = distribution?.name ?? egg?.[1];
    if (name === undefined) return;
    const marker = /;\s*(.+)$/.exec(body)?.[1];
    collector.push({
      name: normaliseName(name), specifier: distribution ? `==${distribution.version}` : "", url: link, known: true, setting,
      location: source.location(begin, end), text: source.text.slice(begin, end), marker,
    });
    return;
  }
  // With continuation inside, offsets are not contiguous: the requirement then is placed as a whole.
  if (source.text.slice(begin, end) === body) {
    if (!collector.add(source, begin, body, setting)) collector.gap(source, begin, end, `"${body}" in ${source.path} is not a requirement that could be read.`);
    return;
  }
  const parsed = parseRequirementText(body);
  if (!parsed) {
    collector.gap(source, begin, end, `"${body}" in ${source.path} is not a requirement that could be read.`);
    return;
  }
  collector.push({ name: parsed.name, extras: parsed.extras, specifier: parsed.specifier, marker: parsed.marker, url: parsed.url, known: true, setting, location: source.location(begin, end), text: source.text.slice(begin, end) });
}
