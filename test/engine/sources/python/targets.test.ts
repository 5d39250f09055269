import assert from "node:assert/strict";
import { test } from "node:test";
import type { EvaluationContext } from "../../../../src/engine/model/index.ts";
import { observationsOf } from "../../../../src/engine/model/index.ts";
import { argumentsOf, conditions, defaultsOf, linux, read } from "./reading.ts";

const imports = "import torch, os\nfrom setuptools import setup, Extension\nfrom torch.utils import cpp_extension\nfrom torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension as Cuda\n";

function torch(version: string, abi: 0 | 1 = 1): EvaluationContext {
  return { platform: "linux", torchVersion: version, torchCudaVersion: "12.8", torchLibstdcxxAbi: abi, pythonVersion: "3.12" };
}

test("torch extensions under any alias: sources, languages, libraries", () => {
  const { targets } = read(`${imports}setup(ext_modules=[Cuda(name="a", sources=["a.cpp", "b.cu"]), cpp_extension.CppExtension("b", ["c/d.cc"]), cpp_extension.SyclExtension("c", ["e.sycl"]), Cuda("d", ["f.cpp"])])`);
  assert.deepEqual(targets.map(({ name, madeBy, builder, kind, languages, usesTorch }) => [name, madeBy, builder, kind, languages, usesTorch]), [
    ["a", "CUDAExtension", "setuptools", "extension", ["CXX", "CUDA"], true],
    ["b", "CppExtension", "setuptools", "extension", ["CXX"], true],
    ["c", "SyclExtension", "setuptools", "extension", ["SYCL"], true],
    ["d", "CUDAExtension", "setuptools", "extension", ["CXX"], true],
  ]);
  assert.deepEqual(targets[0]?.sources.map((source) => [source.path, source.language]), [["/p/a.cpp", "CXX"], ["/p/b.cu", "CUDA"]]);
  assert.deepEqual(targets[0]?.links.map((link) => link.name), ["c10", "torch", "torch_cpu", "torch_python", "cudart", "c10_cuda", "torch_cuda"]);
});

test("macros come before arguments; a list reaches every compiler, a dict the one of its key", () => {
  const { targets } = read(`${imports}setup(ext_modules=[
    Cuda("a", ["a.cpp", "b.cu"], define_macros=[("A", None), ("B", "1"), ("_GLIBCXX_USE_CXX11_ABI", "1" if torch.compiled_with_cxx11_abi() else "0")], undef_macros=["NDEBUG"], extra_compile_args=["-O3"]),
    Cuda("b", ["a.cpp", "b.cu"], extra_compile_args={"cxx": ["-O2"], "nvcc": ["-O1", "-Xcompiler", "-fPIC"], "nvcc_dlink": ["-dlink"]})])`, { ...torch("2.9.0"), torchLibstdcxxAbi: 1 });
  assert.deepEqual(argumentsOf(targets[0]), ["-DA [CXX,CUDA]", "-DB=1 [CXX,CUDA]", "-D_GLIBCXX_USE_CXX11_ABI=1 ~torch [CXX,CUDA]", "-UNDEBUG [CXX,CUDA]", "-O3 [CXX,CUDA]"]);
  assert.deepEqual(argumentsOf(targets[1]), ["-O2 [CXX]", "-O1 [CUDA]", "-Xcompiler [CUDA]", "-fPIC [CUDA]"]);
});

test("a plain extension uses torch when its directories or libraries say so", () => {
  const { targets } = read(`${imports}from pybind11.setup_helpers import Pybind11Extension
setup(ext_modules=[Extension("a", ["a.cpp"]), Extension("b", ["b.cpp"], libraries=["torch", "c10"]), Extension("c", ["c.cpp"], include_dirs=cpp_extension.include_paths()), Extension("d", ["d.cpp"], include_dirs=somewhere()), Extension("e", ["e.cpp"], extra_link_args=["-ltorch_cpu", "/x/libfoo.so"]), Pybind11Extension("f", ["f.cpp"])])`);
  assert.deepEqual(targets.map((target) => [target.name, target.usesTorch, target.madeBy]), [["a", false, "Extension"], ["b", true, "Extension"], ["c", true, "Extension"], ["d", undefined, "Extension"], ["e", true, "Extension"], ["f", false, "Pybind11Extension"]]);
  assert.deepEqual(targets[4]?.links.map((link) => link.name), ["torch_cpu", "/x/libfoo.so"]);
});

