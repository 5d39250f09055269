import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { NodeFiles } from "../../../engine/files/index.ts";
import type { Location } from "../../../engine/model/index.ts";
import { cacheValue } from "../../../engine/sources/cmake/fileApi/cache.ts";
import type { RunProcess, Variables } from "../../process/types.ts";
import type { CTestPlan } from "../../project/types.ts";
import { lineOf } from "../places.ts";
import { readProperties } from "./properties.ts";
import type { Properties } from "./properties.ts";
import { readTestFiles, writeSafeTestFiles } from "./testFiles.ts";
import type { Unlisted } from "./testFiles.ts";

/** A test of CTest as ctest itself describes it. */
export interface CTest {
  readonly id: string;
  readonly name: string;
  /** Program and arguments; the program is absolute when it was found. */
  readonly command: readonly string[];
  /** ctest did not find the program. */
  readonly missing: boolean;
  readonly properties: Properties;
  readonly folder: string;
  readonly location?: Location;
}

export type CTestListing =
  | { readonly ok: true; readonly tests: readonly CTest[]; readonly unlisted: readonly Unlisted[] }
  | { readonly ok: false; readonly message: string };

export interface ListingOptions {
  readonly run: RunProcess;
  readonly environment: Variables;
  readonly signal: AbortSignal;
  readonly timeLimit: number;
  /** Test programs may be started to list their tests. */
  readonly runProjectCode: boolean;
}

/** The answer of ctest is kept whole up to this size. */
const largest = 256 * 1024 * 1024;

/**
 * The tests of a build folder by `ctest --show-only=json-v1` (CMake 3.14 and newer; an older ctest would pass over the option
 * and run the tests, so its version is asked first). No test program is started unless `runProjectCode`.
 */
