import { valueOf } from "../../../../model/index.ts";
import { sinceInStableAbi } from "../../../../binaries/wheel/stableAbi.ts";
import type { SymbolError } from "../../symbols/index.ts";
import { fileName, inside } from "../../symbols/words.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import { baseName, explanation } from "../words.ts";

/** Functions that headers of CPython have as macros only: a compiler that was not told so calls them as functions. */
const macro = /^_?Py[A-Za-z]*_[A-Z][A-Z_]+$/;

/** A name of CPython that nobody provides. */
export function explainPythonSymbol(error: SymbolError, { environment }: Knowledge): Explanation {
  const { symbol, file, when } = error;
  const who = fileName(file);
  const symbols = [{ symbol, demangled: symbol }];
  const since = sinceInStableAbi(symbol);
  if (when === "link") {
    return explanation("library-not-linked", "likely", `The link takes ${symbol} from CPython, and no library of Python is on the link line.`, {
      because: ["An extension module leaves CPython's names to the interpreter that imports it; a program that embeds Python, and a library that is linked with -Wl,--no-undefined (or on Windows and macOS), has to find them."],
      fixes: ["Make it a module: in CMake Python3_add_library(name MODULE ...) or pybind11_add_module, without -Wl,--no-undefined (macOS: -undefined dynamic_lookup).", "For a program that embeds Python link Python3::Python."],
      symbols,
    });
  }
  const theirs = environment === undefined ? undefined : valueOf(environment.body.facts, "python-version");
  const inPython = theirs === undefined ? "the Python that imports it" : `Python ${theirs}`;
  const isLimited = file !== undefined && /\.abi3t?\.(?:so|pyd)$/.test(file);
  if (isLimited && since === undefined) {
    return explanation("python-abi", "certain", `${who} is named for every Python 3 and is not: it uses ${symbol}, which is not part of the limited API.`, {
      because: [
        ".abi3.so promises that only CPython's stable ABI is used.",
        macro.test(symbol) ? `${symbol} is a macro of the full API: the compiler had not seen its declaration, took it for a function and only warned.` : `${symbol} exists in some versions of CPython and not in ${inPython}.`,
      ],
      fixes: [`Compile with Py_LIMITED_API defined and with -Werror=implicit-function-declaration, and replace ${symbol} by a function of the limited API.`, "Or build it for each Python, without py_limited_api; pybind11 and torch/extension.h need that anyway."],
      symbols,
    });
  }
  if (since === "3.2") {
    return explanation("python-abi", "likely", `${who} was loaded where there is no Python: ${symbol} is exported by every CPython 3.`, {
      because: ["The file is a Python module (or links libtorch_python), and the process that loads it is no Python, or is one that keeps CPython's names to itself."],
      fixes: ["Load it from Python, or keep the part that needs Python out of a library for programs (link libtorch without torch_python).", "A program that embeds Python must link libpython with -Wl,-export-dynamic, or load it with RTLD_GLOBAL."],
      symbols,
    });
  }
  return explanation("python-abi", since === undefined ? "likely" : "certain", `${who} was built for another Python: ${inPython} does not have ${symbol}.`, {
    because: [
      since !== undefined ? `${symbol} is part of CPython's stable ABI from ${since} on: the Python that imports it is older.` : symbol.startsWith("_") ? `${symbol} is a private name of CPython, which comes and goes with its versions.` : macro.test(symbol) ? `${symbol} is a macro in CPython's headers; the compiler took it for a function.` : `${symbol} is a name of CPython that this one does not export.`,
      "This is no matter of torch's version.",
    ],
    fixes: [`Install the build of ${inside(who)} for ${inPython}, or build it again with that Python (in a fresh build folder).`],
    needs: since === undefined ? ["Which Python it was built for: its name (cp311, cpython-311), and which imports it: `python -VV`."] : [],
    symbols,
  });
}

/** A module that says itself that it was compiled for another Python: pybind11 (detail/common.h, PYBIND11_CHECK_PYTHON_VERSION). */
export function explainPythonVersions(built: string, running: string): Explanation {
  return explanation("python-abi", "certain", `The module was compiled for Python ${built}, and Python ${running} imports it.`, {
    because: ["The module compares the two itself and refuses. It was loaded by its path, or its name has no version in it."],
    fixes: [`Build it again with Python ${running}, or run it with Python ${built}.`, "Keep the suffix that the build gives the file (cpython-311-...): another Python then does not see it at all."],
  });
}

