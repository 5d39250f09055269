import { basename, dirname, join, resolve } from "node:path";
import { parseTree } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import type { EvidenceStep, Files, Gap, Location, SourceEvidence } from "../../model/index.ts";
import { SourceText } from "../python/requirements/collector.ts";

export type PresetKind = "configurePresets" | "buildPresets" | "testPresets";

export interface Preset {
  readonly kind: PresetKind;
  readonly name: string;
  readonly hidden: boolean;
  readonly node: Node;
  readonly source: SourceText;
  readonly inherits: readonly string[];
  /** It stands in the file that was asked for or in one that it includes, not in the project's that a user's file implies. */
  readonly own: boolean;
}

export interface PresetEntry {
  /** undefined: a null, which takes the variable away. */
  readonly value: string | undefined;
  readonly removed: boolean;
  readonly evidence: SourceEvidence;
  /** The file it stands in, for `${fileDir}`. */
  readonly path: string;
}

/** What CMake would know of the machine; what is absent stays unknown. */
export interface PresetMachine {
  /** "Linux", "Darwin", "Windows", as `${hostSystemName}` has it. */
  readonly hostSystemName?: string;
  /** The environment of whoever calls cmake. */
  readonly environment?: Readonly<Record<string, string>>;
}

const deepest = 20;
const mostPresets = 500;
/** The parser is recursive; a preset file needs six levels. */
const deepestNesting = 200;
const kinds: readonly PresetKind[] = ["configurePresets", "buildPresets", "testPresets"];

/** The files in which CMake looks for presets, beside the CMakeLists.txt that it starts from. */
export const presetFileNames = ["CMakePresets.json", "CMakeUserPresets.json"] as const;

/** All presets of a source folder, as `cmake` started there has them. */
export function presetsIn(source: string, files: Files, machine: PresetMachine): PresetFiles {
  const presets = new PresetFiles(source, files, machine);
  for (const file of presetFileNames.map((name) => join(source, name))) {
    if (files.status(file) !== undefined) presets.load(file);
  }
  return presets;
}

/** The presets of a folder's preset file and of what it includes, with their inheritance. Source: cmake.org, cmake-presets(7). */
export class PresetFiles {
  readonly gaps: Gap[] = [];
  readonly read = new Set<string>();
  readonly #directory: string;
  readonly #files: Files;
  readonly #machine: PresetMachine;
  readonly #presets = new Map<string, Preset>();

  constructor(directory: string, files: Files, machine: PresetMachine = {}) {
    this.#directory = directory;
    this.#files = files;
    this.#machine = machine;
  }

  load(path: string, own = true): void {
    this.#load(path, own, 0, undefined);
  }

