/** Seeded damage to build files, for readers that must survive anything. */
import { isRequirementsFile, readRequirements } from "../../src/engine/sources/python/requirements/index.ts";
import { readCMake } from "../../src/engine/sources/cmake/index.ts";
import { readPythonBuild } from "../../src/engine/sources/python/index.ts";
import type { Catalogue } from "../../src/engine/catalogue/index.ts";
import type { Location, Reading } from "../../src/engine/model/index.ts";
import { MemoryFiles } from "./memory-files.ts";
import { Random } from "./random.ts";

export type ReaderName = "cmake" | "python" | "requirements";

export interface Mutant {
  readonly reader: ReaderName;
  readonly path: string;
  readonly text: string;
}

const cmakeSeed = `cmake_minimum_required(VERSION 3.18)
project(ops LANGUAGES CXX CUDA)
option(USE_CUDA "With CUDA" ON)
include(helper.cmake)
macro(add_flag flag)
  foreach(lang CXX CUDA)
    if(NOT CMAKE_\${lang}_FLAGS MATCHES "\${flag}")
      string(APPEND CMAKE_\${lang}_FLAGS " \${flag}")
    endif()
  endforeach()
endmacro()
function(make name)
  cmake_parse_arguments(ARG "STATIC" "STD" "SRCS;DEFS" \${ARGN})
  add_library(\${name} SHARED \${ARG_SRCS})
  target_compile_definitions(\${name} PRIVATE \${ARG_DEFS})
  set_target_properties(\${name} PROPERTIES CXX_STANDARD \${ARG_STD})
endfunction()
if(USE_CUDA AND (NOT APPLE OR DEFINED ENV{FORCE}))
  add_flag(-D_GLIBCXX_USE_CXX11_ABI=0)
elseif(WIN32)
  add_compile_options([[/std:c++17]] $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=/MD>)
else()
  list(APPEND EXTRA "-std=c++17" -fabi-version=11)
endif()
find_package(Torch 2.0 REQUIRED)
make(ops SRCS a.cpp b.cu STD 17 DEFS A=1 B="\\"two\\"")
set(i 0)
while(i LESS 3)
  math(EXPR i "\${i} + 1")
  list(APPEND PARTS part\${i})
endwhile()
string(REGEX REPLACE "part([0-9])" "p\\\\1" PARTS "\${PARTS}")
target_link_libraries(ops PRIVATE \${TORCH_LIBRARIES} $<IF:$<BOOL:\${USE_CUDA}>,cudart,>)
#[==[ a comment ]==] add_subdirectory(sub)
`;

const pythonSeed = `import os, sys
from setuptools import setup, find_packages
from torch.utils.cpp_extension import CUDAExtension, CppExtension, BuildExtension
from helper import FLAGS

ABI = os.environ.get("ABI", "0")
args = {"cxx": ["-O3", f"-D_GLIBCXX_USE_CXX11_ABI={ABI}"] + FLAGS, "nvcc": ["-O3", "--expt-relaxed-constexpr"]}
if sys.platform == "win32":
    args["cxx"] = [one for one in args["cxx"] if not one.startswith("-O")]
else:
    args["cxx"] += ["-std=c++%d" % 17, *("-W" + name for name in ("all", "extra"))]

def sources(folder, *ends, **more):
    out = []
    for name in sorted(os.listdir(folder)):
        try:
            if name.endswith(ends) and name not in more.get("skip", []):
                out.append(os.path.join(folder, name))
        except (OSError, ValueError) as error:
            raise RuntimeError("no") from error
    return out or ["a.cpp"]

class Build(BuildExtension):
    def build_extensions(self):
        while True:
            break
        for ext in self.extensions:
            ext.extra_compile_args["cxx"].append("-fabi-version=11")
        super().build_extensions()

setup(name="ops", ext_modules=[CUDAExtension("ops._C", sources("csrc", ".cpp", ".cu"), extra_compile_args=args, define_macros=[("A", None), ("B", "1")], py_limited_api=True)],
      cmdclass={"build_ext": Build.with_options(use_ninja=False) if ABI else Build}, install_requires="""torch>=2.0,<3
numpy""".split("\\n"), packages=find_packages(exclude=("tests",)))
`;

const requirementSeeds: Readonly<Record<string, string>> = {
  "requirements.txt": "torch==2.8.0+cu128 ; python_version < '3.13' --hash=sha256:abc\n-r other.txt\n--extra-index-url https://download.example.org/whl/cu128\nops @ https://example.org/ops-1.0-cp311-cp311-linux_x86_64.whl\nnumpy \\\n  >=1.0\n",
  "pyproject.toml": '[build-system]\nrequires = ["setuptools>=70", "torch==2.8.*"]\n[project]\ndependencies = ["torch>=2.0; sys_platform == \'linux\'"]\n[project.optional-dependencies]\ndev = ["torchvision==0.23"]\n[tool.uv]\nno-build-isolation-package = ["ops"]\n[tool.scikit-build.cmake.define]\nA = { env = "A", default = "1" }\n',
  "environment.yml": "name: ops\nchannels: [pytorch, conda-forge]\ndependencies:\n  - python=3.11\n  - pytorch::pytorch=2.5.1=py3.11_cuda12.4*\n  - pip:\n    - torch==2.8.0\n    - &x torchaudio\n    - *x\n",
  "meta.yaml": "{% set version = '1.0' %}\nrequirements:\n  host:\n    - pytorch {{ pytorch }}  # [linux]\n  run:\n    - {{ pin_compatible('pytorch') }}\n",
  Dockerfile: 'FROM nvcr.io/nvidia/pytorch:25.06-py3 AS base\nARG TORCH=2.8.0\nRUN pip install --no-cache-dir \\\n  "torch==${TORCH}" && \\\n  pip install -r requirements.txt\n',
  "setup.cfg": "[options]\ninstall_requires =\n    torch>=2.0\n    numpy\n[options.extras_require]\ndev = torchvision\n",
};

