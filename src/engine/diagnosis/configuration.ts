import * as path from "node:path";
import picomatch from "picomatch";
import { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import { LineIndex } from "../model/index.ts";
import type { Files, Gap, Location, Severity } from "../model/index.ts";
import { readWorkshopSections } from "./workshopSections.ts";
import type { WorkshopSections } from "./workshopSections.ts";

export type RuleSetting = Severity | "off";

export interface IgnoredPlace {
  readonly rule: string;
  /** Glob, relative to the project. */
  readonly path: string;
  readonly reason: string | undefined;
}

/** What abiding.json says; see docs/schema/abiding.schema.json. */
export interface Configuration {
  readonly against: readonly string[];
  readonly rules: ReadonlyMap<string, RuleSetting>;
  readonly ignore: readonly IgnoredPlace[];
  /** Globs of files and folders that are not read, relative to the project. */
  readonly exclude: readonly string[];
}

export const configurationName = "abiding.json";

const empty: Configuration = { against: [], rules: new Map(), ignore: [], exclude: [] };
const settings: readonly string[] = ["error", "warning", "info", "hint", "off"];
/** Sections that belong to other commands; their shape is their reader's business. */
const otherSections = new Set(["$schema", "build", "smoke", "benchmarks", "combinations"]);

/** What abiding.json says to everything that reads it. */
export interface ConfigurationReading {
  readonly configuration: Configuration;
  readonly sections: WorkshopSections;
  readonly gaps: readonly Gap[];
}

/** Reads abiding.json of a project. What is wrong in it is reported and left out; the rest counts. */
export function readConfiguration(root: string, files: Files, isRule: (name: string) => boolean): ConfigurationReading {
  const file = path.join(root, configurationName);
  const read = files.readText(file);
  if (!read.ok) {
    return { configuration: empty, sections: {}, gaps: read.problem === "missing" ? [] : [{ kind: "file", path: file, message: `${configurationName} was not read: ${read.message}` }] };
  }
  const gaps: Gap[] = [];
  const lines = new LineIndex(read.text);
  const locate = (offset: number, length: number): Location => lines.locate(file, offset, length);
  const complain = (message: string, location: Location): void => {
    gaps.push({ kind: "file", path: file, message, location });
  };
  const errors: ParseError[] = [];
  const tree = parseTree(read.text, errors, { allowTrailingComma: true });
  for (const error of errors.slice(0, 5)) {
    complain(`${configurationName} is not valid JSON here (${printParseErrorCode(error.error)}).`, locate(error.offset, error.length));
  }
  if (tree?.type !== "object") {
    if (tree !== undefined) {
      complain(`${configurationName} must hold one object.`, locate(tree.offset, tree.length));
    }
    return { configuration: empty, sections: {}, gaps };
  }
  const at = (node: Node): Location => locate(node.offset, node.length);
  const section = (name: string): Node | undefined => findNodeAtLocation(tree, [name]);
  for (const property of tree.children ?? []) {
    const key = property.children?.[0];
    const name: unknown = key?.value;
    if (key !== undefined && typeof name === "string" && !["against", "rules", "ignore", "exclude"].includes(name) && !otherSections.has(name)) {
      complain(`"${name}" is not a setting of ${configurationName}.`, at(key));
    }
  }
  const configuration: Configuration = {
    against: strings(section("against"), "against", complain, at),
    rules: ruleSettings(section("rules"), isRule, complain, at),
    ignore: ignoredPlaces(section("ignore"), isRule, complain, at),
    exclude: strings(section("exclude"), "exclude", complain, at),
  };
  return { configuration, sections: readWorkshopSections(tree, { at, complain }), gaps };
}

type Complain = (message: string, location: Location) => void;
type At = (node: Node) => Location;

function strings(node: Node | undefined, name: string, complain: Complain, at: At): readonly string[] {
  if (node === undefined) {
    return [];
  }
  if (node.type === "string") {
    return [String(node.value)];
  }
  if (node.type !== "array") {
    complain(`"${name}" must be a text or a list of texts.`, at(node));
    return [];
  }
  return (node.children ?? []).flatMap((child) => {
    if (child.type === "string") {
      return [String(child.value)];
    }
    complain(`"${name}" must hold texts only.`, at(child));
    return [];
  });
}

function ruleSettings(node: Node | undefined, isRule: (name: string) => boolean, complain: Complain, at: At): ReadonlyMap<string, RuleSetting> {
  const found = new Map<string, RuleSetting>();
  if (node === undefined) {
    return found;
  }
  if (node.type !== "object") {
    complain(`"rules" must be an object of rule names and severities.`, at(node));
    return found;
  }
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) {
      continue;
    }
    const name = String(key.value);
    const setting: unknown = value.value;
    if (!isRule(name)) {
      complain(`"${name}" is no rule of Abiding.`, at(key));
    } else if (typeof setting === "string" && isRuleSetting(setting)) {
      found.set(name, setting);
    } else {
      complain(`The severity of "${name}" must be one of ${settings.join(", ")}.`, at(value));
    }
  }
  return found;
}

function isRuleSetting(text: string): text is RuleSetting {
  return settings.includes(text);
}

function ignoredPlaces(node: Node | undefined, isRule: (name: string) => boolean, complain: Complain, at: At): readonly IgnoredPlace[] {
  if (node === undefined) {
    return [];
  }
  if (node.type !== "array") {
    complain(`"ignore" must be a list of {"rule", "path", "reason"}.`, at(node));
    return [];
  }
  return (node.children ?? []).flatMap((child): IgnoredPlace[] => {
    const value: unknown = getNodeValue(child);
    if (typeof value !== "object" || value === null || !("rule" in value) || !("path" in value) || typeof value.rule !== "string" || typeof value.path !== "string") {
      complain(`Each entry of "ignore" needs a "rule" and a "path".`, at(child));
      return [];
    }
    if (!isRule(value.rule)) {
      complain(`"${value.rule}" is no rule of Abiding.`, at(child));
      return [];
    }
    const reason = "reason" in value && typeof value.reason === "string" ? value.reason : undefined;
    return [{ rule: value.rule, path: value.path, reason }];
  });
}

/** Whether a path, relative to the project, is one of those that globs name. */
export function matcherOf(globs: readonly string[]): (relativePath: string) => boolean {
  if (globs.length === 0) {
    return () => false;
  }
  const matches = picomatch([...globs], { dot: true });
  return (one) => matches(one.split(path.sep).join("/"));
}

/** Whether findings of a rule at a path, relative to the project, are left out. */
export function isIgnored(configuration: Configuration, rule: string, relativePath: string): boolean {
  return configuration.ignore.some((one) => one.rule === rule && picomatch.isMatch(relativePath, one.path, { dot: true }));
}