test("BuildExtension before 2.9 appends torch's ABI, and a standard where none is given", () => {
  const text = `${imports}setup(ext_modules=[Cuda("a", ["a.cpp", "b.cu"], extra_compile_args={"cxx": ["-std=c++20"]})], cmdclass={"build_ext": BuildExtension})`;
  assert.deepEqual(defaultsOf(read(text, torch("2.6.0", 0)).targets[0]), ["-D_GLIBCXX_USE_CXX11_ABI=0 ~torch [CXX,CUDA]", "-std=c++17 [CUDA]"]);
  assert.deepEqual(defaultsOf(read(text, torch("2.9.1")).targets[0]), ["-std=c++17 [CUDA]"]);
  assert.deepEqual(defaultsOf(read(text, linux).targets[0]), []);
});

test("the default standard takes the ways on which none is given, and none where a list is not known", () => {
  const make = (args: string): string => `${imports}setup(ext_modules=[CppExtension("a", ["a.cpp"], extra_compile_args=${args})])`;
  assert.deepEqual(defaultsOf(read(make("['-std=c++17'] if old() else []"), torch("2.9.1")).targets[0]), ["-std=c++17 [CXX] if !old()"]);
  assert.deepEqual(defaultsOf(read(make("get_flags()"), torch("2.9.1")).targets[0]), []);
});

test("py_limited_api: the define of the torch in question, and no libtorch_python", () => {
  const text = `${imports}setup(ext_modules=[CppExtension("a", ["a.cpp"], extra_compile_args=["-std=c++20"], py_limited_api=True)], options={"bdist_wheel": {"py_limited_api": "cp39"}})`;
  assert.deepEqual(defaultsOf(read(text, torch("2.13.0")).targets[0]), ["-DPy_LIMITED_API=0x030A0000 [CXX]"]);
  assert.deepEqual(defaultsOf(read(text, torch("2.9.1")).targets[0]), ["-DPy_LIMITED_API=0x03090000 [CXX]"]);
  const { targets, observations } = read(text);
  assert.deepEqual([targets[0]?.pyLimitedApi?.value, targets[0]?.pyLimitedApi?.evidence.text], [true, "py_limited_api=True"]);
  assert.deepEqual(targets[0]?.links.map((link) => link.name), ["c10", "torch", "torch_cpu"]);
  assert.deepEqual(observationsOf(observations, "wheel-tag").map((tag) => [tag.tag, tag.evidence.text]), [["cp39", '"cp39"']]);
});

test("JIT builds", () => {
  const { targets } = read("from torch.utils.cpp_extension import load, load_inline\nload('a', ['a.cpp', 'b.cu'], extra_cflags=['-O2'], extra_cuda_cflags=['-O1'], extra_ldflags=['-lfoo'])\nload_inline(name='b', cpp_sources='int x;', extra_cflags=['-O3'])");
  assert.deepEqual(targets.map((target) => [target.name, target.builder, target.madeBy, target.languages, argumentsOf(target)]), [
    ["a", "torch-jit", "load", ["CXX", "CUDA"], ["-O2 [CXX]", "-O1 [CUDA]"]],
    ["b", "torch-jit", "load_inline", ["CXX"], ["-O3 [CXX]"]],
  ]);
  assert.equal(targets[0]?.links[0]?.name, "foo");
});

test("subclasses of extensions are extensions, those for other build tools are none", () => {
  const { targets } = read(`${imports}class CMakeExtension(Extension):
    def __init__(self, name, sourcedir=""):
        super().__init__(name, sources=[])
class Mine(Cuda):
    def __init__(self, name):
        super().__init__(name, [name + ".cu"], extra_compile_args=["-O3"])
class Plain(CppExtension):
    pass
setup(ext_modules=[CMakeExtension("a"), Mine("b"), Plain("c", ["c.cpp"])])`);
  assert.deepEqual(targets.map((target) => [target.name, target.madeBy]), [["b", "CUDAExtension"], ["c", "CppExtension"]]);
});

test("what setup asks to be installed", () => {
  const { requirements } = read(`${imports}TORCH = "torch>=2.1,<2.9"
setup(install_requires=[TORCH, "numpy; python_version<'3.10'"] + (["triton==3.0"] if extra() else []), setup_requires=["ninja"], extras_require={"dev": ["pytest>=7"]})`);
  assert.deepEqual(requirements.map((one) => [one.role, one.group, one.name, one.specifier, one.marker, one.known, conditions(one.conditions)]), [
    ["install", undefined, "torch", ">=2.1,<2.9", undefined, true, ""], ["install", undefined, "numpy", "", "python_version<'3.10'", true, ""], ["install", undefined, "triton", "==3.0", undefined, true, "extra()"],
    ["setup-requires", undefined, "ninja", "", undefined, true, ""], ["optional", "dev", "pytest", ">=7", undefined, true, ""],
  ]);
  assert.deepEqual(requirements[0]?.specifierLocation?.range, { start: { line: 4, character: 14 }, end: { line: 4, character: 24 } });
});

