/** Names that Python does not find: modules, attributes, and what NumPy says of its own ABI. */
import { exceptionAt } from "../exceptionAt.ts";
import { clueOf, textAt, verdict } from "../reading.ts";
import type { Said } from "../reading.ts";
import type { Explanation, Knowledge } from "../types.ts";
import { recogniserOf } from "./sayings.ts";
import type { Saying } from "./sayings.ts";
import { torchOf } from "./torchBuilds.ts";
import names from "../../../../../data/torch-python-names.json" with { type: "json" };

/** Of the exception that the line belongs to, the file whose line asked. */
function asker({ log, at }: Said): string | undefined {
  const own = exceptionAt(log, at);
  return own?.frames.findLast((frame) => !/^<|importlib/.test(frame.file))?.file;
}

/** The distribution that a path lies in. */
function packageOf(path: string | undefined): string | undefined {
  const name = /(?:site|dist)-packages[\\/]([A-Za-z]\w*)/.exec(path ?? "")?.[1];
  return name === undefined || /^(?:torch|pip|setuptools|importlib)$/.test(name) ? undefined : name;
}

const noTorch: Saying = {
  pattern: /No module named ['"‘’]torch['"‘’](?!\w)/,
  read(said) {
    // While building, an isolated environment is what lacks it: others read that.
    if (isBuild(said)) return undefined;
    return clueOf(said, (knowledge) => verdict("module-missing", "certain", "The Python that ran has no torch.", [
      torchOf(knowledge) === undefined ? "Either torch is not installed, or another Python ran than the one it is installed for." : `${knowledge.environment?.body.name ?? "The environment"} has torch ${torchOf(knowledge) ?? ""}, so another Python ran.`,
      "It says nothing about versions or ABI.",
    ], {
      fixes: ["Run it with the Python of the environment (python -m pip show torch, with that very python), or install torch there."],
      needs: ["Which Python: python -c \"import sys; print(sys.executable)\""],
    }), { words: said.match[0], subject: { module: "torch" } });
  },
};

function isBuild({ log, at }: Said): boolean {
  const own = exceptionAt(log, at);
  const frames = own?.frames.map((frame) => frame.file).join("\n") ?? "";
  const around = log.lines.slice(Math.max(0, at - 60), at + 12).map((line) => line.text.slice(0, 300)).join("\n");
  return /setup\.py|build_meta|pip-build-env|overlay|build-env|_in_process|builds-v0|setuptools/.test(frames) || /pip-build-env|get_requires_for_build|Getting requirements to build|build_wheel|build_editable|prepare_metadata|subprocess-exited-with-error|Failed to build|Building wheel/.test(around);
}

/** Any other module, where nothing else failed. */
const noModule: Saying = {
  pattern: /ModuleNotFoundError: No module named ['"‘](?<module>[A-Za-z_][\w.]*)['"’](?!\w)/,
  read(said) {
    const module = said.match.groups?.["module"] ?? "";
    if (isBuild(said) || goesOn(said)) return undefined;
    return clueOf(said, () => verdict("module-missing", "possible", `Python finds no module named ${module}.`, [
      "Mostly it is not installed for the Python that ran.",
      "A compiled module that was built for another version of Python reads the same: Python does not see files whose suffix (.cpython-311-...so) is another's.",
    ], { needs: [`Whether it is installed for this Python: python -m pip list; and what lies in its folder: ls ${module.split(".").join("/")}*.so`] }), { words: said.match[0], weight: "consequence", subject: { module } });
  },
};

/** Who looked for the module says above the traceback that it works without: "A matching Triton is not available, some optimizations will not be enabled". */
function goesOn({ log, at }: Said): boolean {
  const own = exceptionAt(log, at);
  return own !== undefined && /\bsome (?:optimizations|features) will (?:not be|be) (?:enabled|available|disabled)/.test(textAt(log, own.first - 1));
}

const nativeModule: Saying = {
  pattern: /No module named ['"‘](?<module>(?<package>[A-Za-z]\w{0,80})(?:\.\w{1,80}){0,6}\.(?:_C|_ext|_cuda|_kernels?|_lib|_backend|\w{0,80}_(?:cuda|cpp|C|ext|kernels?|ops)))['"’]|No module named ['"‘](?<top>\w{1,80}_(?:cuda|cpp|C|ext))['"’]|cannot import name ['"‘](?<name>_C|_ext|\w{1,80}_(?:cuda|cpp))['"’] from (?:partially initialized module )?['"‘](?<from>[A-Za-z]\w*)[\w.]*['"’]/,
  read(said) {
    const { module, package: owner, top, name, from } = said.match.groups ?? {};
    const whole = module ?? top ?? `${from ?? ""}.${name ?? ""}`;
    const root = owner ?? from ?? top ?? "";
    if (root === "torch") return torchOwn(said);
    const inSource = asker(said);
    const isFromSource = inSource !== undefined && !/(?:site|dist)-packages/.test(inSource) && new RegExp(`[\\\\/]${root}[\\\\/]`).test(inSource);
    return clueOf(said, (knowledge) => verdict("extension-not-loaded", isFromSource ? "likely" : "possible", `${whole}, the compiled module of ${root}, is not where Python looks.`, [
      isFromSource ? `${inSource} lies in a source folder: Python found the sources of ${root} before the installed package, and they hold no compiled module.` : undefined,
      "Python finds only files whose suffix is its own: a module that was built for another version of Python is there and is not seen. Or it was never built (a build without CUDA, an editable install that was not built again, the source folder as working directory).",
      "It is no ABI error of torch: nothing was loaded.",
    ], {
      fixes: [
        ...(isFromSource ? ["Run it from another folder than the source folder, or install it there in place (pip install --no-build-isolation -e .)."] : []),
        `Build or install ${root} with the Python that runs it.`,
      ],
      needs: [`The files beside it: ls the package's folder for ${whole.split(".").at(-1) ?? whole}.*.so; and the suffix: python -c "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"`, ...(knowledge.environment === undefined ? [] : [`abiding check --against ${knowledge.environment.body.name}`])],
    }), { words: said.match[0], subject: { module: whole, package: root } });
  },
};

function torchOwn(said: Said): ReturnType<Saying["read"]> {
  return clueOf(said, () => verdict("extension-not-loaded", "likely", "torch itself has no compiled part where Python looks.", [
    "A folder named torch (a checkout of its sources, or the working directory) is found before the installed torch, or torch was installed for another Python.",
  ], { fixes: ["Run it from another folder, and see what is imported: python -c \"import torch; print(torch.__file__)\" elsewhere.", "Install torch with the Python that runs it."], needs: ['Which one is found: python -c "import sys; print(sys.path)", and where a folder named torch lies'] }), { words: said.match[0], subject: { module: "torch._C" } });
}

/** Python-level skew: a package asks torch for a name that this torch does not have. */
const torchName: Saying = {
  pattern: /cannot import name ['"‘](?<name>\w+)['"’] from (?:partially initialized module )?['"‘](?<module>torch(?:\.\w+)*)['"’]|(?:partially initialized )?module ['"‘](?<module2>torch(?:\.\w+)*)['"’] has no attribute ['"‘](?<name2>\w+)['"’]|No module named ['"‘](?<module3>torch(?:\.\w+)+)['"’]|type object ['"‘](?<type>torch\.\w+(?:\.\w+)*)['"’] has no attribute ['"‘](?<name3>\w+)['"’]|['"‘](?<module4>torch\._C)['"’] has no attribute ['"‘]?(?<name4>\w+)/,
  read(said) {
    const { name, module, module2, name2, module3, module4, name4, type, name3 } = said.match.groups ?? {};
    const where = module ?? module2 ?? module3 ?? module4 ?? type ?? "torch";
    const what = name ?? name2 ?? name4 ?? name3;
    const isPartial = said.match[0].includes("partially initialized") || /partially initialized module|circular import/.test(said.text);
    if (isBuild(said) && what === undefined) return undefined;
    const file = asker(said);
    const by = packageOf(file);
    return clueOf(said, (knowledge) => explainName(where, what, by, file, isPartial, knowledge), { words: said.match[0], subject: { module: where, ...(what === undefined ? {} : { symbol: `${where}.${what}` }), ...(by === undefined ? {} : { package: by }) } });
  },
};

function explainName(where: string, what: string | undefined, by: string | undefined, file: string | undefined, isPartial: boolean, knowledge: Knowledge): Explanation {
  const whole = what === undefined ? where : `${where}.${what}`;
  const torch = torchOf(knowledge);
  const isShadowed = file !== undefined && /(?:^|[\\/])torch\.py$/.test(file);
  if (isPartial || isShadowed) {
    return verdict("module-missing", "likely", "torch was asked for a name before it was there: a file or folder named torch stands before it, or imports go in a circle.", [
      "\"partially initialized\" means that the module was still being imported. A script named torch.py, a folder torch in the working directory, or a broken installation does that; versions do not.",
    ], { fixes: ["Rename the script or folder named torch, and remove its __pycache__.", "Else see the first error in the import."], needs: ['Which torch: python -c "import torch; print(torch.__file__)" from another folder'] });
  }
  const known = names.names.find((one) => one.name === whole || one.name === where);
  const who = by ?? "the code that asked";
  const isAbi = what === "_PYBIND11_BUILD_ABI" || what === "_PYBIND11_COMPILER_TYPE" || what === "_PYBIND11_STDLIB";
  return verdict("torch-requirement", by === undefined ? "possible" : "likely", `${torch === undefined ? "The torch that ran" : `torch ${torch}`} has no ${whole}, which ${who} asks for.`, [
    known === undefined ? undefined : `${known.name} ${known.since === undefined ? `is gone since torch ${known.removed ?? ""}` : `came with torch ${known.since}`}${known.why === undefined ? "" : `: ${known.why}`}.`,
    by === undefined ? "The name is not misspelt? Then the code was written for another version of torch." : `${by} was written for a torch of another version: names of torch come and go between releases.`,
    "This is skew of Python code, not of the C++ ABI: recompiling does not help.",
  ], {
    fixes: isAbi
      ? ["Take the flag out where torch does not have the name: with torch 2.9 and newer none is needed."]
      : [`Install the release of ${by ?? "the package"} that supports this torch, or the torch that it asks for (pip show, its metadata).`],
    needs: [...(torch === undefined ? ["Which torch: pip show torch"] : []), ...(by === undefined ? ["Who asks: the last lines of the traceback that name a file"] : [`Which torch ${by} asks for: pip show ${by}`])],
  });
}

/** torch/_tensor.py and the array API's `__dlpack__(*, stream, max_version, dl_device, copy)`. */
const dlpack: Saying = {
  pattern: /(?:(?<![\w.])(?<of>[\w.]{1,120})\.)?__dlpack__\(\) got an unexpected keyword argument ['"‘](?<key>\w+)['"’]|Unsupported DLPack (?:major )?version|DLPack version mismatch|BufferError: (?:DLPack|Cannot export)[^\n]{0,80}(?:version|readonly|read-only)/,
  read(said) {
    const { of, key } = said.match.groups ?? {};
    if (key !== undefined && !/^(?:max_version|dl_device|copy|stream)$/.test(key)) return undefined;
    return clueOf(said, () => verdict("dlpack-version", key === undefined ? "likely" : "certain", key === undefined ? "Two libraries exchange an array by DLPack and speak different versions of it." : `${of === undefined ? "The array" : of} comes from a library that is older than what asks for it: its __dlpack__ does not know "${key}".`, [
      key === undefined ? undefined : `The keyword "${key}" came with DLPack 1.0 (array API 2023.12); older producers do not have it.`,
      "DLPack is a protocol of its own: no ABI of torch's C++ is concerned.",
    ], { fixes: ["Call __dlpack__() again without the keyword where TypeError is raised, as the array API asks consumers to do.", "Or update the library that owns the array."], needs: key === undefined ? ["The versions of both libraries."] : [] }));
  },
};

/** NumPy's own ABI: numpy/_core/src/multiarray, numpy/core/include/numpy/__multiarray_api.h; Cython's check of sizes. */
const numpy: Saying = {
  pattern: /A module that was compiled using NumPy 1\.x cannot be run in|numpy\.\w+ size changed, may indicate binary incompatibility(?:\. Expected (?<wants>\d+) from C header, got (?<has>\d+))?|_ARRAY_API not found|module compiled against (?:ABI|API) version (?<built>0x[0-9a-f]+|\d+) but this version of numpy is (?<runs>0x[0-9a-f]+|\d+)|numpy\.core\.multiarray failed to import/,
  read(said) {
    const { wants, has, built, runs } = said.match.groups ?? {};
    const isTorch = /tensor_numpy\.cpp/.test(`${said.text}\n${textAt(said.log, said.at + 1)}`);
    const isAfter = /^A module|_ARRAY_API/.test(said.match[0]);
    // Structures and ABI numbers only ever grew.
    const isNewer = Number(wants ?? built) > Number(has ?? runs);
    return clueOf(said, () => verdict("numpy-abi", "certain", `A module was compiled for ${isNewer ? "a newer" : "an older"} NumPy than the one that is installed: NumPy's ABI, not torch's.`, [
      isNewer ? "What was compiled with a newer NumPy checks that the installed one has all that it uses, and this one has not." : "NumPy 2 changed its C ABI: modules that were compiled with NumPy 1 do not run with it, while those compiled with 2 run with both.",
      isTorch ? "It is torch that was built for NumPy 1 (2.2 and older): it goes on, but its conversions to and from NumPy fail." : "The traceback names the module that was compiled; torch and the C++ ABI are innocent.",
    ], {
      fixes: isNewer
        ? ["Install a newer NumPy, or a release of that module for the NumPy that is there."]
        : [isTorch ? "Install numpy<2 beside this torch, or torch 2.3 or newer." : "Install a release of that module that was built with NumPy 2, or rebuild it; until then numpy<2."],
      copy: isNewer ? "pip install --upgrade numpy" : 'pip install "numpy<2"',
    }), { words: said.match[0], weight: said.match[0].endsWith("failed to import") ? "consequence" : isTorch || isAfter ? "warning" : "cause", subject: { package: "numpy" } });
  },
};

/** torch/headeronly/macros/Macros.h: STD_TORCH_CHECK prints "function, file:line, words". */
const stableCheck: Saying = {
  pattern: /RuntimeError: (?<function>\w[\w:]{0,200}), (?<file>[^\s,][^,]{0,300}\.(?:cpp|cc|cu|h|cuh|cxx|hpp)):(?<line>\d+), (?<words>.{1,400})/,
  read(said) {
    const { function: name = "", words = "", file = "", line = "" } = said.match.groups ?? {};
    return clueOf(said, () => verdict("wrong-arguments", "likely", `${name} checked what it was given and refused it: ${words}`, [
      "The extension itself wrote this check (STD_TORCH_CHECK); the library is loaded and its operator was found. It is no ABI conflict.",
    ], { fixes: ["Give it what it asks for: shape, dtype, device, contiguity."], needs: [`The check in the source: ${file}:${line}`] }), { subject: { symbol: name } });
  },
};

export const namesRecogniser = recogniserOf(
  /No module named ['"‘]|cannot import name|has no attribute ['"‘]|__dlpack__\(\) got|DLPack|compiled using NumPy|size changed, may indicate|_ARRAY_API|numpy is (?:0x|\d)|multiarray failed|RuntimeError: \w[\w:]*, [^\s,]/,
  [noTorch, nativeModule, torchName, noModule, dlpack, numpy, stableCheck],
);
