/** What pybind11 and nanobind say when a module registers its types (pybind11.h, `generic_type::initialize`; cast.h; nb_type.cpp). */
import { clueOf, textAt, verdict } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import type { Saying } from "../sayings.ts";
import { registriesDiffer } from "./arguments.ts";

export const alreadyRegistered: Saying = {
  pattern: /generic_type: type "(?<type>[^"]{1,300})" is already registered!|"(?<native>[^"]{1,300})" is already registered as a pybind11::native_enum!|nanobind: type '(?<nano>[^']{1,300})' was already registered!/,
  read(said) {
    const { type: classic, native, nano } = said.match.groups ?? {};
    const type = classic ?? native ?? nano ?? "";
    if (nano !== undefined) {
      return clueOf(said, () => verdict("type-registered-twice", "certain", `The C++ type "${type}" was registered with nanobind twice, and the first registration counts.`, [
        "It is a warning: nanobind goes on with the class that was registered first. Two modules bind the same type, or two copies of one were loaded; no ABI conflict.",
      ], { fixes: ["Register it in one module and import that one from the other, or give one module its own NB_DOMAIN."] }), { words: said.match[0], subject: { symbol: type }, weight: "warning" });
    }
    return clueOf(said, () => verdict("type-registered-twice", "likely", `The C++ type "${type}" was registered with pybind11 twice.`, [
      "pybind11 keeps one registry for all modules of a process whose internals keys agree, and a type may stand in it once. This is the opposite of an ABI conflict: the two modules do see each other.",
      "Either two modules bind the same C++ type, or two copies of one module were loaded (an installed one and one built in place, or one module under two names).",
      "From torch 2.9 on the key no longer holds the compiler's ABI number, so modules share one registry that did not before: the error can begin with an update of torch.",
    ], {
      fixes: [
        "Bind it with py::module_local() in the module that does not hand it to others.",
        "Or register it in one module and import that one from the other; and load only one copy of the module.",
      ],
      needs: ["Which two modules bind it, and whether one of them is there twice: python -v lists what is imported."],
      copy: `py::class_<${/^[\w:<>, ]+$/.test(type) ? type : "T"}>(m, "${type.replace(/^.*::/, "")}", py::module_local())`,
    }), { words: said.match[0], subject: { symbol: type } });
  },
};

/** nanobind's report at the end of a process (nb_internals.cpp). */
export const leaks: Saying = {
  pattern: /nanobind: leaked (?<count>\d+) (?<what>instances|types|functions|keep_alive records)!/,
  read(said) {
    const { count = "", what = "" } = said.match.groups ?? {};
    return clueOf(said, () => verdict("harmless", "certain", `nanobind counts ${count} ${what} that were still alive when Python ended.`, [
      "It is a report at the end and fails nothing: something held a reference (a cycle, a module's global). Versions and ABI have nothing to do with it.",
    ]), { words: said.match[0], weight: "warning" });
  },
};

export const nameTaken: Saying = {
  pattern: /(?:generic_type: )?cannot initialize type "(?<type>[^"]{1,300})": an object with that name is already defined/,
  read(said) {
    const type = said.match.groups?.["type"] ?? "";
    return clueOf(said, () => verdict("type-registered-twice", "certain", `The module already has something named "${type}" when it registers the type.`, [
      "The name is taken within one module (py::class_ or py::enum_ of that name twice, or a function of the same name), or the module's initialisation ran twice. Versions and ABI have nothing to do with it.",
    ], { fixes: ["Give the two different names, or remove one; register each type once."] }), { words: said.match[0], subject: { symbol: type } });
  },
};

