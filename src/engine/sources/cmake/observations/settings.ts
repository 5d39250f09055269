import type { EvidenceStep, IneffectiveSetting, Language } from "../../../model/index.ts";
import { evidenceOf, locationOf, sourceEvidence } from "../evidence.ts";
import { excludes } from "../guards.ts";
import type { Arg, Call } from "../call.ts";
import type { Interpreter } from "../interpreter.ts";
import { certainText, render, worlds } from "../value.ts";
import type { Origin, Piece } from "../value.ts";

const abiVariable = /CXX11_?ABI/i;
const architectureVariable = /^(ENV\{TORCH_CUDA_ARCH_LIST\}|TORCH_CUDA_ARCH_LIST|CMAKE_CUDA_ARCHITECTURES|CUDA_ARCH_LIST)$/;
const toolkitVariable = /^(CUDA_TOOLKIT_ROOT_DIR|CUDAToolkit_ROOT|CMAKE_CUDA_COMPILER|CUDA_HOME|ENV\{CUDA_HOME\})$/;
const hostCompilerVariable: ReadonlyMap<string, Language> = new Map([["CMAKE_CUDA_HOST_COMPILER", "CUDA"], ["CUDA_HOST_COMPILER", "CUDA"], ["CMAKE_CXX_COMPILER", "CXX"], ["CMAKE_C_COMPILER", "C"], ["ENV{CXX}", "CXX"], ["ENV{CUDAHOSTCXX}", "CUDA"]]);

/** What a `set` says by itself; called before the variable changes. */
export function noteSet(vm: Interpreter, name: string, call: Call, pieces: readonly Piece[]): void {
  if (call.args.length === 1 && /^CMAKE_(CXX|CUDA|C)_STANDARD_REQUIRED$/.test(name)) return noteEmptySet(vm, name, call);
  if (pieces.length === 0) return;
  if (/^CMAKE_(CXX|CUDA)_FLAGS$/.test(name)) noteOverwrite(vm, name, call, pieces);
  if (/^CMAKE_(C|CXX|CUDA)_FLAGS(_[A-Z]+)?$/.test(name)) noteNamesAmongFlags(vm, name, call, pieces);
  if (/^CMAKE_(CXX_STANDARD|CUDA_STANDARD|CUDA_ARCHITECTURES)$/.test(name) && vm.scope === vm.directory.scope) {
    vm.notes.standardSets.push({ name, directory: vm.directory, targetsBefore: vm.allTargets.length, call, text: render(pieces), conditions: vm.conditions.list(vm.state.path) });
  }
  noteChoice(vm, name, call, pieces);
  if (abiVariable.test(name) && /^[01]$/.test(certainText(pieces) ?? "") && vm.conditions.list(vm.state.path).some((condition) => condition.text === `DEFINED ${name}` && condition.branch === 1)) noteAbi(vm, name, pieces, call, "default");
}

/** Cache variables and options: the project's defaults for whoever passes nothing. */
export function noteOption(vm: Interpreter, name: string, pieces: readonly Piece[], call: Call, how: string): void {
  if (abiVariable.test(name)) noteAbi(vm, name, pieces, call, how);
  noteChoice(vm, name, call, pieces);
}

function noteAbi(vm: Interpreter, name: string, pieces: readonly Piece[], call: Call, how: string): void {
  const text = certainText(pieces)?.toUpperCase();
  if (text === undefined || !/^(0|1|ON|OFF|TRUE|FALSE|YES|NO)$/.test(text)) return;
  vm.observations.push({ kind: "abi-setting", variable: name, value: /^(1|ON|TRUE|YES)$/.test(text) ? 1 : 0, how, ...where(vm, pieces, call) });
}

