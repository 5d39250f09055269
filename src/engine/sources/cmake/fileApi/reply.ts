import { isAbsolute, join, normalize } from "node:path";
import type { Files } from "../../../model/index.ts";
import { list, object, objects, readJson, text } from "./json.ts";
import type { Json } from "./json.ts";

/** The newest reply in a build folder: cmake-file-api(7), version 1, codemodel version 2. */
export interface Reply {
  readonly folder: string;
  readonly sourceDirectory: string;
  readonly buildDirectory: string;
  readonly codemodel: Json;
  /** Build files that CMake read, those of CMake itself and generated ones left out. Empty when not asked for. */
  readonly inputs: readonly string[];
  /** Milliseconds since the epoch at which the reply was written. */
  readonly written: number;
}

/** Finds the reply of a build folder; undefined when it was not configured with a codemodel query. */
export function findReply(buildDirectory: string, files: Files): Reply | undefined {
  const folder = join(buildDirectory, ".cmake/api/v1/reply");
  // The names sort by time; the last is the current one (cmake-file-api(7), "v1 Reply Index File").
  const indexName = files.list(folder).filter((name) => /^index-.*\.json$/.test(name)).toSorted().at(-1);
  if (indexName === undefined) return undefined;
  const indexPath = join(folder, indexName);
  const entries = objects(readJson(files, indexPath)?.["objects"]);
  const codemodel = objectOf(entries, "codemodel", 2, folder, files);
  const paths = object(codemodel?.["paths"]);
  const source = text(paths?.["source"]);
  const build = text(paths?.["build"]);
  if (codemodel === undefined || source === undefined || build === undefined) return undefined;
  const inputs = objects(objectOf(entries, "cmakeFiles", 1, folder, files)?.["inputs"])
    .filter((input) => input["isCMake"] !== true && input["isGenerated"] !== true)
    .flatMap((input) => text(input["path"]) ?? [])
    .map((path) => absolute(source, path));
  return { folder, sourceDirectory: source, buildDirectory: build, codemodel, inputs, written: files.status(indexPath)?.modified ?? 0 };
}

function objectOf(entries: readonly Json[], kind: string, major: number, folder: string, files: Files): Json | undefined {
  const entry = entries.find((one) => one["kind"] === kind && object(one["version"])?.["major"] === major);
  return referred(entry, folder, files);
}

/** The JSON file that an entry names. A name that leaves the reply folder is not followed. */
export function referred(entry: Json | undefined, folder: string, files: Files): Json | undefined {
  const name = text(entry?.["jsonFile"]);
  return name === undefined || /[/\\]/.test(name) ? undefined : readJson(files, join(folder, name));
}

export function absolute(base: string, path: string): string {
  return normalize(isAbsolute(path) ? path : join(base, path));
}

/** True when a build file, or a folder's CMakeLists.txt where CMake was not asked for its inputs, is newer than the reply. */
export function isOutdated(reply: Reply, files: Files): boolean {
  const directories = objects(list(reply.codemodel["configurations"]).map(object)[0]?.["directories"]).flatMap((one) => text(one["source"]) ?? []);
  const inputs = reply.inputs.length > 0 ? reply.inputs : directories.map((directory) => join(absolute(reply.sourceDirectory, directory), "CMakeLists.txt"));
  return inputs.some((path) => {
    const status = files.status(path);
    return status === undefined || status.modified > reply.written;
  });
}
