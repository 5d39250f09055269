/**
 * Reads CMake projects without running cmake: the language with exact places, its evaluation over what can be known,
 * and the command lines that the targets would get.
 */
import type { EvaluationContext, Files, Reading } from "../../model/index.ts";
import { assembleTargets } from "./assemble.ts";
import { CMakeFileCache } from "./cache.ts";
import { flowCommands, enterDirectory } from "./commands/flow.ts";
import { packageCommands } from "./commands/packages.ts";
import { processCommands } from "./commands/processes.ts";
import { propertyCommands } from "./commands/properties.ts";
import { targetCommands } from "./commands/targets.ts";
import { textCommands } from "./commands/text.ts";
import { variableCommands } from "./commands/variables.ts";
import { Interpreter } from "./interpreter.ts";

export { CMakeFileCache } from "./cache.ts";

const commands = new Map([...variableCommands, ...textCommands, ...flowCommands, ...packageCommands, ...processCommands, ...targetCommands, ...propertyCommands]);

/**
 * Reads the project whose top-level CMakeLists.txt is in `root`. Follows includes and subdirectories; both branches where a
 * condition cannot be decided. Never throws and runs nothing.
 */
export function readCMake(root: string, files: Files, context: EvaluationContext, cache: CMakeFileCache = new CMakeFileCache()): Reading {
  const folder = root.length > 1 ? root.replace(/\/+$/, "") : root;
  const vm = new Interpreter(files, context, cache, folder, commands);
  enterDirectory(vm, folder);
  return {
    targets: assembleTargets(vm),
    observations: vm.observations,
    requirements: [],
    gaps: vm.gaps,
    files: [...vm.filesRead],
  };
}
