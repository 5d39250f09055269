import * as fs from "node:fs";
import * as path from "node:path";
import { loadCatalogue } from "../../engine/catalogue/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import { describeDefault, findEnvironments } from "../../engine/installed/index.ts";
import { readCacheEntries } from "./cmakeCache.ts";
import { knownPrefixes } from "./store.ts";

/** A path at which a libtorch may lie, and what leads there. */
export interface Lead {
  readonly path: string;
  readonly because: string;
  /** What leads there promised a libtorch: it is listed even if there is none. */
  readonly isPromise: boolean;
}

/** Variables that name a libtorch: the first two are CMake's (find_package), the others those of tch-rs and of common use. */
const variables = ["Torch_DIR", "Torch_ROOT", "LIBTORCH", "LIBTORCH_HOME"];
const systemPrefixes = ["/usr", "/usr/local", "/opt/libtorch", "/usr/local/libtorch", "/opt/homebrew", "/opt/homebrew/opt/pytorch", "/usr/local/opt/pytorch"];

export interface Search {
  readonly root: string;
  readonly prefixes: readonly string[];
  readonly interpreter?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly store: string;
  readonly withoutCaches?: boolean;
}

/** All places in the order in which they are preferred. */
export function* leadsOf(search: Search): Generator<Lead> {
  const { environment, root } = search;
  for (const prefix of search.prefixes) {
    yield { path: path.resolve(root, prefix), because: "it was named", isPromise: true };
  }
  for (const name of variables) {
    const value = environment[name];
    if (value !== undefined && value !== "") {
      yield { path: path.resolve(root, value), because: `${name} in the environment`, isPromise: true };
    }
  }
  for (const prefix of (environment["CMAKE_PREFIX_PATH"] ?? "").split(path.delimiter).filter((one) => one !== "")) {
    yield { path: path.resolve(root, prefix), because: "CMAKE_PREFIX_PATH in the environment", isPromise: false };
  }
  if (search.withoutCaches !== true) {
    yield* configured(root);
  }
  yield* environments(search);
  for (const prefix of systemPrefixes) {
    yield { path: prefix, because: prefix.startsWith("/opt/homebrew") || prefix.includes("/opt/pytorch") ? "Homebrew" : "a folder of the system", isPromise: false };
  }
  for (const prefix of knownPrefixes(search.store)) {
    yield { path: prefix, because: "made here by abiding libtorch", isPromise: false };
  }
}

/** What the project's configured build folders have found or were given. */
function* configured(root: string): Generator<Lead> {
  for (const file of cachesIn(root)) {
    const entries = readCacheEntries(file);
    const found = entries.get("Torch_DIR")?.value;
    if (found !== undefined && found !== "" && !found.endsWith("-NOTFOUND")) {
      yield { path: path.resolve(path.dirname(file), found), because: `Torch_DIR in ${path.relative(root, file)}`, isPromise: true };
    }
    for (const prefix of listOf(entries.get("CMAKE_PREFIX_PATH")?.value ?? "")) {
      yield { path: path.resolve(path.dirname(file), prefix), because: `CMAKE_PREFIX_PATH in ${path.relative(root, file)}`, isPromise: false };
    }
  }
}

/** CMake keeps its cache in the folder that is configured: the project's own, one of its folders, or one below "build" or "out". */
function cachesIn(root: string): readonly string[] {
  const folders = foldersIn(root).filter((name) => !name.startsWith(".git") && name !== "node_modules");
  const below = folders.filter((name) => /^(?:build|out|_?builds?|cmake-build)/i.test(name)).flatMap((name) => foldersIn(path.join(root, name)).map((inner) => path.join(name, inner)));
  return ["", ...folders, ...below].map((name) => path.join(root, name, "CMakeCache.txt")).filter((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

function foldersIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort().slice(0, 400);
  } catch {
    return [];
  }
}

/** A list of CMake; "\;" is a semicolon in an element. */
export function listOf(text: string): readonly string[] {
  return text.split(/(?<!\\);/).map((one) => one.replaceAll("\\;", ";")).filter((one) => one !== "");
}

function* environments(search: Search): Generator<Lead> {
  const where = { root: search.root, files: new NodeFiles(), catalogue: loadCatalogue(), environment: search.environment, ...(search.interpreter === undefined ? {} : { interpreter: search.interpreter }) };
  if (search.interpreter !== undefined) {
    yield { path: describeDefault(where)?.torchRoot ?? search.interpreter, because: `the environment of ${search.interpreter}`, isPromise: true };
    return;
  }
  const chosen = describeDefault(where);
  if (chosen?.torchRoot !== undefined) {
    yield { path: chosen.torchRoot, because: `the environment ${chosen.name}`, isPromise: true };
  }
  for (const found of findEnvironments(where)) {
    // Environments that belong to other projects are no candidates.
    if (found.origin !== "other" && found.origin !== "system") {
      yield { path: found.path, because: `the environment ${found.path}`, isPromise: false };
    }
  }
}
