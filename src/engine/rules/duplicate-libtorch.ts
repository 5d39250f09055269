import { observationsOf } from "../model/index.ts";
import type { DeclaredBody, DeclaredTarget, LinkedLibrary } from "../model/index.ts";
import { once } from "./once.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { includesOf, isTorchPythonHeader, namesOf } from "./sources.ts";
import { conditionSuffix, finding, place } from "./support.ts";

/** A Python module with a libtorch of its own: the process that imports torch then holds two. */
export const duplicateLibtorch: Rule = {
  name: "duplicate-libtorch",
  severity: "warning",
  summary: "A Python module brings a libtorch of its own into a process that imports torch.",
  check(context) {
    const fetched = observationsOf(context.observations, "package-search").find((one) => one.how === "fetch" && /^(?:lib)?torch$/i.test(one.name));
    return context.declared.flatMap((body) => {
      const { target } = body;
      const archive = staticLibtorch(target);
      if ((archive === undefined && fetched === undefined) || !isPythonModule(context, target) || target.usesTorch === false) return [];
      if (archive !== undefined) {
        return [finding(this, {
          message: `Python module ${body.name} links the static libtorch ${archive.name}${conditionSuffix(archive.conditions)}. A process that also imports torch then holds two copies with an operator registry, allocator and dispatcher each: operators are registered twice or are missing, and tensors of one crash in the other. Link the libtorch of the torch that is imported.`,
          location: archive.evidence.location,
          target: body.name,
          related: [{ message: `${body.name} is made here.`, location: target.location }],
        })];
      }
      if (fetched === undefined || target.builder !== "cmake" || !(includesOf(context, body, isTorchPythonHeader).length > 0 || makesModule(context, body))) return [];
      return [finding(this, {
        message: `Python module ${body.name} is linked against the libtorch downloaded at ${place(fetched.evidence.location, context.root)}${conditionSuffix(fetched.conditions)}, not against that of the torch package which the process imports: two copies are loaded when both are found. Point Torch_DIR at the installed package (python -c "import torch; print(torch.utils.cmake_prefix_path)").`,
        location: fetched.evidence.location,
        target: body.name,
        related: [{ message: `${body.name} is made here.`, location: target.location }],
      })];
    });
  },
};

const staticLibtorch = once((target: DeclaredTarget) => target.links.find(isStaticLibtorch));

function isStaticLibtorch(link: LinkedLibrary): boolean {
  return /(?:^|[/\\])lib(?:torch(?:_cpu|_cuda)?|c10)\.a$|^(?:torch|torch_cpu|c10)_static$/.test(link.name);
}

function isPythonModule(context: RuleContext, target: DeclaredTarget): boolean {
  if (target.kind === "extension" || /^(?:pybind11_add_module|nanobind_add_module|[Pp]ython3?_add_library)$/i.test(target.madeBy)) return true;
  const body = context.declared.find((one) => one.target === target);
  return (target.kind === "module" || target.kind === "shared") && body !== undefined && makesModule(context, body);
}

function makesModule(context: RuleContext, body: DeclaredBody): boolean {
  return namesOf(context, body, (name) => name === "PYBIND11_MODULE").length > 0;
}