/** Choices of architectures, toolkit and host compiler. */
function noteChoice(vm: Interpreter, name: string, call: Call, pieces: readonly Piece[]): void {
  if (architectureVariable.test(name)) {
    const text = render(pieces);
    if (!text.includes(`\${${name}}`)) vm.observations.push({ kind: "architecture-list", variable: name.replace(/^ENV\{(.*)\}$/, "$1"), value: certainText(pieces), ...where(vm, pieces, call) });
  } else if (toolkitVariable.test(name)) {
    const path = certainText(pieces);
    const version = /cuda-?(\d+\.\d+)/.exec(path ?? "")?.[1];
    if (path !== undefined && /\//.test(path)) vm.observations.push({ kind: "cuda-toolkit", minimum: false, path, ...(version === undefined ? {} : { version }), ...where(vm, pieces, call) });
  } else {
    const language = hostCompilerVariable.get(name);
    const compiler = certainText(pieces);
    if (language !== undefined && compiler !== undefined) vm.observations.push({ kind: "host-compiler", compiler, language, ...where(vm, pieces, call) });
  }
}

export function where(vm: Interpreter, pieces: readonly Piece[], call: Call): Pick<IneffectiveSetting, "evidence" | "conditions"> {
  return { evidence: evidenceOf(pieces) ?? sourceEvidence(vm, origin(call)), conditions: vm.conditions.list(vm.state.path) };
}

export function origin(call: Call): Origin {
  return { file: call.file, start: call.command.start, end: call.command.end };
}

function noteEmptySet(vm: Interpreter, name: string, call: Call): void {
  const argument = call.command.args[0];
  const before = vm.lookupSet(name);
  if (argument === undefined || (before !== undefined && before.pieces.length > 0)) return;
  vm.observations.push({
    kind: "ineffective-setting", reason: "empty-set", related: [],
    message: `\`set(${name})\` without a value unsets ${name} and requires nothing: a compiler that does not know the standard silently takes an older one. ON was probably meant.`,
    evidence: sourceEvidence(vm, origin(call)), conditions: vm.conditions.list(vm.state.path),
    fix: { title: `Set ${name} to ON`, edits: [{ location: call.file.location(argument.end, argument.end), newText: " ON" }] },
  });
}

/** A flags variable set without itself drops what earlier lines, or whoever configures, put there. */
function noteOverwrite(vm: Interpreter, name: string, call: Call, pieces: readonly Piece[]): void {
  if (vm.scope !== vm.directory.scope || pieces.some((piece) => piece.unset === name || piece.text.includes(`\${${name}}`))) return;
  if (vm.conditions.list(vm.state.path).some((condition) => condition.text.includes(name))) return;
  const before = vm.lookup(name).pieces.filter((piece) => !excludes(piece.guard, vm.state.path));
  const kept = new Set(pieces.map((piece) => piece.text.trim()));
  const lost = before.filter((piece) => piece.origin !== undefined && piece.text.trim() !== "" && !piece.unknown && !kept.has(piece.text.trim()));
  const values = call.command.args[1];
  const insertAt = values === undefined ? undefined : values.kind === "quoted" ? values.valueStart : values.start;
  const base = {
    kind: "ineffective-setting" as const, reason: "overwritten" as const, evidence: sourceEvidence(vm, origin(call)), conditions: vm.conditions.list(vm.state.path),
    ...(insertAt === undefined || call.command.args.length !== 2 ? {} : { fix: { title: `Keep the earlier value of ${name}`, edits: [{ location: call.file.location(insertAt, insertAt), newText: `\${${name}} ` }] } }),
  };
  if (lost.length > 0) {
    const text = lost.map((piece) => piece.text.trim()).join(" ");
    vm.observations.push({
      ...base,
      message: `This sets ${name} without its earlier value and so discards \`${text.length > 120 ? `${text.slice(0, 120)}...` : text}\`, which the project had put there, and the flags that whoever configures passes.`,
      related: lost.slice(0, 3).flatMap((piece) => (piece.origin === undefined ? [] : [{ location: locationOf(piece.origin), what: `\`${piece.text.trim()}\` is set here and lost` }])),
    });
  } else if (vm.directory.parent === undefined && before.some((piece) => piece.unset === name) && vm.frame === undefined) {
    vm.notes.droppedUserFlags.push({ ...base, message: `This sets ${name} without its earlier value and so discards the flags that whoever configures passes, an ABI definition among them.`, related: [] });
  }
}

/** `target_compile_definitions(t PRIVATE NAME)` defines a macro NAME; where NAME is a variable that holds definitions, `\${NAME}` was meant. */
export function noteTargetDefinitions(vm: Interpreter, call: Call, args: readonly Arg[]): void {
  for (const arg of args) noteName(vm, call, arg.pieces);
}

/** `target_compile_options(t PRIVATE ABI_FLAG)`: the word is the name of a variable that holds options. */
export function noteOptions(vm: Interpreter, call: Call, args: readonly Arg[]): void {
  args.forEach((arg, index) => {
    const name = certainText(arg.pieces);
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name) || takesNextWord.test(certainText(args[index - 1]?.pieces ?? []) ?? "") || !vm.usage.sets.has(name)) return;
    const holding = vm.lookupSet(name)?.pieces ?? [];
    const held = heldOptions(vm, holding);
    if (held === undefined) return;
    const evidence = where(vm, arg.pieces, call);
    const { location, text } = evidence.evidence;
    vm.observations.push({
      kind: "ineffective-setting", reason: "name-instead-of-value", ...evidence,
      message: `${call.command.name} gets the word ${name}, which the compiler takes for the name of a file; the variable ${name} holds \`${held}\`, which is never applied. \`\${${name}}\` was probably meant.`,
      related: setHere(name, holding),
      ...(text === name ? { fix: { title: `Use the value of ${name}`, edits: [{ location, newText: `\${${name}}` }] } } : {}),
    });
  });
}

