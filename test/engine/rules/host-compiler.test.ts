import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostCompilerChoice } from "../../../src/engine/model/index.ts";
import { hostCompiler } from "../../../src/engine/rules/host-compiler.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

const text = "ops\nset(CMAKE_CUDA_HOST_COMPILER g++-13)\n";

function choosing(compiler: string, source = "/p/a.cu") {
  const made = new RuleProject({ "/p/CMakeLists.txt": text, "/p/a.cu": "", "/p/a.cpp": "" }).target("/p/CMakeLists.txt", [source]);
  const choice: HostCompilerChoice = { kind: "host-compiler", compiler, language: "CUDA", conditions: [], evidence: made.evidence("/p/CMakeLists.txt", "g++-13") };
  made.observations.push(choice);
  return made;
}

const bounds = { "cuda-version": "11.8", "host-compiler-bounds": { gcc: { min: 6, max: 11 }, clang: { max: 14 } } } as const;

test("a compiler above the toolkit's own bound", () => {
  const found = choosing("/usr/bin/g++-13").toolchain("/usr/local/cuda", bounds).check(hostCompiler);
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:2 error"]);
  assert.equal(found[0]?.message, 'The host compiler /usr/bin/g++-13 is gcc 13, and CUDA 11.8 accepts nothing above gcc 11 (crt/host_config.h in /usr/local/cuda). nvcc stops with "#error -- unsupported GNU version!". Use gcc 11 or older, or a toolkit that knows gcc 13.');
});

test("inside the bounds, without a version in the name, or without CUDA sources it is silent", () => {
  for (const compiler of ["g++-11", "clang++-14", "g++", "/opt/rh/gcc-toolset-13/root/bin/g++", "clang++", "icpx"]) assert.deepEqual(choosing(compiler).toolchain("/usr/local/cuda", bounds).check(hostCompiler), [], compiler);
  assert.deepEqual(choosing("g++-13", "/p/a.cpp").toolchain("/usr/local/cuda", bounds).check(hostCompiler), []);
});

test("-ccbin of a target, with the bounds of the toolkit that torch was built with", () => {
  const made = new RuleProject({ "/p/CMakeLists.txt": "ops\n-ccbin=clang++-99\n", "/p/a.cu": "" });
  made.target("/p/CMakeLists.txt", ["/p/a.cu"], { arguments: [made.argument("/p/CMakeLists.txt", "-ccbin=clang++-99", { languages: ["CUDA"] })] }).torch("2.6.0", { "cuda-version": "12.4" });
  assert.deepEqual(lines(made.check(hostCompiler)), ["/p/CMakeLists.txt:2 error"]);
});

test("-allow-unsupported-compiler makes it a warning", () => {
  const made = choosing("g++-13").toolchain("/usr/local/cuda", bounds);
  const [target] = made.targets;
  assert.ok(target);
  made.targets[0] = { ...target, arguments: [made.argument("/p/CMakeLists.txt", "-allow-unsupported-compiler", { languages: ["CUDA"] })] };
  assert.deepEqual(lines(made.check(hostCompiler)), ["/p/CMakeLists.txt:2 warning"]);
});

test("a compiler that does not know the standard of torch's headers", () => {
  const found = choosing("g++-9").torch("2.14.0", { "cxx-standard-floor": 20 }).check(hostCompiler);
  assert.match(found[0]?.message ?? "", /demand C\+\+20, which gcc offers from version 10 on\.$/);
  assert.deepEqual(choosing("g++-9").torch("2.12.0", { "cxx-standard-floor": 17 }).check(hostCompiler), []);
});
