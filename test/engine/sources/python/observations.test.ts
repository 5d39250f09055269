import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observation } from "../../../../src/engine/model/index.ts";
import { observationsOf } from "../../../../src/engine/model/index.ts";
import { indexPythonDocument, isPythonBuildFile, readPythonBuild } from "../../../../src/engine/sources/python/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";
import { conditions, linux, read } from "./reading.ts";

const imports = "import os, torch\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension\n";

function ineffective(text: string): readonly (readonly [string, string, number])[] {
  return observationsOf(read(text).observations, "ineffective-setting").map((one) => [one.reason, one.evidence.text, one.evidence.location.range.start.line + 1]);
}

function kinds(text: string): readonly Observation["kind"][] {
  return read(text).observations.map((one) => one.kind);
}

test("an import of torch is optional where the script does without", () => {
  const imported = (text: string): readonly boolean[] => observationsOf(read(text).observations, "torch-import").map((one) => one.optional);
  assert.deepEqual(imported("import torch"), [false]);
  assert.deepEqual(imported("try:\n    from torch.utils.cpp_extension import X\nexcept ImportError:\n    pass"), [true]);
  assert.deepEqual(imported("def f():\n    import torch\nimport torch.utils"), [false]);
  assert.deepEqual(imported("if __name__ == '__main__':\n    import torch"), [false]);
  assert.deepEqual(imported("import torchvision\nfrom .torch import x"), []);
});

test("questions to torch about its ABI: how they are asked and used", () => {
  const asked = (body: string): unknown => observationsOf(read(imports + body).observations, "torch-lookup").map((one) => [one.what, one.use, one.guarded, conditions(one.conditions)]);
  assert.deepEqual(asked("x = f'-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}'"), [["torch._C._GLIBCXX_USE_CXX11_ABI", "forwarded", false, ""]]);
  assert.deepEqual(asked("if FORCE:\n    torch._C._GLIBCXX_USE_CXX11_ABI = True"), [["torch._C._GLIBCXX_USE_CXX11_ABI", "assigned", false, "FORCE"]]);
  assert.deepEqual(asked("x = getattr(torch._C, '_PYBIND11_BUILD_ABI', None)"), [["torch._C._PYBIND11_BUILD_ABI", "read", true, ""]]);
  assert.deepEqual(asked("x = [f'-DPYBIND11_{n}={getattr(torch._C, f\"_PYBIND11_{n}\")}' for n in names]"), [["torch._C._PYBIND11_BUILD_ABI", "forwarded", false, ""]]);
  assert.deepEqual(asked("if hasattr(torch._C, '_PYBIND11_STDLIB'):\n    x = torch._C._PYBIND11_STDLIB"), [["torch._C._PYBIND11_STDLIB", "read", true, "hasattr(torch._C, '_PYBIND11_STDLIB')"]]);
  assert.deepEqual(asked("x = torch.compiled_with_cxx11_abi()\ny = torch._C._cuda_getArchFlags()"), [["torch.compiled_with_cxx11_abi", "read", false, ""]]);
});

test("a private hook that is overridden", () => {
  const text = `${imports}class B(BuildExtension):\n    def _add_gnu_cpp_abi_flag(self, ext):\n        pass\n`;
  assert.deepEqual(ineffective(text), [["private-hook", "_add_gnu_cpp_abi_flag", 5]]);
  assert.deepEqual(observationsOf(read(text).observations, "torch-lookup").map((one) => [one.what, one.use]), [["BuildExtension._add_gnu_cpp_abi_flag", "overridden"]]);
  assert.deepEqual(ineffective(`${imports}class B(Other):\n    def _add_gnu_cpp_abi_flag(self, ext):\n        pass\n`), []);
});

test("keys that BuildExtension does not read, once for all extensions that share them", () => {
  const text = `${imports}args = {"gcc": ["-O3"], "nvcc": []}\nsetup(ext_modules=[CUDAExtension(n, [n + ".cu"], extra_compile_args=args) for n in ("a", "b")], cmdclass={"build_ext": BuildExtension})`;
  assert.deepEqual(ineffective(text), [["unknown-key", '"gcc"', 4]]);
  assert.deepEqual(observationsOf(read(text).observations, "ineffective-setting")[0]?.fix?.edits.map((edit) => edit.newText), ['"cxx"']);
});

