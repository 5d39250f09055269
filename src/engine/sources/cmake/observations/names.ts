import { sourceEvidence } from "../evidence.ts";
import { builtinVariable } from "../builtins.ts";
import type { Interpreter } from "../interpreter.ts";
import { parseCMake } from "../parser.ts";
import type { Use } from "../usage.ts";
import { noteMisspeltNames } from "./misspelt.ts";

const relevant = /ABI|STANDARD|TORCH|PYTHON|CXX_FLAGS|CUDA_ARCH/i;
/** Set by older find modules or passed by convention; that the project does not set them means nothing. */
const customary = new Set(["PYTHON_EXECUTABLE", "PYTHON_INCLUDE_DIRS", "PYTHON_INCLUDE_DIR", "PYTHON_LIBRARIES", "PYTHON_LIBRARY", "PYTHON_VERSION", "TORCH_FOUND", "TORCH_VERSION"]);
const guardName = /^([A-Z][A-Z0-9]{0,7})_((?:WITH|USE|ENABLE|BUILD)_\w+)$/;

/** Names that nothing sets while one of almost the same spelling is set. CMake tells upper from lower case in variables. */
export function noteNames(vm: Interpreter): void {
  const byLowerCase = new Map<string, string>();
  const bySuffix = new Map<string, string>();
  for (const name of vm.usage.sets) {
    byLowerCase.set(name.toLowerCase(), name);
    const guard = guardName.exec(name);
    if (guard?.[2] !== undefined) bySuffix.set(guard[2], name);
  }
  for (const use of vm.usage.uses.values()) {
    const { name } = use;
    if (vm.usage.sets.has(name) || vm.usage.defined.has(name) || vm.cacheTable.get(name) !== undefined || builtinVariable(vm, name) !== undefined) continue;
    const twin = byLowerCase.get(name.toLowerCase());
    if (twin !== undefined && relevant.test(name) && !customary.has(name) && !/_FOUND$|^CMAKE_/.test(name) && !passedFromOutside(vm, name)) noteCase(vm, use, twin);
    const suffix = guardName.exec(name)?.[2];
    const other = suffix === undefined ? undefined : bySuffix.get(suffix);
    if (other !== undefined && twin === undefined && /^(if|elseif)$/.test(use.command.name) && !passedFromOutside(vm, name)) noteDeadGuard(vm, use, other);
  }
  for (const path of vm.notes.templates) noteMisspelt(vm, path);
  noteMisspeltNames(vm);
}

/** Build scripts beside the project may pass -DNAME. */
function passedFromOutside(vm: Interpreter, name: string): boolean {
  return ["setup.py", "pyproject.toml", "build.sh", "Makefile", "CMakePresets.json", "README.md", "../setup.py"].some((file) => {
    const read = vm.files.readText(`${vm.rootDirectory}/${file}`);
    return read.ok && new RegExp(`\\b${name}\\b`).test(read.text.replaceAll("-D", " "));
  });
}

function noteCase(vm: Interpreter, use: Use, twin: string): void {
  const at = spelledAt(use);
  vm.observations.push({
    kind: "ineffective-setting", reason: "wrong-case", related: [], conditions: [],
    message: `${use.name} is read here and nothing sets it: what the project sets is ${twin}. CMake tells upper from lower case in variable names, so this is empty.`,
    evidence: sourceEvidence(vm, { file: use.file, ...at }),
    ...(use.file.text.slice(at.start, at.end) === use.name ? { fix: { title: `Read ${twin}`, edits: [{ location: use.file.location(at.start, at.end), newText: twin }] } } : {}),
  });
}

function noteDeadGuard(vm: Interpreter, use: Use, other: string): void {
  const at = spelledAt(use);
  vm.observations.push({
    kind: "ineffective-setting", reason: "dead-guard", related: [], conditions: [],
    message: `${use.name} is tested here and nothing sets it, so what stands under it never happens; the project has ${other}.`,
    evidence: sourceEvidence(vm, { file: use.file, ...at }),
  });
}

/** The name itself inside the argument or reference that uses it. */
function spelledAt(use: Use): { start: number; end: number } {
  const within = use.file.text.slice(use.start, use.end).indexOf(use.name);
  return within < 0 ? { start: use.start, end: use.end } : { start: use.start + within, end: use.start + within + use.name.length };
}

const words = ["FLAGS", "LIBRARIES", "LIBRARY", "INCLUDE", "DIRS", "DEFINITIONS", "STANDARD", "VERSION", "OPTIONS"];

/** Letters swapped in the name of a result that a package configuration exports. */
function noteMisspelt(vm: Interpreter, path: string): void {
  const read = vm.files.readText(path);
  if (!read.ok) return;
  vm.filesRead.add(path);
  const file = parseCMake(path, read.text);
  for (const command of file.commands) {
    const argument = command.args[0];
    if (command.name !== "set" || argument === undefined) continue;
    const name = file.source(argument);
    for (const part of name.split("_")) {
      const meant = words.find((word) => word !== part && word.length === part.length && [...word].sort().join("") === [...part].sort().join(""));
      if (meant === undefined) continue;
      const right = name.replace(part, meant);
      vm.observations.push({
        kind: "ineffective-setting", reason: "misspelt", related: [], conditions: [],
        message: `${name} is misspelt: whoever uses this package asks for ${right} and gets nothing.`,
        evidence: sourceEvidence(vm, { file, start: argument.start, end: argument.end }),
        fix: { title: `Rename to ${right}`, edits: [{ location: file.location(argument.start, argument.end), newText: right }] },
      });
    }
  }
}
