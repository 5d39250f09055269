import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompileArgument, IneffectiveSetting, TorchLookup } from "../../../src/engine/model/index.ts";
import { cudaArchitectures } from "../../../src/engine/rules/cuda-architectures.ts";
import { pybind11Internals } from "../../../src/engine/rules/pybind11-internals.ts";
import { settingWithoutEffect } from "../../../src/engine/rules/setting-without-effect.ts";
import { torchAbiLookup } from "../../../src/engine/rules/torch-abi-lookup.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

function lookup(what: TorchLookup["what"], use: TorchLookup["use"], guarded = false) {
  const made = new RuleProject({ "/p/CMakeLists.txt": "ops\nask torch\n" });
  made.observations.push({ kind: "torch-lookup", what, use, guarded, conditions: [], evidence: made.evidence("/p/CMakeLists.txt", "ask torch") });
  return made;
}

test("TORCH_CXX_FLAGS parsed for the ABI, from torch 2.8 on", () => {
  const found = lookup("TORCH_CXX_FLAGS", "parsed").torch("2.8.0+cu128").check(torchAbiLookup);
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:2 warning"]);
  assert.match(found[0]?.message ?? "", /^TORCH_CXX_FLAGS is parsed at CMakeLists\.txt:2, but since torch 2\.8 TorchConfig\.cmake puts no _GLIBCXX_USE_CXX11_ABI into TORCH_CXX_FLAGS.* The torch in question is torch 2\.8\.0\+cu128 in \.venv\./);
  assert.deepEqual(lookup("TORCH_CXX_FLAGS", "parsed").torch("2.7.1").check(torchAbiLookup), []);
});

test("forwarding it, guarding the lookup, and asking what still answers are silent", () => {
  assert.deepEqual(lookup("TORCH_CXX_FLAGS", "forwarded").torch("2.9.0").check(torchAbiLookup), []);
  assert.deepEqual(lookup("torch._C._PYBIND11_BUILD_ABI", "read", true).torch("2.9.0").check(torchAbiLookup), []);
  assert.deepEqual(lookup("torch._C._GLIBCXX_USE_CXX11_ABI", "read").torch("2.9.0").check(torchAbiLookup), []);
  assert.deepEqual(lookup("torch.compiled_with_cxx11_abi", "read").torch("2.9.0").check(torchAbiLookup), []);
});

test("an assigned ABI, and what the project's range says without a torch", () => {
  assert.deepEqual(lines(lookup("torch._C._GLIBCXX_USE_CXX11_ABI", "assigned").torch("2.13.0").check(torchAbiLookup)), ["/p/CMakeLists.txt:2 warning"]);
  const found = lookup("torch._C._PYBIND11_BUILD_ABI", "read").check(torchAbiLookup);
  assert.match(found[0]?.message ?? "", /The torch in question is torch 2\.\d+\.\d+, which the project allows \(no requirement of the project bounds torch\)\./);
  assert.deepEqual(lookup("torch._C._PYBIND11_BUILD_ABI", "read").require("/p/CMakeLists.txt", "torch<2.9").check(torchAbiLookup), []);
});

function setting(reason: IneffectiveSetting["reason"]) {
  const made = new RuleProject({ "/p/setup.py": "ops\nflags\n" });
  made.observations.push({ kind: "ineffective-setting", reason, message: "It does nothing.", related: [], conditions: [], evidence: made.evidence("/p/setup.py", "flags") });
  return made;
}

test("settings without effect, with the tag that fits", () => {
  const [found] = setting("unknown-key").check(settingWithoutEffect);
  assert.deepEqual([found?.severity, found?.message, found?.tag], ["warning", "It does nothing.", "unnecessary"]);
  assert.equal(setting("name-instead-of-value").check(settingWithoutEffect)[0]?.tag, undefined);
});

test("a place that was read several times is one finding", () => {
  const made = setting("overwritten");
  made.observations.push(...made.observations);
  assert.equal(made.check(settingWithoutEffect).length, 1);
});

