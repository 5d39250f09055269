import torchCMake from "../../../../../data/torch-cmake.json" with { type: "json" };
import type { CMakeArguments } from "../../../model/index.ts";
import { sourceEvidence, textEvidence } from "../evidence.ts";
import type { Arg, Call, Handler } from "../call.ts";
import type { Interpreter } from "../interpreter.ts";
import { appendProperty, createTarget, targetsNamed } from "../properties.ts";
import { known, knownPiece, render, unknown, unknownPiece, value } from "../value.ts";
import type { Piece } from "../value.ts";
import { compareVersions } from "../words.ts";
import { byKeyword, shown, textOf } from "./arguments.ts";
import { flowCommands, modulePath } from "./flow.ts";

const findKeywords = ["REQUIRED", "QUIET", "EXACT", "MODULE", "CONFIG", "NO_MODULE", "GLOBAL", "NO_POLICY_SCOPE", "NO_DEFAULT_PATH", "NO_PACKAGE_ROOT_PATH", "NO_CMAKE_PATH"];

const findPackage: Handler = (vm, call) => {
  const parsed = byKeyword(call.args, findKeywords, [], ["COMPONENTS", "OPTIONAL_COMPONENTS", "HINTS", "PATHS", "NAMES", "PATH_SUFFIXES"]);
  const name = textOf(parsed.positional[0]);
  if (name === undefined) {
    vm.openWorld = true;
    return;
  }
  const version = textOf(parsed.positional[1]);
  vm.observations.push({ kind: "package-search", name, how: "find_package", ...(version !== undefined && /^\d/.test(version) ? { version } : {}), ...whereCalled(vm, call) });
  const required = call.args.some((arg) => textOf(arg) === "REQUIRED");
  if (name === "Torch") return foundTorch(vm, required);
  if (name === "CUDAToolkit" || name === "CUDA") {
    if (version !== undefined) vm.observations.push({ kind: "cuda-toolkit", version, minimum: !call.args.some((arg) => textOf(arg) === "EXACT"), ...whereCalled(vm, call) });
    if (name === "CUDA") vm.languages.add("CUDA");
  }
  const module = parsed.flags.has("CONFIG") || parsed.flags.has("NO_MODULE") ? undefined : modulePath(vm, `Find${name}.cmake`);
  if (module !== undefined) return flowCommands.get("include")?.(vm, { ...call, args: [{ pieces: [knownPiece(module)], argument: (call.args[0] as Arg).argument }] });
  vm.openWorld = true;
  for (const variable of resultVariables(name)) vm.usage.set(variable);
  if (required) vm.assignText(`${name}_FOUND`, "TRUE");
};

/** Results whose exact case matters to a detector of misspelt cases (cmake-modules(7): FindPython3, FindCUDAToolkit). */
function resultVariables(name: string): readonly string[] {
  if (/^Python[23]?$/.test(name)) return ["EXECUTABLE", "INCLUDE_DIRS", "LIBRARIES", "VERSION", "FOUND", "SITELIB", "SITEARCH", "SOABI", "LIBRARY_DIRS"].map((part) => `${name}_${part}`);
  if (name === "PythonInterp") return ["PYTHON_EXECUTABLE", "PYTHON_VERSION_STRING"];
  return [`${name}_FOUND`, `${name}_VERSION`, `${name}_DIR`];
}

const compileFeatures = "INTERFACE_COMPILE_FEATURES";

/**
 * What TorchConfig.cmake does. The ABI option in TORCH_CXX_FLAGS and on the target, and the C++ standard that the target
 * demands: data/torch-cmake.json. CUDA: Caffe2's public/cuda.cmake sets CMAKE_CUDA_STANDARD and switches
 * CMAKE_CUDA_ARCHITECTURES off.
 */
