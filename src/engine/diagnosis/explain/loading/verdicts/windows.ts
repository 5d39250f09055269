import { baseName } from "../../orderMatters.ts";
import { verdict } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";

/** Errors of loading a DLL (winerror.h): module not found, procedure not found, cannot run, bad format, initialisation failed. */
export type WindowsError = 126 | 127 | 182 | 193 | 1114;

export interface FailedDll {
  readonly module: string | undefined;
  readonly file: string | undefined;
}

const redistributable = "Install the newest Microsoft Visual C++ Redistributable (x64): torch's DLLs need it, and Python does not bring all of it.";

/** Modules of the standard library, Qt, pywin32, numpy, OpenCV, ONNX, GDAL, h5py and Pillow: torch has no part in them. */
const isOfOthers = /^(?:Qt[A-Z]\w*|_(?:ssl|sqlite3|ctypes|lzma|bz2|hashlib|socket|tkinter|imaging|multiarray_umath|gdal|geometry|cffi_backend)|win32\w+|pywintypes|pythoncom|cv2|onnx_cpp2py_export|onnxruntime_pybind11_state|_?h5\w*|pyexpat)$/;

/** What it means that Windows does not load a DLL or a module. */
export function explainWindowsError(error: WindowsError, failed: FailedDll, { environment }: Knowledge): Explanation {
  const who = failed.module ?? (failed.file === undefined ? "The module" : baseName(failed.file));
  const ofTorch = failed.file !== undefined && /[\\/]torch[\\/]lib[\\/]/i.test(failed.file);
  const torch = environment?.body.facts.find((one) => one.trait === "torch-version")?.value;
  const installed = typeof torch === "string" ? ` (${torch} is installed)` : "";
  switch (error) {
    case 127:
      if (ofTorch) return mixedTorch(who);
      return isOfOthers.test(failed.module?.split(".").at(-1) ?? "") ? procedureOfOthers(who) : verdict("torch-drift", "likely", `${who} was built for another torch, or another version of a DLL that it uses${installed}: a DLL that is found lacks a function that it needs.`, ["Windows found every DLL and misses a function in one of them, which it does not name. In extensions of torch that is nearly always a function of c10.dll, torch_cpu.dll or torch_python.dll whose signature changed between torch's minor releases.", "std::string has one ABI on Windows: _GLIBCXX_USE_CXX11_ABI has no part in it."], {
        fixes: ["Install the build of the package for the installed torch, or build it again against that torch.", "Or install the torch that it was built for."],
        needs: ["Which torch it was built for: the wheel's name or its metadata (pip show), beside `pip show torch`.", "Which function: open the .pyd in a viewer of dependencies (Dependencies, dumpbin /imports), with torch\\lib on PATH."],
      });
    case 126:
      return ofTorch ? withoutRedistributable(who) : verdict("library-missing", "likely", `${who} needs a DLL that Windows does not find, and does not name it.`, ["The file itself is there; one of those that it needs is not. Of an extension of torch: torch\\lib, which import torch adds to the search, a CUDA DLL of another major (cudart64_12.dll), or the Visual C++ run time.", "Python 3.8 and later do not search PATH for the DLLs of modules."], {
        fixes: ["Import torch before the module.", "Take the build for the CUDA of the installed torch.", redistributable, "For DLLs in a folder of their own call os.add_dll_directory(folder) before the import."],
        needs: ["Which DLL: `dumpbin /dependents FILE.pyd`, or a viewer of dependencies."],
      });
    case 193:
      return verdict("wrong-architecture", "certain", `${who} is for another kind of Windows than the process that loads it (32 or 64 bits, x64 or arm64), or is no DLL at all.`, ["Windows read the file's header and refused it.", "torch's version and its ABI have no part in it."], {
        fixes: ["Use a 64-bit Python, and packages for it; remove builds of another architecture from PATH.", "If the file is damaged or a pointer of Git LFS, install or build it again."],
      });
    case 1114:
    case 182:
      return verdict("library-too-old", "likely", `${who} was found and could not start: a run-time library that it needs is too old, or is there twice.`, ["Its start-up code failed. With torch's c10.dll that is most often a Visual C++ run time older than the one that torch was compiled with, found in the system or beside another program's Python."], {
        fixes: [redistributable, "Import torch before packages that bring their own OpenMP or run-time DLLs, and keep other copies of msvcp140.dll and libiomp5md.dll out of the environment's folder."],
        needs: ["Which copies are loaded: `where msvcp140.dll`, `where libiomp5md.dll`."],
      });
  }
}

function procedureOfOthers(who: string): Explanation {
  return verdict("library-too-old", "likely", `A DLL that ${who} needs was found in another version, which lacks a function.`, ["Windows found every DLL and misses a function in one of them, which it does not name.", "Another copy of it comes first, mostly from a folder on PATH, from conda's Library\\bin or from a second package. torch has no part in it."], {
    fixes: ["Install the package again in a fresh environment, from one channel.", "Take folders with other copies of its DLLs out of PATH."],
    needs: ["Which DLL: open the .pyd in a viewer of dependencies (Dependencies, dumpbin /imports)."],
  });
}

/** A DLL of torch itself, of which extensions know nothing. */
function mixedTorch(who: string): Explanation {
  return verdict("duplicate-libtorch", "likely", `torch itself does not load: ${who}, or a DLL that it needs, was found in another version, which lacks a function.`, ["It came up while torch's own DLLs were loaded: no extension is at fault.", "DLLs of two torches lie in torch\\lib (an installation over an older one, files of a package for another device), or a DLL of the same name comes first from elsewhere: CUDA's or cuDNN's in Windows\\System32, one of another program on PATH.", "Of torch_python.dll it may also be a Python that is older than the one torch was built with: a pre-release of its version."], {
    fixes: ["Uninstall torch until pip says that it is not installed, delete what is left of the folder torch in site-packages, and install it again; better, in a fresh environment.", "Take copies of CUDA's and cuDNN's DLLs out of System32 and out of other folders on PATH.", "With a pre-release of Python install its final release."],
    needs: ["Which DLL and which function: open the file in a viewer of dependencies (Dependencies, dumpbin /imports).", "Whether the folder torch\\lib has files of several dates, and `where` of the DLL that is named."],
  });
}

function withoutRedistributable(who: string): Explanation {
  return verdict("library-missing", "likely", `torch itself does not load: ${who} is there, and a DLL that it needs is not.`, ["No extension is at fault: it came up while torch's own DLLs were loaded.", "Missing are most often the Visual C++ run time (vcruntime140_1.dll, msvcp140.dll) or OpenMP's libomp140.x86_64.dll, which fbgemm.dll needs."], {
    fixes: [redistributable, "Install torch again in a fresh environment."],
    needs: ["Which DLL: open the file in a viewer of dependencies, or `dumpbin /dependents FILE`."],
  });
}
