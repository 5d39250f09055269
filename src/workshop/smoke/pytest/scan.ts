import * as fs from "node:fs";
import * as path from "node:path";
import picomatch from "picomatch";
import { locationOf, parseSourceFile } from "../../../engine/sources/python/source-file.ts";
import type { SourceFile } from "../../../engine/sources/python/source-file.ts";
import type { ClassDefinition, Expression, Statement } from "../../../engine/sources/python/syntax.ts";
import type { Location } from "../../../engine/model/index.ts";
import type { PytestPlan } from "../../project/types.ts";
import { readPytestConfiguration } from "./configuration.ts";
import type { PytestConfiguration } from "./configuration.ts";

/** A test function that a file shows; one with parameters stands for all of them. */
export interface PytestFunction {
  /** Absolute. */
  readonly file: string;
  /** "TestClass::test_name". */
  readonly name: string;
  readonly markers: readonly string[];
  readonly location: Location;
}

/** More files than this are not read for a list. */
const mostFiles = 20_000;

/** The tests that the files of a plan show, without importing anything. */
export function scanPytest(plan: PytestPlan, root: string): readonly PytestFunction[] {
  const configuration = readPytestConfiguration(plan.folder, root);
  return testFiles(plan, configuration).flatMap((file) => testsIn(file, configuration));
}

function testFiles(plan: PytestPlan, configuration: PytestConfiguration): readonly string[] {
  const isTest = picomatch([...configuration.files], { basename: true });
  const isSkipped = picomatch([...configuration.skippedFolders], { basename: true, dot: true });
  const given = plan.paths.length > 0 ? plan.paths : configuration.testPaths.length > 0 ? configuration.testPaths : ["."];
  const found = new Set<string>();
  const visit = (folder: string): void => {
    let entries: readonly fs.Dirent[];
    try {
      entries = fs.readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    } catch {
      return;
    }
    // An environment: its packages' tests are not the project's.
    if (entries.some((one) => one.name === "pyvenv.cfg" || one.name === "conda-meta")) return;
    for (const entry of entries) {
      if (found.size >= mostFiles) return;
      const place = path.join(folder, entry.name);
      if (entry.isDirectory() ? !isSkipped(entry.name) : false) visit(place);
      else if (entry.isFile() && isTest(entry.name)) found.add(place);
    }
  };
  for (const one of given) {
    // "tests/test_a.py::test_b" names a test; what is listed is its file.
    const place = path.resolve(plan.folder, one.split("::")[0] ?? one);
    const status = fs.statSync(place, { throwIfNoEntry: false });
    if (status?.isFile() === true) found.add(place);
    else if (status?.isDirectory() === true) visit(place);
  }
  return [...found];
}

function testsIn(file: string, configuration: PytestConfiguration): readonly PytestFunction[] {
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch {
    return [];
  }
  const source = parseSourceFile(file, text);
  const reading: Reading = { source, configuration, found: new Map() };
  read(source.module.body, "", fileMarkers(source.module.body), reading);
  return [...reading.found.values()];
}

interface Reading {
  readonly source: SourceFile;
  readonly configuration: PytestConfiguration;
  /** By name: of two definitions the later counts, as in Python. */
  readonly found: Map<string, PytestFunction>;
}

function read(body: readonly Statement[], within: string, markers: readonly string[], reading: Reading, isUnittest = false): void {
  const { configuration, source, found } = reading;
  for (const statement of body) {
    switch (statement.type) {
      case "function":
        if (!named(statement.name, isUnittest ? ["test"] : configuration.functions)) break;
        found.set(`${within}${statement.name}`, {
          file: source.path, name: `${within}${statement.name}`,
          markers: [...new Set([...markers, ...statement.decorators.flatMap(markersOf)])],
          location: locationOf({ file: source, start: statement.nameStart, end: statement.nameStart + statement.name.length }),
        });
        break;
      case "class": {
        const unittest = isTestCase(statement);
        if (!unittest && (!named(statement.name, configuration.classes) || hasConstructor(statement))) break;
        read(statement.body, `${within}${statement.name}::`, [...markers, ...statement.decorators.flatMap(markersOf), ...fileMarkers(statement.body)], reading, unittest);
        break;
      }
      // Tests may stand under a condition: what it decides is not known here.
      case "if":
        read(statement.body, within, markers, reading, isUnittest);
        read(statement.otherwise, within, markers, reading, isUnittest);
        break;
      case "try":
        for (const part of [statement.body, statement.otherwise, ...statement.handlers.map((one) => one.body)]) read(part, within, markers, reading, isUnittest);
        break;
      case "with":
        read(statement.body, within, markers, reading, isUnittest);
        break;
      default:
    }
  }
}

/** Prefixes, or patterns where they hold one. */
function named(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => name.startsWith(pattern) || (/[*?[]/.test(pattern) && picomatch.isMatch(name, pattern)));
}

function isTestCase(statement: ClassDefinition): boolean {
  return statement.bases.some(({ value }) => (value.type === "name" ? value.id : value.type === "attribute" ? value.name : "").endsWith("TestCase"));
}

/** pytest leaves out classes with a constructor. */
function hasConstructor(statement: ClassDefinition): boolean {
  return statement.body.some((one) => one.type === "function" && one.name === "__init__");
}

/** `pytestmark = pytest.mark.gpu`, or a list of such. */
function fileMarkers(body: readonly Statement[]): readonly string[] {
  return body.flatMap((statement) => {
    if (statement.type !== "assign" || statement.value === undefined || !statement.targets.some((target) => target.type === "name" && target.id === "pytestmark")) return [];
    return statement.value.type === "list" || statement.value.type === "tuple" ? statement.value.elements.flatMap(markersOf) : markersOf(statement.value);
  });
}

/** The name of `pytest.mark.NAME` and `pytest.mark.NAME(...)`. */
function markersOf(expression: Expression): readonly string[] {
  const mark = expression.type === "call" ? expression.callee : expression;
  if (mark.type !== "attribute" || mark.object.type !== "attribute" && mark.object.type !== "name") return [];
  const holder = mark.object.type === "attribute" ? mark.object.name : mark.object.id;
  return holder === "mark" ? [mark.name] : [];
}
