import type { Interpreter } from "../interpreter.ts";
import type { Argument, Command, SourceFile } from "../syntax.ts";
import { sourceEvidence } from "../evidence.ts";
import { knownProperties, knownVariables, unreadNames } from "./knownNames.ts";

/** A name in a file, with what its command does to it. */
interface Mention {
  readonly file: SourceFile;
  readonly command: Command;
  readonly start: number;
  readonly end: number;
  /** `idle` is to ask for it only to set it, or to print it. */
  readonly role: "set" | "idle" | "read";
}

interface Suspects {
  readonly variables: ReadonlySet<string>;
  readonly properties: ReadonlySet<string>;
}

/** Names that are set, that nothing reads, and that are almost those of CMake's own: the setting does nothing. */
export function noteMisspeltNames(vm: Interpreter): void {
  const variables = new Set<string>();
  const properties = new Set<string>();
  for (const file of vm.notes.sources) {
    const here = suspectsOf(file);
    for (const name of here.variables) if (vm.usage.sets.has(name)) variables.add(name);
    for (const name of here.properties) properties.add(name);
  }
  for (const name of variables) noteVariable(vm, name);
  for (const name of properties) noteProperty(vm, name);
}

function noteVariable(vm: Interpreter, name: string): void {
  const use = vm.usage.uses.get(name);
  // The name is not spelled out where it is read: ${CMAKE_${LANGUAGE}_FLAG}.
  if (use !== undefined && !use.file.text.slice(use.start, use.end).includes(name)) return;
  const found = mentions(vm, name, new RegExp(`(?<!\\w)${name}(?![\\w=])`, "g"), variableRole);
  if (found === undefined) return;
  const what = unreadNames.get(name);
  if (what !== undefined) {
    note(vm, "unknown-key", found, `${name} is ${what}, and here a CMake variable of that name is set, which nothing reads: the compiler does not get it. \`add_compile_definitions(${name}=...)\` defines the macro.`);
    return;
  }
  const meant = knownVariables.meant(name);
  if (meant === undefined) return;
  note(vm, meant.how, found, meant.how === "wrong-case"
    ? `CMake tells upper from lower case in variable names: nothing reads ${name}, what ${meant.reader} reads is ${meant.name}.`
    : `${name} is probably misspelt: nothing reads it, what ${meant.reader} reads is ${meant.name}.`, meant.name);
}

function noteProperty(vm: Interpreter, name: string): void {
  const found = mentions(vm, name, new RegExp(`(?<![\\w{])${name}(?![\\w=}])`, "g"), propertyRole);
  const meant = knownProperties.meant(name);
  if (found === undefined || meant === undefined) return;
  note(vm, meant.how, found, meant.how === "wrong-case"
    ? `CMake tells upper from lower case in the names of properties: nothing reads ${name}, what ${meant.reader} reads is ${meant.name}.`
    : `The property ${name} is probably misspelt: nothing reads it, what ${meant.reader} reads is ${meant.name}.`, meant.name);
}

function note(vm: Interpreter, reason: "wrong-case" | "misspelt" | "unknown-key", found: readonly Mention[], message: string, right?: string): void {
  const sets = found.filter((one) => one.role === "set");
  const [first] = sets;
  if (first === undefined) return;
  const lost = sets.map((one) => abiDefinition.exec(one.file.text.slice(one.command.start, one.command.end))?.[0]).find((text) => text !== undefined);
  vm.observations.push({
    kind: "ineffective-setting", reason, message: lost === undefined ? message : `${message} So \`${lost}\` is never applied.`, conditions: [], evidence: sourceEvidence(vm, first),
    related: sets.slice(1, 4).map((one) => ({ location: one.file.location(one.start, one.end), what: "set here too" })),
    ...(right === undefined ? {} : { fix: { title: `Rename to ${right}`, edits: found.map((one) => ({ location: one.file.location(one.start, one.end), newText: right })) } }),
  });
}