export const unknownBase: Saying = {
  pattern: /generic_type: type "(?<type>[^"]{1,300})" referenced unknown base type "(?<base>[^"]{1,300})"|nb_type_new\("(?<nbType>[^"]{1,300})"\): base type "(?<nbBase>[^"]{1,300})" not known to nanobind/,
  read(said) {
    const { type, base, nbType, nbBase } = said.match.groups ?? {};
    const [of, from] = [type ?? nbType ?? "", base ?? nbBase ?? ""];
    return clueOf(said, (knowledge) => notRegistered(`"${of}" derives from "${from}", which is not registered where this module looks.`, from, knowledge, nbBase !== undefined), { words: said.match[0], subject: { symbol: from } });
  },
};

export const defaultArgument: Saying = {
  pattern: /arg\(\): could not convert default argument (?:'(?<name>[^':]{0,80}): (?<type>[^']{1,300})' in (?:function|method) '(?<of>[^']{0,200})' )?into a Python object \(type not registered yet\?\)/,
  read(said) {
    const { type, of } = said.match.groups ?? {};
    return clueOf(said, (knowledge) => notRegistered(`A default value${of === undefined ? "" : ` of ${of}()`} is of a type that is not registered${type === undefined ? "" : `: ${type}`}.`, type ?? "", knowledge), { words: said.match[0], subject: type === undefined ? {} : { symbol: type } });
  },
};

export const returnValue: Saying = {
  pattern: /Unable to convert function return value to a Python type! The signature was/,
  read(said) {
    const signature = (textAt(said.log, said.at + 1).trim() || textAt(said.log, said.at + 2).trim()).slice(0, 600);
    const type = /-> ?(.{1,300})$/.exec(signature)?.[1];
    return clueOf(said, (knowledge) => {
      // Holders and containers: the class within is what is not known.
      const within = /(?:torch::jit|torch::autograd|c10d)::\w+/.exec(type ?? "")?.[0];
      if (within !== undefined) return notRegistered(`A function returned a class of torch that is not registered where its module looks: ${within}.`, within, knowledge, false);
      if (type !== undefined && /^(?:at|torch)::Tensor\b/.test(type)) {
        return verdict("source-error", "likely", "A function returns an at::Tensor, and its file was compiled without torch's converter for it.", ["It is no ABI conflict: the header with torch's type caster was not included where the function is bound."], {
          needs: ["What the source file includes that binds it."],
          fixes: ["Include <torch/extension.h> in the source file that binds the function, and rebuild."], copy: "#include <torch/extension.h>",
        });
      }
      if (type !== undefined && /\bstd::/.test(type)) {
        return verdict("source-error", "likely", `A function returns ${type}, and its file was compiled without pybind11's converter for it.`, ["It is no ABI conflict: a header with the converter was not included where the function is bound."], {
          needs: ["What the source file includes that binds it."],
          fixes: ["Include <pybind11/stl.h> (or complex.h, functional.h, chrono.h) in the source file that binds the function, and rebuild."], copy: "#include <pybind11/stl.h>",
        });
      }
      return notRegistered(`A function returned a value of a type that is not registered where its module looks${type === undefined ? "" : `: ${type}`}.`, type ?? "", knowledge, /^\w+\(/.test(signature));
    }, { last: type === undefined ? said.at : said.at + (textAt(said.log, said.at + 1).trim() === "" ? 2 : 1), words: type === undefined ? said.match[0] : `${said.match[0]} ${signature}` });
  },
};

/** A type that the registry lacks: nobody registered it yet, or somebody did in another registry. */
function notRegistered(headline: string, type: string, knowledge: Knowledge, isNanobind = false): Explanation {
  const isOfTorch = /^(?:torch|c10|c10d|at)::|^torch\./.test(type);
  return registriesDiffer(headline, type, knowledge, isOfTorch ? "likely" : "possible", [
    isOfTorch
      ? "torch registers that class when it is imported: either torch was not imported before the module, or the module's pybind11 keeps another registry than torch's."
      : "Either no py::class_ for it has run yet (its module must be imported first, or its binding stands later in the file), or it was registered by a module with another internals key.",
  ], isNanobind, isOfTorch ? [] : ["Import the module that registers it first, or move its py::class_ before what uses it."]);
}
