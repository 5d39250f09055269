import type { CompileArgument, DeclaredTarget, Language, TargetSource } from "../../model/index.ts";
import { ArgumentList } from "./argumentList.ts";
import { evidenceOf, locationOf, sourceEvidence } from "./evidence.ts";
import { always } from "./guards.ts";
import type { Interpreter } from "./interpreter.ts";
import { linkClosure } from "./links.ts";
import type { LinkClosure } from "./links.ts";
import { SharedParts } from "./shared.ts";
import { splitList } from "./split.ts";
import { addArchitectures, addStandards } from "./standards.ts";
import type { Target } from "./target.ts";
import { certainText, render, unknownPiece, unsetValue, worldsWithText } from "./value.ts";

const languageOfSuffix: ReadonlyMap<string, Language> = new Map([
  ["c", "C"], ["cc", "CXX"], ["cpp", "CXX"], ["cxx", "CXX"], ["c++", "CXX"], ["C", "CXX"], ["mm", "CXX"], ["cu", "CUDA"], ["hip", "HIP"], ["i", "CXX"], ["pyx", "CXX"],
]);
const configurations = ["Debug", "Release", "RelWithDebInfo", "MinSizeRel"];
const torchLibrary = /^(torch|torch_cpu|torch_cuda|torch_python|torch_library|c10|c10_cuda)$|libtorch|torch_python|libc10|TORCH_LIBRAR|TORCH_PYTHON_LIB/;

/** Stands for the options that targets hand on which were not reached. */
const further = "${OPTIONS_OF_FARTHER_TARGETS}";

/** The evaluated targets as declared targets, with the command line that CMake would give to the compilers. */
export function assembleTargets(vm: Interpreter): DeclaredTarget[] {
  const shared = new SharedParts();
  const cut: Target[] = [];
  const assembled = vm.allTargets.filter((target) => !target.isImported).map((target) => assemble(vm, target, shared, cut));
  const [first] = cut;
  if (first !== undefined) {
    const which = cut.length === 1 ? `Target ${first.name} links` : `${cut.length} targets, ${first.name} among them, link`;
    vm.gaps.push({ kind: "evaluation", path: first.origin.file.path, location: locationOf(first.origin), message: `${which} more targets through each other than were followed; what the farther ones hand on is not known.` });
  }
  return assembled;
}

function assemble(vm: Interpreter, target: Target, shared: SharedParts, cut: Target[]): DeclaredTarget {
  const sources = sourcesOf(vm, target);
  const languages = languagesOf(vm, target, sources);
  const closure = linkClosure(vm, target, shared);
  if (!closure.isWhole) cut.push(target);
  const args = target.kind === "imported" ? [] : argumentsOf(vm, target, closure, languages, shared);
  const includes = includeDirectories(target, closure, shared);
  const sabi = target.properties.get("PY_SABI");
  const conditions = vm.conditions.list(target.guard);
  return {
    name: target.name,
    builder: "cmake",
    kind: target.kind,
    location: locationOf(target.origin),
    languages,
    sources,
    arguments: args,
    links: closure.libraries,
    includeDirectories: includes,
    usesTorch: usesTorch(closure, includes),
    madeBy: target.madeBy,
    ...(sabi === undefined ? {} : { pyLimitedApi: { value: true, evidence: evidenceOf(sabi.pieces) ?? sourceEvidence(vm, target.origin) } }),
    conditions,
  };
}

function usesTorch(closure: LinkClosure, includes: readonly string[]): boolean | undefined {
  if (closure.libraries.some((library) => torchLibrary.test(library.name)) || includes.some((one) => /TORCH_INCLUDE|torch\/include/.test(one))) return true;
  return !closure.isWhole || closure.libraries.some((library) => library.name.includes("${") && !library.isProjectTarget) ? undefined : false;
}

function sourcesOf(vm: Interpreter, target: Target): TargetSource[] {
  const out: TargetSource[] = [];
  for (const element of splitList((target.properties.get("SOURCES") ?? unsetValue).pieces)) {
    for (const world of worldsWithText(vm.conditions, element, always, 4) ?? []) {
      const text = render(world.pieces).replace(/^\$<.*?:(.*)>$/, "$1");
      const origin = world.pieces.find((piece) => piece.origin !== undefined)?.origin ?? target.origin;
      if (text === "" || world.pieces.every((piece) => vm.countsAsEmpty(piece))) continue;
      const path = /^(\/|\$)/.test(text) ? text : `${target.directory.path}/${text}`;
      out.push({ path, language: languageOfSuffix.get(text.slice(text.lastIndexOf(".") + 1)), conditions: vm.conditions.list(world.guard), location: locationOf(origin) });
      if (out.length > 3000) return out;
    }
  }
  return out;
}

