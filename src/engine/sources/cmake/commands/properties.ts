import type { Arg, Call, Handler } from "../call.ts";
import type { Interpreter } from "../interpreter.ts";
import { noteDirectoryDefinitions, noteOptions } from "../observations/settings.ts";
import { appendProperty, setProperty, targetsNamed } from "../properties.ts";
import { splitList } from "../split.ts";
import type { Table } from "../state.ts";
import type { Target } from "../target.ts";
import { joinList, known, render, unknown, unsetValue, value } from "../value.ts";
import type { Piece, Value } from "../value.ts";
import { piecesOf, textOf } from "./arguments.ts";

const setTargetProperties: Handler = (vm, call) => {
  const at = call.args.findIndex((arg) => textOf(arg) === "PROPERTIES");
  if (at < 0) return;
  for (const named of call.args.slice(0, at)) {
    vm.inWorlds(named.pieces, (name) => {
      for (const target of targetsNamed(vm, name)) {
        for (let index = at + 1; index + 1 < call.args.length; index += 2) {
          const key = textOf(call.args[index]);
          if (key !== undefined) setProperty(vm, target.properties, key, (call.args[index + 1] as Arg).pieces, call.command.name);
        }
      }
    });
  }
};

/** Settings that two objects of one binary must share. */
const concernsAbi = /_GLIBCXX_|-std=|-fabi-version|Py_LIMITED_API|TORCH_TARGET_VERSION|TORCH_STABLE_ONLY|PYBIND11_/;

/** The model gives flags to targets; flags of single sources are named as not evaluated when they concern the ABI. */
const setSourceProperties: Handler = (vm, call) => {
  const at = call.args.findIndex((arg) => textOf(arg) === "PROPERTIES" || textOf(arg) === "PROPERTY");
  const compiles = call.args.slice(at + 1).some((arg) => /^COMPILE_(?:FLAGS|OPTIONS|DEFINITIONS)$/.test(textOf(arg) ?? ""));
  const abi = compiles && call.args.slice(at + 1).map((arg) => render(arg.pieces)).find((text) => concernsAbi.test(text));
  if (at > 0 && typeof abi === "string") {
    vm.gap(`${abi.slice(0, 80)} is given to single sources by ${call.command.name}; flags of single sources are not compared.`);
  }
};

const setPropertyCommand: Handler = (vm, call) => {
  const at = call.args.findIndex((arg) => textOf(arg) === "PROPERTY");
  const kind = textOf(call.args[0]);
  const key = textOf(call.args[at + 1]);
  if (at < 0 || kind === undefined || key === undefined) return;
  const head = call.args.slice(1, at);
  const words = head.map(textOf);
  const names = head.filter((_, index) => !["APPEND", "APPEND_STRING"].includes(words[index] ?? ""));
  const values = piecesOf(call.args.slice(at + 2));
  const apply = (table: Table) => {
    if (words.includes("APPEND_STRING")) vm.state.write(table, key, value([...(table.get(key)?.pieces ?? []), ...values.flat()]));
    else if (words.includes("APPEND")) appendProperty(vm, table, key, values, call.command.name);
    else setProperty(vm, table, key, joinList(values), call.command.name);
  };
  if (kind === "GLOBAL") apply(vm.globalProperties);
  else if (kind === "DIRECTORY") apply(vm.directory.properties);
  else if (kind === "CACHE" && key === "VALUE") for (const name of names) vm.assign(render(name.pieces), joinList(values), vm.cacheTable);
  else if (kind === "SOURCE") setSourceProperties(vm, call);
  else if (kind === "TARGET") {
    for (const name of names) vm.inWorlds(name.pieces, (text) => {
      for (const target of targetsNamed(vm, text)) apply(target.properties);
    });
  }
};

const setDirectoryProperties: Handler = (vm, call) => {
  for (let index = 1; index + 1 < call.args.length; index += 2) {
    const key = textOf(call.args[index]);
    if (key !== undefined) setProperty(vm, vm.directory.properties, key, (call.args[index + 1] as Arg).pieces, call.command.name);
  }
};

function read(vm: Interpreter, variable: string, table: Table | undefined, key: string, notFound: boolean): void {
  const found = table?.get(key);
  if (found !== undefined) vm.assign(variable, found.pieces);
  else vm.set(variable, table === undefined ? unknown(`\${${variable}}`, vm.origin()) : notFound ? known(`${variable}-NOTFOUND`, vm.origin()) : unsetValue);
}

/** What CMake itself knows of a target (cmake-properties(7)); undefined for properties that a project sets. */
function builtIn(vm: Interpreter, target: Target, key: string): Value | undefined {
  switch (key) {
    case "NAME":
      return known(target.name, vm.origin());
    case "TYPE":
      return target.kind === "unknown" ? unknown(`the type of ${target.name}`, vm.origin()) : known(target.kind === "executable" ? "EXECUTABLE" : `${target.kind.toUpperCase()}_LIBRARY`, vm.origin());
    case "SOURCE_DIR":
    case "BINARY_DIR":
      return unknown(`${key} of ${target.name}`, vm.origin());
    default:
      return undefined;
  }
}

