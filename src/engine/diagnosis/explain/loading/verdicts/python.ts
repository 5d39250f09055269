import { valueOf } from "../../../../model/index.ts";
import { baseName } from "../../orderMatters.ts";
import { verdict } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";

/** A module that says itself that it was compiled for another Python: pybind11 (detail/common.h, PYBIND11_CHECK_PYTHON_VERSION). */
export function explainPythonVersions(built: string, running: string): Explanation {
  return verdict("python-abi", "certain", `The module was compiled for Python ${built}, and Python ${running} imports it.`, ["The module compares the two itself and refuses. It was loaded by its path, or its name has no version in it."], {
    fixes: [`Build it again with Python ${running}, or run it with Python ${built}.`, "Keep the suffix that the build gives the file (cpython-311-...): another Python then does not see it at all."],
  });
}

/** A file that was imported under a name that its source does not define. */
export function explainMissingInit(name: string): Explanation {
  return verdict("module-name", "certain", `The file is no module of the name ${name}: it does not define PyInit_${name}.`, ["Python calls PyInit_ followed by the last part of the module's name, which is the name of the file up to its first dot.", "The file was renamed, the name in PYBIND11_MODULE (or NB_MODULE, PyInit_) is another one, or it is no Python module but a library of operators."], {
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
  return verdict("python-abi", "certain", `The module was built for Python ${built}, and another Python imports it.`, [`It loads python${built.replace(".", "")}.dll; a process has one Python only.`], {
    fixes: ["Install the build for the Python that runs, or build it again with that Python, in a fresh build folder."],
  });
}

/** A file of the module is there, under the suffix of another Python. */
export function explainNotImported(module: string, file: string, built: string, { environment }: Knowledge): Explanation {
  const theirs = environment === undefined ? undefined : valueOf(environment.body.facts, "python-version");
  const differs = theirs !== undefined && !theirs.startsWith(`${built}.`) && theirs !== built;
  return verdict("python-abi", differs ? "certain" : "likely", `${baseName(file)} is ${module} for Python ${built}, and ${theirs === undefined ? "another Python" : `Python ${theirs}`} does not see it.`, ["Python looks for extension modules by its own suffix only; a file for another version is to it as if it were not there.", "Nothing is missing in torch, and no symbol disagrees."], {
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
  return verdict("wheel-tag", "certain", isOther ? `The wheel is for Python ${wanted}, and this is Python ${theirs}.` : "The wheel is for another Python, ABI or platform than this one.", [`Its tags are ${tags === null ? "in its name" : `${python ?? tags[1]}, ${tags[2]} and ${tags[3]}`}; pip takes a wheel only where it has all three.`, "A manylinux tag above the system's glibc, musl instead of glibc, and a free-threaded Python (cp313t) are refused in the same way."], {
    fixes: ["Take the wheel for this Python and platform.", "Do not rename it: the tags say what its files need."],
    needs: isOther ? [] : ["The tags that fit here: `python -m pip debug --verbose`."],
  });
}
