import * as path from "node:path";
import type { DeclaredTarget, Files } from "../../engine/model/index.ts";
import { list, object, objects, text } from "../../engine/sources/cmake/fileApi/json.ts";
import { findReply, referred } from "../../engine/sources/cmake/fileApi/reply.ts";
import { textOf } from "./survey.ts";
import type { CMakeRoot } from "./survey.ts";
import type { CMakeBuild } from "./types.ts";

/**
 * Where a build leaves the program of a target: as CMake's File API has it, else where one of that name lies, else where
 * CMake puts it when nothing says otherwise.
 */
export function programOf(target: DeclaredTarget, { folder: source, reading }: CMakeRoot, build: CMakeBuild, files: Files): string {
  const known = fromReply(target.name, build, files);
  if (known !== undefined) return known;
  const suffix = process.platform === "win32" ? ".exe" : "";
  const beside = path.relative(source, path.dirname(target.location.path));
  const usual = path.join(build.folder, beside.startsWith("..") ? "" : beside);
  const shared = reading.files.map((file) => /CMAKE_RUNTIME_OUTPUT_DIRECTORY\s+"?\$\{(?:CMAKE_BINARY_DIR|PROJECT_BINARY_DIR|CMAKE_CURRENT_BINARY_DIR)\}\/?([\w./-]*)/.exec(textOf(files, file))?.[1]).find((one) => one !== undefined);
  const preferred = shared === undefined ? usual : path.join(build.folder, shared);
  const folders = [preferred, usual, build.folder, path.join(build.folder, "bin")].flatMap((folder) => (build.configuration === undefined ? [folder] : [path.join(folder, build.configuration), folder]));
  const existing = folders.map((folder) => path.join(folder, target.name + suffix)).find((file) => files.status(file)?.kind === "file");
  return existing ?? path.join(preferred, target.name + suffix);
}

/** The file that CMake says it makes of a target in the last configuration of the folder. */
function fromReply(name: string, build: CMakeBuild, files: Files): string | undefined {
  const reply = findReply(build.folder, files);
  const configurations = objects(reply?.codemodel["configurations"]);
  const configuration = configurations.find((one) => text(one["name"]) === build.configuration) ?? configurations[0];
  const entry = objects(configuration?.["targets"]).find((one) => text(one["name"]) === name);
  if (reply === undefined || entry === undefined) return undefined;
  const artifact = text(object(list(referred(entry, reply.folder, files)?.["artifacts"])[0])?.["path"]);
  return artifact === undefined ? undefined : path.resolve(reply.buildDirectory, artifact);
}