test("a private hook still works with an older torch, and is not said twice", () => {
  assert.equal(setting("private-hook").torch("2.9.0").check(settingWithoutEffect).length, 1);
  assert.deepEqual(setting("private-hook").torch("2.6.0").check(settingWithoutEffect), []);
  const made = setting("private-hook").torch("2.9.0");
  made.observations.push({ kind: "torch-lookup", what: "BuildExtension._add_gnu_cpp_abi_flag", use: "overridden", guarded: false, conditions: [], evidence: made.evidence("/p/setup.py", "flags") });
  assert.deepEqual(made.check(settingWithoutEffect), []);
  assert.equal(made.check(torchAbiLookup).length, 1);
});

test("a hand-made version comparison", () => {
  const made = new RuleProject({ "/p/setup.py": "if MAJOR >= 2 and MINOR >= 1" });
  made.observations.push({ kind: "version-comparison", message: "This is false for torch 3.0.", conditions: [], evidence: made.evidence("/p/setup.py", "MAJOR") });
  assert.deepEqual(lines(made.check(settingWithoutEffect)), ["/p/setup.py:1 warning"]);
});

function architectures(variable: string, value: string, conditions: readonly string[] = []) {
  const made = new RuleProject({ "/p/setup.py": `ops\n${value}\n` });
  made.observations.push({ kind: "architecture-list", variable, value, conditions: conditions.map((text) => made.condition(text)), evidence: made.evidence("/p/setup.py", value) });
  return made;
}

test("architectures that the toolkit does not know or has dropped", () => {
  const newer = architectures("TORCH_CUDA_ARCH_LIST", "8.0;12.0").torch("2.6.0", { "cuda-version": "12.4" }).check(cudaArchitectures);
  assert.deepEqual(lines(newer), ["/p/setup.py:2 warning"]);
  assert.match(newer[0]?.message ?? "", /nvcc of CUDA 12\.4, with which torch 2\.6\.0 in \.venv is built .* cannot make: it does not know 12\.0\. nvcc stops with "Unsupported gpu architecture 'compute_120'"\.$/);
  assert.match(architectures("CMAKE_CUDA_ARCHITECTURES", "60;80").torch("2.13.0", { "cuda-version": "13.0" }).check(cudaArchitectures)[0]?.message ?? "", /has dropped 6\.0 \(its oldest is 7\.5\)/);
});

test("known architectures, branches on the toolkit, OFF, and no toolkit are silent", () => {
  assert.deepEqual(architectures("TORCH_CUDA_ARCH_LIST", "8.0;9.0+PTX").torch("2.6.0", { "cuda-version": "12.4" }).check(cudaArchitectures), []);
  assert.deepEqual(architectures("TORCH_CUDA_ARCH_LIST", "12.0", ["CUDA_VERSION >= 12.8"]).torch("2.6.0", { "cuda-version": "12.4" }).check(cudaArchitectures), []);
  assert.deepEqual(architectures("CMAKE_CUDA_ARCHITECTURES", "OFF").torch("2.6.0", { "cuda-version": "12.4" }).check(cudaArchitectures), []);
  assert.deepEqual(architectures("TORCH_CUDA_ARCH_LIST", "12.0").check(cudaArchitectures), []);
});

test("code for one kind of GPU alone is information", () => {
  const made = (flags: readonly string[]) => {
    const p = new RuleProject({ "/p/setup.py": `ops a.cu\n${flags.join("\n")}\n`, "/p/a.cu": "" });
    return lines(p.target("/p/setup.py", ["/p/a.cu"], { arguments: flags.map((text) => p.argument("/p/setup.py", text, { languages: ["CUDA"] })) }).check(cudaArchitectures));
  };
  assert.deepEqual(made(["-gencode=arch=compute_90a,code=sm_90a"]), ["/p/setup.py:2 info"]);
  assert.deepEqual(made(["-gencode=arch=compute_90a,code=sm_90a", "-gencode=arch=compute_80,code=sm_80"]), []);
});

