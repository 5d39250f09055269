/**
 * "incompatible function arguments" of pybind11 and nanobind (pybind11.h, `dispatcher`; nb_func.cpp, `nb_func_error_overload`):
 * a call that is wrong, or one that looks right because the caller's types live in the registry of another pybind11.
 */
import { valueOf } from "../../../../model/index.ts";
import { exceptionAt } from "../../exceptionAt.ts";
import { clueOf, textAt, verdict } from "../../reading.ts";
import type { Said } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import type { Saying } from "../sayings.ts";
import { torchOf } from "../torchBuilds.ts";
import { isCxxName, isLiteral, isOfClass, lastName, parseOverload, splitList } from "./signature.ts";
import type { Overload } from "./signature.ts";

const begins = /(?<![\w.<>])(?<name>[\w.<>]{0,120})\(\): incompatible (?<kind>function|constructor) arguments\. The following argument types are supported:/;

interface Call {
  readonly name: string;
  readonly isNanobind: boolean;
  readonly overloads: readonly Overload[];
  /** As printed. */
  readonly signatures: readonly string[];
  /** Undefined: the text has no end of them. */
  readonly given: readonly string[] | undefined;
  readonly named: readonly string[];
  /** pybind11 guesses that a converter's header is missing. */
  readonly lacksHeader: boolean;
  readonly last: number;
}

export const incompatibleArguments: Saying = {
  pattern: begins,
  read(said) {
    const call = readCall(said);
    const words = [`${said.match[0]} ${call.signatures[0]?.trim() ?? ""}`, call.given === undefined ? "" : `Invoked with: ${call.given.join(", ")}`].join(" ");
    // Summaries repeat the first line alone.
    const isWhole = call.signatures.length > 0;
    return clueOf(said, (knowledge) => explainCall(call, knowledge), { last: call.last, words, subject: { symbol: call.name }, weight: isWhole ? "cause" : "consequence" });
  },
};

/** How many lines a message may have: arguments are printed whole, tensors with all their rows. */
const longest = 120;