const getTargetProperty: Handler = (vm, call) => {
  const [variable, name, key] = call.args.map(textOf);
  if (variable === undefined || key === undefined) return;
  const target = name === undefined ? undefined : targetsNamed(vm, name)[0];
  if (key === "ALIASED_TARGET") {
    const aliased = vm.globalProperties.get(`ALIAS ${name ?? ""}`);
    return vm.set(variable, aliased ?? known(`${variable}-NOTFOUND`, vm.origin()));
  }
  const own = target === undefined || target.isImported ? undefined : builtIn(vm, target, key);
  if (own !== undefined) return vm.set(variable, own);
  read(vm, variable, target?.isImported ? undefined : target?.properties, key, true);
};

const getProperty: Handler = (vm, call) => {
  const words = call.args.map(textOf);
  const [variable, kind] = words;
  const key = words[words.indexOf("PROPERTY") + 1];
  if (variable === undefined || key === undefined) return;
  // project() may have enabled some of them under conditions that nobody has decided.
  if (kind === "GLOBAL" && key === "ENABLED_LANGUAGES") return vm.set(variable, unknown("${ENABLED_LANGUAGES}"));
  const name = words[2];
  const target = kind === "TARGET" && name !== undefined ? targetsNamed(vm, name)[0] : undefined;
  const own = target === undefined || target.isImported ? undefined : builtIn(vm, target, key);
  if (own !== undefined) return vm.set(variable, own);
  const table = kind === "GLOBAL" ? vm.globalProperties : kind === "DIRECTORY" ? vm.directory.properties : target?.properties;
  read(vm, variable, table, key, false);
};

const getDirectoryProperty: Handler = (vm, call) => {
  const [variable, key] = call.args.map(textOf);
  if (variable !== undefined && key !== undefined) read(vm, variable, vm.directory.properties, key, false);
};

/** add_definitions: what looks like -DNAME becomes a directory definition, the rest goes to the flags (cmake-commands(7)). */
const addDefinitions: Handler = (vm, call) => {
  const { definitions, others } = sortDefinitions(call.args);
  noteDirectoryDefinitions(vm, call, definitions);
  appendProperty(vm, vm.directory.properties, "COMPILE_DEFINITIONS", definitions, call.command.name);
  appendProperty(vm, vm.directory.properties, "DEFINE_FLAGS", others, call.command.name);
};

function sortDefinitions(args: readonly Arg[]): { definitions: (readonly Piece[])[]; others: (readonly Piece[])[] } {
  const definitions: (readonly Piece[])[] = [];
  const others: (readonly Piece[])[] = [];
  for (const arg of args) {
    for (const element of splitList(arg.pieces.filter((piece) => piece.text.trim() !== ""))) {
      const text = render(element);
      (/^[-/]D[A-Za-z_]\w*(=[^\n]*)?$/.test(text) || element[0]?.unknown === true ? definitions : others).push(element);
    }
  }
  return { definitions, others };
}

const removeDefinitions: Handler = (vm, call) => {
  const names = new Set(call.args.map((arg) => render(arg.pieces).replace(/^[-/]D/, "")));
  const old = vm.directory.properties.get("COMPILE_DEFINITIONS")?.pieces ?? [];
  const kept = splitList(old).filter((element) => !names.has(render(element).replace(/^[-/]D/, "")));
  vm.state.write(vm.directory.properties, "COMPILE_DEFINITIONS", value(joinList(kept)));
};

function directoryList(property: string): Handler {
  return (vm, call) => {
    const items = call.args.filter((arg) => !["BEFORE", "AFTER", "SYSTEM"].includes(textOf(arg) ?? ""));
    if (property === "COMPILE_DEFINITIONS") noteDirectoryDefinitions(vm, call, piecesOf(items));
    if (property === "COMPILE_OPTIONS") noteOptions(vm, call, items);
    appendProperty(vm, vm.directory.properties, property, piecesOf(items), call.command.name, call.args.some((arg) => textOf(arg) === "BEFORE"));
  };
}

const nothing = (_vm: Interpreter, _call: Call): undefined => undefined;

export const propertyCommands: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["set_target_properties", setTargetProperties], ["set_property", setPropertyCommand], ["set_directory_properties", setDirectoryProperties],
  ["get_target_property", getTargetProperty], ["get_property", getProperty], ["get_directory_property", getDirectoryProperty],
  ["add_definitions", addDefinitions], ["remove_definitions", removeDefinitions], ["add_compile_definitions", directoryList("COMPILE_DEFINITIONS")],
  ["add_compile_options", directoryList("COMPILE_OPTIONS")], ["include_directories", directoryList("INCLUDE_DIRECTORIES")], ["link_libraries", directoryList("LINK_LIBRARIES")],
  ["set_source_files_properties", setSourceProperties], ["get_source_file_property", nothing], ["link_directories", nothing], ["add_link_options", nothing], ["define_property", nothing],
]);