/** A file that was imported under a name that its source does not define. */
export function explainMissingInit(name: string): Explanation {
  return explanation("module-name", "certain", `The file is no module of the name ${name}: it does not define PyInit_${name}.`, {
    because: ["Python calls PyInit_ followed by the last part of the module's name, which is the name of the file up to its first dot.", "The file was renamed, the name in PYBIND11_MODULE (or NB_MODULE, PyInit_) is another one, or it is no Python module but a library of operators."],
    fixes: ["Name both alike: PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) takes the name from the build.", "A library that only registers operators (TORCH_LIBRARY) is loaded with torch.ops.load_library(path)."],
  });
}

/** "ops" of "pkg/ops.cpython-310-x86_64-linux-gnu.so", with what its suffix promises. */
export function suffixOf(file: string): { readonly module: string; readonly python: string } | undefined {
  const match = /^(\w+)\.(?:cpython-(\d)(\d+)|cp(\d)(\d+)-win)/.exec(baseName(file));
  const major = match?.[2] ?? match?.[4];
  const minor = match?.[3] ?? match?.[5];
  return match?.[1] === undefined || major === undefined || minor === undefined ? undefined : { module: match[1], python: `${major}.${minor}` };
}

/** CPython for Windows refuses a module that loads another version's DLL (Python/dynload_win.c). */
export function explainOtherPythonDll(built: string): Explanation {
  return explanation("python-abi", "certain", `The module was built for Python ${built}, and another Python imports it.`, {
    because: [`It loads python${built.replace(".", "")}.dll; a process has one Python only.`],
    fixes: ["Install the build for the Python that runs, or build it again with that Python, in a fresh build folder."],
  });
}

/** A file of the module is there, under the suffix of another Python. */
export function explainNotImported(module: string, file: string, built: string, { environment }: Knowledge): Explanation {
  const theirs = environment === undefined ? undefined : valueOf(environment.body.facts, "python-version");
  const differs = theirs !== undefined && !theirs.startsWith(`${built}.`) && theirs !== built;
  return explanation("python-abi", differs ? "certain" : "likely", `${baseName(file)} is ${module} for Python ${built}, and ${theirs === undefined ? "another Python" : `Python ${theirs}`} does not see it.`, {
    because: ["Python looks for extension modules by its own suffix only; a file for another version is to it as if it were not there.", "Nothing is missing in torch, and no symbol disagrees."],
    fixes: [`Build or install it with the Python that imports it, or run Python ${built}.`, "Do not rename the file: the C API differs between versions."],
    needs: differs ? [] : ["Which Python imports it: `python -VV`; which suffix it looks for: `python -c 'import sysconfig; print(sysconfig.get_config_var(\"EXT_SUFFIX\"))'`."],
  });
}

/** pip does not take a wheel: one of its tags is none of the interpreter's. */
export function explainWheelTag(file: string, { environment }: Knowledge): Explanation {
  const tags = /-(?:cp|py)?([\w.]+)-([\w.]+)-([\w.]+)\.whl$/.exec(file);
  const python = /-(cp\d+)/.exec(file)?.[1];
  const theirs = environment === undefined ? undefined : valueOf(environment.body.facts, "python-version");
  const wanted = python === undefined ? undefined : `${python.charAt(2)}.${python.slice(3)}`;
  const isOther = theirs !== undefined && wanted !== undefined && tags?.[2] !== "abi3" && !theirs.startsWith(`${wanted}.`);
  return explanation("wheel-tag", "certain", isOther ? `The wheel is for Python ${wanted}, and this is Python ${theirs}.` : "The wheel is for another Python, ABI or platform than this one.", {
    because: [`Its tags are ${tags === null ? "in its name" : `${python ?? tags[1]}, ${tags[2]} and ${tags[3]}`}; pip takes a wheel only where it has all three.`, "A manylinux tag above the system's glibc, musl instead of glibc, and a free-threaded Python (cp313t) are refused in the same way."],
    fixes: ["Take the wheel for this Python and platform.", "Do not rename it: the tags say what its files need."],
    needs: isOther ? [] : ["The tags that fit here: `python -m pip debug --verbose`."],
  });
}
