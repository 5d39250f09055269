import * as fs from "node:fs";
import * as path from "node:path";
import { lex } from "../../../engine/sources/cmake/lexer.ts";

/** A test program that ctest would start to have it list its tests. */
export interface Unlisted {
  /** The program, or the file of commands where no program can be told. */
  readonly program: string;
  readonly reason: string;
}

interface TestCommand {
  readonly name: string;
  readonly words: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** What is known of a build folder's CTestTestfile.cmake files before ctest reads them. */
export interface TestFiles {
  readonly unlisted: readonly Unlisted[];
  /** By test, the words of its `add_test`: ctest does not tell which program it did not find. */
  readonly added: ReadonlyMap<string, readonly string[]>;
  /** Folders and the text of their test file, where something had to be left out or lies elsewhere. */
  readonly folders: ReadonlyMap<string, string>;
}

/** Test files are small; what is larger is no test file of CMake's. */
const largest = 64 * 1024 * 1024;
const runsSomething = /\b(execute_process|exec_program|try_run|[A-Za-z]\w*_discover_tests_impl)\s*\(/i;

/**
 * Reads CTestTestfile.cmake, its subfolders and what it includes, without running anything. `gtest_discover_tests` in mode
 * PRE_TEST, and `catch_discover_tests` alike, write a file that runs the test program whenever ctest reads it and the program
 * is newer than its list: Modules/GoogleTest.cmake of CMake 3.18 and newer.
 */
export function readTestFiles(folder: string): TestFiles {
  const unlisted: Unlisted[] = [];
  const added = new Map<string, readonly string[]>();
  const folders = new Map<string, string>();
  const waiting = [folder];
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    if (folders.has(current)) continue;
    const text = read(path.join(current, "CTestTestfile.cmake"));
    if (text === undefined) continue;
    let safe = text;
    for (const command of commandsOf(text).toReversed()) {
      if (command.name === "subdirs" || command.name === "add_subdirectory") {
        for (const word of command.words) waiting.push(path.resolve(current, word));
      } else if (command.name === "add_test") {
        note(added, command.words);
      } else if (command.name === "include" && command.words[0] !== undefined) {
        const found = whatIncludingRuns(path.resolve(current, command.words[0]), added);
        if (found !== undefined) {
          unlisted.push(found);
          safe = `${safe.slice(0, command.start)}${safe.slice(command.end)}`;
        }
      }
    }
    folders.set(current, safe);
  }
  return { unlisted: unlisted.toReversed(), added, folders };
}

/**
 * The same tests without those that are not listed, as a tree of test files in `target`. Answers how its folders are called
 * in the build folder, longest first.
 */
export function writeSafeTestFiles(folder: string, { folders }: TestFiles, target: string): readonly (readonly [string, string])[] {
  const places = new Map<string, string>();
  let outside = 0;
  for (const one of folders.keys()) {
    const relative = path.relative(folder, one);
    places.set(one, relative.startsWith("..") || path.isAbsolute(relative) ? path.join(target, `outside-${String((outside += 1))}`) : path.join(target, "inside", relative));
  }
  for (const [one, text] of folders) {
    const place = places.get(one) ?? target;
    let made = text;
    for (const command of commandsOf(text).toReversed()) {
      if (command.name !== "subdirs" && command.name !== "add_subdirectory") continue;
      const moved = command.words.map((word) => places.get(path.resolve(one, word))).filter((word) => word !== undefined);
      made = `${made.slice(0, command.start)}${moved.length === 0 ? "" : `subdirs(${moved.map((word) => `"${word.replace(/[\\"$;]/g, "\\$&")}"`).join(" ")})`}${made.slice(command.end)}`;
    }
    fs.mkdirSync(place, { recursive: true });
    fs.writeFileSync(path.join(place, "CTestTestfile.cmake"), made);
  }
  return [...places].map(([one, place]) => [place, one] as const).toSorted(([a], [b]) => b.length - a.length);
}

function whatIncludingRuns(file: string, added: Map<string, readonly string[]>): Unlisted | undefined {
  const text = read(file);
  if (text === undefined) return undefined;
  const [, what] = runsSomething.exec(text) ?? [];
  if (what === undefined) {
    for (const command of commandsOf(text)) {
      if (command.name === "add_test") note(added, command.words);
      // A list that was written when the program was built: only tests.
      else if (command.name === "include" && command.words[0]?.includes("$") === false) {
        for (const inner of commandsOf(read(path.resolve(path.dirname(file), command.words[0])) ?? "")) if (inner.name === "add_test") note(added, inner.words);
      }
    }
    return undefined;
  }
  const [, program] = /TEST_EXECUTABLE\s+(?:\[=*\[)?"?([^\]"\n]+)/.exec(text) ?? [];
  const [, list] = /CTEST_FILE\s+(?:\[=*\[)?"?(.+?)(?:\]=*\]|"|\s)\s*$/m.exec(text) ?? [];
  if (!what.endsWith("_impl") || program === undefined) {
    return { program: file, reason: `${path.basename(file)} starts a program whenever ctest reads it (${what}), so its tests are listed when they are run.` };
  }
  const built = modified(program);
  // Not built: ctest says so and starts nothing. Listed since it was built: ctest reads the list.
  if (built === undefined) return undefined;
  const listed = list === undefined ? undefined : modified(list);
  if (listed !== undefined && listed >= built && listed >= (modified(file) ?? 0)) return undefined;
  return { program, reason: `${path.basename(program)} lists its tests itself and has not done so since it was built (DISCOVERY_MODE PRE_TEST): they are listed when they are run.` };
}

function note(added: Map<string, readonly string[]>, words: readonly string[]): void {
  // add_test(NAME name COMMAND ...) is CMakeLists.txt's; test files hold add_test(name command...).
  const [name, ...command] = words;
  if (name !== undefined && !added.has(name)) added.set(name, command);
}

function commandsOf(text: string): readonly TestCommand[] {
  return lex(text).commands.map(({ name, start, end, args }) => ({
    name, start, end,
    words: args.filter((one) => one.kind !== "paren").map((one) => {
      const value = text.slice(one.valueStart, one.valueEnd);
      return one.kind === "bracket" ? value.replace(/^\r?\n/, "") : value.replace(/\\([^;])/gs, "$1");
    }),
  }));
}

function read(file: string): string | undefined {
  try {
    const status = fs.statSync(file);
    return status.isFile() && status.size <= largest ? fs.readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

function modified(file: string): number | undefined {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
