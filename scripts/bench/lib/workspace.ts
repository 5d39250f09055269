/**
 * A workspace as large as pytorch/pytorch's own tree: about 20,000 files, of which 4,000 are Python, 6,500 C++ and
 * CUDA, and 450 CMake with the dependencies' own. Every text is made here.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { componentCMakeLists, components, dependenciesModule, dependencyCMakeLists, rootCMakeLists, utilsModule } from "./cmakeTexts.ts";
import { exampleSetup, modulePy, setupPy } from "./pythonTexts.ts";
import { Random } from "../../../test/support/random.ts";

export interface LargeWorkspace {
  readonly root: string;
  readonly files: number;
  readonly cmakeFiles: number;
  readonly pythonFiles: number;
  readonly sources: number;
  remove(): void;
}

const dependencies = Array.from({ length: 40 }, (_, index) => `dep${index}`);
const foldersInComponent = 11;
const sourcesInFolder = 24;

/** Writes the workspace into a fresh temporary folder. The same seed gives the same files. */
export function writeLargeWorkspace(seed = 1): LargeWorkspace {
  const random = new Random(seed);
  const root = mkdtempSync(join(tmpdir(), "abiding-bench-"));
  const count = { files: 0, cmakeFiles: 0, pythonFiles: 0, sources: 0 };
  const folders = new Set<string>();
  const write = (name: string, text: string): void => {
    const path = join(root, name);
    const folder = dirname(path);
    if (!folders.has(folder)) {
      mkdirSync(folder, { recursive: true });
      folders.add(folder);
    }
    writeFileSync(path, text);
    count.files++;
    if (/CMakeLists\.txt$|\.cmake$/.test(name)) count.cmakeFiles++;
    else if (name.endsWith(".py")) count.pythonFiles++;
    else if (/\.(?:cpp|cc|cu|h)$/.test(name)) count.sources++;
  };

  write("CMakeLists.txt", rootCMakeLists(dependencies));
  write("setup.py", setupPy());
  write("pyproject.toml", '[build-system]\nrequires = ["setuptools>=70", "wheel", "numpy", "cmake", "ninja"]\nbuild-backend = "setuptools.build_meta"\n\n[project]\nname = "giant"\ndynamic = ["version"]\nrequires-python = ">=3.10"\n');
  write("requirements.txt", "filelock\nnetworkx\nninja\nnumpy\npsutil\npyyaml\nrequests\nsetuptools\ntyping-extensions>=4.8.0\n");
  write("tools/setup_helpers/__init__.py", "");
  write("tools/setup_helpers/env.py", 'import os\nimport platform\nIS_WINDOWS = platform.system() == "Windows"\nIS_LINUX = platform.system() == "Linux"\ndef check_env_flag(name, default=""):\n    return os.getenv(name, default).upper() in ["ON", "1", "YES", "TRUE", "Y"]\nclass BuildType:\n    def is_debug(self):\n        return check_env_flag("DEBUG")\n    def is_rel_with_deb_info(self):\n        return check_env_flag("REL_WITH_DEB_INFO")\nbuild_type = BuildType()\n');
  write("tools/setup_helpers/cmake.py", 'import subprocess\nclass CMake:\n    def generate(self, version, python, a, b):\n        args = ["-DBUILD_PYTHON=True", "-DCMAKE_BUILD_TYPE=Release"]\n        subprocess.check_call(["cmake", *args, ".."])\n');

  write("cmake/Utils.cmake", utilsModule);
  write("cmake/Dependencies.cmake", dependenciesModule(dependencies));
  write("cmake/CheckAbi.cmake", 'include(CheckCXXSourceCompiles)\ncheck_cxx_source_compiles("#include <string>\nint main() { return 0; }" GIANT_COMPILES)\nif(NOT DEFINED GLIBCXX_USE_CXX11_ABI)\n  set(GLIBCXX_USE_CXX11_ABI 1)\nendif()\n');
  write("cmake/Summary.cmake", `function(print_summary)\n${Array.from({ length: 140 }, (_, index) => `  message(STATUS "  USE_FEATURE_${index} : \${USE_FEATURE_${index}}")`).join("\n")}\nendfunction()\nprint_summary()\n`);
  write("cmake/public/cuda.cmake", 'if(USE_CUDA)\n  find_package(CUDAToolkit REQUIRED)\n  foreach(flag --expt-relaxed-constexpr --expt-extended-lambda)\n    list(APPEND CUDA_NVCC_FLAGS ${flag})\n  endforeach()\nendif()\n');
  write("cmake/public/utils.cmake", "function(giant_interface_library from to)\n  add_library(${to} INTERFACE)\n  target_link_libraries(${to} INTERFACE ${from})\nendfunction()\n");
  for (let index = 0; index < 84; index++) write(`cmake/Modules/FindLibrary${index}.cmake`, `find_path(Library${index}_INCLUDE_DIR library${index}.h)\nfind_library(Library${index}_LIBRARY library${index})\ninclude(FindPackageHandleStandardArgs)\nfind_package_handle_standard_args(Library${index} DEFAULT_MSG Library${index}_INCLUDE_DIR Library${index}_LIBRARY)\nif(Library${index}_FOUND)\n  set(Library${index}_LIBRARIES \${Library${index}_LIBRARY})\nendif()\n`);

  for (const dependency of dependencies) writeDependency(dependency, write);
  for (const [index, component] of components.entries()) {
    const links = index === 0 ? ["${GIANT_DEPENDENCIES}"] : [`giant_${components[index - 1]}`];
    const names = Array.from({ length: foldersInComponent }, (_, folder) => `part${folder}`);
    write(`${component}/CMakeLists.txt`, componentCMakeLists(component, sourcesOf(component, component, random, write), names, links));
    for (const name of names) {
      const folder = `${component}/${name}`;
      write(`${folder}/CMakeLists.txt`, componentCMakeLists(`${component}_${name}`, sourcesOf(folder, component, random, write), [], [`giant_${component}`]));
    }
  }
  write("test/CMakeLists.txt", "foreach(name api jit rpc tensorexpr)\n  add_subdirectory(${name})\nendforeach()\n");
  for (const name of ["api", "jit", "rpc", "tensorexpr"]) write(`test/${name}/CMakeLists.txt`, `add_executable(test_${name} main.cpp)\ntarget_link_libraries(test_${name} PRIVATE giant_python)\ntarget_compile_definitions(test_${name} PRIVATE USE_GTEST)\n`);

  for (let index = 0; index < 12; index++) write(`test/cpp_extensions/example${index}/setup.py`, exampleSetup);
  for (let index = 0; count.pythonFiles < 4000; index++) {
    const text = modulePy(index, 2 + random.below(36));
    write(`${random.pick(["giant", "test", "tools", "benchmarks", "functorch"])}/${random.pick(["nn", "ops", "dist", "inductor", "export", "utils"])}/m${index % 40}/module_${index}.py`, index % 200 === 0 ? `${text}\nfrom torch.utils.cpp_extension import load_inline\nmodule = load_inline(name="m${index}", cpp_sources=["int f() { return ${index}; }"], extra_cflags=["-O2"])\n` : text);
  }
  for (let index = 0; count.sources < 6500; index++) write(`${random.pick(components)}/headers/h${index % 60}/detail_${index}.h`, sourceText(`detail_${index}`, "core", random));
  for (let index = 0; count.files < 20_000; index++) write(`${random.pick(["docs", "test/expect", ".github", "caffe", "scripts", "giant/csrc"])}/d${index % 120}/file${index}.${random.pick(["md", "yaml", "expect", "txt", "pyi", "json", "sh"])}`, "content\n".repeat(1 + random.below(200)));
  return { root, ...count, remove: () => rmSync(root, { recursive: true, force: true }) };
}