test("a requirement on the torch that is built with follows it", () => {
  const text = `${imports}setup(install_requires=["torch==" + torch.__version__, f"torch>={torch.__version__.split('+')[0]}"])`;
  assert.deepEqual(read(text, torch("2.8.0+cu128")).requirements.map((one) => [one.specifier, one.known, one.follows]), [["==2.8.0+cu128", false, "torch"], [">=2.8.0", false, "torch"]]);
  assert.deepEqual(read(text).requirements.map((one) => [one.name, one.known, one.follows]), [["torch", false, "torch"], ["torch", false, "torch"]]);
});

test("cache variables for CMake, from lists and command lines", () => {
  const text = `import os, subprocess
from setuptools import setup
from setuptools.command.build_ext import build_ext
class Build(build_ext):
    def build_extension(self, ext):
        cmake_args = ["-DCMAKE_CXX_STANDARD=17", "-DOUT=" + self.where(), "-D", "B:BOOL=ON"]
        if os.environ.get("ABI", "1") == "1":
            cmake_args.append("-DGLIBCXX_USE_CXX11_ABI=1")
        else:
            cmake_args += ["-DGLIBCXX_USE_CXX11_ABI=0"]
        subprocess.check_call(["cmake", "-S", "csrc", "-G", "Ninja"] + cmake_args)
        subprocess.check_call(["cmake", "--build", "."] + cmake_args)
        os.system(f"cmake -DSHELL=1 -B {self.build_temp} .")
        os.system(f"""
            cd {self.build_temp}
            cmake -DLINES=2 ..
            make -DNOT=3
        """)
setup(cmdclass={"build_ext": Build})`;
  const found = observationsOf(read(text, linux, { "CMakeLists.txt": "", "csrc/CMakeLists.txt": "" }).observations, "cmake-arguments");
  assert.deepEqual(found.map((one) => [one.sourceDirectory, one.definitions.map((definition) => [definition.name, definition.value])]), [
    ["/p/csrc", [["CMAKE_CXX_STANDARD", "17"], ["OUT", undefined], ["B", "ON"], ["GLIBCXX_USE_CXX11_ABI", "1"], ["GLIBCXX_USE_CXX11_ABI", undefined]]],
    ["/p", [["SHELL", "1"]]],
    ["/p", [["LINES", "2"]]],
  ]);
  const skbuild = observationsOf(read("from skbuild import setup\nsetup(cmake_args=['-DA=1'])").observations, "cmake-arguments");
  assert.deepEqual(skbuild.map((one) => one.definitions.map((definition) => definition.name)), [["A"]]);
});

test("a command put together from texts: its words stand where they are written, and showing it is not running it", () => {
  const text = `import os
from setuptools import setup
flags = "-DCMAKE_BUILD_TYPE=Release"
flags += " -DCMAKE_CXX_STANDARD=17 "
command = f"""
  cd build
  cmake {flags} ..
"""
print(f"running: {command}")
os.system(command)
setup()`;
  const found = observationsOf(read(text, linux, { "CMakeLists.txt": "" }).observations, "cmake-arguments");
  assert.deepEqual(found.map((one) => one.definitions.map((definition) => [definition.name, definition.evidence.text, definition.evidence.location.range.start.line])), [[["CMAKE_BUILD_TYPE", "-DCMAKE_BUILD_TYPE=Release", 2], ["CMAKE_CXX_STANDARD", "-DCMAKE_CXX_STANDARD=17", 3]]]);
});

test("functions that nobody calls are read with unknown arguments", () => {
  const { targets } = read("from torch.utils.cpp_extension import CUDAExtension\nclass Builder:\n    NAME = 'op'\n    def flags(self):\n        return ['-O3']\n    def builder(self, extra):\n        return CUDAExtension(name=self.NAME, sources=self.sources(), extra_compile_args={'cxx': self.flags() + extra})");
  assert.deepEqual(targets.map((target) => [target.name, target.languages, argumentsOf(target)]), [["op", ["CXX", "CUDA"], ["-O3 [CXX]", "{extra} ? [CXX]"]]]);
});

test("cxx_std of a Pybind11Extension is its standard", () => {
  const { targets } = read(`${imports}from pybind11.setup_helpers import Pybind11Extension
setup(ext_modules=[Pybind11Extension("a", ["a.cpp"], cxx_std=14, extra_compile_args=["-O2"]), Pybind11Extension("b", ["b.cpp"], cxx_std=0)])`);
  assert.deepEqual(targets.map((target) => target.arguments.map((one) => one.text)), [["-std=c++14", "-O2"], []]);
});