function languagesOf(vm: Interpreter, target: Target, sources: readonly TargetSource[]): Language[] {
  const found = new Set<Language>();
  for (const source of sources) if (source.language !== undefined) found.add(source.language);
  const extra = certainText(target.properties.get("EXTRA_LANGUAGE")?.pieces ?? []);
  if (extra === "CUDA" || extra === "HIP") found.add(extra);
  if (found.size === 0 || sources.some((source) => source.path.includes("${"))) {
    for (const language of vm.languages) if (language === "CXX" || language === "CUDA" || language === "HIP" || (language === "C" && vm.languages.size === 1)) found.add(language);
    if (found.size === 0) found.add("CXX");
  }
  return [...found];
}

/**
 * CMake's order (seen with 3.25): definitions sorted by text, the language's flags variables with their final value in the directory,
 * architectures, flags of add_definitions, options of the target and of what it links, and the standard last.
 */
function argumentsOf(vm: Interpreter, target: Target, closure: LinkClosure, languages: readonly Language[], shared: SharedParts): readonly CompileArgument[] {
  const list = new ArgumentList(vm, target, languages, shared);
  const own = (property: string) => target.properties.get(property);
  const { directory } = target;
  const users = closure.reached.filter((one) => !one.linkOnly);

  const definitions = list.section();
  definitions.list(directory.properties.get("COMPILE_DEFINITIONS"), "definition");
  definitions.list(own("COMPILE_DEFINITIONS"), "definition");
  if (target.kind === "interface") definitions.list(own("INTERFACE_COMPILE_DEFINITIONS"), "definition");
  for (const { target: used, guard } of users) definitions.list(used.properties.get("INTERFACE_COMPILE_DEFINITIONS"), "definition", used.name, guard);
  limitedApi(target, definitions);
  definitions.sort();

  for (const language of languages) {
    list.flags(directory.final.get(`CMAKE_${language}_FLAGS`), [language]);
    for (const configuration of configurations) list.flags(directory.final.get(`CMAKE_${language}_FLAGS_${configuration.toUpperCase()}`), [language], configuration);
  }
  if (target.madeBy.startsWith("cuda_add") && languages.includes("CUDA")) list.flags(directory.final.get("CUDA_NVCC_FLAGS"), ["CUDA"]);
  if (languages.includes("CUDA") && !target.madeBy.startsWith("cuda_add")) addArchitectures(vm, list, own("CUDA_ARCHITECTURES"));
  list.list(directory.properties.get("DEFINE_FLAGS"), "option");
  list.flags(own("COMPILE_FLAGS"), languages, undefined, "option");
  list.list(own("COMPILE_OPTIONS"), "option");
  if (target.kind === "interface") list.list(own("INTERFACE_COMPILE_OPTIONS"), "option");
  for (const { target: used, guard } of users) list.list(used.properties.get("INTERFACE_COMPILE_OPTIONS"), "option", used.name, guard);
  if (!closure.isWhole) list.add({ text: further, pieces: [unknownPiece(further)], guard: always, origin: "option", languages });
  addStandards(vm, list, target, users, languages);
  return list.finish();
}

function limitedApi(target: Target, definitions: ArgumentList): void {
  const level = target.properties.get("PY_SABI");
  const text = level === undefined ? undefined : certainText(level.pieces);
  const parts = /^(\d+)(?:\.(\d+))?/.exec(text ?? "");
  if (level === undefined || parts?.[1] === undefined) return;
  const hex = (part: string) => Number(part).toString(16).padStart(2, "0").toUpperCase();
  definitions.add({ text: `-DPy_LIMITED_API=0x${hex(parts[1])}${hex(parts[2] ?? "0")}0000`, pieces: level.pieces, guard: always, origin: "builder-default", languages: definitions.languages });
}

function includeDirectories(target: Target, closure: LinkClosure, shared: SharedParts): string[] {
  const out = new Set<string>();
  const add = (pieces: Parameters<typeof splitList>[0] | undefined) => {
    for (const directory of pieces === undefined || pieces.length === 0 ? [] : shared.directories(pieces)) out.add(directory);
  };
  add(target.properties.get("INCLUDE_DIRECTORIES")?.pieces);
  add(target.directory.properties.get("INCLUDE_DIRECTORIES")?.pieces);
  for (const { target: used, linkOnly } of closure.reached) if (!linkOnly) add(used.properties.get("INTERFACE_INCLUDE_DIRECTORIES")?.pieces);
  return [...out].map((one) => (one.startsWith("/") || one.startsWith("$") ? one : `${target.directory.path}/${one}`));
}

