import * as path from "node:path";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { LineIndex } from "../../engine/model/index.ts";
import type { Files, Location } from "../../engine/model/index.ts";
import { textOf } from "./survey.ts";

/** What a folder's configuration says to pytest. */
export interface PytestSettings {
  readonly location: Location;
  /** The words of a setting, be it a list or a text; undefined when it is not set. */
  readonly words: (name: string) => readonly string[] | undefined;
  /** `testpaths`; pytest uses them by itself when it is given no path. */
  readonly paths: readonly string[];
  /** Names of `markers`. */
  readonly markers: ReadonlySet<string>;
  /** `pythonpath` is set: the project says itself where its modules lie. */
  readonly hasPythonPath: boolean;
}

/** In the order in which pytest looks. Source: pytest's reference guide, "Initialization: determining rootdir and configfile". */
export function readPytestSettings(folder: string, files: Files): PytestSettings | undefined {
  return ini(folder, "pytest.ini", "pytest", files) ?? ini(folder, ".pytest.ini", "pytest", files) ?? pyproject(folder, files)
    ?? ini(folder, "tox.ini", "pytest", files) ?? ini(folder, "setup.cfg", "tool:pytest", files);
}

function ini(folder: string, name: string, section: string, files: Files): PytestSettings | undefined {
  const file = path.join(folder, name);
  const text = textOf(files, file);
  const header = new RegExp(`^\\[${section}\\][ \\t]*$`, "m").exec(text);
  if (header === null) return undefined;
  const rest = text.slice(header.index + header[0].length);
  const body = rest.slice(0, /^\[/m.exec(rest)?.index ?? rest.length);
  const values = new Map<string, string>();
  for (const match of body.matchAll(/^([A-Za-z_]+)[ \t]*[=:][ \t]*(.*(?:\r?\n[ \t]+.*|\r?\n[ \t]*(?=\r?\n[ \t]))*)/gm)) values.set(match[1] ?? "", match[2] ?? "");
  const lines = (values.get("markers") ?? "").split(/\r?\n/);
  return {
    location: new LineIndex(text).locate(file, header.index, header[0].length),
    words: (setting) => (values.has(setting) ? words(values.get(setting)) : undefined),
    paths: words(values.get("testpaths")),
    markers: new Set(lines.flatMap(markerName)),
    hasPythonPath: values.has("pythonpath"),
  };
}

function words(text: string | undefined): readonly string[] {
  return (text ?? "").split(/\s+/).filter((word) => word !== "");
}

/** `smoke: runs everywhere`, `smoke(seconds)`. */
function markerName(line: string): readonly string[] {
  const name = /^\s*([\w-]+)/.exec(line)?.[1];
  return name === undefined ? [] : [name];
}

function pyproject(folder: string, files: Files): PytestSettings | undefined {
  const file = path.join(folder, "pyproject.toml");
  const text = textOf(files, file);
  const header = /^\[tool\.pytest(?:\.ini_options)?\][ \t]*(?:#.*)?$/m.exec(text);
  if (header === null) return undefined;
  const location = new LineIndex(text).locate(file, header.index, header[0].length);
  const table = tableOf(text);
  const listOf = (name: string): readonly string[] => {
    const value = table[name];
    if (Array.isArray(value)) return value.filter((one): one is string => typeof one === "string");
    return typeof value === "string" ? value.split(/\r?\n/) : [];
  };
  return { location, words: (setting) => (Object.hasOwn(table, setting) ? listOf(setting).flatMap(words) : undefined), paths: listOf("testpaths").flatMap(words), markers: new Set(listOf("markers").flatMap(markerName)), hasPythonPath: "pythonpath" in table };
}

function tableOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const tool = objectAt(getStaticTOMLValue(parseTOML(text)), "tool");
    const pytest = objectAt(tool, "pytest");
    return objectAt(pytest, "ini_options") ?? pytest ?? {};
  } catch {
    // Not valid TOML: what reads requirements says so, and the section's name still shows that pytest is used.
    return {};
  }
}

function objectAt(value: unknown, key: string): Readonly<Record<string, unknown>> | undefined {
  const found: unknown = typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Readonly<Record<string, unknown>>) : undefined;
}
