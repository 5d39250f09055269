import { demangle } from "../../../../binaries/mangling/index.ts";
import { inside } from "../../symbols/words.ts";
import { baseName } from "../../orderMatters.ts";
import { verdict } from "../../reading.ts";
import type { Explanation } from "../../types.ts";

const notAbi = "This is no ABI mismatch.";

/** A library defines the symbol, came in through another library, and is not on the command line (ld: "DSO missing from command line"). */
export function explainLinkedLate(symbol: string, version: string | undefined, holder: string | undefined, file: string | undefined): Explanation {
  const library = holder === undefined ? undefined : baseName(holder);
  const flag = library === undefined ? undefined : `-l${library.replace(/^lib|\.so.*$/g, "")}`;
  const isCxx = library?.startsWith("libstdc++") === true;
  return verdict("library-not-linked", "certain", `${symbolShown(symbol)} is in ${library ?? "a library that others bring along"}, which the link does not name.`, [`${file === undefined ? "An object" : baseName(file)} uses it${version === undefined ? "" : ` (${version})`}, and the linker takes symbols only from libraries that are named, not from those that named ones need.`, notAbi], {
    fixes: [isCxx ? "Link with the C++ driver (g++ or c++) instead of gcc, ld or nvcc without a C++ host." : flag === undefined ? "Name the library that has it on the link line." : `Add ${flag} to the link (CMake: target_link_libraries).`],
    copy: isCxx ? undefined : flag,
    symbols: [{ symbol, demangled: demangle(symbol) ?? symbol }],
  });
}

/** A device function or variable that no object defines. `isWhole`: each file is compiled for itself, without a device link. */
export function explainDeviceSymbol(symbol: string, isWhole: boolean): Explanation {
  const demangled = demangle(symbol) ?? symbol;
  const runtime = /^cuda|^_Z\d*cuda/.test(symbol);
  return verdict("own-symbol", isWhole ? "likely" : "certain", `The GPU code calls \`${demangled.slice(0, 120)}\`, and no object that is linked for the device defines it.`, [
    isWhole ? "Without relocatable device code nvcc compiles each .cu file for itself: a __device__ function must be defined in the file that calls it." : "The device link sees only objects that were compiled with -rdc=true; a source is missing, was compiled without it, or a library for the device is.",
    "It is code of this build: torch exports no device functions, and its version has no part in it.",
  ], {
    fixes: [
      isWhole ? "Define the function in a header that the .cu file includes, or compile with -rdc=true (CMake: CUDA_SEPARABLE_COMPILATION ON; setup.py: dlink=True, with -rdc=true among nvcc's arguments)." : "Add the source that defines it to the same target, and compile all of them with -rdc=true.",
      ...(runtime ? ["Kernels that launch kernels need cudadevrt: link it (-lcudadevrt)."] : []),
    ],
    needs: isWhole ? ["Which source defines it, and whether nvcc is given -rdc=true or -dc for both."] : [],
    symbols: [{ symbol, demangled }],
  });
}

export function explainWrongFormat(file: string): Explanation {
  const who = baseName(file);
  return verdict("wrong-architecture", "certain", `${who} is for another processor or system than what is linked.`, ["The linker read its header and passed over it. Often the folder of another architecture is searched first, objects of an earlier build are left, or a compiler for another target links.", notAbi], {
    fixes: ["Give the linker the library for the architecture that is built (x86_64, arm64, 32 or 64 bits), or set the architecture of the build (CMAKE_OSX_ARCHITECTURES, ARCHFLAGS, -m64).", "Delete the build folder where objects of both are mixed."],
    needs: [`What it is: \`file ${file}\`.`],
  });
}

export function explainCorruptObject(file: string): Explanation {
  return verdict("corrupt-file", "likely", `${baseName(file)} is no object or library that the linker knows.`, ["It is empty, cut off, a pointer of Git LFS, or made for another system or by another compiler (an object with LTO code needs the same compiler again).", notAbi], {
    fixes: ["Delete it and build or install it again; after an interrupted build, the whole build folder."],
    needs: [`What it is: \`ls -l ${file}\`, \`file ${file}\`.`],
  });
}

export function explainNotPic(file: string | undefined, symbol: string | undefined): Explanation {
  const who = file === undefined ? "An object" : baseName(file);
  const isPython = /libpython\d/.test(who);
  return verdict("not-position-independent", "certain", `${who} was compiled without -fPIC and cannot become part of a shared library.`, [`Its code${symbol === undefined ? "" : ` addresses ${symbol} as only a program may`}; extensions are shared libraries, which are loaded at any address.`, notAbi], {
    fixes: isPython
      ? ["Do not link libpython into the module (CMake: Python3::Module instead of Python3::Python); a static libpython of this kind serves programs only."]
      : ["Compile it with -fPIC (CMake: POSITION_INDEPENDENT_CODE ON for that static or object library, or CMAKE_POSITION_INDEPENDENT_CODE for all; nvcc: -Xcompiler -fPIC).", "If it is a static library of somebody else, take its shared one, or build it again with -fPIC."],
    copy: isPython ? undefined : "set(CMAKE_POSITION_INDEPENDENT_CODE ON)",
  });
}

