import condaPackages from "../../../../../data/conda-packages.json" with { type: "json" };
import { parseSpecifiers } from "../../../model/index.ts";
import type { Collector, RequirementSetting, SourceText } from "./collector.ts";

const distributions = new Map(condaPackages.rows.map((row) => [row.conda, row.distribution]));

/** A conda match specification. */
export interface CondaSpec {
  readonly name: string;
  /** PEP 440 translation; undefined when there is none (alternatives with "|"). */
  readonly specifier: string | undefined;
  readonly versionStart: number;
  readonly versionEnd: number;
}

const shape = /^\s*(?:[^\s:[\]]+::)?([A-Za-z0-9_][\w.-]*)\s*(.*)$/s;

/**
 * Parses `channel::name version build` in its spellings. "1.8" behind a space or "==" is exact, behind one "=" it is a prefix.
 * Source: docs.conda.io, "Package match specifications".
 */
export function parseCondaSpec(text: string): CondaSpec | undefined {
  const bare = text.replace(/\s+#.*$/, "").trimEnd();
  const match = shape.exec(bare);
  if (!match) return undefined;
  const [, name = "", rest = ""] = match;
  let start = bare.length - rest.length;
  let version = rest;
  const bracket = /\[(.*)\]\s*$/s.exec(rest);
  if (bracket) {
    version = rest.slice(0, bracket.index);
    const inner = /\bversion\s*=\s*(["']?)([^"'\]]*)\1/.exec(bracket[1] ?? "");
    if (inner && version.trim() === "") {
      const offset = (bracket.index + 1) + inner.index + inner[0].indexOf(inner[2] ?? "");
      start += offset;
      version = inner[2] ?? "";
    }
  }
  start += version.length - version.trimStart().length;
  version = version.trim();
  // The build string comes after the version: behind a space, or behind a second "=".
  const parts = /^([=<>!~]*\s*[^\s=]+(?:\s*,\s*[=<>!~]*\s*[^\s=,]+)*)(?:(?:\s+|=)\S+)?$/.exec(version);
  const versionText = parts?.[1] ?? version;
  return { name: name.toLowerCase(), specifier: translate(versionText), versionStart: start, versionEnd: start + versionText.length };
}

function translate(text: string): string | undefined {
  if (text === "" || text === "*") return "";
  if (text.includes("|")) return undefined;
  const clauses = text.split(",").map((part) => {
    const one = part.trim();
    const match = /^(===?|=|!=|<=|>=|<|>|~=)?\s*(.*)$/.exec(one);
    const operator = match?.[1] ?? "";
    const version = match?.[2] ?? "";
    const fuzzy = version.replace(/\.?\*$/, "");
    if (fuzzy === "") return "";
    if (operator === "=" || (version.endsWith("*") && (operator === "" || operator === "=="))) return `==${fuzzy}.*`;
    if (operator === "") return `==${version}`;
    if (operator === "!=" && version.endsWith("*")) return `!=${fuzzy}.*`;
    // ">=2.1.*" means ">=2.1" to conda.
    return operator + fuzzy;
  });
  const specifier = clauses.filter((one) => one !== "").join(",");
  return parseSpecifiers(specifier) ? specifier : undefined;
}

/** Adds a conda match specification that stands at `start` of the source. */
export function addCondaSpec(source: SourceText, start: number, text: string, setting: RequirementSetting, collector: Collector): boolean {
  const spec = parseCondaSpec(text);
  if (!spec) return false;
  const end = start + text.trimEnd().length;
  const begin = start + (text.length - text.trimStart().length);
  const hasVersion = spec.versionEnd > spec.versionStart;
  collector.push({
    name: distributions.get(spec.name) ?? spec.name,
    specifier: spec.specifier ?? text.slice(spec.versionStart, spec.versionEnd),
    known: spec.specifier !== undefined,
    location: source.location(begin, end),
    text: source.text.slice(begin, end),
    specifierLocation: hasVersion ? source.location(start + spec.versionStart, start + spec.versionEnd) : undefined,
    setting,
  });
  return true;
}
