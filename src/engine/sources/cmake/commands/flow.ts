import { basename, dirname, relative, sep } from "node:path";
import type { Handler } from "../call.ts";
import type { Interpreter } from "../interpreter.ts";
import { captureFinal } from "../properties.ts";
import { splitList } from "../split.ts";
import type { Exit, Table } from "../state.ts";
import type { Directory } from "../target.ts";
import { known, render, unsetValue, value, worlds } from "../value.ts";
import { byKeyword, shown, textOf } from "./arguments.ts";
import { normalize } from "./variables.ts";

const maximumSameFile = 4;

/** Reads and runs a file, noting it in the way of what it sets. */
function runPath(vm: Interpreter, path: string): Exit {
  if (vm.isActive(path) >= maximumSameFile) {
    vm.gap(`${path} includes itself; the inner inclusion was not evaluated.`);
    return "normal";
  }
  const read = vm.cacheOfFiles.read(vm.files, path);
  if (!read.ok) {
    vm.gap(read.message, "file", path);
    vm.filesRead.add(path);
    return "normal";
  }
  return vm.inFrame(`${nameFrom(vm.file.path, path)} included`, () => vm.runFile(read.file));
}

/** A file as the one that names it would: what is below it by its way there, everything else by its own name. */
function nameFrom(file: string, path: string): string {
  const way = relative(dirname(file), path);
  return way.startsWith("..") ? basename(path) : way.split(sep).join("/");
}

/** Absolute path of a module in the project's CMAKE_MODULE_PATH. */
export function modulePath(vm: Interpreter, file: string): string | undefined {
  const entries = worlds(vm.conditions, vm.lookup("CMAKE_MODULE_PATH").pieces, [], 8) ?? [];
  for (const world of entries) {
    for (const entry of splitList(world.pieces)) {
      if (entry.some((piece) => piece.unknown)) continue;
      const path = normalize(`${render(entry)}/${file}`);
      if (vm.files.status(path)?.kind === "file") return path;
    }
  }
  return undefined;
}

/** Modules of CMake whose commands are known here; a project's copy of them would only be slower to read. */
const standardModules = new Set(["FetchContent", "ExternalProject", "CPM", "CMakeDependentOption", "CMakeParseArguments"]);

const include: Handler = (vm, call) => {
  const [first] = call.args;
  if (first === undefined) return;
  const optional = call.args.some((arg) => textOf(arg) === "OPTIONAL");
  return vm.inWorlds(first.pieces, (name, isKnown) => {
    if (standardModules.has(name)) return;
    if (!isKnown) {
      vm.openWorld = true;
      return vm.gap(`${shown(first)} was not included: its path could not be evaluated.`);
    }
    const path = normalize(name.startsWith("/") ? name : `${vm.directory.path}/${name}`);
    if (vm.files.status(path)?.kind === "file") return runPath(vm, path);
    const module = name.startsWith("/") ? undefined : modulePath(vm, `${name}.cmake`);
    if (module !== undefined) return runPath(vm, module);
    if (/[/]|\.cmake$/.test(name) && !optional) vm.gap(`${name} was not included: there is no such file.`);
    vm.openWorld = true;
  });
};

const includeGuard: Handler = (vm) => {
  if (vm.guarded.has(vm.file.path)) return "return";
  vm.guarded.add(vm.file.path);
};

const addSubdirectory: Handler = (vm, call) => {
  const [first] = call.args;
  if (first === undefined) return;
  return vm.inWorlds(first.pieces, (name, isKnown) => {
    if (!isKnown) {
      vm.openWorld = true;
      return vm.gap(`The subdirectory ${shown(first)} was not read: its path could not be evaluated.`);
    }
    return enterDirectory(vm, normalize(name.startsWith("/") ? name : `${vm.directory.path}/${name}`));
  });
};

/** The old spelling, with several folders at once. */
const subdirs: Handler = (vm, call) => {
  for (const arg of call.args) {
    const name = textOf(arg);
    if (name === "EXCLUDE_FROM_ALL" || name === "PREORDER") continue;
    const exit = addSubdirectory(vm, { ...call, args: [arg] });
    if (exit === "stop") return exit;
  }
};

/** Evaluates a directory's CMakeLists.txt in a scope of its own. */
export function enterDirectory(vm: Interpreter, path: string): Exit {
  const file = `${path}/CMakeLists.txt`;
  if (vm.isActive(file) > 0) {
    vm.gap(`${file} adds itself as a subdirectory; it was read once.`);
    return "normal";
  }
  const read = vm.cacheOfFiles.read(vm.files, file);
  if (!read.ok) {
    vm.filesRead.add(file);
    vm.openWorld = true;
    vm.gap(`The subdirectory ${path} was not read: ${read.problem === "missing" ? "it has no CMakeLists.txt" : read.message}.`, "evaluation");
    return "normal";
  }
  const { directory, scope } = vm;
  const run = () => {
    vm.scope = vm.state.table("variables", scope);
    vm.directory = { path, scope: vm.scope, properties: inherited(vm, directory), parent: directory, guard: vm.state.path, final: new Map() };
    vm.directories.push(vm.directory);
    const exit = vm.runFile(read.file);
    vm.directory.final = captureFinal(vm);
    vm.directory = directory;
    vm.scope = scope;
    return exit;
  };
  return directory === undefined ? run() : vm.inFrame(`subdirectory ${nameFrom(vm.file.path, path)}`, run);
}