test("several refused flags of one target are one finding", () => {
  const flags = ["-gencode=arch=compute_50,code=sm_50", "-gencode=arch=compute_60,code=sm_60", "-gencode=arch=compute_90,code=sm_90"];
  const made = new RuleProject({ "/p/setup.py": `ops a.cu\n${flags.join("\n")}\n`, "/p/a.cu": "" });
  made.target("/p/setup.py", ["/p/a.cu"], { arguments: flags.map((text) => made.argument("/p/setup.py", text, { languages: ["CUDA"] })) });
  const found = made.torch("2.13.0", { "cuda-version": "13.0" }).check(cudaArchitectures);
  assert.deepEqual(lines(found), ["/p/setup.py:2 warning"]);
  assert.match(found[0]?.message ?? "", /^The flags of target ops \(setup\.py:2\) ask for GPU code .* has dropped 5\.0 and 6\.0 \(its oldest is 7\.5\)/);
});

function binding(pin: string, madeBy = "pybind11_add_module", flags: readonly string[] = []) {
  const made = new RuleProject({ "/p/CMakeLists.txt": `ops a.cpp\n${pin}\n${flags.join("\n")}`, "/p/a.cpp": "#include <torch/extension.h>\n" });
  const args = flags.map((text): CompileArgument => made.argument("/p/CMakeLists.txt", text));
  return made.target("/p/CMakeLists.txt", ["/p/a.cpp"], { madeBy, arguments: args });
}

const v11 = { "pybind11-internals": "v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1" } as const;
const v5 = { "pybind11-internals": "v5_gcc_libstdcpp_cxxabi1011" } as const;

