import * as path from "node:path";
import { formerTorchLibrary, torchLibraryStem, type FormerTorchLibrary } from "../../../../catalogue/index.ts";
import { torchCudaMajor } from "../../../../fit/dependencies.ts";
import { torchName } from "../../../../fit/classify.ts";
import { stemOf } from "../../../../fit/torchProcess.ts";
import { fileName } from "../../symbols/words.ts";
import { baseName } from "../../orderMatters.ts";
import { verdict } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import type { LibraryError } from "./libraries.ts";

const importFirst = "Import torch before the module (first line of the package's __init__.py): its libraries are in the process then.";

/** A library of torch that is not found. `name` is spelled as on Linux. */
export function explainTorchLibrary(name: string, error: LibraryError, knowledge: Knowledge): Explanation {
  const stem = torchLibraryStem(name) ?? stemOf(name);
  if (error.when === "link") return atLink(error, knowledge);
  const version = /\.so\.([\d.]+)$/.exec(name)?.[1];
  const device = /(cuda|hip|xpu)/.exec(stem)?.[1];
  if (version !== undefined) return versioned(name, version, error);
  const former = formerTorchLibrary(stem);
  if (former !== undefined && knowledge.environment?.torchLibraries.some((one) => stemOf(one.path) === stem) !== true) return ofOldTorch(name, former, error, knowledge);
  return device === undefined ? notLoaded(name, error, knowledge) : ofDevice(name, stem, device, error, knowledge);
}

function atLink(error: LibraryError, { environment }: Knowledge): Explanation {
  const shown = baseName(error.library);
  const device = /cuda|hip|xpu/.exec(shown)?.[0];
  const isCpuOnly = device === "cuda" && environment !== undefined && torchCudaMajor(environment) === null;
  if (isCpuOnly) {
    return verdict("torch-cpu-only", "certain", `The build links ${shown}, and ${torchName(environment)} is built without CUDA and does not have it.`, ["The build was set up for a torch with CUDA."], {
      fixes: ["Build against a torch with CUDA (the wheel of the cu index that fits the toolkit), or build the extension without its CUDA parts."],
    });
  }
  return verdict("torch-library-missing", "certain", `The linker does not find ${shown} of torch.`, ["The folder of torch's libraries (torch/lib) is not among those that the linker searches.", ...(device === undefined ? [] : [`A torch without ${device === "hip" ? "ROCm" : device.toUpperCase()} has no such library at all.`])], {
    fixes: [
      "In CMake let find_package(Torch) say where torch is, with -DCMAKE_PREFIX_PATH=\"$(python -c 'import torch; print(torch.utils.cmake_prefix_path)')\", and link ${TORCH_LIBRARIES} rather than names of libraries.",
      "In setup.py use CppExtension or CUDAExtension with BuildExtension of torch.utils.cpp_extension, which add the folder.",
    ],
    needs: device === undefined ? [] : ["Whether the torch that one builds against has CUDA: `python -c 'import torch; print(torch.version.cuda)'`."],
  });
}

/** Debian and other distributions give libtorch a version in its soname; the wheels never do. */
function versioned(name: string, version: string, error: LibraryError): Explanation {
  const who = fileName(error.file);
  return verdict("torch-library-missing", "likely", `${who} was built against a distribution's libtorch ${version}, and ${name} is not found.`, [`Libraries of torch's wheels have no version in their names; ${name} is what a distribution's package calls it (Debian's libtorch-dev).`, "The compiler found that libtorch before the one that was meant."], {
    fixes: ["Build it again against the torch that will load it: give CMake that torch's path (-DCMAKE_PREFIX_PATH, or Torch_DIR), in a fresh build folder, and keep the distribution's libtorch-dev out of the way.", `Do not bring libtorch ${version} beside another torch: two copies in one process end it.`],
    needs: ["What it names: `readelf -d FILE | grep NEEDED`, and which libtorch its build found: Torch_DIR in CMakeCache.txt, or the -L and -I of its command lines."],
  });
}

function ofOldTorch(name: string, { stem, since, until }: FormerTorchLibrary, error: LibraryError, { environment }: Knowledge): Explanation {
  return verdict("torch-library-missing", environment === undefined ? "likely" : "certain", `${fileName(error.file)} was built for a much older torch: ${name} is no longer part of it.`, [`Official builds of torch ${since} to ${until} had ${name}; none since has it.`, ...(environment === undefined ? [] : [`${torchName(environment)} has no ${stem}.`])], {
    fixes: ["Build it against the torch that will load it, or install the torch that it was built for."],
    needs: environment === undefined ? ["Which torch is there: `pip show torch`."] : [],
  });
}