export function noteDirectoryDefinitions(vm: Interpreter, call: Call, definitions: readonly (readonly Piece[])[]): void {
  for (const pieces of definitions) noteName(vm, call, pieces);
}

function noteName(vm: Interpreter, call: Call, pieces: readonly Piece[]): void {
  const name = certainText(pieces)?.replace(/^-D/, "");
  if (name === undefined || !/^[A-Za-z_]\w*$/.test(name) || !vm.usage.sets.has(name)) return;
  const holding = vm.lookupSet(name)?.pieces ?? [];
  const held = [...new Set((worlds(vm.conditions, holding, vm.state.path, 8) ?? []).map((world) => render(world.pieces)).filter((text) => text !== ""))].join("` or `");
  if (!/^-D\w|^\w+=|GLIBCXX_USE_CXX11_ABI/.test(held)) return;
  const evidence = where(vm, pieces, call);
  const { location, text } = evidence.evidence;
  vm.observations.push({
    kind: "ineffective-setting", reason: "name-instead-of-value", ...evidence,
    message: `${call.command.name} gets the name ${name} and defines an empty macro of that name; the variable ${name} holds \`${held}\`, which is never applied. \`\${${name}}\` was probably meant.`,
    related: setHere(name, holding),
    ...(text === name ? { fix: { title: `Use the value of ${name}`, edits: [{ location, newText: `\${${name}}` }] } } : {}),
  });
}

/** Options whose argument is the next word, which is then no word of its own. */
const takesNextWord = /^-(?:[DUILFxo]|X\w+|isystem|iquote|include|imacros|arch|gencode|target|-\w[\w-]*)$/;

/** `set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} MY_FLAGS")`: the word is the name of a variable that holds flags. */
function noteNamesAmongFlags(vm: Interpreter, flags: string, call: Call, pieces: readonly Piece[]): void {
  pieces.forEach((piece, index) => {
    const { origin: place } = piece;
    if (!piece.exact || place === undefined || place.file !== call.file || place.start < call.command.start || place.end > call.command.end) return;
    for (const match of piece.text.matchAll(/(?<=^|\s)[A-Za-z_]\w*(?=\s|$)/g)) {
      const [name] = match;
      const end = match.index + name.length;
      // A word that touches another piece is a part of a longer one.
      if ((match.index === 0 && index > 0) || (end === piece.text.length && index < pieces.length - 1)) continue;
      if (takesNextWord.test(piece.text.slice(0, match.index).trimEnd().split(/\s+/).at(-1) ?? "") || !vm.usage.sets.has(name)) continue;
      const holding = vm.lookupSet(name)?.pieces ?? [];
      const held = heldOptions(vm, holding);
      if (held === undefined) continue;
      const at = { file: place.file, start: place.start + match.index, end: place.start + end };
      vm.observations.push({
        kind: "ineffective-setting", reason: "name-instead-of-value", evidence: sourceEvidence(vm, at), conditions: vm.conditions.list(vm.state.path),
        message: `${flags} gets the word ${name}, which the compiler takes for the name of a file; the variable ${name} holds \`${held}\`, which is never applied. \`\${${name}}\` was probably meant.`,
        related: setHere(name, holding),
        fix: { title: `Use the value of ${name}`, edits: [{ location: locationOf(at), newText: `\${${name}}` }] },
      });
    }
  });
}

/** What a variable holds, where that is options in some case. */
function heldOptions(vm: Interpreter, holding: readonly Piece[]): string | undefined {
  return (worlds(vm.conditions, holding, vm.state.path, 8) ?? []).map((world) => render(world.pieces).trim()).find((text) => text.startsWith("-"));
}

function setHere(name: string, [first]: readonly Piece[]): EvidenceStep[] {
  return first?.origin === undefined ? [] : [{ location: locationOf(first.origin), what: `variable ${name} set` }];
}
