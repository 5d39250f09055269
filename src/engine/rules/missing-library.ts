import type { DeclaredTarget } from "../model/index.ts";
import { notLoaded } from "./binaries/missing-library.ts";
import { withBuilt } from "./binaries/report.ts";
import { once, onceForSources } from "./once.ts";
import type { Rule } from "./rule.ts";
import { includesOf, isTorchPythonHeader, namesOf } from "./sources.ts";
import type { Use } from "./sources.ts";
import { capital, finding, place, targetsPhrase } from "./support.ts";

/** A Python module that converts tensors and links libtorch without libtorch_python, which holds the converters. */
export const missingLibrary: Rule = {
  name: "missing-library",
  severity: "error",
  summary: "A library that the sources or a built file need is not linked or not found: torch's Python binding without libtorch_python.",
  check(context) {
    const targets = new Map(context.declared.map((body) => [body.name, body.target]));
    return withBuilt(missingLibrary, context, context.declared.flatMap((body) => {
      const { target } = body;
      if (!linksItself(target)) return [];
      const need = needOf(context, body);
      if (need === undefined) return [];
      const linked = linkedNames(target, targets);
      const torch = linked.names.find(isLibtorch);
      if (torch === undefined || linked.unknown || linked.names.some((name) => /torch_python/i.test(name))) return [];
      const link = target.links.find((one) => isLibtorch(one.name));
      return [finding(missingLibrary, {
        message: `${capital(targetsPhrase([body.name]))} converts tensors to and from Python (${need.what} at ${place(need.location, context.root)}) and links ${torch} without torch_python: the import fails with "undefined symbol: THPVariableClass" or an undefined pybind11 type_caster of at::Tensor. TORCH_LIBRARIES does not contain libtorch_python; find it with find_library(TORCH_PYTHON_LIBRARY torch_python PATHS "\${TORCH_INSTALL_PREFIX}/lib") and link it. This is no ABI mismatch.`,
        location: link?.evidence.location ?? target.location,
        target: body.name,
        related: [{ message: `${need.what} needs libtorch_python.`, location: need.location }, { message: `${body.name} is made here.`, location: target.location }],
      })];
    }), notLoaded);
  },
};

/** torch's own extension classes add torch_python; an executable embeds what it likes. */
function linksItself(target: DeclaredTarget): boolean {
  if (target.builder === "cmake") return target.kind === "module" || target.kind === "shared";
  return target.builder === "setuptools" && /^(?:Extension|Pybind11Extension)$/.test(target.madeBy);
}

function isLibtorch(name: string): boolean {
  return /^(?:torch|torch_cpu|torch_cuda|torch::torch)$|\$\{?TORCH_LIBRARIES\}?|(?:^|[/\\])libtorch(?:_cpu|_cuda)?\.(?:so|dylib|lib)/.test(name);
}

const namesTorchPython = once((target: DeclaredTarget) => target.arguments.some((one) => one.text.includes("torch_python")));

/** What a target links, through other targets of the project too; unknown: something could not be evaluated. */
function linkedNames(target: DeclaredTarget, targets: ReadonlyMap<string, DeclaredTarget>): { readonly names: readonly string[]; readonly unknown: boolean } {
  const names = new Set<string>();
  const queue = [target];
  for (const one of queue) {
    for (const link of one.links) {
      if (names.has(link.name)) continue;
      names.add(link.name);
      const next = targets.get(link.name);
      if (next !== undefined) queue.push(next);
    }
    if (namesTorchPython(one)) names.add("torch_python");
  }
  return { names: [...names], unknown: [...names].some((name) => /[$@{]/.test(name) && !isLibtorch(name)) };
}

/** Including the header alone needs nothing; a pybind11 module that handles tensors, or a converter called by name, does. */
const needOf = onceForSources((context, body): Use | undefined => {
  const [converter] = namesOf(context, body, (name) => name.startsWith("THPVariable"));
  if (converter !== undefined) return converter;
  const [header] = includesOf(context, body, isTorchPythonHeader);
  const converts = header !== undefined && [/^PYBIND11_MODULE$/, /^(?:(?:at|torch)::)?Tensor$/].every((pattern) => namesOf(context, body, (name) => pattern.test(name)).length > 0);
  return converts ? header : undefined;
});