function writeDependency(name: string, write: (path: string, text: string) => void): void {
  const base = `third_party/${name}`;
  const folders = ["tests", "benchmarks", "tools"];
  write(`${base}/CMakeLists.txt`, dependencyCMakeLists(name, folders));
  for (const folder of folders) write(`${base}/${folder}/CMakeLists.txt`, `add_executable(${name}_${folder} main.cc)\ntarget_link_libraries(${name}_${folder} ${name})\nset_target_properties(${name}_${folder} PROPERTIES CXX_STANDARD 14)\n`);
  write(`${base}/cmake/${name}Config.cmake`, `set(${name}_VERSION 1.2.3)\n`);
  write(`${base}/src/${name}.cc`, `#include "${name}/${name}.h"\n`);
  write(`${base}/src/util.cc`, "#include <string>\n");
  write(`${base}/include/${name}/${name}.h`, "#pragma once\n#include <string>\n");
}

function sourcesOf(folder: string, component: string, random: Random, write: (path: string, text: string) => void): readonly string[] {
  const names = Array.from({ length: sourcesInFolder }, (_, index) => `source${index}.cpp`);
  for (const name of names) {
    write(`${folder}/${name}`, sourceText(name, folder, random));
    write(`${folder}/${name.replace(".cpp", ".h")}`, sourceText(name.replace(".cpp", ""), component, random));
  }
  return names;
}

function sourceText(name: string, folder: string, random: Random): string {
  const includes = Array.from({ length: 6 }, () => `#include <${folder}/source${random.below(sourcesInFolder)}.h>`).join("\n");
  const body = `\nnamespace giant {\n// Adds what is given, element by element, and keeps the shape.\nTensor ${name.replace(/\W/g, "_")}_add(const Tensor& self, const Tensor& other, double alpha) {\n  TORCH_CHECK(self.sizes() == other.sizes(), "sizes differ: ", self.sizes());\n  auto result = empty_like(self);\n  for (int64_t i = 0; i < self.numel(); ++i) {\n    result.data()[i] = self.data()[i] + alpha * other.data()[i];\n  }\n  return result;\n}\n} // namespace giant\n`;
  return `#pragma once\n${includes}\n#include <vector>\n${body.repeat(4 + random.below(30))}`;
}
