import type { Catalogue } from "../../catalogue/index.ts";
import type { CompileArgument, DeclaredTarget, EvaluationContext, IneffectiveSetting, Language, LinkedLibrary, TargetSource } from "../../model/index.ts";
import { argumentsOf, builderDefaults, byKey, languagesOfKey, macroArguments } from "./compile-arguments.ts";
import { externalBases } from "./evaluation/calls.ts";
import { isExtensionClass } from "./evaluation/extension-classes.ts";
import type { ExternalCall } from "./evaluation/call-types.ts";
import type { Interpreter } from "./evaluation/interpreter.ts";
import { absolute } from "./evaluation/file-functions.ts";
import type { Conditions, ObjectValue, Value } from "./evaluation/values.ts";
import { always, followed, render } from "./evaluation/values.ts";
import { evidenceOf, leavesOf } from "./leaves.ts";
import type { Place } from "./source-file.ts";
import { locationOf } from "./source-file.ts";

/** What a build script's `setup` call says about how its extensions are built. */
export interface BuilderFacts {
  readonly context: EvaluationContext;
  readonly catalogue: Catalogue | undefined;
  /** torch's BuildExtension, or a class over it, builds them. */
  readonly torchBuilder: boolean;
  /** A build_ext class that is not torch's own: it may read other keys. */
  readonly ownBuilder: boolean;
  /** The project overrides BuildExtension's ABI hook. */
  readonly ownAbiHook: boolean;
}

const suffixes: Readonly<Record<string, Language | undefined>> = {
  c: "C", cc: "CXX", cpp: "CXX", cxx: "CXX", "c++": "CXX", C: "CXX", cu: "CUDA", hip: "HIP", sycl: "SYCL",
};

/** Libraries that torch's extension classes link by themselves (torch/utils/cpp_extension.py). */
const torchLibraries = { CppExtension: ["c10", "torch", "torch_cpu", "torch_python"], CUDAExtension: ["c10", "torch", "torch_cpu", "torch_python", "cudart", "c10_cuda", "torch_cuda"], SyclExtension: ["c10", "torch", "torch_cpu", "torch_python", "c10_xpu", "torch_xpu"] };

export interface TargetReading {
  readonly target: DeclaredTarget;
  readonly ineffective: readonly IneffectiveSetting[];
}

/** The targets that the extension objects of a build script stand for. */
export function extensionTarget(interpreter: Interpreter, object: ObjectValue, facts: BuilderFacts): TargetReading | undefined {
  const library = typeof object.type === "string" ? object.type : externalBases(object.type).find(isExtensionClass);
  if (library === undefined) return undefined;
  const read = (name: string): Value | undefined => object.attributes.own(name, always);
  const madeBy = library.slice(library.lastIndexOf(".") + 1);
  const { conditions, place } = object;
  const sources = sourcesOf(interpreter, read("sources"), conditions);
  if (sources.length === 0 && read("extra_compile_args") === undefined) return undefined;
  const isTorch = /(?:^|\.)torch\w*\.|torch/i.test(library) || madeBy in torchLibraries;
  const languages = languagesOf(sources, madeBy);
  const setting = { conditions, place };
  const ineffective: IneffectiveSetting[] = [];
  const limited = limitedApi(interpreter, object, read("py_limited_api"));
  const given: CompileArgument[] = macroArguments(read("define_macros"), read("undef_macros"), languages, setting);
  if (madeBy === "Pybind11Extension") given.push(...standardOfPybind11(read("cxx_std"), setting));
  for (const part of byKey(read("extra_compile_args"), conditions)) {
    const keyed = part.key === undefined ? languages : languagesOfKey(part.key);
    if (part.key !== undefined && keyed === undefined && !facts.ownBuilder && /^torch\./.test(library) && part.keyPlace !== undefined) {
      ineffective.push(unknownKey(part.key, part.keyPlace, part.conditions, nameOf(read("name"))));
      continue;
    }
    if (keyed?.length === 0) continue;
    const common = (keyed ?? languages).filter((language) => languages.includes(language));
    const to = common.length > 0 ? common : (keyed ?? languages);
    given.push(...leavesOf(part.value, part.conditions).flatMap((leaf) => argumentsOf(leaf, to, "argument-list", place)));
  }
  const builtByTorch = isTorch ? madeBy in torchLibraries : facts.torchBuilder;
  const standard = facts.context.torchVersion === undefined ? undefined : facts.catalogue?.torchRelease(facts.context.torchVersion)?.cxxStandardDefault;
  const defaults = builtByTorch
    ? builderDefaults(given, languages, { context: facts.context, standard, limitedApi: limited?.value, ownAbiHook: facts.ownAbiHook }, setting)
    : [];
  const links = linksOf(read("libraries"), read("extra_link_args"), conditions, place);
  const implied = torchLibraries[madeBy as keyof typeof torchLibraries] as readonly string[] | undefined;
  for (const name of implied ?? []) if (name !== "torch_python" || limited?.value !== true) links.push({ name, isProjectTarget: false, conditions, evidence: evidenceOf(place, []) });
  const includes = leavesOf(read("include_dirs"), conditions);
  const target: DeclaredTarget = {
    name: nameOf(read("name")) ?? madeBy,
    builder: "setuptools",
    kind: "extension",
    location: locationOf(place),
    languages,
    sources,
    arguments: [...given, ...defaults],
    links,
    includeDirectories: includes.map((leaf) => leaf.value.kind === "text" && leaf.value.known ? absolute(interpreter, leaf.value.value) : `{${render(leaf.value)}}`),
    usesTorch: isTorch || mentionsTorch(links, includes.map((leaf) => leaf.value)),
    madeBy,
    ...(limited === undefined ? {} : { pyLimitedApi: limited }),
    conditions: conditions.filter((one) => one.assumed !== true),
  };
  return { target, ineffective };
}

