import { basename, dirname, resolve } from "node:path";
import { parseTree } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import type { Condition, EvidenceStep, Files, Gap, Observation, Reading, SourceEvidence } from "../../model/index.ts";
import { SourceText } from "../python/requirements/collector.ts";

interface Preset {
  readonly name: string;
  readonly node: Node;
  readonly source: SourceText;
  readonly inherits: readonly string[];
}

interface Entry {
  /** undefined: a null, which takes the variable away. */
  readonly value: string | undefined;
  readonly removed: boolean;
  readonly evidence: SourceEvidence;
  /** The file it stands in, for `${fileDir}`. */
  readonly path: string;
}

const deepest = 20;
const mostPresets = 500;
/** The parser is recursive; a preset file needs six levels. */
const deepestNesting = 200;

/**
 * Reads the configure presets of CMakePresets.json or CMakeUserPresets.json: each gives the cache variables that it and the
 * presets it inherits from set. Source: cmake.org, cmake-presets(7).
 */
export function readPresets(path: string, files: Files): Reading {
  const reader = new PresetReader(dirname(path), files);
  reader.load(path, 0);
  // CMake reads the project's presets before the user's; they are reported for their own file.
  if (/^CMakeUserPresets\.json$/i.test(basename(path))) reader.load(resolve(dirname(path), "CMakePresets.json"), 0, false);
  return { targets: [], requirements: [], observations: reader.observe(), gaps: reader.gaps, files: [...reader.read] };
}

class PresetReader {
  readonly gaps: Gap[] = [];
  readonly read = new Set<string>();
  readonly #directory: string;
  readonly #files: Files;
  readonly #presets = new Map<string, Preset>();
  readonly #own: string[] = [];

  constructor(directory: string, files: Files) {
    this.#directory = directory;
    this.#files = files;
  }

  load(path: string, depth: number, own = true): void {
    if (this.read.has(path) || depth > deepest) return;
    const result = this.#files.readText(path);
    if (!result.ok) {
      if (own) this.gaps.push({ kind: "file", path, message: result.message });
      return;
    }
    this.read.add(path);
    const source = new SourceText(path, result.text);
    const root = parse(source, this.gaps);
    for (const included of items(member(root, "include"))) {
      const name = typeof included.value === "string" ? included.value.replaceAll("${sourceDir}", this.#directory) : undefined;
      if (name === undefined || name.includes("$")) {
        this.gaps.push({ kind: "evaluation", path, location: locate(source, included), message: `The preset file that ${path} includes here depends on the environment and was not read.` });
      } else {
        this.load(resolve(dirname(path), name), depth + 1, own);
      }
    }
    for (const node of items(member(root, "configurePresets"))) {
      const name = text(member(node, "name"));
      if (name === undefined || this.#presets.has(name) || this.#presets.size >= mostPresets) continue;
      const parents = member(node, "inherits");
      const inherits = parents?.type === "string" ? [String(parents.value)] : items(parents).flatMap((one) => text(one) ?? []);
      this.#presets.set(name, { name, node, source, inherits });
      if (own && member(node, "hidden")?.value !== true) this.#own.push(name);
    }
  }

  observe(): readonly Observation[] {
    const result: Observation[] = [];
    this.#own.forEach((name, branch) => {
      const preset = this.#presets.get(name);
      if (!preset) return;
      const evidence = evidenceOf(preset.source, member(preset.node, "name") ?? preset.node, []);
      const conditions: Condition[] = [{ text: `preset ${name}`, id: `${this.#directory}#configurePresets`, branch, location: evidence.location }];
      const environment = this.#collect(preset, "environment");
      const variables = this.#collect(preset, "cacheVariables");
      const expand = (entry: Entry) => this.#expand(entry.value, preset, environment, entry.path);
      const definitions = [...variables].filter(([, entry]) => !entry.removed).map(([variable, entry]) => ({ name: variable, value: expand(entry), evidence: entry.evidence }));
      if (definitions.length > 0) result.push({ kind: "cmake-arguments", sourceDirectory: this.#directory, definitions, evidence, conditions });
      const architectures = environment.get("TORCH_CUDA_ARCH_LIST");
      if (architectures && !architectures.removed) {
        result.push({ kind: "architecture-list", variable: "TORCH_CUDA_ARCH_LIST", value: expand(architectures), evidence: architectures.evidence, conditions });
      }
    });
    return result;
  }

  /** Own members win over inherited ones, and earlier parents over later ones. */
  #collect(preset: Preset, section: "cacheVariables" | "environment", via: readonly EvidenceStep[] = [], active: readonly string[] = []): Map<string, Entry> {
    const result = new Map<string, Entry>();
    for (const property of member(preset.node, section)?.children ?? []) {
      const [key, value] = property.children ?? [];
      if (!key || !value) continue;
      const plain = value.type === "object" ? (member(value, "value") ?? value) : value;
      result.set(String(key.value), { value: scalar(plain), removed: value.type === "null", evidence: evidenceOf(preset.source, plain, via), path: preset.source.path });
    }
    if (active.length > deepest || active.includes(preset.name)) return result;
    for (const name of preset.inherits) {
      const parent = this.#presets.get(name);
      if (!parent) continue;
      const step: EvidenceStep = { what: `preset ${preset.name} inherits ${name}`, location: locate(preset.source, member(preset.node, "inherits") ?? preset.node) };
      for (const [key, entry] of this.#collect(parent, section, [...via, step], [...active, preset.name])) {
        if (!result.has(key)) result.set(key, entry);
      }
    }
    return result;
  }

  #expand(value: string | undefined, preset: Preset, environment: ReadonlyMap<string, Entry>, path: string, depth = 0): string | undefined {
    if (value === undefined || depth > deepest) return undefined;
    let known = true;
    const filled = value.replace(/\$(env|penv|vendor)?\{([^}]*)\}/g, (whole, kind: string | undefined, name: string) => {
      const replacement = kind === "env" ? this.#expand(environment.get(name)?.value, preset, environment, path, depth + 1) : kind === undefined ? this.#macro(name, preset, path) : undefined;
      known &&= replacement !== undefined;
      return replacement ?? whole;
    });
    return known ? filled : undefined;
  }

  #macro(name: string, preset: Preset, path: string): string | undefined {
    switch (name) {
      case "sourceDir":
        return this.#directory;
      case "sourceParentDir":
        return dirname(this.#directory);
      case "sourceDirName":
        return basename(this.#directory);
      case "presetName":
        return preset.name;
      case "fileDir":
        return dirname(path);
      case "dollar":
        return "$";
      case "generator":
        return text(member(preset.node, "generator"));
      default:
        return undefined;
    }
  }
}

