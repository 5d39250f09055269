import * as fs from "node:fs";
import * as path from "node:path";
import { NodeFiles } from "../../../engine/files/index.ts";
import type { Location } from "../../../engine/model/index.ts";
import { cacheValue } from "../../../engine/sources/cmake/fileApi/cache.ts";

/** A GoogleTest that a source file defines; of parametrised and typed ones all instances together. */
export interface SourceCase {
  /** "Suite.Case", as a filter names it. */
  readonly name: string;
  readonly location: Location;
  /** Its name begins with DISABLED_. */
  readonly disabled: boolean;
}

/** https://google.github.io/googletest/reference/testing.html: the macros that define a test of two names. */
const macro = /^[ \t]*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)[ \t]*\(\s*([A-Za-z_]\w*)\s*,\s*([A-Za-z_]\w*)\s*\)/gm;
/** Sources larger than this are generated. */
const largest = 4 * 1024 * 1024;

/** The tests that a source file defines, as far as its text shows them: a macro of the project that makes tests is not followed. */
export function casesIn(file: string): readonly SourceCase[] {
  let text: string;
  try {
    const status = fs.statSync(file);
    if (!status.isFile() || status.size > largest) return [];
    text = fs.readFileSync(file, "utf8");
  } catch {
    return [];
  }
  if (!text.includes("TEST")) return [];
  const bare = withoutComments(text);
  const found: SourceCase[] = [];
  let line = 0;
  let counted = 0;
  for (const match of bare.matchAll(macro)) {
    const [whole, suite = "", name = ""] = match;
    const start = match.index + (whole.length - whole.trimStart().length);
    for (; counted < start; counted++) if (bare.charCodeAt(counted) === 10) line++;
    const character = start - (bare.lastIndexOf("\n", start - 1) + 1);
    const plain = name.replace(/^DISABLED_/, "");
    found.push({
      name: `${suite}.${name}`,
      location: { path: file, range: { start: { line, character }, end: { line, character: character + whole.trim().length } } },
      disabled: plain !== name || suite.startsWith("DISABLED_"),
    });
  }
  return found;
}

/** Blanks of the same length for comments, so that offsets stay; strings are kept. */
function withoutComments(text: string): string {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g, (part) => (part.startsWith("\"") ? part : part.replace(/[^\n]/g, " ")));
}

/** The sources of the programs of a build folder, by the program's absolute path. */
export class ProgramSources {
  readonly #folder: string;
  #byTarget: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  #byProgram: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #cases = new Map<string, readonly SourceCase[]>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The GoogleTests of a program; empty when it is not known from which sources it is built, or when they have none. */
  casesOf(program: string): readonly SourceCase[] {
    const known = this.#cases.get(program);
    if (known !== undefined) return known;
    const cases = this.#sourcesOf(program).flatMap(casesIn);
    this.#cases.set(program, cases);
    return cases;
  }

  #sourcesOf(program: string): readonly string[] {
    this.#byProgram ??= fromFileApi(this.#folder);
    const exact = this.#byProgram.get(program);
    if (exact !== undefined) return exact;
    this.#byTarget ??= fromBuildFiles(this.#folder);
    // The objects of a target lie in CMakeFiles/<target>.dir beside the program.
    const name = path.basename(program).replace(/\.exe$/i, "");
    const near = this.#byTarget.get(path.join(path.dirname(program), "CMakeFiles", `${name}.dir`));
    if (near !== undefined) return [...near];
    const named = [...this.#byTarget].filter(([folder]) => path.basename(folder) === `${name}.dir`);
    return named.length === 1 ? [...(named[0]?.[1] ?? [])] : [];
  }
}

interface TargetReply {
  readonly type?: unknown;
  readonly artifacts?: unknown;
  readonly sources?: unknown;
}

/** From the replies that CMake wrote for whoever asked before: https://cmake.org/cmake/help/latest/manual/cmake-file-api.7.html. */
function fromFileApi(folder: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const replies = path.join(folder, ".cmake", "api", "v1", "reply");
  const source = cacheValue(folder, "CMAKE_HOME_DIRECTORY", new NodeFiles());
  if (source === undefined) return found;
  for (const name of list(replies)) {
    if (!name.startsWith("target-") || !name.endsWith(".json")) continue;
    const reply = parsed(read(path.join(replies, name))) as TargetReply | undefined;
    if (reply?.type !== "EXECUTABLE") continue;
    const sources = pathsOf(reply.sources, source);
    for (const program of pathsOf(reply.artifacts, folder)) found.set(program, sources);
  }
  return found;
}

function pathsOf(entries: unknown, folder: string): readonly string[] {
  return (Array.isArray(entries) ? (entries as readonly unknown[]) : []).flatMap((one) => (typeof one === "object" && one !== null && "path" in one && typeof one.path === "string" ? [path.resolve(folder, one.path)] : []));
}

/** From what says how objects are compiled: compile_commands.json, else build.ninja, else the Makefiles' DependInfo.cmake. */
function fromBuildFiles(folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (object: string, source: string): void => {
    const [target] = /^.*?CMakeFiles[\\/][^\\/]+\.dir/.exec(object) ?? [];
    if (target === undefined) return;
    const place = path.resolve(folder, target);
    const known = found.get(place);
    if (known === undefined) found.set(place, new Set([path.resolve(folder, source)]));
    else known.add(path.resolve(folder, source));
  };
  const commands = parsed(read(path.join(folder, "compile_commands.json")));
  for (const one of Array.isArray(commands) ? (commands as readonly Record<string, unknown>[]) : []) {
    const { output, file, directory } = one;
    if (typeof output === "string" && typeof file === "string") add(path.resolve(typeof directory === "string" ? directory : folder, output), file);
  }
  if (found.size > 0) return found;
  for (const [, object = "", source = ""] of (read(path.join(folder, "build.ninja")) ?? "").matchAll(/^build ((?:\$.|[^\s:$])+\.(?:o|obj)): \w*COMPILER\w* ((?:\$.|[^\s|$])+)/gm)) {
    add(object.replace(/\$(.)/g, "$1"), source.replace(/\$(.)/g, "$1"));
  }
  if (found.size > 0) return found;
  for (const target of makefileTargets(folder)) {
    for (const [, source = "", object = ""] of (read(path.join(target, "DependInfo.cmake")) ?? "").matchAll(/^\s*"([^"]+)" "([^"]+\.(?:o|obj))"/gm)) add(object, source);
  }
  return found;
}

/** `CMakeFiles/TargetDirectories.txt` lists the folder of every target. */
function makefileTargets(folder: string): readonly string[] {
  return (read(path.join(folder, "CMakeFiles", "TargetDirectories.txt")) ?? "").split(/\r?\n/).filter((line) => line.endsWith(".dir"));
}

function list(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string | undefined {
  try {
    return fs.statSync(file).size > 256 * 1024 * 1024 ? undefined : fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
