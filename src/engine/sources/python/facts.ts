import type { DeclaredTarget, IneffectiveSetting, Observation } from "../../model/index.ts";
import { isExtensionClass } from "./evaluation/extension-classes.ts";
import type { Interpreter } from "./evaluation/interpreter.ts";
import type { Value } from "./evaluation/values.ts";
import { evidenceOf } from "./leaves.ts";
import { locationOf } from "./source-file.ts";

/** What the script puts into its environment, and what it takes from it to choose an ABI. */
export function environmentObservations(interpreter: Interpreter): Observation[] {
  const observations: Observation[] = [];
  for (const { name, value, place, conditions } of interpreter.environment) {
    const evidence = evidenceOf(value.kind === "text" ? value.place : place, value.kind === "text" ? value.steps : []);
    const known = value.kind === "text" && value.known ? value.value : undefined;
    if (name === "TORCH_CUDA_ARCH_LIST") observations.push({ kind: "architecture-list", variable: name, value: known, conditions, evidence });
    else if ((name === "CUDA_HOME" || name === "CUDA_PATH") && known !== undefined) {
      const version = /cuda-(\d+\.\d+)/.exec(known)?.[1];
      observations.push({ kind: "cuda-toolkit", minimum: false, path: known, ...(version === undefined ? {} : { version }), conditions, evidence });
    } else if ((name === "CC" || name === "CXX" || name === "CUDAHOSTCXX") && known !== undefined) {
      observations.push({ kind: "host-compiler", compiler: known, language: name === "CC" ? "C" : name === "CXX" ? "CXX" : "CUDA", conditions, evidence });
    }
  }
  for (const call of interpreter.externalCalls) {
    if (call.name !== "os.getenv" && call.name !== "os.environ.get") continue;
    const [name, fallback] = call.arguments.positional;
    if (name?.kind !== "text" || fallback === undefined || !/^_*(?:GLIBCXX_)?USE_CXX11_ABI$/i.test(name.value)) continue;
    observations.push({ kind: "abi-setting", value: abiOf(fallback), how: "setup.py default", variable: name.value, conditions: call.conditions, evidence: evidenceOf(call.place, []) });
  }
  return observations;
}

function abiOf(value: Value): 0 | 1 | undefined {
  if (value.kind === "boolean") return value.value ? 1 : 0;
  if (value.kind === "number") return value.value === 0 ? 0 : value.value === 1 ? 1 : undefined;
  if (value.kind !== "text" || !value.known) return undefined;
  return /^(?:0|off|false|no)$/i.test(value.value) ? 0 : /^(?:1|on|true|yes)$/i.test(value.value) ? 1 : undefined;
}

/** Keywords that extension classes take with a warning and then leave alone, and what was meant. */
const misspelt: Readonly<Record<string, string | undefined>> = {
  extra_compile_flags: "extra_compile_args", extra_compile_arg: "extra_compile_args", extra_compiler_args: "extra_compile_args", extra_compiler_flags: "extra_compile_args",
  extra_compile_options: "extra_compile_args", extra_cflags: "extra_compile_args", extra_cxx_flags: "extra_compile_args", extra_cuda_cflags: "extra_compile_args", compile_args: "extra_compile_args",
  extra_link_flags: "extra_link_args", extra_linker_args: "extra_link_args", extra_ldflags: "extra_link_args", extra_link_arg: "extra_link_args",
  include_dir: "include_dirs", library_dir: "library_dirs", define_macro: "define_macros", macros: "define_macros", extra_include_paths: "include_dirs",
};

export function extensionKeywords(interpreter: Interpreter): IneffectiveSetting[] {
  return interpreter.externalCalls.filter((call) => isExtensionClass(call.name) && /^(?:torch|setuptools|distutils)\./.test(call.name)).flatMap((call) => [...call.arguments.keywords].flatMap(([name, { place }]): IneffectiveSetting[] => {
    const meant = misspelt[name];
    if (meant === undefined) return [];
    return [{
      kind: "ineffective-setting", reason: "misspelt", related: [], conditions: call.conditions, evidence: evidenceOf(place, []),
      message: `${call.name.slice(call.name.lastIndexOf(".") + 1)} has no keyword ${name}; setuptools warns and ignores it. ${meant} is meant.`,
      ...(call.arguments.keywords.has(meant) || name === "extra_cuda_cflags" ? {} : { fix: { title: `Replace ${name} by ${meant}`, edits: [{ location: locationOf(place), newText: meant }] } }),
    }];
  }));
}

/** Options of nvcc that a host compiler does not know. */
const nvccOnly = /^(?:-gencode|-arch[=]|--?generate-code|--(?!param)|-Xptxas|-Xcudafe|-lineinfo|-rdc|-use_fast_math|-U__CUDA|-D__CUDA_NO)/;

/** `-Xcompiler` takes the next argument with it: nvcc itself never sees that one. */
export function swallowedFlags(targets: readonly DeclaredTarget[]): IneffectiveSetting[] {
  const found: IneffectiveSetting[] = [];
  for (const target of targets) {
    const device = target.arguments.filter((one) => one.languages.includes("CUDA"));
    device.forEach((argument, index) => {
      const next = device[index + 1];
      if ((argument.text !== "-Xcompiler" && argument.text !== "--compiler-options") || next === undefined || !nvccOnly.test(next.text) || next.origin !== "argument-list") return;
      found.push({
        kind: "ineffective-setting", reason: "swallows-next", conditions: next.conditions, evidence: argument.evidence,
        message: `${argument.text} hands the argument that follows, ${next.text}, to the host compiler, which does not know it; nvcc does not see it.`,
        related: [{ location: next.evidence.location, what: `${next.text} is given here` }],
      });
    });
  }
  return found;
}
