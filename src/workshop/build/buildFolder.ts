import * as fs from "node:fs";
import * as path from "node:path";
import type { Files } from "../../engine/model/index.ts";
import { LineReader } from "../../engine/sources/cmake/fileApi/backtrace.ts";
import { readCache } from "../../engine/sources/cmake/fileApi/cache.ts";
import { objects, text } from "../../engine/sources/cmake/fileApi/json.ts";
import { absolute, findReply, referred } from "../../engine/sources/cmake/fileApi/reply.ts";
import { isMultiConfig } from "../project/buildFolders.ts";

/** What CMake left in a build folder. */
export interface CMakeFolder {
  readonly cacheFile: string;
  /** The source that it was configured for, and the folder that it was configured as. */
  readonly source: string;
  readonly madeAs: string | undefined;
  readonly generator: string;
  readonly isMultiConfig: boolean;
  readonly cmake: string | undefined;
  readonly compilers: readonly string[];
  /** It was generated once: building it needs nothing more. */
  readonly isGenerated: boolean;
  /** CMake has written its account of the targets (cmake-file-api(7)). */
  readonly hasReply: boolean;
  readonly values: ReadonlyMap<string, string>;
}

/** Reads a build folder; undefined when nobody has configured it. */
export function readCMakeFolder(folder: string, files: Files): CMakeFolder | undefined {
  const cacheFile = path.join(folder, "CMakeCache.txt");
  const cache = readCache(cacheFile, new LineReader(files));
  const valueOf = (name: string): string | undefined => cache.get(name)?.value;
  const source = valueOf("CMAKE_HOME_DIRECTORY");
  if (source === undefined) {
    return undefined;
  }
  const generator = valueOf("CMAKE_GENERATOR") ?? "";
  return {
    cacheFile, source, generator,
    madeAs: valueOf("CMAKE_CACHEFILE_DIR"),
    isMultiConfig: isMultiConfig(generator),
    cmake: valueOf("CMAKE_COMMAND"),
    compilers: ["C", "CXX", "CUDA"].flatMap((language) => valueOf(`CMAKE_${language}_COMPILER`) ?? []),
    isGenerated: isGenerated(folder, generator, files),
    hasReply: findReply(folder, files) !== undefined,
    values: new Map([...cache].map(([name, entry]) => [name, entry.value])),
  };
}

/** A configure step that failed leaves a cache, and nothing that could be built. */
function isGenerated(folder: string, generator: string, files: Files): boolean {
  const names = files.list(folder);
  if (/^Ninja/.test(generator)) {
    return names.includes("build.ninja");
  }
  return /Makefiles/.test(generator) ? names.includes("Makefile") : names.some((name) => /\.(?:sln|slnx|xcodeproj)$/.test(name));
}

/** Asks CMake to say at its next configuration which targets there are: stateless queries of a client of our name. */
export function askFileApi(folder: string): void {
  const queries = path.join(folder, ".cmake", "api", "v1", "query", "client-abiding");
  fs.mkdirSync(queries, { recursive: true });
  for (const name of ["codemodel-v2", "cmakeFiles-v1"]) {
    fs.closeSync(fs.openSync(path.join(queries, name), "a"));
  }
}

/** Shared libraries and modules that the targets of a configuration make; undefined when CMake does not say. */
export function artifactsOf(folder: string, configuration: string | undefined, files: Files): readonly string[] | undefined {
  const reply = findReply(folder, files);
  if (reply === undefined) {
    return undefined;
  }
  const configurations = objects(reply.codemodel["configurations"]);
  const wanted = configurations.find((one) => text(one["name"]) === configuration) ?? configurations[0];
  return objects(wanted?.["targets"]).flatMap((entry) => {
    const target = referred(entry, reply.folder, files);
    const type = text(target?.["type"]);
    return type === "SHARED_LIBRARY" || type === "MODULE_LIBRARY" ? objects(target?.["artifacts"]).flatMap((one) => text(one["path"]) ?? []).map((one) => absolute(reply.buildDirectory, one)) : [];
  });
}

/**
 * Makes the next configuration start from nothing, as `cmake --fresh` (3.24) does; the cache is kept beside its place.
 * Source: cmake(1), "--fresh".
 */
export function setCacheAside(folder: string): string | undefined {
  const cacheFile = path.join(folder, "CMakeCache.txt");
  fs.rmSync(path.join(folder, "CMakeFiles"), { recursive: true, force: true });
  if (!fs.existsSync(cacheFile)) {
    return undefined;
  }
  const aside = `${cacheFile}.before-fresh`;
  fs.renameSync(cacheFile, aside);
  return aside;
}