export async function listCTests(plan: CTestPlan, options: ListingOptions): Promise<CTestListing> {
  if (!fs.existsSync(plan.folder)) return { ok: false, message: `${plan.folder} does not exist: the project is not configured yet. Build it first (abiding build).` };
  if (!fs.existsSync(path.join(plan.folder, "CTestTestfile.cmake"))) {
    return { ok: false, message: fs.existsSync(path.join(plan.folder, "CMakeCache.txt"))
      ? `${plan.folder} has no CTestTestfile.cmake: the project is not configured to the end, or does not call enable_testing().`
      : `${plan.folder} is no configured build folder: it has no CMakeCache.txt. Build the project first (abiding build).` };
  }
  const ctest = ctestOf(plan.folder);
  const version = await versionOf(ctest, plan.folder, options);
  if (typeof version !== "string") return { ok: false, message: version.message };
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 3 || (major === 3 && minor < 14)) {
    return { ok: false, message: `${ctest} is of CMake ${version}; tests are listed by --show-only=json-v1, which came with CMake 3.14.` };
  }
  const files = readTestFiles(plan.folder);
  if (files.unlisted.length === 0 || options.runProjectCode) {
    return show(plan, ctest, plan.folder, [], files, options);
  }
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-ctest-"));
  try {
    const places = writeSafeTestFiles(plan.folder, files, scratch);
    return await show(plan, ctest, path.join(scratch, "inside"), places, files, options);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

/** The ctest of the CMake that configured the folder. */
function ctestOf(folder: string): string {
  const recorded = cacheValue(folder, "CMAKE_CTEST_COMMAND", new NodeFiles());
  return recorded !== undefined && fs.existsSync(recorded) ? recorded : "ctest";
}

async function versionOf(ctest: string, folder: string, { run, environment, signal, timeLimit }: ListingOptions): Promise<string | { readonly message: string }> {
  const result = await run({ file: ctest, arguments: ["--version"], folder, environment }, { signal, timeLimit });
  const [, version] = /ctest version (\d+\.\d+(?:\.\d+)?)/.exec(result.stdout.text) ?? [];
  if (version !== undefined) return version;
  return { message: result.ending.kind === "not-started"
    ? `ctest was not found: it comes with CMake and lists and describes the tests. ${result.ending.message}`
    : result.ending.kind === "cancelled" ? "Cancelled." : `${ctest} --version did not tell its version: ${(result.output.text.trim().split("\n").at(-1) ?? "") || "it printed nothing"}` };
}

async function show(
  plan: CTestPlan, ctest: string, folder: string, places: readonly (readonly [string, string])[],
  files: ReturnType<typeof readTestFiles>, { run, environment, signal, timeLimit, runProjectCode }: ListingOptions,
): Promise<CTestListing> {
  const configuration = plan.configuration === undefined ? [] : ["-C", plan.configuration];
  const result = await run({ file: ctest, arguments: ["--show-only=json-v1", ...configuration], folder, environment }, { signal, timeLimit, keep: largest, leftBehind: "end" });
  if (result.ending.kind === "cancelled") return { ok: false, message: "Cancelled." };
  let shown: unknown;
  try {
    shown = JSON.parse(result.stdout.text.slice(result.stdout.text.indexOf("{")));
  } catch {
    const said = [...result.stderr.text.split("\n"), ...result.stdout.text.split("\n")].map((line) => line.trim()).filter((line) => line !== "").slice(0, 3).join(" ");
    return { ok: false, message: `ctest did not list the tests of ${plan.folder}${result.ending.kind === "timed-out" ? ` within ${result.ending.limit / 1000} s` : ""}: ${said === "" ? "it printed nothing." : said}` };
  }
  const real = (text: string): string => {
    for (const [made, place] of places) if (text === made || text.startsWith(made + path.sep)) return place + text.slice(made.length);
    return text;
  };
  return { ok: true, tests: testsOf(plan, shown, files.added, real), unlisted: runProjectCode ? [] : files.unlisted };
}

function testsOf(plan: CTestPlan, shown: unknown, added: ReadonlyMap<string, readonly string[]>, real: (text: string) => string): readonly CTest[] {
  const { tests: listed, backtraceGraph } = (shown ?? {}) as { readonly tests?: unknown; readonly backtraceGraph?: unknown };
  const locate = locations(backtraceGraph);
  const seen = new Map<string, number>();
  const tests: CTest[] = [];
  for (const one of Array.isArray(listed) ? (listed as readonly unknown[]) : []) {
    if (typeof one !== "object" || one === null || !("name" in one) || typeof one.name !== "string") continue;
    const { name } = one;
    const given = "command" in one && Array.isArray(one.command) ? one.command.filter((word): word is string => typeof word === "string") : [];
    const properties = readProperties("properties" in one ? one.properties : undefined);
    const folder = real(properties.folder ?? plan.folder);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    const location = "backtrace" in one && typeof one.backtrace === "number" ? locate(one.backtrace) : undefined;
    const command = given.length > 0 ? given.map(real) : (added.get(name) ?? []);
    const found = given.length > 0 ? command : foundFrom(command, folder);
    tests.push({
      // A name may come twice, in two folders.
      id: `${plan.id}::${name}${count === 1 ? "" : `#${String(count)}`}`, name,
      command: found ?? command, missing: found === undefined || found.length === 0,
      properties: { ...properties, folder }, folder,
      ...(location === undefined ? {} : { location }),
    });
  }
  return tests;
}

/** Programs that are named relative to the folder of their test, which ctest looked for elsewhere. */
function foundFrom(command: readonly string[], folder: string): readonly string[] | undefined {
  const [program, ...rest] = command;
  if (program === undefined) return undefined;
  const file = path.resolve(folder, program);
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true ? [file, ...rest] : undefined;
}

interface GraphNode {
  readonly file: number;
  readonly line?: number;
  readonly parent?: number;
}

/** Where the outermost call that led to `add_test` stands: the line that people wrote for this test. */
function locations(graph: unknown): (node: number) => Location | undefined {
  const { files, nodes } = (graph ?? {}) as { readonly files?: readonly string[]; readonly nodes?: readonly GraphNode[] };
  return (start) => {
    let place: Location | undefined;
    let steps = 0;
    for (let at: number | undefined = start; at !== undefined && steps < 1000; steps++) {
      const node: GraphNode | undefined = nodes?.[at];
      const file = node === undefined ? undefined : files?.[node.file];
      if (node?.line !== undefined && file !== undefined) place = lineOf(file, node.line);
      at = node?.parent;
    }
    return place;
  };
}