/** A name with "::" is a target of CMake; one that nobody defined goes to the linker as it is (cmake-policies(7), CMP0028). */
export function explainTargetName(name: string): Explanation {
  const isCuda = name.startsWith("CUDA::");
  const isNvtx = name === "CUDA::nvToolsExt";
  return verdict(isCuda ? "cuda-not-found" : "link-failed", "certain", `${name} is a target of CMake that nothing defined, and the linker was given its name as a library's.`, [
    isNvtx ? "torch's CMake files name it for the old NVTX library, which CUDA 12.9 and 13 no longer have." : isCuda ? "find_package(CUDAToolkit) defines such targets, each where it finds the library." : "find_package of the package that it is named after defines it.",
    notAbi,
  ], {
    fixes: [isNvtx ? "Configure with a toolkit of the version that torch was built with (torch.version.cuda), or take a newer torch." : `Call find_package(${isCuda ? "CUDAToolkit" : name.split("::")[0] ?? ""} REQUIRED) before the target is linked, in a fresh build folder.`],
  });
}

/** find_library and its like leave NAME-NOTFOUND in a variable when they find nothing (cmake-commands(7), find_library). */
export function explainNotFoundVariable(name: string): Explanation {
  const variable = name.replace(/-NOTFOUND$/, "");
  return verdict("library-missing", "certain", `CMake looked for the library in ${variable}, found nothing, and the build linked the word that says so.`, [`${name} is what find_library leaves in its variable when it finds nothing; the configuration did not stop at it.`, notAbi], {
    fixes: [`Say where the library is (cmake -D${variable}=/path/to/the/library), in a fresh build folder or after cmake -U${variable}.`, "In the project, put REQUIRED behind find_library (CMake 3.18): the configuration stops then."],
  });
}

export function explainTooFar(): Explanation {
  return verdict("link-failed", "likely", "The library has become larger than its code can address: more than 2 GiB.", ["Most often code for many GPU architectures is put into one library.", notAbi], {
    fixes: ["Build for fewer architectures (TORCH_CUDA_ARCH_LIST, CMAKE_CUDA_ARCHITECTURES), without -G and debug information, or split the library.", "Compress the GPU code: nvcc -Xfatbin -compress-all."],
    needs: ["How large its parts are: `size` on the objects, and for how many architectures nvcc compiles (-gencode)."],
  });
}

export function explainDuplicate(symbol: string): Explanation {
  const demangled = demangle(symbol) ?? symbol;
  return verdict("link-failed", "certain", `\`${demangled.slice(0, 120)}\` is defined twice in this link.`, ["Either one source or library is listed twice, or a header defines a function or variable that is not inline and is included in several sources.", `${/^PyInit_/.test(symbol) ? "Two modules are linked into one file. " : ""}${notAbi}`], {
    fixes: ["Name each source once (ops.cpp and ops.cu in one folder may become one object file: give them different names); mark definitions in headers inline."],
    symbols: [{ symbol, demangled }],
  });
}

export function explainHidden(symbol: string, file: string | undefined): Explanation {
  return verdict("link-failed", "likely", `${symbolShown(symbol)} is there and is not visible to others.`, [`${file === undefined ? "What defines it" : baseName(file)} was compiled with -fvisibility=hidden (pybind11 does so) or names what it exports, and another library of the link wants it.`, notAbi], {
    fixes: [`Export it (__attribute__((visibility("default")), TORCH_API-like macros), or link ${file === undefined ? "the code" : inside(baseName(file))} into the library that uses it.`],
    needs: [`How it is bound: \`nm -C ${file ?? "FILE"}\` (a small letter before a name is local), and the flags with which it was compiled.`],
    symbols: [{ symbol, demangled: demangle(symbol) ?? symbol }],
  });
}

export function explainKilledLinker(words: string): Explanation {
  return words.includes("space")
    ? verdict("link-failed", "certain", "The disk is full: the linker could not write its output.", [notAbi], { fixes: ["Make room, or put the build folder (TMPDIR too) on another disk."] })
    : verdict("out-of-memory", "likely", "The linker was killed, most likely for want of memory.", ["Signal 9 comes from outside: the kernel, or the limit of a container or job.", notAbi], { fixes: ["Run fewer jobs at once (MAX_JOBS=2, ninja -j2), give the build more memory, or build for fewer GPU architectures."], copy: "export MAX_JOBS=2", needs: ["Whether the kernel or the container killed it for memory: `dmesg | grep -i oom`, or the events of the job."] });
}

/** Only the driver's last word is there. */
export function explainLinkFailed(): Explanation {
  return verdict("link-failed", "possible", "Linking failed; the reason stands in lines before this one, which the text does not have.", [], {
    needs: ["The whole output of the build: the linker names what it lacks before its driver gives up (ninja -v, VERBOSE=1)."],
  });
}

function symbolShown(symbol: string): string {
  return `\`${(demangle(symbol) ?? symbol).slice(0, 120)}\``;
}