test("a pybind11 of another internals version in the build requirements", () => {
  const pinned = (version: string) => binding(`pybind11==${version}`).require("/p/CMakeLists.txt", `pybind11==${version}`, { name: "pybind11", specifier: `==${version}`, role: "build" });
  const found = pinned("2.13.6").torch("2.9.1", v11).check(pybind11Internals);
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:2 warning"]);
  assert.match(found[0]?.message ?? "", /^pybind11==2\.13\.6 at CMakeLists\.txt:2 brings internals v5 into target ops, but torch 2\.9\.1 in \.venv uses internals v11 \(/);
  assert.deepEqual(pinned("3.0.1").torch("2.9.1", v11).check(pybind11Internals), []);
  assert.deepEqual(pinned("2.13.6").torch("2.5.1", v5).check(pybind11Internals), []);
});

test("a fetched tag is exact, find_package is a floor", () => {
  const searched = (how: "fetch" | "find_package", version: string) => {
    const made = binding(`get pybind11 ${version}`).torch("2.9.1", v11);
    made.observations.push({ kind: "package-search", name: "pybind11", version, how, conditions: [], evidence: made.evidence("/p/CMakeLists.txt", `get pybind11 ${version}`) });
    return lines(made.check(pybind11Internals));
  };
  assert.deepEqual(searched("fetch", "v2.12.0"), ["/p/CMakeLists.txt:2 warning"]);
  assert.deepEqual(searched("find_package", "2.12.0"), []);
  assert.deepEqual(searched("fetch", "v3.0.0"), []);
});

test("a pin that no target with torch uses is silent", () => {
  const made = binding("pybind11==2.13.6", "add_library").require("/p/CMakeLists.txt", "pybind11==2.13.6", { name: "pybind11", specifier: "==2.13.6", role: "build" });
  assert.deepEqual(made.torch("2.9.1", v11).check(pybind11Internals), []);
});

test("pieces of the key written out, from torch 2.9 on", () => {
  const flag = '-DPYBIND11_COMPILER_TYPE="_gcc"';
  assert.deepEqual(lines(binding("", "add_library", [flag]).torch("2.9.1", v11).check(pybind11Internals)), ["/p/CMakeLists.txt:3 warning"]);
  assert.deepEqual(binding("", "add_library", [flag]).torch("2.8.0", v5).check(pybind11Internals), []);
});

test("a toolkit on the machine of another major version than torch's is not the one that builds", () => {
  const found = architectures("CMAKE_CUDA_ARCHITECTURES", "70;80").torch("2.5.1", { "cuda-version": "12.4" }).toolchain("/usr/local/cuda", { "cuda-version": "13.0" }).check(cudaArchitectures);
  assert.deepEqual(found, []);
  assert.equal(architectures("CMAKE_CUDA_ARCHITECTURES", "70;80").torch("2.13.0", { "cuda-version": "13.0" }).toolchain("/usr/local/cuda", { "cuda-version": "13.0" }).check(cudaArchitectures).length, 1);
});

test("tests of nvcc's version are evaluated, and a GPU that the user names is the user's", () => {
  const asked = (condition: string, cuda: string) => architectures("TORCH_CUDA_ARCH_LIST", cuda === "13.0" ? "7.0" : "12.0", [condition]).torch("2.6.0", { "cuda-version": cuda }).check(cudaArchitectures).length;
  assert.equal(asked('bare_metal_version >= Version("12.8")', "12.4"), 0);
  assert.equal(asked('bare_metal_version >= Version("11.2")', "13.0"), 1);
  assert.equal(asked('"${SM}" GREATER -1', "13.0"), 0);
  assert.equal(asked("WITH_SMALL", "13.0"), 1);
});

test("an image brings its own toolkit", () => {
  const made = new RuleProject({ "/p/docker/Dockerfile": "ENV TORCH_CUDA_ARCH_LIST=12.0" });
  made.observations.push({ kind: "architecture-list", variable: "TORCH_CUDA_ARCH_LIST", value: "12.0", conditions: [], evidence: made.evidence("/p/docker/Dockerfile", "12.0") });
  assert.deepEqual(made.torch("2.6.0", { "cuda-version": "12.4" }).check(cudaArchitectures), []);
});

test("a folder's list and what its targets make of it are one finding", () => {
  const made = architectures("CMAKE_CUDA_ARCHITECTURES", "60").torch("2.13.0", { "cuda-version": "13.0" });
  made.target("/p/setup.py", ["/p/a.cu"], { arguments: [made.argument("/p/setup.py", "--generate-code=arch=compute_60,code=[sm_60]", { languages: ["CUDA"], evidence: made.evidence("/p/setup.py", "60") })] });
  const found = made.check(cudaArchitectures);
  assert.equal(found.length, 1);
  assert.match(found[0]?.message ?? "", /^The flags of target ops/);
});

test("assigning the value that newer torch has anyway is information", () => {
  const assigned = (text: string) => {
    const made = new RuleProject({ "/p/setup.py": `torch._C._GLIBCXX_USE_CXX11_ABI = ${text}\n` });
    made.observations.push({ kind: "torch-lookup", what: "torch._C._GLIBCXX_USE_CXX11_ABI", use: "assigned", guarded: false, conditions: [], evidence: made.evidence("/p/setup.py", "torch._C._GLIBCXX_USE_CXX11_ABI") });
    return lines(made.torch("2.13.0").check(torchAbiLookup));
  };
  assert.deepEqual(assigned("True"), ["/p/setup.py:1 info"]);
  assert.deepEqual(assigned("False"), ["/p/setup.py:1 warning"]);
});

function nameForValue(value: string) {
  const made = new RuleProject({ "/p/CMakeLists.txt": "target_compile_definitions(ops PRIVATE FLAG)\n" });
  const evidence = made.evidence("/p/CMakeLists.txt", "FLAG");
  const fix = { title: "Use the value of FLAG", edits: [{ location: evidence.location, newText: "${FLAG}" }] };
  made.observations.push({ kind: "ineffective-setting", reason: "name-instead-of-value", message: `The variable FLAG holds \`_GLIBCXX_USE_CXX11_ABI=${value}\`, which is never applied.`, related: [], conditions: [], evidence, fix });
  return made.torch("2.13.0", { "libstdcxx-abi": 1 }).check(settingWithoutEffect)[0]?.fixes.map((one) => one.preferred);
}

test("no fix that would bring torch's other ABI into force", () => {
  assert.deepEqual(nameForValue("1"), [true]);
  assert.deepEqual(nameForValue("0"), []);
});

test("one sentence of a place met on two ways, and of each configuration's flags, is said once", () => {
  const made = setting("configuration-only");
  const [one] = made.observations;
  assert.ok(one?.kind === "ineffective-setting");
  made.observations.push({ ...one, evidence: made.evidence("/p/setup.py", "ops") }, { ...one, conditions: [made.condition("WITH_CUDA")] });
  const found = made.check(settingWithoutEffect);
  assert.deepEqual([found.length, found[0]?.message, found[0]?.location.range.start.line, found[0]?.related.length], [1, "It does nothing.", 0, 1]);
});