function readCall({ log, at, match, text: line0 }: Said): Call {
  const own = exceptionAt(log, at);
  const exception = own?.message.includes("incompatible") === true ? own : undefined;
  const end = Math.min(log.lines.length - 1, at + longest);
  let last = at;
  const signatures: string[] = [];
  const invoked: string[] = [];
  let isInvoked = false;
  let lacksHeader = false;
  // Logs that put a message into one line have its parts behind each other.
  const within = line0.slice(match[0].length).split(/(?= \d{1,2}\. [\w.]{0,80}\()|(?=Invoked with(?: types)?:)/).filter((one) => one.trim() !== "");
  const behind = Array.from({ length: end - at }, (_, by) => [textAt(log, at + 1 + by).replace(/^E\s*$/, ""), at + 1 + by] as const);
  for (const [line, next] of [...within.map((one) => [one, at] as const), ...behind]) {
    if (/^\s*(?:Traceback \(most|During handling of|The above exception|Exception raised|\w+(?:\.\w+)*(?:Error|Exception|Warning): )/.test(line)) break;
    if (/^Did you forget to `#include/.test(line)) lacksHeader = true;
    else if (/^\s*Invoked with(?: types)?:/.test(line)) isInvoked = true;
    if (isInvoked && !lacksHeader) {
      if (invoked.length > 0 && exception !== undefined && next > exception.last) break;
      // Behind the message a shell or another program goes on: its lines begin at the margin, those of values mostly do not.
      if (invoked.length > 0 && exception === undefined && /^[A-Za-z[]/.test(line) && isWhole(invoked.join("\n"))) break;
      invoked.push(line);
    } else if (!isInvoked && /^\s*\d+\. /.test(line)) signatures.push(line);
    else if (!isInvoked && line.trim() !== "" && !lacksHeader) break;
    if (line.trim() !== "") last = next;
  }
  const text = invoked.join("\n");
  const [positional = "", keywords = ""] = text.replace(/^\s*Invoked with(?: types)?:/, "").split(/;? ?kwargs: /);
  const given = isInvoked ? splitList(positional) : undefined;
  return {
    name: match.groups?.["name"] === "" ? "A function" : `${match.groups?.["name"] ?? ""}()`, isNanobind: /^\s*Invoked with types:/.test(text), signatures,
    overloads: signatures.flatMap((one) => parseOverload(one) ?? []),
    given, named: splitList(keywords)?.map((one) => /^\w+/.exec(one)?.[0] ?? "") ?? [], lacksHeader, last,
  };
}

function isWhole(text: string): boolean {
  return splitList(text.replace(/^\s*Invoked with(?: types)?:/, "")) !== undefined;
}

/** "registry": of the class that is asked for, which this module's registry does not know; "foreign": an object for such a class. */
type Match = "registry" | "converter" | "count" | "other" | "foreign" | "alike" | "unknown";

/** A list or tuple for an ArrayRef of tensors, for which there is no converter. */
function isSequenceFor(type: string, argument: string): boolean {
  return /^(?:c10|at)::ArrayRef<(?:at|torch)::Tensor>$/.test(type) && /^(?:[[(]|list$|tuple$)/.test(argument);
}

/** How the arguments stand to one overload. */
function compare({ parameters, isOpen }: Overload, { given, named, isNanobind }: Call): Match {
  if (given === undefined) return "unknown";
  const required = parameters.filter((one) => !one.hasDefault && !named.includes(one.name)).length;
  if (given.length < required || (!isOpen && given.length + named.length > parameters.length)) return "count";
  const kinds = given.map((argument, index): Match => {
    const type = parameters[index]?.type;
    if (type === undefined) return "unknown";
    const isTensor = /^(?:at|torch)::Tensor\b/.test(type) && isOfClass("Tensor", argument);
    if (isTensor || isSequenceFor(type, argument)) return "converter";
    if (isNanobind ? lastName(type) === lastName(argument) && !isLiteral(argument) : isOfClass(type, argument)) return isCxxName(type) ? "registry" : "alike";
    if (isLiteral(argument)) return isCxxName(type) || /^[\w.]+\.\w+$/.test(type) ? "other" : type === argument ? "alike" : "unknown";
    return isCxxName(type) && (isNanobind || argument.startsWith("<") || type.includes("::")) ? "foreign" : "unknown";
  });
  if (kinds.includes("other")) return "other";
  if (kinds.includes("registry")) return "registry";
  if (kinds.includes("converter")) return "converter";
  if (kinds.includes("foreign")) return "foreign";
  return kinds.length > 0 && kinds.every((one) => one === "alike") ? "alike" : "unknown";
}

function explainCall(call: Call, knowledge: Knowledge): Explanation {
  if (call.signatures.length === 0) {
    return verdict("wrong-arguments", "possible", `${call.name} refused its arguments, and the text does not show them.`, ["A mistake of the call is the usual reason; where the arguments look right, two registries of pybind11 are."], {
      needs: ["The lines behind it: what is supported, and \"Invoked with\"."],
    });
  }
  const matches = call.overloads.map((one) => compare(one, call));
  const at = matches.indexOf("registry");
  const found = at >= 0 ? call.overloads[at] : undefined;
  if (found !== undefined) {
    const type = found.parameters.find((one, index) => isCxxName(one.type) && isOfClass(one.type, call.isNanobind ? `<${call.given?.[index] ?? ""} object at 0x0>` : call.given?.[index] ?? ""))?.type ?? "";
    return registriesDiffer(`${call.name} refused an argument that is what it asks for: a ${lastName(type)}.`, type, knowledge, "likely", [
      `The signature names ${type} by its C++ name, which is what ${call.isNanobind ? "nanobind" : "pybind11"} prints for a type that the module's own registry did not know; the argument is of that class, from the registry of another module.`,
    ], call.isNanobind);
  }
  const tensors = call.overloads[matches.indexOf("converter")]?.parameters.find(({ type }) => /^(?:c10|at)::ArrayRef<(?:at|torch)::Tensor>$/.test(type));
  if (tensors !== undefined) {
    return verdict("source-error", "likely", `${call.name} is bound with ${tensors.type} (at::TensorList), which nobody can convert from Python.`, [
      "torch's converters (torch/csrc/utils/pybind.h) know ArrayRef of numbers only, and pybind11 knows none: it looks for a registered class of that name, which there is none.",
      "The call is right, and it is no ABI conflict: another build of torch changes nothing.",
    ], { fixes: ["Take std::vector<at::Tensor> in the function that is bound (with <torch/extension.h>, which includes pybind11/stl.h), and hand it on as at::TensorList.", "Or register the function as an operator (TORCH_LIBRARY, Tensor[] in its schema)."], copy: "const std::vector<at::Tensor>&", needs: ["Whether what is passed is a list of tensors only."] });
  }
  if (matches.includes("converter")) {
    return verdict("source-error", "likely", `${call.name} takes an at::Tensor, and its file was compiled without torch's converter for it.`, [
      "The argument is a tensor. pybind11 converts tensors by a type caster of torch's header; where the bindings are compiled without it, it looks for a registered class at::Tensor, which there is none.",
      "It is no ABI conflict: another build of torch changes nothing.",
    ], { fixes: ["Include <torch/extension.h> (or <torch/csrc/utils/pybind.h>) in the source file that binds the function, and rebuild."], copy: "#include <torch/extension.h>", needs: ["What the source file includes that binds the function."] });
  }
  if (matches.includes("foreign")) {
    const type = call.overloads[matches.indexOf("foreign")]?.parameters.find((one) => isCxxName(one.type))?.type ?? "";
    return registriesDiffer(`${call.name} refused an object for ${type}, a class that its module's registry does not know.`, type, knowledge, "possible", [
      `${type} is printed by its C++ name: when the function was bound, no module that shares its registry had registered the class. Python shows the object under its own name, so the text does not tell whether it is one.`,
    ], call.isNanobind);
  }
  if (call.lacksHeader) {
    return verdict("source-error", "likely", `${call.name} takes a type for which its file was compiled without a converter.`, [
      "pybind11 itself guesses that a header is missing (<pybind11/stl.h>, complex.h, functional.h, chrono.h). It is no ABI conflict.",
    ], { fixes: ["Include <pybind11/stl.h> where the function is bound, and rebuild; or pass what the signature asks for."], needs: ["What the source file includes that binds the function."] });
  }
  if (matches.length > 0 && matches.every((one) => one === "alike")) {
    return registriesDiffer(`${call.name} refused arguments that look like what it asks for.`, "", knowledge, "possible", [
      "All arguments are of classes that the signature names. Either the classes were registered twice (two copies of the module in one process), or a value is not allowed here (None, an object that is used up).",
    ], call.isNanobind);
  }
  const unknown = matches.length === 0 || matches.every((one) => one === "unknown");
  const torchType = /(?:torch::jit|c10d|torch::autograd|torch::distributed)::\w+/.exec(call.signatures.join("\n"))?.[0];
  if (unknown && torchType !== undefined && call.given === undefined) {
    return registriesDiffer(`${call.name} refused its arguments; it takes ${torchType}, a class that torch registers with pybind11.`, torchType, knowledge, "possible", [
      "The text does not show what it was called with: a wrong argument would read the same.",
    ], call.isNanobind);
  }
  const isCount = matches.length > 0 && matches.every((one) => one === "count");
  const isCertain = isCount || matches.includes("other");
  return verdict("wrong-arguments", isCertain ? "certain" : "likely", `${call.name} was called with ${isCount ? "the wrong number of arguments" : "arguments that it does not take"}: a mistake of the call, not of the ABI.`, [
    `It takes ${call.signatures.length > 1 ? `one of ${call.signatures.length} lists, the first of which is` : ""} ${call.signatures[0]?.trim().replace(/^\d+\. /, "") ?? "other arguments"}${call.given === undefined ? "" : `, and got ${call.given.length === 0 ? "none" : shortened(call.given.join(", "))}`}.`.replace(/ {2,}/g, " "),
    "Where the Python code and the compiled module are of two versions of one package, its calls and its functions differ in just this way.",
  ], { fixes: ["Correct the call.", "If the call is the package's own: rebuild or reinstall the package, so that its Python code and its compiled module are of one version."], needs: isCertain ? [] : ["The signature beside the call: which argument differs."] });
}

function shortened(text: string): string {
  const flat = text.replace(/\s+/g, " ");
  return flat.length > 160 ? `${flat.slice(0, 160)}…` : flat;
}

/** Two registries of types in one process. */
export function registriesDiffer(headline: string, type: string, knowledge: Knowledge, confidence: "likely" | "possible", because: readonly string[], isNanobind = false, first: readonly string[] = []): Explanation {
  if (isNanobind) {
    return verdict("pybind11-internals", confidence, headline, [...because, "nanobind modules share types only where their ABI version, compiler's C++ library and domain (NB_DOMAIN) agree."], {
      fixes: [...first, "Build both modules with one version of nanobind (that of the library that registers the type) and the same NB_DOMAIN."],
      needs: ["The nanobind versions of both builds."],
    });
  }
  const torch = torchOf(knowledge);
  const key = knowledge.environment === undefined ? undefined : valueOf(knowledge.environment.body.facts, "pybind11-internals");
  const files = [...new Set(knowledge.clues.flatMap((one) => one.subject.file ?? []))];
  const fit = files.map((file) => knowledge.fitOf(file)).find((one) => one?.traits.some((trait) => trait.trait === "pybind11-internals"));
  const trait = fit?.traits.find((one) => one.trait === "pybind11-internals");
  const isOfTorch = /^(?:torch|c10|c10d|at)(?:::|\._C|\.)/.test(type);
  const own = trait?.agrees === false && fit !== undefined;
  return verdict("pybind11-internals", own ? "certain" : confidence, headline, [
    ...because,
    own ? `${fit.file} has the key ${trait.built}, torch has ${trait.installed}: ${trait.because}` : `pybind11 modules share types only when they carry the same internals key (pybind11's internals version, the C++ library, and before 3.0 the compiler's ABI number).`,
    trait?.agrees === true ? `The keys of ${fit?.file ?? "the file"} and torch agree (${trait.built}), so the class may never have been registered: is the module imported that registers it?` : undefined,
    key === undefined || own ? undefined : `torch ${torch ?? ""} has the key ${key}.`,
    isOfTorch ? "Tensors are not affected, which is why the module loads and most of its functions work." : undefined,
  ], {
    fixes: isOfTorch || own
      ? [
          "Compile the extension with the pybind11 headers that lie in torch/include (first on the include path, no pybind11 of pip, a submodule or the system), against the torch that runs.",
          "With torch 2.8 and older also pass torch's own PYBIND11_BUILD_ABI and -fabi-version (torch.utils.cpp_extension does); with 2.9 and newer remove hard-coded copies of them.",
        ]
      : [...first, "Build both modules with one pybind11: that of torch/include where one of them exchanges classes with torch."],
    needs: own ? [] : [isOfTorch ? "The keys of the extension's file and of torch: abiding fits FILE --against ENV" : "The keys of both modules' files: abiding inspect FILE"],
    ...(own ? { fit } : {}),
  });
}
