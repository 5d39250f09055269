import * as path from "node:path";
import type { EvaluationContext, Files, InstalledBody } from "../../engine/model/index.ts";
import { observationsOf } from "../../engine/model/index.ts";
import { presetsIn } from "../../engine/sources/cmake/presetFiles.ts";
import { readCMake } from "../../engine/sources/cmake/index.ts";
import type { Variables } from "../process/types.ts";
import type { CMakeBuild } from "../project/types.ts";

/** Any of these tells find_package(Torch) where to look: cmake-commands(7), find_package, "Search Procedure". */
const settings = ["Torch_DIR", "Torch_ROOT", "CMAKE_PREFIX_PATH", "CMAKE_TOOLCHAIN_FILE", "CMAKE_PROJECT_TOP_LEVEL_INCLUDES"];
/** The project looks for torch itself, by Python or by paths of its own. */
const ownSearch = /\bcmake_prefix_path\b|\bset\s*\(\s*(?:Torch_DIR|Torch_ROOT|TORCH_DIR|CMAKE_PREFIX_PATH)\b|\blist\s*\(\s*(?:APPEND|PREPEND|INSERT)\s+CMAKE_PREFIX_PATH\b/;

/** The folder of TorchConfig.cmake in an environment's torch or a libtorch. */
export function torchConfigFolder(body: InstalledBody | undefined, files: Files): string | undefined {
  const folder = body?.torchRoot === undefined ? undefined : path.join(body.torchRoot, "share", "cmake", "Torch");
  return folder !== undefined && files.status(path.join(folder, "TorchConfig.cmake"))?.kind === "file" ? folder : undefined;
}

/** Whether a plan's first configuration asks for torch and nothing that it is given says where it is. */
export function lacksTorch(plan: CMakeBuild, given: readonly string[], environment: Variables, files: Files): boolean {
  if (settings.some((name) => environment[name] !== undefined || given.some((one) => new RegExp(`^-D\\s*${name}[:=]`).test(one))) || given.includes("--toolchain")) {
    return false;
  }
  if (plan.configurePreset !== undefined && presetSays(plan.source, plan.configurePreset, environment, files)) {
    return false;
  }
  const context: EvaluationContext = { platform: process.platform === "win32" ? "windows" : process.platform === "darwin" ? "macos" : "linux" };
  const reading = readCMake(plan.source, files, context);
  return observationsOf(reading.observations, "package-search").some((one) => one.name === "Torch" && one.how === "find_package")
    && !reading.files.some((file) => searchesItself(file, files));
}

function searchesItself(file: string, files: Files): boolean {
  const read = files.readText(file);
  return read.ok && ownSearch.test(read.text);
}

function presetSays(source: string, name: string, environment: Variables, files: Files): boolean {
  const presets = presetsIn(source, files, { environment });
  const preset = presets.find("configurePresets", name);
  if (preset === undefined) {
    return false;
  }
  const said = [presets.collect(preset, "cacheVariables"), presets.collect(preset, "environment")];
  return presets.field(preset, "toolchainFile") !== undefined || settings.some((one) => said.some((map) => map.has(one)));
}
