/**
 * Reads CMake projects without running cmake: the language with exact places, its evaluation over what can be known,
 * and the command lines that the targets would get.
 */
import type { DeclaredTarget, EvaluationContext, Files, Observation, Reading } from "../../model/index.ts";
import { assembleTargets } from "./assemble.ts";
import { CMakeFileCache } from "./cache.ts";
import { flowCommands, enterDirectory } from "./commands/flow.ts";
import { packageCommands } from "./commands/packages.ts";
import { pathCommands } from "./commands/paths.ts";
import { processCommands } from "./commands/processes.ts";
import { propertyCommands } from "./commands/properties.ts";
import { targetCommands } from "./commands/targets.ts";
import { textCommands } from "./commands/text.ts";
import { variableCommands } from "./commands/variables.ts";
import { Interpreter } from "./interpreter.ts";
import { noteCommandLines } from "./observations/commandLines.ts";
import { noteNames } from "./observations/names.ts";
import { noteStatements } from "./observations/statements.ts";

export { CMakeFileCache } from "./cache.ts";

const commands = new Map([...variableCommands, ...textCommands, ...pathCommands, ...flowCommands, ...packageCommands, ...processCommands, ...targetCommands, ...propertyCommands]);

/**
 * Reads the project whose top-level CMakeLists.txt is in `root`. Follows includes and subdirectories; both branches where a
 * condition cannot be decided. Never throws and runs nothing.
 */
export function readCMake(root: string, files: Files, context: EvaluationContext, cache: CMakeFileCache = new CMakeFileCache()): Reading {
  const folder = root.length > 1 ? root.replace(/\/+$/, "") : root;
  const vm = new Interpreter(files, context, cache, folder, commands);
  let targets: readonly DeclaredTarget[] = [];
  try {
    enterDirectory(vm, folder);
    targets = assembleTargets(vm);
    noteCommandLines(vm, targets);
    runUncalled(vm);
    noteStatements(vm, targets);
    noteNames(vm);
  } catch (error) {
    // The bounds above should make this impossible; a reading cut short is still better than none.
    vm.gaps.push({ kind: "file", path: `${folder}/CMakeLists.txt`, message: `The evaluation of ${folder}/CMakeLists.txt ended early: ${error instanceof Error ? error.message : String(error)}` });
  }
  noteSyntax(vm);
  return {
    targets,
    observations: distinct(vm.observations),
    requirements: [],
    gaps: vm.gaps,
    files: [...vm.filesRead],
  };
}

const problemsPerFile = 3;

/** A truncated file, or one in the middle of a merge: the rest of it was read, and somebody has to know. */
function noteSyntax(vm: Interpreter): void {
  for (const file of vm.notes.sources) {
    for (const { message, start, end } of file.problems.slice(0, problemsPerFile)) {
      vm.gaps.push({ kind: "file", path: file.path, message: `${message} The rest of the file was read.`, location: file.location(start, end) });
    }
  }
}

/** Functions that nobody calls here may be called by others: those that ask torch are run once for what they ask. */
function runUncalled(vm: Interpreter): void {
  const [top] = vm.directories;
  if (top === undefined) return;
  vm.directory = top;
  vm.scope = top.scope;
  for (const [name, { node, file }] of [...vm.definitions]) {
    if (vm.notes.called.has(node) || !/TorchConfig\.cmake|_GLIBCXX_USE_CXX11_ABI|compiled_with_cxx11_abi|_PYBIND11_BUILD_ABI/.test(file.text.slice(node.command.start, node.end))) continue;
    vm.callByName(name, []);
  }
}

/** A file that is included often says the same each time. */
function distinct(observations: readonly Observation[]): Observation[] {
  const seen = new Set<string>();
  return observations.filter((one) => {
    const { path, range } = one.evidence.location;
    const key = `${one.kind}|${path}|${range.start.line}:${range.start.character}|${"reason" in one ? one.reason : "what" in one ? one.what : JSON.stringify("definitions" in one ? one.definitions.map(({ name, value }) => `${name}=${value ?? ""}`) : "value" in one ? one.value : "name" in one ? one.name : "")}`;
    return !seen.has(key) && seen.add(key);
  });
}
