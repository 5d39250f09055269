import assert from "node:assert/strict";
import { test } from "node:test";
import { c10Boundary } from "../../../src/engine/rules/c10-boundary.ts";
import { cudaInCppExtension } from "../../../src/engine/rules/cuda-in-cpp-extension.ts";
import { hardCodedPath } from "../../../src/engine/rules/hard-coded-path.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

test("CUDA sources in a CppExtension", () => {
  const project = (madeBy: string, source: string) => new RuleProject({ "/p/setup.py": "CppExtension('ops', [\n 'a.cu', 'a.cpp'])", "/p/a.cu": "", "/p/a.cpp": "" }).target("/p/setup.py", [source], { builder: "setuptools", madeBy });
  assert.deepEqual(lines(project("CppExtension", "/p/a.cu").check(cudaInCppExtension)), ["/p/setup.py:2 info"]);
  assert.deepEqual(project("CUDAExtension", "/p/a.cu").check(cudaInCppExtension), []);
  assert.deepEqual(project("CppExtension", "/p/a.cpp").check(cudaInCppExtension), []);
});

test("c10 across a boundary is one note a target, and only on request", () => {
  assert.equal(c10Boundary.optIn, true);
  const project = (source: string) => new RuleProject({ "/p/CMakeLists.txt": "ops", "/p/a.cpp": source }).target("/p/CMakeLists.txt", ["/p/a.cpp"]);
  const found = project("#include <vector>\n#include <ATen/ATen.h>\nat::Tensor f(at::Tensor a);\n").check(c10Boundary);
  assert.deepEqual(lines(found), ["/p/a.cpp:2 info"]);
  assert.match(found[0]?.message ?? "", /^Target ops includes an unstable torch header, first ATen\/ATen\.h, and names at::Tensor \(2 times\): /);
  assert.deepEqual(project("#include <torch/csrc/stable/tensor.h>\n#include <dlpack/dlpack.h>").check(c10Boundary), []);
});

test("a path into the Python of one machine", () => {
  const project = (line: string) => new RuleProject({ "/p/setup.py": `ops\n${line}\n` }).target("/p/setup.py", []).check(hardCodedPath);
  const found = project('dirs = ["/opt/conda/lib/python3.6/config-3.6m-x86_64-linux-gnu"]');
  assert.deepEqual(found[0]?.location, { path: "/p/setup.py", range: { start: { line: 1, character: 9 }, end: { line: 1, character: 62 } } });
  assert.equal(project('"-L/home/ann/libtorch/lib"').length, 1);
  assert.equal(project('"/opt/miniconda/envs/dev/lib"').length, 1);
  for (const line of ['# "/opt/conda/lib/python3.6/x"', '"/usr/local/cuda/include"', 'f"{prefix}/lib/python3.6/site-packages"', '"/home/ann/data"', '"/usr/include/python"', '"lib/python3.6/x"', '"${CONDA}/lib/python3.9/site-packages"']) assert.deepEqual(project(line), [], line);
});