test("keys that another builder may read are left alone", () => {
  const own = `${imports}class B(BuildExtension):\n    def build_extensions(self):\n        pass\nsetup(ext_modules=[CUDAExtension("a", ["a.cu"], extra_compile_args={"mcc": []})], cmdclass={"build_ext": B})`;
  assert.deepEqual(ineffective(own), []);
  const other = "from torch_musa.utils.musa_extension import BuildExtension, MUSAExtension\nfrom setuptools import setup\nsetup(ext_modules=[MUSAExtension('a', ['a.mu'], extra_compile_args={'mcc': []})], cmdclass={'build_ext': BuildExtension})";
  assert.deepEqual(ineffective(other), []);
  assert.deepEqual(ineffective(`${imports}CUDAExtension("a", ["a.cu"], extra_compile_args={"cxx": [], "nvcc": [], "nvcc_dlink": [], "sycl": []})`), []);
});

test("keywords that no extension and no setup reads", () => {
  assert.deepEqual(ineffective(`${imports}CppExtension("a", ["a.cpp"], extra_compile_flags=["-O3"])`), [["misspelt", "extra_compile_flags", 4]]);
  assert.deepEqual(ineffective(`${imports}setup(name="x", extra_cflags=["-O3"], python_requires=">=3.9")`), [["misspelt", "extra_cflags", 4]]);
  assert.deepEqual(ineffective(`${imports}CppExtension("a", ["a.cpp"], extra_compile_args=["-O3"], depends=["x.h"], optional=True)`), []);
});

test("an environment variable compared with what it never is", () => {
  assert.deepEqual(ineffective("import os\na = os.getenv('X', '0') == 1"), [["always-false", "os.getenv('X', '0') == 1", 2]]);
  assert.deepEqual(ineffective("from os import environ\na = environ.get('X') is True"), [["always-false", "environ.get('X') is True", 2]]);
  assert.deepEqual(ineffective("import os\na = os.getenv('X', 0) == 0\nb = os.getenv('X') == '1'\nc = int(os.getenv('X', '0')) == 1\nd = os.getenv('X') is None"), []);
});

test("versions compared part by part", () => {
  const found = (text: string): readonly string[] => observationsOf(read(text).observations, "version-comparison").map((one) => one.evidence.text);
  assert.deepEqual(found("if not (TORCH_MAJOR >= 2 and TORCH_MINOR >= 1):\n    pass"), ["TORCH_MAJOR >= 2 and TORCH_MINOR >= 1"]);
  assert.deepEqual(found("a = v.major >= 11 and v.minor > 7"), ["v.major >= 11 and v.minor > 7"]);
  assert.deepEqual(found("import torch\na = float(torch.__version__[:3]) >= 2.4"), ["float(torch.__version__[:3]) >= 2.4"]);
  assert.deepEqual(found("import torch\na = MAJOR > 2 or (MAJOR >= 2 and MINOR >= 1)\nb = MAJOR == 2 and MINOR >= 1\nc = MAJOR >= 2 and MINOR >= 0\nd = (MAJOR, MINOR) >= (2, 1)\ne = torch.__version__ >= '2.4'\nf = A_MAJOR >= 2 and B_MINOR >= 1\ng = torch.__version__[:3] >= '1.8'"), []);
});

test("-Xcompiler before an option of nvcc", () => {
  const make = (args: string): string => `${imports}CUDAExtension("a", ["a.cu"], extra_compile_args={"nvcc": ${args}})`;
  assert.deepEqual(ineffective(make("['-Xcompiler', '-gencode=arch=compute_80,code=sm_80']")).map(([reason]) => reason), ["swallows-next"]);
  assert.deepEqual(ineffective(make("['-Xcompiler', '-fPIC', '-Xcompiler=-Wall', '-gencode', 'arch=compute_80,code=sm_80']")), []);
});

test("what a script chooses for the whole project", () => {
  const { observations } = read("import os\nUSE_CXX11_ABI = True\nabi = os.environ.get('_GLIBCXX_USE_CXX11_ABI', '0')\nos.environ['TORCH_CUDA_ARCH_LIST'] = '8.0;9.0'\nos.environ['CUDA_HOME'] = '/usr/local/cuda-11.8'\nos.environ['CXX'] = 'g++-9'\nother = os.environ.get('FORCE_CXX11_ABI', 'FALSE')");
  assert.deepEqual(observationsOf(observations, "abi-setting").map((one) => [one.value, one.how, one.variable]), [[1, "setup.py default", "USE_CXX11_ABI"], [0, "setup.py default", "_GLIBCXX_USE_CXX11_ABI"]]);
  assert.deepEqual(observationsOf(observations, "architecture-list").map((one) => one.value), ["8.0;9.0"]);
  assert.deepEqual(observationsOf(observations, "cuda-toolkit").map((one) => [one.version, one.minimum]), [["11.8", false]]);
  assert.deepEqual(observationsOf(observations, "host-compiler").map((one) => [one.compiler, one.language]), [["g++-9", "CXX"]]);
});

