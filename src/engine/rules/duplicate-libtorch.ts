import { observationsOf } from "../model/index.ts";
import type { DeclaredBody, DeclaredTarget, Finding, LinkedLibrary } from "../model/index.ts";
import { secondLibtorch } from "./binaries/duplicate-libtorch.ts";
import { withBuilt } from "./binaries/report.ts";
import { isAboutTorchLibrary, wheelFindings } from "./binaries/wheels.ts";
import { once } from "./once.ts";
import { packageOf, torchOf } from "./pins/packages.ts";
import type { Rule, RuleContext } from "./rule.ts";
import { includesOf, isTorchPythonHeader, namesOf } from "./sources.ts";
import { conditionSuffix, finding, groupBy, joinWords, place } from "./support.ts";

/** A Python module with a libtorch of its own: the process that imports torch then holds two. */
export const duplicateLibtorch: Rule = {
  name: "duplicate-libtorch",
  severity: "warning",
  summary: "A Python module brings a libtorch of its own into a process that imports torch.",
  check(context) {
    const fetched = observationsOf(context.observations, "package-search").find((one) => one.how === "fetch" && /^(?:lib)?torch$/i.test(one.name));
    const declared = [...bundled(context, duplicateLibtorch), ...context.declared.flatMap((body) => {
      const { target } = body;
      const archive = staticLibtorch(target);
      if ((archive === undefined && fetched === undefined) || !isPythonModule(context, target) || target.usesTorch === false) return [];
      if (archive !== undefined) {
        return [finding(duplicateLibtorch, {
          message: `Python module ${body.name} links the static libtorch ${archive.name}${conditionSuffix(archive.conditions)}. A process that also imports torch then holds two copies with an operator registry, allocator and dispatcher each: operators are registered twice or are missing, and tensors of one crash in the other. Link the libtorch of the torch that is imported.`,
          location: archive.evidence.location,
          target: body.name,
          related: [{ message: `${body.name} is made here.`, location: target.location }],
        })];
      }
      if (fetched === undefined || target.builder !== "cmake" || !(includesOf(context, body, isTorchPythonHeader).length > 0 || makesModule(context, body))) return [];
      return [finding(duplicateLibtorch, {
        message: `Python module ${body.name} is linked against the libtorch downloaded at ${place(fetched.evidence.location, context.root)}${conditionSuffix(fetched.conditions)}, not against that of the torch package which the process imports: two copies are loaded when both are found. Point Torch_DIR at the installed package (python -c "import torch; print(torch.utils.cmake_prefix_path)").`,
        location: fetched.evidence.location,
        target: body.name,
        related: [{ message: `${body.name} is made here.`, location: target.location }],
      })];
    })];
    const grafted = wheelFindings(duplicateLibtorch, context, (one) => one.kind === "grafted" && isAboutTorchLibrary(one));
    return [...withBuilt(duplicateLibtorch, context, declared, secondLibtorch), ...grafted];
  },
};

/** libtorch as it lies in the folder torch/lib of torch's wheels. */
const libtorchFiles = ["torch", "torch_cpu", "torch_cuda", "torch_python", "c10", "c10_cuda"].flatMap((name) => [`lib${name}.so`, `lib${name}.dylib`, `${name}.dll`]);

/** A libtorch among the files that go into the wheel of a package which uses the torch that is imported. */
function bundled(context: RuleContext, rule: Rule): readonly Finding[] {
  const files = observationsOf(context.observations, "packaged-file").filter((one) => {
    const owner = packageOf(context, one.evidence.location.path);
    if (owner === undefined || (owner.natives.length === 0 && owner.imports.length === 0 && torchOf(context, owner).length === 0)) return false;
    const name = one.pattern.slice(Math.max(one.pattern.lastIndexOf("/"), one.pattern.lastIndexOf("\\")) + 1);
    if (!/torch|c10/.test(name)) return false;
    const matches = matcherOf(name);
    return libtorchFiles.some(matches) && !context.declared.some(({ target }) => productsOf(target).some(matches));
  });
  return [...groupBy(files, (one) => one.evidence.location.path).values()].flatMap((group) => group.slice(0, 1).map((first) => finding(rule, {
    message: `The wheel packs ${joinWords(group.slice(0, 4).map((one) => one.pattern))}${conditionSuffix(first.conditions)}, a libtorch of its own, and the package is used beside the torch that the process imports: two copies with an operator registry, allocator and dispatcher each are loaded, operators are registered twice or are missing, and tensors of one crash in the other. Leave libtorch out of the wheel; \`import torch\` before the extension loads the one that is installed.`,
    location: first.evidence.location,
    related: group.slice(1, 10).map((one) => ({ message: `${one.pattern} is packed here.`, location: one.evidence.location })),
  })));
}

/** Whether a file name meets a glob. */
function matcherOf(glob: string): (name: string) => boolean {
  // More wildcards than anybody writes would keep the expression busy.
  if (glob.split(/[*?]+/).length > 6) return () => false;
  const parts = glob.replace(/\*+/g, "*").split(/([*?])/).map((part) => (part === "*" ? ".*" : part === "?" ? "." : part.replace(/[.+^${}()|[\]\\]/g, "\\$&")));
  const pattern = new RegExp(`^${parts.join("")}$`);
  return (name) => pattern.test(name);
}

/** Files that a target of the project makes: the project's own libraries may be named after torch. */
function productsOf(target: DeclaredTarget): readonly string[] {
  const name = target.name.slice(target.name.lastIndexOf(".") + 1);
  return ["so", "dylib", "dll"].flatMap((ending) => [`${name}.${ending}`, `lib${name}.${ending}`]);
}

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