  /** `from`: where another file includes it. */
  #load(path: string, own: boolean, depth: number, from: Location | undefined): void {
    if (this.read.has(path) || depth > deepest) return;
    const result = this.#files.readText(path);
    if (!result.ok) {
      if (own) this.gaps.push({ kind: "file", path, message: result.message, ...(from !== undefined && { location: from }) });
      return;
    }
    this.read.add(path);
    const source = new SourceText(path, result.text);
    const root = parse(source, this.gaps);
    for (const included of items(member(root, "include"))) {
      const name = typeof included.value === "string" ? this.#fill(included.value, (kind, macro) => this.#includeMacro(kind, macro, path)) : undefined;
      if (name === undefined) {
        this.gaps.push({ kind: "evaluation", path, location: locate(source, included), message: `The preset file that ${path} includes here depends on the environment and was not read.` });
      } else {
        this.#load(resolve(dirname(path), name), own, depth + 1, locate(source, included));
      }
    }
    for (const kind of kinds) {
      for (const node of items(member(root, kind))) this.#add(kind, node, source, own);
    }
  }

  #add(kind: PresetKind, node: Node, source: SourceText, own: boolean): void {
    const name = text(member(node, "name"));
    const key = `${kind} ${name ?? ""}`;
    if (name === undefined || this.#presets.has(key) || this.#presets.size >= mostPresets) return;
    const parents = member(node, "inherits");
    const inherits = parents?.type === "string" ? [String(parents.value)] : items(parents).flatMap((one) => text(one) ?? []);
    this.#presets.set(key, { kind, name, hidden: member(node, "hidden")?.value === true, node, source, inherits, own });
  }

  /** In the order of the files. */
  all(kind: PresetKind): readonly Preset[] {
    return [...this.#presets.values()].filter((one) => one.kind === kind);
  }

  find(kind: PresetKind, name: string): Preset | undefined {
    return this.#presets.get(`${kind} ${name}`);
  }

  /** A field of the preset or, where it has none, of the first it inherits from that has one: any but name, hidden, inherits, description and displayName. */
  field(preset: Preset, name: string, active: readonly Preset[] = []): { readonly node: Node; readonly source: SourceText } | undefined {
    const node = member(preset.node, name);
    if (node !== undefined) return { node, source: preset.source };
    if (active.length > deepest || active.includes(preset)) return undefined;
    for (const parent of this.#parents(preset)) {
      const found = this.field(parent, name, [...active, preset]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Own members win over inherited ones, and earlier parents over later ones. */
  collect(preset: Preset, section: "cacheVariables" | "environment", via: readonly EvidenceStep[] = [], active: readonly Preset[] = []): Map<string, PresetEntry> {
    const result = new Map<string, PresetEntry>();
    for (const property of member(preset.node, section)?.children ?? []) {
      const [key, value] = property.children ?? [];
      if (!key || !value) continue;
      const plain = value.type === "object" ? (member(value, "value") ?? value) : value;
      result.set(String(key.value), { value: scalar(plain), removed: value.type === "null", evidence: evidenceOf(preset.source, plain, via), path: preset.source.path });
    }
    if (active.length > deepest || active.includes(preset)) return result;
    for (const parent of this.#parents(preset)) {
      const step: EvidenceStep = { what: `preset ${preset.name} inherits ${parent.name}`, location: locate(preset.source, member(preset.node, "inherits") ?? preset.node) };
      for (const [key, entry] of this.collect(parent, section, [...via, step], [...active, preset])) {
        if (!result.has(key)) result.set(key, entry);
      }
    }
    return result;
  }

  /** A text with its macros replaced; undefined when one of them is not known. */
  expand(value: string | undefined, preset: Preset, path: string, environment = this.collect(preset, "environment"), depth = 0): string | undefined {
    if (value === undefined || depth > deepest) return undefined;
    return this.#fill(value, (kind, name) => {
      if (kind === undefined) return this.#macro(name, preset, path);
      if (kind === "penv") return this.#fromMachine(name);
      if (kind !== "env") return undefined;
      const entry = environment.get(name);
      if (entry === undefined) return this.#fromMachine(name);
      return entry.removed ? "" : this.expand(entry.value, preset, entry.path, environment, depth + 1);
    });
  }

  location(preset: Preset): Location {
    return locate(preset.source, member(preset.node, "name") ?? preset.node);
  }

  #parents(preset: Preset): readonly Preset[] {
    return preset.inherits.flatMap((name) => this.find(preset.kind, name) ?? []);
  }

  /** A variable that is not set is empty to CMake; where the environment is not known, so is the variable. */
  #fromMachine(name: string): string | undefined {
    return this.#machine.environment === undefined ? undefined : (this.#machine.environment[name] ?? "");
  }

  #includeMacro(kind: string | undefined, name: string, path: string): string | undefined {
    if (kind === "penv") return this.#fromMachine(name);
    if (kind !== undefined) return undefined;
    return name === "fileDir" ? dirname(path) : name === "sourceDir" ? this.#directory : undefined;
  }

  #fill(value: string, replace: (kind: string | undefined, name: string) => string | undefined): string | undefined {
    let known = true;
    const filled = value.replace(/\$(env|penv|vendor)?\{([^}]*)\}/g, (whole, kind: string | undefined, name: string) => {
      const replacement = replace(kind, name);
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
      case "hostSystemName":
        return this.#machine.hostSystemName;
      case "pathListSep":
        return this.#machine.hostSystemName === undefined ? undefined : this.#machine.hostSystemName === "Windows" ? ";" : ":";
      case "generator":
        return text(this.field(preset, "generator")?.node);
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

export function member(node: Node | undefined, name: string): Node | undefined {
  if (node?.type !== "object") return undefined;
  return node.children?.find((property) => property.children?.[0]?.value === name)?.children?.[1];
}

export function items(node: Node | undefined): readonly Node[] {
  return node?.type === "array" ? (node.children ?? []) : [];
}

export function text(node: Node | undefined): string | undefined {
  return typeof node?.value === "string" ? node.value : undefined;
}

/** A boolean stands for TRUE or FALSE. */
function scalar(node: Node): string | undefined {
  if (typeof node.value === "boolean") return node.value ? "TRUE" : "FALSE";
  return typeof node.value === "string" || typeof node.value === "number" ? String(node.value) : undefined;
}

function locate(source: SourceText, node: Node): Location {
  return source.location(node.offset, node.offset + node.length);
}

export function evidenceOf(source: SourceText, node: Node, via: readonly EvidenceStep[]): SourceEvidence {
  return { ...source.evidence(node.offset, node.offset + node.length), via };
}