/** Brackets inside strings count too, which only makes the check stricter. */
function nesting(text: string): number {
  let depth = 0;
  let most = 0;
  for (const character of text) {
    if (character === "[" || character === "{") most = Math.max(most, (depth += 1));
    else if (character === "]" || character === "}") depth -= 1;
  }
  return most;
}

function parse(source: SourceText, gaps: Gap[]): Node | undefined {
  const errors: ParseError[] = [];
  if (nesting(source.text) > deepestNesting) {
    gaps.push({ kind: "file", path: source.path, message: `${source.path} nests brackets more than ${deepestNesting} deep and was not read.` });
    return undefined;
  }
  const root = parseTree(source.text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    gaps.push({ kind: "file", path: source.path, location: source.location(first.offset, first.offset + first.length), message: `${source.path} is not valid JSON here; what could be read of it was read.` });
  }
  return root;
}

function member(node: Node | undefined, name: string): Node | undefined {
  if (node?.type !== "object") return undefined;
  return node.children?.find((property) => property.children?.[0]?.value === name)?.children?.[1];
}

function items(node: Node | undefined): readonly Node[] {
  return node?.type === "array" ? (node.children ?? []) : [];
}

function text(node: Node | undefined): string | undefined {
  return typeof node?.value === "string" ? node.value : undefined;
}

/** A boolean stands for TRUE or FALSE. */
function scalar(node: Node): string | undefined {
  if (typeof node.value === "boolean") return node.value ? "TRUE" : "FALSE";
  return typeof node.value === "string" || typeof node.value === "number" ? String(node.value) : undefined;
}

function locate(source: SourceText, node: Node) {
  return source.location(node.offset, node.offset + node.length);
}

function evidenceOf(source: SourceText, node: Node, via: readonly EvidenceStep[]): SourceEvidence {
  return { ...source.evidence(node.offset, node.offset + node.length), via };
}