const fragments = [
  "(", ")", "[", "]", "{", "}", '"', "'", '"""', "\\", "\\\n", "\n", "\r\n", "\t", " ", "#", "#[[", "]]", "[==[", ";", ",", ":", "=", "==", "${", "$ENV{", "$<", ">", "$<$<", "@", "*", "**", "%", "f'{", "lambda ", "if(", "endif()", "else()", "foreach(x ", "endforeach()",
  "function(f)", "endfunction()", "while(1)", "endwhile()", "include(CMakeLists.txt)", "add_subdirectory(.)", "def f(", "return ", "yield ", "for x in ", "while True:\n", "class A:\n", "import ", "from setup import *\n", "-r requirements.txt\n", "- ", "&a ", "*a", "<<: *a", "\0", "\u2028", "\uFEFF", "\uD800", "é", "0", "9999999999", "-1", "f(f(f(", "x = x + x\n", "set(X ${X}${X})\n", "list(APPEND X ${X} ${X})\n",
] as const;

const names: Readonly<Record<ReaderName, readonly string[]>> = { cmake: ["CMakeLists.txt"], python: ["setup.py"], requirements: Object.keys(requirementSeeds) };

/** The mutant of a seed: the same number gives the same text. */
export function mutant(seed: number): Mutant {
  const random = new Random(seed);
  const reader = random.pick(["cmake", "python", "cmake", "python", "requirements"] as const);
  const path = names[reader][random.below(names[reader].length)] ?? "requirements.txt";
  let text = reader === "cmake" ? cmakeSeed : reader === "python" ? pythonSeed : (requirementSeeds[path] ?? "");
  for (let round = 1 + random.below(6); round > 0; round--) text = damage(text, random);
  return { reader, path: `/p/${path}`, text };
}

function damage(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const from = random.below(text.length + 1);
  const length = random.below(200);
  switch (random.below(8)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random.below(60));
    case 2:
      return text.slice(0, at) + text.slice(from, from + length) + text.slice(at);
    case 3:
      // Now and then a great many of one thing, which nests or repeats.
      return text.slice(0, at) + random.pick(fragments).repeat(random.below(40) === 0 ? 1 + random.below(2000) : 1) + text.slice(at);
    case 4:
      return text.slice(0, at) + String.fromCharCode(random.below(random.below(4) === 0 ? 0x10000 : 128)) + text.slice(at + 1);
    case 5: {
      const lines = text.split("\n");
      const [line] = lines.splice(random.below(lines.length), 1);
      lines.splice(random.below(lines.length + 1), 0, line ?? "");
      return lines.join("\n");
    }
    case 6:
      return text.slice(at) + text.slice(0, at);
    default:
      return text.slice(0, at) + random.pick(fragments) + random.pick(fragments) + text.slice(at);
  }
}

/** Reads a mutant beside files that it may lead to. */
export function readMutant({ reader, path, text }: Mutant, catalogue: Catalogue): Reading {
  const files = new MemoryFiles({
    "/p/helper.cmake": "set(HELPED ON)\ninclude(CMakeLists.txt OPTIONAL)\n", "/p/sub/CMakeLists.txt": "add_library(sub STATIC s.cpp)\n", "/p/helper.py": 'import setup\nFLAGS = ["-Wall"]\n',
    "/p/csrc/a.cpp": "", "/p/csrc/b.cu": "", "/p/other.txt": "-r requirements.txt\ntorch\n", [path]: text,
  });
  if (reader === "cmake") return readCMake("/p", files, { platform: "linux" });
  if (reader === "python") return readPythonBuild(path, files, { platform: "linux" }, { catalogue });
  return isRequirementsFile(path) ? readRequirements(path, files) : { targets: [], observations: [], requirements: [], gaps: [], files: [] };
}

/** A place of the reading that does not exist in the text, in words; undefined when all do. */
export function wrongPlace(mutated: Mutant, reading: Reading): string | undefined {
  const lines = mutated.text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  const places: Location[] = [
    ...reading.targets.flatMap((target) => [target.location, ...target.arguments.map((one) => one.evidence.location), ...target.sources.map((one) => one.location)]),
    ...reading.requirements.map((one) => one.location), ...reading.gaps.flatMap((one) => (one.location === undefined ? [] : [one.location])),
  ];
  for (const { path, range: { start, end } } of places) {
    // An error may stand at the line break itself.
    const inOrder = start.line < end.line || (start.line === end.line && start.character <= end.character);
    const inside = path !== mutated.path || (start.line >= 0 && start.character >= 0 && end.line < lines.length && end.character <= (lines[end.line] ?? "").length + 1);
    if (!inOrder || !inside) return `${path} ${start.line}:${start.character}-${end.line}:${end.character}`;
  }
  return undefined;
}
