import * as path from "node:path";
import type { Files } from "../../engine/model/index.ts";
import { parseCMake } from "../../engine/sources/cmake/parser.ts";
import type { Command, SourceFile } from "../../engine/sources/cmake/syntax.ts";

/** What is known of a project's CTest tests without CTest. */
export interface FoundTests {
  readonly any: boolean;
  readonly labels: ReadonlySet<string>;
}

const mostFiles = 4000;
/** Commands that make tests. The last ones come with GoogleTest, Catch2 and doctest. */
const makers: ReadonlySet<string> = new Set(["add_test", "gtest_discover_tests", "gtest_add_tests", "catch_discover_tests", "doctest_discover_tests"]);

/** Reads the CTestTestfile.cmake of a build folder and what it leads to; undefined when there is none. */
export function readTestFiles(folder: string, files: Files): FoundTests | undefined {
  const first = path.join(folder, "CTestTestfile.cmake");
  if (files.status(first) === undefined) return undefined;
  const labels = new Set<string>();
  let any = false;
  const seen = new Set<string>();
  const queue = [first];
  for (let file = queue.shift(); file !== undefined && seen.size < mostFiles; file = queue.shift()) {
    const read = seen.has(file) ? undefined : files.readText(file);
    seen.add(file);
    if (read?.ok !== true) continue;
    const parsed = parseCMake(file, read.text);
    for (const command of parsed.commands) {
      const [argument] = command.args;
      const name = argument === undefined ? "" : parsed.source(argument);
      any ||= command.name === "add_test";
      if (command.name === "subdirs") queue.push(path.resolve(path.dirname(file), name, "CTestTestfile.cmake"));
      if (command.name === "include") queue.push(path.resolve(path.dirname(file), name));
      for (const label of labelsOf(parsed, command)) labels.add(label);
    }
  }
  return { any, labels };
}

/** Looks for tests in the CMake files of a project that was not configured yet. */
export function readTestSources(sources: readonly string[], files: Files): FoundTests {
  const labels = new Set<string>();
  let enabled = false;
  let made = false;
  for (const file of sources) {
    const read = files.readText(file);
    if (!read.ok || !/enable_testing|add_test|CTest|LABELS|_tests?\b/i.test(read.text)) continue;
    const parsed = parseCMake(file, read.text);
    for (const command of parsed.commands) {
      const [argument] = command.args;
      enabled ||= command.name === "enable_testing" || (command.name === "include" && argument !== undefined && parsed.source(argument) === "CTest");
      made ||= makers.has(command.name);
      for (const label of labelsOf(parsed, command)) labels.add(label);
    }
  }
  return { any: enabled && made, labels };
}

/** What stands after LABELS, in set_tests_properties() and in a project's own functions, up to the next word in capitals. */
function labelsOf(file: SourceFile, command: Command): readonly string[] {
  const words = command.args.map((argument) => file.source(argument));
  const start = words.indexOf("LABELS");
  if (start === -1) return [];
  const rest = words.slice(start + 1);
  const end = rest.findIndex((word) => /^[A-Z][A-Z_]+$/.test(word));
  return (end === -1 ? rest : rest.slice(0, end)).flatMap((word) => word.split(";")).filter((word) => /^[\w.-]+$/.test(word));
}