test("an ordinary script is nothing to remark on", () => {
  assert.deepEqual(kinds(`${imports}setup(name="x", ext_modules=[CUDAExtension("a", ["a.cpp", "b.cu"], extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3", "-Xcompiler", "-fPIC"]})], cmdclass={"build_ext": BuildExtension.with_options(use_ninja=True)}, install_requires=["torch"])`), ["torch-import"]);
});

test("which files count", () => {
  assert.ok(isPythonBuildFile("/p/setup.py", "from setuptools import setup\nsetup()"));
  assert.ok(isPythonBuildFile("/p/setup_rocm.py", "setup(ext_modules=[CUDAExtension()])"));
  assert.ok(isPythonBuildFile("/p/op_builder/builder.py", "from torch.utils.cpp_extension import load\nload(name='x')"));
  assert.ok(!isPythonBuildFile("/p/pkg/ops.py", "import torch"));
  assert.ok(!isPythonBuildFile("/p/pkg/env.py", "from torch.utils.cpp_extension import CUDA_HOME"));
  assert.ok(!isPythonBuildFile("/p/test/test_ext.py", "torch.utils.cpp_extension.load_inline('x')"));
});

test("bad input gives a gap, never a crash", () => {
  const files = new MemoryFiles({ "/p/setup.py": new Uint8Array([0, 1, 2, 255]), "/p/setup_a.py": "setup(\n  x = = 1\n", "/p/setup_b.py": `x = ${"(".repeat(10_000)}` });
  assert.deepEqual(readPythonBuild("/p/setup.py", files, linux).gaps.map((gap) => gap.kind), ["file"]);
  assert.deepEqual(readPythonBuild("/p/none.py", files, linux).gaps.map((gap) => gap.kind), ["file"]);
  assert.deepEqual(readPythonBuild("/p/setup_a.py", files, linux).gaps.map((gap) => gap.kind), ["evaluation"]);
  assert.equal(readPythonBuild("/p/setup_b.py", files, linux).gaps.length, 1);
});

test("a script that is cut or damaged anywhere is still read", () => {
  const text = `${imports}class B(BuildExtension):\n    def run(self):\n        super().run()\nflags = {"cxx": ["-O3", f"-DX={os.getenv('X', '1')!r}"]}\nfor a in (80, 90):\n    flags.setdefault("nvcc", []).append("-gencode=arch=compute_%d,code=sm_%d" % (a, a))\nsetup(ext_modules=[CUDAExtension("a", ["a.cu"], extra_compile_args=flags)], cmdclass={"build_ext": B})\n`;
  for (let at = 0; at <= text.length; at += 3) {
    assert.ok(Array.isArray(read(text.slice(0, at)).targets));
    assert.ok(Array.isArray(read(`${text.slice(0, at)}${"([{'\"\\\n:=)]}"[at % 13] ?? ""}${text.slice(at + 1)}`).targets));
  }
});

test("an editor's index: outline, and the literal under the cursor", () => {
  const document = indexPythonDocument("def get():\n    return CUDAExtension(\n        name='ops',\n        extra_compile_args=['-O3', f'-D{x}'])\nsetup(name='p')\n", "/p/setup.py");
  assert.deepEqual(document.symbols.map((one) => [one.name, one.kind, one.selection.range.start]), [
    ["get", "function", { line: 0, character: 4 }], ["ops", "extension", { line: 2, character: 13 }], ["setup", "setup", { line: 4, character: 0 }],
  ]);
  assert.equal(document.literalAt({ line: 3, character: 30 })?.text, "-O3");
  assert.equal(document.literalAt({ line: 3, character: 37 })?.text, "f'-D{x}'");
  assert.equal(document.literalAt({ line: 1, character: 8 }), undefined);
});

test("libraries that setup() packs", () => {
  const packed = (body: string): unknown => observationsOf(read(imports + body).observations, "packaged-file").map((one) => [one.pattern, one.evidence.text, conditions(one.conditions)]);
  assert.deepEqual(packed('setup(package_data={"ops": ["py.typed", "lib/libtorch*.so"], "": ["*.dll"]})'), [["lib/libtorch*.so", '"lib/libtorch*.so"', ""], ["*.dll", '"*.dll"', ""]]);
  assert.deepEqual(packed('files = {"ops": ["a.pyi"]}\nif BUNDLE:\n    files["ops"] = ["libtorch.so.2"]\nsetup(package_data=files)'), [["libtorch.so.2", '"libtorch.so.2"', "BUNDLE"]]);
  assert.deepEqual(packed('setup(data_files=[("lib", ["libc10.so", "a.so.md", "notes.txt"])])'), [["libc10.so", '"libc10.so"', ""]]);
  assert.deepEqual(packed('setup(package_data={"ops": ["lib/*", f"{root}/x.so"]})'), []);
});