function ofDevice(name: string, stem: string, device: string, error: LibraryError, knowledge: Knowledge): Explanation {
  const { environment, clues } = knowledge;
  const who = fileName(error.file);
  const what = device === "hip" ? "ROCm" : device === "xpu" ? "Intel's XPU" : "CUDA";
  const has = environment?.torchLibraries.some((one) => stemOf(one.path) === stem);
  if (environment !== undefined && has === false && environment.torchLibraries.length > 0) {
    return verdict("torch-cpu-only", "certain", `${who} was built for a torch with ${what}, and ${torchName(environment)} has no ${name}.`, [`${name} is a part of torch's builds with ${what} only.`, "Neither an RPATH nor importing torch first can help: the library is not there."], {
      fixes: [device === "cuda" ? "Install a torch with CUDA of the version that the extension was built for, or build the extension against this torch without its CUDA parts." : `Install a torch for ${what}, or build the extension for this torch.`],
    });
  }
  if (has === true) return notLoaded(name, error, knowledge);
  const isAlone = !clues.some((one) => one.subject.library !== undefined && /libc10\.|libtorch(?:_cpu)?\./.test(one.subject.library));
  return verdict("torch-cpu-only", isAlone ? "likely" : "possible", `${who} was built for a torch with ${what}, and ${name} is not found: the torch that is installed is most likely built without ${what}.`, [`${name} is a part of torch's builds with ${what} only; where torch was imported first and has it, it is loaded already.`, ...(isAlone ? ["libc10.so, which is needed as well, was found: torch is there."] : [])], {
    fixes: [`Install a torch with ${what} of the version that the extension was built for, or build the extension against the torch that is installed.`, `If that torch has ${what}: import it before the module.`],
    needs: [device === "cuda" ? "What the torch was built with: `pip show torch`, and `python -c 'import torch; print(torch.__version__, torch.version.cuda)'`." : "What the torch was built with: `python -c 'import torch; print(torch.__version__, torch.version.hip)'`."],
  });
}

/** libc10.so itself is not found: nobody has loaded it before, and nothing says where it is. */
function notLoaded(name: string, error: LibraryError, { environment }: Knowledge): Explanation {
  const who = error.file === undefined ? "The extension" : fileName(error.file);
  const shown = error.system === "linux" ? name : baseName(error.library);
  const found = environment?.torchLibraries.find((one) => stemOf(one.path) === torchLibraryStem(name))?.path;
  // Of a release that only the catalogue knows there is no folder.
  const folder = found !== undefined && path.isAbsolute(found) ? path.dirname(found) : undefined;
  const place = folder ?? "torch/lib";
  if (error.isProgram === true) {
    return verdict("torch-library-missing", "certain", `The program needs ${shown} of libtorch and has no path to it.`, [`${shown} lies in ${folder ?? "the lib folder of libtorch or torch"}, where the loader does not look.`, "This is no ABI mismatch: the loader got as far as looking for libtorch."], {
      fixes: [`Link it with -Wl,-rpath,${place} (CMake: set BUILD_RPATH, and INSTALL_RPATH where it is installed, to "\${TORCH_INSTALL_PREFIX}/lib").`, `To try it: LD_LIBRARY_PATH=${place} in front of the command.`],
      copy: folder === undefined ? undefined : `LD_LIBRARY_PATH=${folder}`,
    });
  }
  return verdict("torch-library-missing", environment === undefined ? "likely" : "certain", `${who} was loaded before torch: ${shown} is a library of torch, and nothing says where it is.`, [
    `Extensions name ${shown} without a path and rely on import torch, which loads it into the process.`,
    ...(folder === undefined || environment === undefined ? [] : [`${torchName(environment)} has it in ${folder}.`]),
    "This is no ABI mismatch: the loader never came to comparing symbols.",
  ], {
    fixes: [importFirst, "If torch is not installed in this environment, install the one that the extension was built with.", `For a library that must load without Python, link with an RPATH that leads to ${place}.`],
    copy: error.system === "linux" ? "import torch  # before the extension" : undefined,
    needs: environment === undefined ? ["Whether torch is installed there and imported first: `pip show torch`."] : [],
  });
}