function foundTorch(vm: Interpreter, required: boolean): void {
  const { torchVersion, torchLibstdcxxAbi, torchCudaVersion } = vm.context;
  const yes = required ? known("TRUE", vm.origin()) : value([{ ...knownPiece("TRUE", vm.origin()), overridable: "Torch_FOUND" }]);
  for (const name of ["Torch_FOUND", "TORCH_FOUND"]) vm.set(name, yes);
  vm.set("TORCH_LIBRARIES", known("torch;torch_library", vm.origin()));
  vm.set("TORCH_INCLUDE_DIRS", unknown("${TORCH_INCLUDE_DIRS}", vm.origin(), "torch"));
  vm.set("TORCH_INSTALL_PREFIX", unknown("${TORCH_INSTALL_PREFIX}", vm.origin(), "torch"));
  for (const name of ["Torch_DIR", "TORCH_LIBRARY", "TORCH_CUDA_LIBRARIES", "C10_LIBRARY", "C10_CUDA_LIBRARY"]) vm.usage.set(name);
  if (torchVersion === undefined) vm.set("Torch_VERSION", unknown("${Torch_VERSION}", vm.origin(), "torch"));
  else {
    const release = torchVersion.split(/[+]/)[0] ?? torchVersion;
    vm.set("Torch_VERSION", value([{ ...knownPiece(release, vm.origin()), follows: "torch" }]));
    vm.set("Torch_VERSION_MAJOR", known(release.split(".")[0] ?? ""));
    vm.set("Torch_VERSION_MINOR", known(release.split(".")[1] ?? ""));
  }
  const carriesAbi = torchVersion === undefined ? undefined : compareVersions(torchVersion, torchCMake.abiOption.until) < 0;
  const flag: Piece | undefined = carriesAbi && torchLibstdcxxAbi !== undefined ? { ...knownPiece(`-D_GLIBCXX_USE_CXX11_ABI=${torchLibstdcxxAbi}`, vm.origin()), follows: "torch", builtin: true } : undefined;
  if (flag !== undefined) vm.set("TORCH_CXX_FLAGS", value([flag]));
  else if (carriesAbi === false) {
    // A value that the project set beforehand survives: the configuration file no longer touches it.
    if (vm.lookupSet("TORCH_CXX_FLAGS") === undefined) vm.set("TORCH_CXX_FLAGS", known(""));
  } else vm.set("TORCH_CXX_FLAGS", value([{ ...unknownPiece("${TORCH_CXX_FLAGS}", vm.origin()), follows: "torch", builtin: true }]));
  if (targetsNamed(vm, "torch").length === 0) {
    for (const name of ["torch", "torch_library", "torch_cpu", "torch_cuda", "c10", "c10_cuda"]) createTarget(vm, name, "imported", "find_package", true);
    if (flag !== undefined) for (const target of targetsNamed(vm, "torch")) target.properties.values.set("INTERFACE_COMPILE_OPTIONS", value([{ ...flag, via: { what: "find_package(Torch)", origin: vm.origin(), previous: undefined, frame: vm.frame } }]));
  }
  // CMake knows the features of a language only once it is enabled.
  if (torchVersion !== undefined && vm.languages.has("CXX")) {
    for (const { target: name, feature, since } of torchCMake.compileFeatures) {
      if (compareVersions(torchVersion, since) < 0) continue;
      for (const target of targetsNamed(vm, name)) {
        if (target.isImported && target.properties.get(compileFeatures) === undefined) appendProperty(vm, target.properties, compileFeatures, [[{ ...knownPiece(feature, vm.origin()), follows: "torch" }]], "find_package(Torch)");
      }
    }
  }
  if (torchCudaVersion !== null && vm.languages.has("CUDA")) {
    const standard = vm.lookupSet("CMAKE_CXX_STANDARD");
    if (vm.lookupSet("CMAKE_CUDA_STANDARD") === undefined && standard !== undefined) vm.set("CMAKE_CUDA_STANDARD", standard);
    if (torchCudaVersion !== undefined) vm.assignText("CMAKE_CUDA_ARCHITECTURES", "OFF");
  }
}

export function whereCalled(vm: Interpreter, call: Call): Pick<CMakeArguments, "evidence" | "conditions"> {
  return { evidence: sourceEvidence(vm, { file: call.file, start: call.command.start, end: call.command.end }), conditions: vm.conditions.list(vm.state.path) };
}