/** A directory starts with a copy of what its parent has at that moment; later changes there do not reach it. */
function inherited(vm: Interpreter, parent: Directory | undefined): Table {
  const properties = vm.state.table("properties");
  for (const [key, value] of parent?.properties.values ?? []) if (inheritedProperties.has(key)) properties.values.set(key, value);
  return properties;
}

const inheritedProperties = new Set(["COMPILE_DEFINITIONS", "COMPILE_OPTIONS", "DEFINE_FLAGS", "INCLUDE_DIRECTORIES", "LINK_LIBRARIES"]);

const message: Handler = (vm, call) => {
  const mode = textOf(call.args[0]);
  if (mode !== "FATAL_ERROR" && mode !== "SEND_ERROR") return;
  if (vm.state.branching) return "stop";
  // It would end every configuration that can be told from here; the targets are worth reading all the same.
  vm.gap(`CMake would stop here: ${call.args.slice(1).map(shown).join("").slice(0, 200)}`);
};

const project: Handler = (vm, call) => {
  const parsed = byKeyword(call.args, [], ["VERSION", "DESCRIPTION", "HOMEPAGE_URL"], ["LANGUAGES"]);
  const [name, ...short] = parsed.positional;
  if (name === undefined) return;
  const text = shown(name);
  const directory = known(vm.directory.path);
  vm.set("PROJECT_NAME", value(name.pieces));
  if (vm.directory.parent === undefined) vm.set("CMAKE_PROJECT_NAME", value(name.pieces));
  for (const prefix of ["PROJECT", text]) {
    vm.set(`${prefix}_SOURCE_DIR`, directory);
    vm.set(`${prefix}_IS_TOP_LEVEL`, known(vm.directory.parent === undefined ? "ON" : "OFF"));
  }
  const version = parsed.values.get("VERSION")?.[0];
  for (const prefix of ["PROJECT", text]) vm.set(`${prefix}_VERSION`, version === undefined ? unsetValue : value(version.pieces));
  const languages = parsed.values.get("LANGUAGES") ?? short;
  for (const language of languages.length > 0 ? languages.map(shown) : ["C", "CXX"]) vm.languages.add(language);
};

const enableLanguage: Handler = (vm, call) => {
  for (const arg of call.args) vm.languages.add(shown(arg));
};

/** cmake_language(CALL command ...); the other forms say nothing that matters here. */
const cmakeLanguage: Handler = (vm, call) => {
  const name = textOf(call.args[1]);
  if (textOf(call.args[0]) === "CALL" && name !== undefined) return vm.callByName(name, call.args.slice(2));
};

/** check_cxx_compiler_flag(flag VAR) and its kin: the answer is unknown until somebody compiles. */
const check: Handler = (vm, call) => {
  const last = call.args.map(textOf).filter((text): text is string => text !== undefined && /^[A-Za-z_]\w*$/.test(text)).at(-1);
  if (last !== undefined) vm.usage.set(last);
};

/** configure_file and configure_package_config_file: the input may be the configuration that users of the project read. */
const configureFile: Handler = (vm, call) => {
  const input = textOf(call.args[0]);
  if (input === undefined) return;
  const path = normalize(input.startsWith("/") ? input : `${vm.directory.path}/${input}`);
  vm.notes.filledIn.add(path);
  if (/\.cmake(\.in)?$/.test(input)) vm.notes.templates.add(path);
};

const nothing: Handler = () => "normal";


const checks = ["check_cxx_compiler_flag", "check_c_compiler_flag", "check_cxx_source_compiles", "check_cxx_source_runs", "check_c_source_compiles", "check_symbol_exists", "check_cxx_symbol_exists", "check_include_file", "check_include_file_cxx", "check_function_exists", "check_type_size", "check_library_exists", "check_language", "check_ipo_supported"];
const ignored = ["cmake_minimum_required", "cmake_policy", "mark_as_advanced", "install", "export", "enable_testing", "add_test", "variable_watch", "include_external_msproject", "site_name", "source_group", "set_tests_properties", "add_dependencies", "add_custom_command", "cmake_host_system_information", "include_regular_expression", "find_package_handle_standard_args", "write_basic_package_version_file", "gtest_discover_tests", "feature_summary", "add_feature_info", "set_package_properties", "generate_export_header"];

export const flowCommands: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["include", include], ["include_guard", includeGuard], ["add_subdirectory", addSubdirectory], ["subdirs", subdirs], ["message", message], ["project", project],
  ["enable_language", enableLanguage], ["configure_file", configureFile], ["configure_package_config_file", configureFile], ["cmake_language", cmakeLanguage], ["return", () => "return"], ["break", () => "break"], ["continue", () => "continue"],
  ...checks.map((name): [string, Handler] => [name, check]), ...ignored.map((name): [string, Handler] => [name, nothing]),
]);