/** `cxx_std` of a Pybind11Extension stands before the other arguments; 0 leaves it to the build (pybind11/setup_helpers.py). */
function standardOfPybind11(value: Value | undefined, setting: { readonly conditions: Conditions; readonly place: Place }): CompileArgument[] {
  return leavesOf(value, setting.conditions).flatMap((leaf): CompileArgument[] => {
    if (leaf.value.kind !== "number" || leaf.value.value === 0) return [];
    return [{ text: `-std=c++${leaf.value.value}`, known: true, languages: ["CXX"], origin: "argument-list", conditions: leaf.conditions, evidence: evidenceOf(setting.place, []) }];
  });
}

/** A target built at import time by `torch.utils.cpp_extension.load` and `load_inline`. */
export function jitTarget(interpreter: Interpreter, call: ExternalCall, facts: BuilderFacts): DeclaredTarget | undefined {
  const madeBy = call.name.slice(call.name.lastIndexOf(".") + 1);
  const inline = madeBy === "load_inline";
  const order = inline ? ["name", "cpp_sources", "cuda_sources", "functions", "extra_cflags", "extra_cuda_cflags", "extra_ldflags", "extra_include_paths"] : ["name", "sources", "extra_cflags", "extra_cuda_cflags", "extra_ldflags", "extra_include_paths"];
  const read = (name: string): Value | undefined => call.arguments.keywords.get(name)?.value ?? call.arguments.positional[order.indexOf(name)];
  const { conditions, place } = call;
  const sources = inline ? [] : sourcesOf(interpreter, read("sources"), conditions);
  if (!inline && read("sources") === undefined) return undefined;
  const hasCuda = inline ? leavesOf(read("cuda_sources")).length > 0 : sources.some((source) => source.language === "CUDA" || source.language === undefined);
  const languages: Language[] = hasCuda ? ["CXX", "CUDA"] : ["CXX"];
  const given: CompileArgument[] = [];
  const keys: readonly [string, Language][] = [["extra_cflags", "CXX"], ["extra_cuda_cflags", "CUDA"], ["extra_sycl_cflags", "SYCL"]];
  for (const [key, language] of keys) given.push(...leavesOf(read(key), conditions).flatMap((leaf) => argumentsOf(leaf, [language], "argument-list", place)));
  const standard = facts.context.torchVersion === undefined ? undefined : facts.catalogue?.torchRelease(facts.context.torchVersion)?.cxxStandardDefault;
  const defaults = builderDefaults(given, languages, { context: facts.context, standard, limitedApi: undefined, ownAbiHook: false }, { conditions, place });
  const links = linksOf(undefined, read("extra_ldflags"), conditions, place);
  for (const name of torchLibraries[hasCuda ? "CUDAExtension" : "CppExtension"]) links.push({ name, isProjectTarget: false, conditions, evidence: evidenceOf(place, []) });
  return {
    name: nameOf(read("name")) ?? madeBy,
    builder: "torch-jit",
    kind: "extension",
    location: locationOf(place),
    languages,
    sources,
    arguments: [...given, ...defaults],
    links,
    includeDirectories: leavesOf(read("extra_include_paths")).flatMap((leaf) => leaf.value.kind === "text" && leaf.value.known ? [absolute(interpreter, leaf.value.value)] : []),
    usesTorch: true,
    madeBy,
    conditions,
  };
}

function nameOf(value: Value | undefined): string | undefined {
  if (value === undefined) return undefined;
  const [leaf] = leavesOf(value);
  return leaf === undefined ? undefined : leaf.value.kind === "text" ? leaf.value.value : `{${render(leaf.value)}}`;
}