const abiDefinition = /-D_GLIBCXX_USE_CXX11_ABI=\w+/;

/** Every place that names it; undefined where one of them reads it. */
function mentions(vm: Interpreter, name: string, pattern: RegExp, roleOf: (file: SourceFile, command: Command, argument: Argument) => Mention["role"] | undefined): Mention[] | undefined {
  const out: Mention[] = [];
  for (const path of vm.notes.filledIn) {
    const read = vm.files.readText(path);
    if (read.ok && read.text.includes(name)) return undefined;
  }
  for (const file of vm.notes.sources) {
    if (!file.text.includes(name)) continue;
    for (const command of file.commands) {
      for (const argument of command.args) {
        for (const match of file.text.slice(argument.start, argument.end).matchAll(pattern)) {
          const role = roleOf(file, command, argument);
          if (role === "read") return undefined;
          const start = argument.start + match.index;
          if (role !== undefined) out.push({ file, command, start, end: start + name.length, role });
        }
      }
    }
  }
  return out;
}

function variableRole(file: SourceFile, command: Command, argument: Argument): Mention["role"] {
  const place = variableSet(file, command);
  if (place === argument) return "set";
  const named = place === undefined ? undefined : file.source(place);
  // A list or text that is added to is read only for its own sake.
  if (named !== undefined && file.source(argument).includes(named)) return "idle";
  if (command.name === "message" || command.name === "unset" || command.name === "mark_as_advanced") return "idle";
  const asksWhetherUnset = /^\(\s*NOT\s+(?:DEFINED\s+)?\w+\s*\)$/.test(file.text.slice(command.nameEnd, command.end).trim());
  return command.name === "if" && asksWhetherUnset ? "idle" : "read";
}

function propertyRole(file: SourceFile, command: Command, argument: Argument): Mention["role"] | undefined {
  if (/^(get_(target_|directory_|source_file_)?property|define_property)$/.test(command.name) || file.source(argument).includes("TARGET_PROPERTY:")) return "read";
  return propertiesSet(file, command).includes(argument) ? "set" : undefined;
}

/** The argument that names the variable which a command sets. */
function variableSet(file: SourceFile, command: Command): Argument | undefined {
  const [first, second] = command.args;
  if (command.name === "set" || command.name === "option") return first;
  if ((command.name === "list" || command.name === "string") && first !== undefined && /^(APPEND|PREPEND|INSERT)$/.test(file.source(first))) return second;
  return undefined;
}

/** The arguments that name properties which a command sets. */
function propertiesSet(file: SourceFile, command: Command): readonly Argument[] {
  if (command.name !== "set_target_properties" && command.name !== "set_property") return [];
  const words = command.args.map((argument) => file.source(argument));
  if (command.name === "set_property") {
    const key = command.args[words.indexOf("PROPERTY") + 1];
    return (words[0] === "TARGET" || words[0] === "DIRECTORY") && words.includes("PROPERTY") && key !== undefined ? [key] : [];
  }
  const at = words.indexOf("PROPERTIES");
  return at < 0 ? [] : command.args.filter((_, index) => index > at && (index - at) % 2 === 1);
}

const read = new WeakMap<SourceFile, Suspects>();

/** They depend on the text alone, and a file is seldom another than at the last evaluation. */
function suspectsOf(file: SourceFile): Suspects {
  let found = read.get(file);
  if (found === undefined) {
    const variables = new Set<string>();
    const properties = new Set<string>();
    for (const command of file.commands) {
      const variable = variableSet(file, command);
      const name = variable === undefined ? "" : file.source(variable);
      if (/^\w+$/.test(name) && (unreadNames.has(name) || knownVariables.meant(name) !== undefined)) variables.add(name);
      for (const argument of propertiesSet(file, command)) {
        const key = file.source(argument);
        if (/^\w+$/.test(key) && knownProperties.meant(key) !== undefined) properties.add(key);
      }
    }
    read.set(file, (found = { variables, properties }));
  }
  return found;
}