/** find_library: the result stands for the library; find_path and the like say nothing that matters here. */
function find(isLibrary: boolean): Handler {
  return (vm, call) => {
    const variable = textOf(call.args[0]);
    if (variable === undefined || vm.cacheTable.get(variable) !== undefined) return;
    const parsed = byKeyword(call.args.slice(1), ["REQUIRED", "NO_DEFAULT_PATH", "NO_CACHE"], ["DOC"], ["NAMES", "PATHS", "HINTS", "PATH_SUFFIXES"]);
    const name = parsed.values.get("NAMES")?.[0] ?? parsed.positional[0];
    if (isLibrary && name !== undefined) {
      vm.assign(variable, [{ ...knownPiece(shown(name), vm.origin()), overridable: variable }]);
      if (/torch|^c10/.test(shown(name))) vm.observations.push({ kind: "package-search", name: shown(name), how: "find_library", ...whereCalled(vm, call) });
    } else vm.assign(variable, [{ ...unknownPiece(`\${${variable}}`, vm.origin()), overridable: variable }]);
  };
}

const fetchDeclare: Handler = (vm, call) => {
  const parsed = byKeyword(call.args, [], ["GIT_REPOSITORY", "GIT_TAG", "URL", "VERSION", "NAME", "GITHUB_REPOSITORY", "SOURCE_DIR"], []);
  const name = textOf(parsed.values.get("NAME")?.[0]) ?? textOf(parsed.positional[0]);
  if (name === undefined) return;
  const tag = textOf(parsed.values.get("GIT_TAG")?.[0]) ?? textOf(parsed.values.get("VERSION")?.[0]) ?? /\/v?([\d.]+)\.(?:zip|tar)/.exec(shown(parsed.values.get("URL")?.[0]))?.[1];
  vm.openWorld = true;
  vm.observations.push({ kind: "package-search", name, how: "fetch", ...(tag !== undefined ? { version: tag.replace(/^v(?=\d)/, "") } : {}), ...whereCalled(vm, call) });
};

const fetchAvailable: Handler = (vm, call) => {
  vm.openWorld = true;
  for (const arg of call.args) vm.usage.set(`${shown(arg).toLowerCase()}_SOURCE_DIR`);
};

const externalProject: Handler = (vm, call) => {
  const parsed = byKeyword(call.args, [], ["SOURCE_DIR", "PREFIX", "GIT_TAG", "GIT_REPOSITORY", "URL", "BINARY_DIR", "INSTALL_DIR"], ["CMAKE_ARGS", "CMAKE_CACHE_ARGS", "DEPENDS", "CONFIGURE_COMMAND", "BUILD_COMMAND", "INSTALL_COMMAND", "PATCH_COMMAND", "BUILD_BYPRODUCTS"]);
  const args = [...(parsed.values.get("CMAKE_ARGS") ?? []), ...(parsed.values.get("CMAKE_CACHE_ARGS") ?? [])];
  noteCMakeArguments(vm, call, args, textOf(parsed.values.get("SOURCE_DIR")?.[0]));
};

/** `-DNAME[:TYPE]=value` arguments of another CMake run. */
export function noteCMakeArguments(vm: Interpreter, call: Call, args: readonly Arg[], sourceDirectory: string | undefined): void {
  const definitions: CMakeArguments["definitions"][number][] = [];
  for (const arg of args) {
    const match = /^-D([\w.+-]+)(?::\w+)?=(.*)$/s.exec(render(arg.pieces));
    if (match?.[1] === undefined) continue;
    const evidence = textEvidence(vm, arg.pieces, call);
    if (evidence !== undefined) definitions.push({ name: match[1], value: textOf(arg) === undefined ? undefined : match[2], evidence });
  }
  if (definitions.length === 0) return;
  vm.observations.push({ kind: "cmake-arguments", definitions, ...(sourceDirectory?.startsWith("/") ? { sourceDirectory } : {}), ...whereCalled(vm, call) });
}

export const packageCommands: ReadonlyMap<string, Handler> = new Map([
  ["find_package", findPackage], ["find_library", find(true)], ["find_path", find(false)], ["find_file", find(false)], ["find_program", find(false)],
  ["fetchcontent_declare", fetchDeclare], ["cpmaddpackage", fetchDeclare], ["fetchcontent_makeavailable", fetchAvailable], ["fetchcontent_populate", fetchAvailable], ["externalproject_add", externalProject],
]);
