import type { Interpreter } from "./interpreter.ts";
import type { Table } from "./state.ts";
import type { Target } from "./target.ts";
import { certainText, joinList, separator, unsetValue, value, withVia } from "./value.ts";
import type { Piece, Value } from "./value.ts";

const configurations = ["DEBUG", "RELEASE", "RELWITHDEBINFO", "MINSIZEREL"];

/** Variables whose value at the end of a directory is what its targets get. */
const finalVariables: readonly string[] = ["CXX", "CUDA", "C", "HIP"].flatMap((language) => [`CMAKE_${language}_FLAGS`, ...configurations.map((one) => `CMAKE_${language}_FLAGS_${one}`)]).concat("CUDA_NVCC_FLAGS", "HIP_HIPCC_FLAGS");

export function captureFinal(vm: Interpreter): ReadonlyMap<string, Value> {
  return new Map(finalVariables.map((name) => [name, vm.lookup(name)]));
}

/** Appends elements to a list property, noting the command as the place where they take effect. */
export function appendProperty(vm: Interpreter, table: Table, key: string, elements: readonly (readonly Piece[])[], what: string, before = false): void {
  if (elements.length === 0) return;
  const added = withVia(joinList(elements), what, vm.origin(), vm.frame);
  const old = table.get(key)?.pieces ?? [];
  vm.conditions.work += old.length;
  vm.state.write(table, key, value(old.length === 0 ? added : before ? [...added, separator, ...old] : [...old, separator, ...added]));
}

export function setProperty(vm: Interpreter, table: Table, key: string, pieces: readonly Piece[], what: string): void {
  vm.state.write(table, key, pieces.length === 0 ? unsetValue : value(withVia(pieces, what, vm.origin(), vm.frame)));
}

/** Targets of that name that can exist here: an `if` may make one of two. */
export function targetsNamed(vm: Interpreter, name: string): readonly Target[] {
  const aliased = vm.globalProperties.get(`ALIAS ${name}`);
  const found = vm.targets.get(aliased === undefined ? name : (certainText(aliased.pieces) ?? name)) ?? [];
  return found.filter((target) => vm.state.possible(target.guard));
}

const initial = ["CXX_STANDARD", "CXX_STANDARD_REQUIRED", "CXX_EXTENSIONS", "CUDA_STANDARD", "CUDA_STANDARD_REQUIRED", "CUDA_EXTENSIONS", "CUDA_ARCHITECTURES", "HIP_STANDARD", "C_STANDARD", "POSITION_INDEPENDENT_CODE"];

/** Makes a target with the properties that CMake takes from variables and the directory at that moment. */
export function createTarget(vm: Interpreter, name: string, kind: Target["kind"], madeBy: string, isImported = false): Target {
  const existing = vm.targets.get(name)?.find((target) => vm.state.possible(target.guard));
  if (existing !== undefined) return existing;
  const properties = vm.state.table("properties");
  const target: Target = { name, kind, madeBy, directory: vm.directory, properties, guard: vm.state.path, origin: vm.origin(), isImported };
  const others = vm.targets.get(name);
  if (others === undefined) vm.targets.set(name, [target]);
  else others.push(target);
  vm.allTargets.push(target);
  if (isImported) return target;
  for (const property of initial) {
    vm.usage.use(`CMAKE_${property}`, vm.file, vm.command);
    const given = vm.lookupSet(`CMAKE_${property}`);
    if (given !== undefined && given.pieces.length > 0) properties.values.set(property, given);
  }
  for (const property of ["COMPILE_OPTIONS", "LINK_LIBRARIES"]) {
    const given = vm.directory.properties.get(property);
    if (given !== undefined && given.pieces.length > 0) properties.values.set(property, given);
  }
  return target;
}