function sourcesOf(interpreter: Interpreter, value: Value | undefined, conditions: Conditions): TargetSource[] {
  return leavesOf(value, conditions).map((leaf) => {
    const place: Place = leaf.value.kind === "text" ? leaf.value.place : leaf.value.kind === "list" ? leaf.value.place : { file: interpreter.file, start: 0, end: 0 };
    const written = leaf.value.kind === "text" ? leaf.value.value : `{${render(leaf.value)}}`;
    const known = leaf.value.kind === "text" && leaf.value.known;
    const suffix = /\.([A-Za-z+]+)\}?$/.exec(written)?.[1] ?? "";
    return { path: known ? absolute(interpreter, written) : written, language: suffixes[suffix], conditions: leaf.conditions, location: locationOf(place) };
  });
}

/** Compilers that an extension needs. A source that is not known may be of any language that the class is for. */
function languagesOf(sources: readonly TargetSource[], madeBy: string): readonly Language[] {
  const open = sources.length === 0 || sources.some((source) => source.language === undefined && /[{*]/.test(source.path));
  const found = new Set<Language>(sources.flatMap((source) => source.language ?? []));
  if (open) {
    found.add("CXX");
    if (/CUDA/i.test(madeBy)) found.add("CUDA");
    if (/sycl|dpcpp/i.test(madeBy)) found.add("SYCL");
  }
  if (found.size === 0) found.add("CXX");
  const order: readonly Language[] = ["C", "CXX", "CUDA", "HIP", "SYCL"];
  return order.filter((language) => found.has(language));
}

function linksOf(libraries: Value | undefined, linkArguments: Value | undefined, conditions: Conditions, place: Place): LinkedLibrary[] {
  const links: LinkedLibrary[] = [];
  for (const leaf of leavesOf(libraries, conditions)) {
    const [name, at, steps] = leaf.value.kind === "text" ? [leaf.value.value, leaf.value.place, [...leaf.value.steps, ...leaf.steps]] as const : [`{${render(leaf.value)}}`, place, leaf.steps] as const;
    links.push({ name, isProjectTarget: false, conditions: leaf.conditions, evidence: evidenceOf(at, steps) });
  }
  for (const leaf of leavesOf(linkArguments, conditions)) {
    if (leaf.value.kind !== "text") continue;
    const name = /^-l:?(.+)$/.exec(leaf.value.value)?.[1] ?? (/\.(?:so|a)(?:\.[\d.]+)?$/.test(leaf.value.value) ? leaf.value.value : undefined);
    if (name !== undefined) links.push({ name, isProjectTarget: false, conditions: leaf.conditions, evidence: evidenceOf(leaf.value.place, [...leaf.value.steps, ...leaf.steps]) });
  }
  return links;
}

/** Whether an extension that is not torch's kind uses torch all the same; undefined: its directories are not known. */
function mentionsTorch(links: readonly LinkedLibrary[], includes: readonly Value[]): boolean | undefined {
  if (links.some((link) => /^(?:lib)?(?:torch|c10)(?:_|$|\.)/.test(link.name))) return true;
  if (includes.some((value) => followed(value) === "torch" || /\btorch\b/.test(render(value)))) return true;
  return includes.some((value) => value.kind === "unknown") || links.some((link) => link.name.startsWith("{")) ? undefined : false;
}

function limitedApi(interpreter: Interpreter, object: ObjectValue, value: Value | undefined): DeclaredTarget["pyLimitedApi"] {
  if (value === undefined) return undefined;
  const keyword = interpreter.keywordPlaces.get(object)?.get("py_limited_api");
  const place = keyword?.whole ?? keyword?.place ?? object.place;
  return { value: value.kind === "boolean" ? value.value : undefined, evidence: evidenceOf(place, []) };
}

function unknownKey(key: string, place: Place, conditions: Conditions, target: string | undefined): IneffectiveSetting {
  return {
    kind: "ineffective-setting",
    reason: "unknown-key",
    message: `The key "${key}" of extra_compile_args${target === undefined ? "" : ` of ${target}`} is not one that torch's BuildExtension reads (cxx, nvcc, nvcc_dlink, sycl), so the flags under it reach no compiler.`,
    related: [],
    conditions: conditions.filter((one) => one.assumed !== true),
    evidence: evidenceOf(place, []),
    ...(key === "gcc" || key === "g++" || key === "c++" || key === "CXX" ? { fix: { title: `Replace the key "${key}" by "cxx"`, edits: [{ location: locationOf(place), newText: '"cxx"' }] } } : {}),
  };
}
