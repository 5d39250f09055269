import { dirname, join } from "node:path";
import type { CompileArgument, DeclaredTarget, Files, Gap, Observation, Reading, SourceEvidence } from "../../../model/index.ts";
import { LineReader } from "./backtrace.ts";
import { readCache } from "./cache.ts";
import type { CacheEntry } from "./cache.ts";
import { objects, text } from "./json.ts";
import type { Json } from "./json.ts";
import { findReply, isOutdated, referred } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { targetOf } from "./target.ts";

/** pytorch itself has about 600 targets. */
const maximumTargets = 5000;

/**
 * Reads a configured build folder. Undefined when CMake wrote no codemodel there, or wrote it before one of
 * the build files was last changed: then it is no longer the truth.
 */
export function readConfiguredBuild(buildDirectory: string, files: Files): Reading | undefined {
  const reply = findReply(buildDirectory, files);
  if (reply === undefined || isOutdated(reply, files)) return undefined;
  const lines = new LineReader(files);
  const cachePath = join(buildDirectory, "CMakeCache.txt");
  const cache = readCache(cachePath, lines);
  const gaps: Gap[] = [];
  const configurations = objects(reply.codemodel["configurations"]).map((one) => ({ name: text(one["name"]) ?? "", targets: targetsOf(reply, one, cache, lines, files, gaps) }));
  return {
    targets: mergeConfigurations(configurations),
    observations: toolchainOf(buildDirectory, cache, lines, files),
    requirements: [],
    gaps,
    files: [...new Set([...reply.inputs, cachePath, reply.folder])],
  };
}

function targetsOf(reply: Reply, configuration: Json, cache: ReadonlyMap<string, CacheEntry>, lines: LineReader, files: Files, gaps: Gap[]): readonly DeclaredTarget[] {
  const entries = objects(configuration["targets"]);
  const names = new Map(entries.map((one) => [text(one["id"]) ?? "", text(one["name"]) ?? ""]));
  if (entries.length > maximumTargets) gaps.push({ kind: "evaluation", path: reply.folder, message: `The configured build has ${entries.length} targets; the first ${maximumTargets} were read.` });
  return entries.slice(0, maximumTargets).flatMap((entry) => {
    const target = referred(entry, reply.folder, files);
    if (target !== undefined) return targetOf({ reply, target, names, cache, lines }) ?? [];
    gaps.push({ kind: "file", path: reply.folder, message: `The File API reply of target ${text(entry["name"]) ?? "?"} could not be read; configure the build again.` });
    return [];
  });
}

/** One target of each name; what only some configurations compile with says which. */
function mergeConfigurations(configurations: readonly { readonly name: string; readonly targets: readonly DeclaredTarget[] }[]): readonly DeclaredTarget[] {
  const [first, ...others] = configurations;
  if (first === undefined || others.length === 0) return first?.targets ?? [];
  const names = [...new Set(configurations.flatMap((one) => one.targets.map((target) => target.name)))];
  return names.flatMap((name) => {
    const versions = configurations.flatMap((one) => one.targets.filter((target) => target.name === name).map((target) => ({ configuration: one.name, target })));
    const base = versions[0]?.target;
    if (base === undefined) return [];
    const key = (argument: CompileArgument): string => `${argument.languages.join()} ${argument.text}`;
    const seen = new Map<string, { readonly argument: CompileArgument; readonly configurations: string[] }>();
    for (const { configuration, target } of versions) {
      for (const argument of target.arguments) {
        const known = seen.get(key(argument));
        if (known === undefined) seen.set(key(argument), { argument, configurations: [configuration] });
        else if (!known.configurations.includes(configuration)) known.configurations.push(configuration);
      }
    }
    const merged = [...seen.values()].map((one) => (one.configurations.length === versions.length ? one.argument : { ...one.argument, configurations: one.configurations }));
    return [{ ...base, arguments: merged }];
  });
}

/** The compilers that CMake settled on. */
function toolchainOf(buildDirectory: string, cache: ReadonlyMap<string, CacheEntry>, lines: LineReader, files: Files): readonly Observation[] {
  const observations: Observation[] = [];
  const evidenceOf = (entry: CacheEntry): SourceEvidence => ({ kind: "source", location: entry.location, text: entry.text, via: [] });
  const host = cache.get("CMAKE_CUDA_HOST_COMPILER");
  if (host !== undefined && host.value !== "") observations.push({ kind: "host-compiler", compiler: host.value, language: "CUDA", conditions: [], evidence: evidenceOf(host) });
  const nvcc = cache.get("CMAKE_CUDA_COMPILER");
  if (nvcc !== undefined && nvcc.value !== "" && !nvcc.value.endsWith("NOTFOUND")) {
    const version = compilerVersion(buildDirectory, "CUDA", lines, files);
    observations.push({ kind: "cuda-toolkit", minimum: false, path: dirname(dirname(nvcc.value)), ...(version === undefined ? {} : { version }), conditions: [], evidence: evidenceOf(nvcc) });
  }
  return observations;
}

/** What CMake found the compiler to be: CMakeFiles/<version>/CMake<LANG>Compiler.cmake. */
function compilerVersion(buildDirectory: string, language: string, lines: LineReader, files: Files): string | undefined {
  const folder = join(buildDirectory, "CMakeFiles");
  const version = files.list(folder).findLast((name) => /^\d+\.\d+/.test(name));
  if (version === undefined) return undefined;
  for (const line of lines.lines(join(folder, version, `CMake${language}Compiler.cmake`))) {
    const found = new RegExp(`^set\\(CMAKE_${language}_COMPILER_VERSION "(\\d+\\.\\d+)`).exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
