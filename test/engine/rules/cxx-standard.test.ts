import assert from "node:assert/strict";
import { test } from "node:test";
import type { TorchRelease } from "../../../src/engine/catalogue/index.ts";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import type { CompileArgument, DeclaredTarget, Language } from "../../../src/engine/model/index.ts";
import { cxxStandard } from "../../../src/engine/rules/cxx-standard.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

const setup = "ops a.cpp a.cu\n['-std=c++14', '-O3',\n '-std=c++17']\ntorch==2.0.0\ntorch>=1.5\nset(CMAKE_CXX_STANDARD 14)\n";
const torchSource = "#include <torch/extension.h>\n";

/** Floors as field research has them, so that the test does not hang on the table. */
function release(version: string, floor: number, standard: number): TorchRelease {
  const [some] = loadCatalogue().torchReleases;
  assert.ok(some);
  return { ...some, version, cxxStandardFloor: floor, cxxStandardDefault: standard };
}
const torchReleases = [release("2.0.0", 14, 17), release("2.1.0", 17, 17), release("2.13.0", 17, 20), release("2.14.0", 20, 20)];
const torchRelease = (version: string) => torchReleases.find((one) => one.version === version);

function project(flags: readonly (readonly [string, readonly Language[]])[], target: Partial<DeclaredTarget> = {}, change: Partial<CompileArgument> = {}) {
  const made = new RuleProject({ "/p/setup.py": setup, "/p/a.cpp": torchSource, "/p/a.cu": torchSource }, { torchReleases, torchRelease });
  return made.target("/p/setup.py", ["/p/a.cpp", "/p/a.cu"], {
    builder: "setuptools", kind: "extension", madeBy: "CUDAExtension",
    arguments: flags.map(([text, languages]) => made.argument("/p/setup.py", text, { origin: "argument-list", languages, ...change })), ...target,
  });
}

const both: readonly Language[] = ["CXX", "CUDA"];
const old = [["-std=c++14", both]] as const;

test("below the floor of the installed torch", () => {
  const found = project(old).torch("2.5.1", { "cxx-standard-floor": 17, "cxx-standard-default": 17 }).check(cxxStandard);
  assert.deepEqual(lines(found), ["/p/setup.py:2 error"]);
  assert.match(found[0]?.message ?? "", /^The C\+\+ and CUDA sources of target ops are compiled as C\+\+14 \(setup\.py:2\), but the headers of torch 2\.5\.1 in \.venv stop with an #error below C\+\+17 \(/);
  assert.deepEqual(found[0]?.fixes.map((one) => one.title), ["Raise it to C++17", "Delete -std=c++14: BuildExtension then passes the standard of its torch"]);
  assert.equal(found[0]?.fixes[0]?.edits[0]?.newText, "-std=c++17");
});

test("at the floor it is silent", () => {
  assert.deepEqual(project([["-std=c++17", both]]).torch("2.5.1", { "cxx-standard-floor": 17 }).check(cxxStandard), []);
  assert.deepEqual(project([["-std=c++14", both], ["-std=c++17", both]]).torch("2.5.1", { "cxx-standard-floor": 17 }).check(cxxStandard), []);
});

test("without a torch the range decides", () => {
  const found = project(old).require("/p/setup.py", "torch>=1.5").check(cxxStandard);
  assert.deepEqual(lines(found), ["/p/setup.py:2 warning"]);
  assert.match(found[0]?.message ?? "", /those of torch 2\.1\.0 and newer stop with an #error below C\+\+17, and those of torch 2\.14\.0 below C\+\+20 \(the project asks for torch>=1\.5 \(setup\.py:5\)\)\./);
  assert.deepEqual(lines(project([["-std=c++17", both]]).check(cxxStandard)), ["/p/setup.py:3 warning"]);
  assert.deepEqual(lines(project(old).require("/p/setup.py", "torch>=2.1", {}).check(cxxStandard)), ["/p/setup.py:2 error"]);
  assert.deepEqual(project(old).require("/p/setup.py", "torch==2.0.0", { role: "requirements-file" }).check(cxxStandard), []);
  assert.deepEqual(lines(project([["-std=c++17", both]]).require("/p/setup.py", "torch==2.14.0.dev20260701").check(cxxStandard)), []);
});

test("no torch headers, imported and interface targets, version branches, and the builder's own standard are silent", () => {
  const none = project(old);
  none.files.write("/p/a.cpp", "#include <vector>\n");
  none.files.write("/p/a.cu", "");
  assert.deepEqual(none.check(cxxStandard), []);
  assert.deepEqual(project(old, { kind: "imported" }).check(cxxStandard), []);
  assert.deepEqual(project(old, { kind: "interface" }).check(cxxStandard), []);
  assert.deepEqual(project(old, { usesTorch: false, sources: [] }).check(cxxStandard), []);
  const condition = none.condition("torch.__version__ < 2.1");
  assert.deepEqual(project(old, {}, { conditions: [condition] }).check(cxxStandard), []);
  assert.deepEqual(project(old, {}, { origin: "builder-default" }).check(cxxStandard), []);
});

test("a target that says nothing of torch and includes its headers counts", () => {
  assert.deepEqual(lines(project(old, { usesTorch: false }).check(cxxStandard)), ["/p/setup.py:2 warning"]);
});

test("CMAKE_CXX_STANDARD is raised at its number", () => {
  const made = new RuleProject({ "/p/CMakeLists.txt": "ops\nset(CMAKE_CXX_STANDARD 14)\n", "/p/a.cpp": torchSource }, { torchReleases, torchRelease });
  made.target("/p/CMakeLists.txt", ["/p/a.cpp"], { arguments: [made.argument("/p/CMakeLists.txt", "-std=gnu++14", { origin: "standard", evidence: made.evidence("/p/CMakeLists.txt", "14") })] });
  const [fix] = made.torch("2.5.1", { "cxx-standard-floor": 17 }).check(cxxStandard)[0]?.fixes ?? [];
  assert.deepEqual([fix?.title, fix?.edits[0]?.newText, fix?.edits[0]?.location.range], ["Raise it to C++17", "17", { start: { line: 1, character: 23 }, end: { line: 1, character: 25 } }]);
});

test("host and CUDA differ, both written", () => {
  const found = project([["-std=c++17", ["CXX"]], ["-std=c++14", ["CUDA"]]]).torch("2.0.0", { "cxx-standard-floor": 14 }).check(cxxStandard);
  assert.deepEqual(lines(found), ["/p/setup.py:2 warning"]);
  assert.match(found[0]?.message ?? "", /^The C\+\+ sources of target ops are compiled as C\+\+17 \(setup\.py:3\) and its CUDA sources as C\+\+14 \(setup\.py:2\)\./);
});

test("one list without a standard gets torch's default", () => {
  const found = project([["-std=c++17", ["CUDA"]], ["-O3", ["CXX"]]]).torch("2.13.0", { "cxx-standard-floor": 17, "cxx-standard-default": 20 }).check(cxxStandard);
  assert.deepEqual(lines(found), ["/p/setup.py:3 warning"]);
  assert.match(found[0]?.message ?? "", /while nothing is given for its C\+\+ sources, to which BuildExtension of torch 2\.13\.0 in \.venv adds -std=c\+\+20/);
  assert.deepEqual(project([["-std=c++17", ["CUDA"]]]).torch("2.5.1", { "cxx-standard-floor": 17, "cxx-standard-default": 17 }).check(cxxStandard), []);
  assert.deepEqual(project([["-std=c++17", ["CUDA"]]], { madeBy: "Extension" }).torch("2.13.0", { "cxx-standard-floor": 17, "cxx-standard-default": 20 }).check(cxxStandard), []);
});

test("opposite branches are not compared", () => {
  const made = project([]);
  const on = made.condition("IS_HIP", 0);
  const off = made.condition("IS_HIP", 1);
  made.targets.length = 0;
  made.target("/p/setup.py", ["/p/a.cpp", "/p/a.cu"], {
    madeBy: "CUDAExtension",
    arguments: [
      made.argument("/p/setup.py", "-std=c++17", { languages: ["CXX"], conditions: [on] }),
      made.argument("/p/setup.py", "-std=c++14", { languages: ["CUDA"], conditions: [off] }),
    ],
  });
  assert.deepEqual(made.torch("2.0.0", { "cxx-standard-floor": 14 }).check(cxxStandard), []);
});

test("branches for ROCm and for CUDA 10 say nothing of the releases in the range", () => {
  const under = (text: string, branch = 0) => lines(project(old, {}, { conditions: [{ ...project([]).condition(text), branch }] }).check(cxxStandard));
  assert.deepEqual(under("bool(torch.version.hip)"), []);
  assert.deepEqual(under("IS_ROCM"), []);
  assert.deepEqual(under("cuda_major > 10", 1), []);
  assert.deepEqual(under("cuda_major <= 10"), []);
  assert.deepEqual(under("cuda_major > 10"), ["/p/setup.py:2 warning"]);
  assert.deepEqual(under("bool(torch.version.hip)", 1), ["/p/setup.py:2 warning"]);
  assert.deepEqual(under("ship"), ["/p/setup.py:2 warning"]);
});

test("a list under a key that is not read explains the difference", () => {
  const made = project([["-std=c++17", ["CUDA"]]]).torch("2.13.0", { "cxx-standard-floor": 17, "cxx-standard-default": 20 });
  made.observations.push({ kind: "ineffective-setting", reason: "unknown-key", message: "", related: [], conditions: [], evidence: made.evidence("/p/setup.py", "-O3") });
  assert.deepEqual(made.check(cxxStandard), []);
});

const needs17 = { "cxx-standard-floor": 17, "cxx-standard-default": 17 } as const;

function hardware(path: string, version: string, facts: Readonly<Record<string, string>> = {}) {
  const made = new RuleProject({ [path]: setup, "/p/a.cpp": torchSource, "/p/a.cu": torchSource });
  made.target(path, ["/p/a.cpp", "/p/a.cu"], { builder: "setuptools", kind: "extension", madeBy: "CUDAExtension", arguments: [made.argument(path, "-std=c++14", { languages: both })] });
  return made.torch(version, { ...needs17, ...facts }).check(cxxStandard).length;
}

test("build files of hardware that the torch does not serve are silent", () => {
  assert.equal(hardware("/p/setup_rocm.py", "2.5.1+cu124"), 0);
  assert.equal(hardware("/p/setup_rocm.py", "2.5.1+rocm6.2", { "rocm-version": "6.2" }), 1);
  assert.equal(hardware("/p/ops/npu/setup.py", "2.5.1+cu124"), 0);
  assert.equal(hardware("/p/ops/input/setup.py", "2.5.1+cu124"), 1);
});

test("the headers of the stable ABI have no floor", () => {
  const made = project(old);
  const [target] = made.targets;
  assert.ok(target);
  made.targets[0] = { ...target, arguments: [...target.arguments, { text: "-DTORCH_TARGET_VERSION=0x0209000000000000", known: true, languages: ["CXX"], origin: "option", conditions: [], evidence: made.evidence("/p/setup.py", "ops") }] };
  assert.deepEqual(made.torch("2.9.1", needs17).check(cxxStandard), []);
});

test("a standard that linked targets demand wherever the target exists", () => {
  const made = project(old);
  const [target] = made.targets;
  assert.ok(target);
  const raised = { text: "-std=c++20", known: true, languages: both, origin: "standard" as const, evidence: made.evidence("/p/setup.py", "'-std=c++17'") };
  const under = (own: string) => {
    made.targets[0] = { ...target, conditions: [made.condition(own)], arguments: [...target.arguments, { ...raised, conditions: [made.condition("WITH_A OR WITH_B")] }] };
    return made.torch("2.9.1", needs17).check(cxxStandard).length;
  };
  assert.equal(under("WITH_B"), 0);
  assert.equal(under("WITH_C"), 1);
});

function vendored(includes: string, changes: Partial<DeclaredTarget> = {}) {
  const made = new RuleProject({ "/p/CMakeLists.txt": "ops\n-std=c++14\n", "/p/a.cpp": includes, "/p/vendor/c10/util/irange.h": "", "/p/vendor/ATen/ATen.h": "" });
  made.target("/p/CMakeLists.txt", ["/p/a.cpp"], { arguments: [made.argument("/p/CMakeLists.txt", "-std=c++14")], ...changes });
  return made.torch("2.5.1", needs17).check(cxxStandard).length;
}

test("headers without the check, and copies of torch's headers in the project", () => {
  assert.equal(vendored("#include <ATen/ATen.h>\n"), 1);
  assert.equal(vendored("#include <c10/util/irange.h>\n#include <ATen/cpu/vec/vec.h>\n"), 0);
  assert.equal(vendored("#include <ATen/ATen.h>\n", { includeDirectories: ["/p/vendor"] }), 0);
});

test("where includes are not known, a CMake target counts when it links libtorch", () => {
  const sources = [{ path: "${GENERATED}", language: "CXX" as const, conditions: [], location: { path: "/p/CMakeLists.txt", range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } } } }];
  const link = (name: string) => new RuleProject({ "/p/CMakeLists.txt": name }).link("/p/CMakeLists.txt", name);
  assert.equal(vendored("", { sources }), 0);
  assert.equal(vendored("", { sources, links: [link("${TORCH_LIBRARIES}")] }), 1);
  assert.equal(vendored("", { sources, links: [link("executorch")] }), 0);
});

test("a compile feature is a minimum, below what compilers take by themselves", () => {
  const feature = (name: string, floor: number) => {
    const made = new RuleProject({ "/p/CMakeLists.txt": `ops\n${name}\n`, "/p/a.cpp": torchSource });
    made.target("/p/CMakeLists.txt", ["/p/a.cpp"], { arguments: [made.argument("/p/CMakeLists.txt", `-std=gnu++${name.slice(-2)}`, { origin: "standard", evidence: made.evidence("/p/CMakeLists.txt", name) })] });
    return made.torch("2.8.0", { "cxx-standard-floor": floor }).check(cxxStandard).map((one) => one.message.slice(0, 110));
  };
  assert.deepEqual(feature("cxx_std_11", 17), []);
  assert.deepEqual(feature("cxx_std_14", 20), ["The C++ sources of target ops are asked to be C++14 at least, which is C++17 with most compilers, (CMakeLists."]);
});

test("a default that the project raises once it knows its torch", () => {
  const made = project(old);
  const [target] = made.targets;
  assert.ok(target);
  const raised = (standard: string) => {
    made.targets[0] = { ...target, arguments: [...target.arguments, made.argument("/p/setup.py", standard, { languages: both, conditions: [made.condition("Torch_VERSION VERSION_GREATER_EQUAL 2.1")] })] };
    return made.torch("2.8.0", needs17).check(cxxStandard).length;
  };
  assert.equal(raised("-std=c++17"), 0);
  assert.equal(raised("-std=c++14"), 1);
});

test("a default below what an if() raises it to does not come past that if()", () => {
  const past = (bound: number, branch: number) => {
    const made = project(old);
    const [target] = made.targets;
    assert.ok(target);
    made.targets[0] = { ...target, arguments: target.arguments.map((one) => ({ ...one, conditions: [made.condition(`14${"${CMAKE_CXX_STANDARD}"} LESS ${bound}`, branch)] })) };
    return made.torch("2.8.0", needs17).check(cxxStandard).length;
  };
  assert.equal(past(17, 1), 0);
  assert.equal(past(14, 1), 1);
  assert.equal(past(17, 0), 1);
});

test("a standard for builds without torch", () => {
  const made = new RuleProject({ "/p/CMakeLists.txt": "ops torch\n-std=c++14\n", "/p/a.cpp": torchSource });
  const under = (branch: number) => {
    made.targets.length = 0;
    const conditions = [made.condition("WITH_TORCH", branch)];
    made.target("/p/CMakeLists.txt", ["/p/a.cpp"], { links: [made.link("/p/CMakeLists.txt", "torch", { conditions: [made.condition("WITH_TORCH")] })], arguments: [made.argument("/p/CMakeLists.txt", "-std=c++14", { conditions })] });
    return made.torch("2.8.0", needs17).check(cxxStandard).length;
  };
  assert.equal(under(0), 1);
  assert.equal(under(1), 0);
});

test("what only an option that is off by default brings about is information, and needs a given torch", () => {
  const made = project(old);
  const under = (byDefault: boolean, flags: Parameters<typeof project>[0] = old) => project(flags, {}, { conditions: [{ ...made.condition("USE_OLD"), byDefault }] });
  const installed = { "cxx-standard-floor": 17, "cxx-standard-default": 17 };
  const chosen = under(false).torch("2.5.1", installed).check(cxxStandard);
  assert.deepEqual(lines(chosen), ["/p/setup.py:2 info"]);
  assert.match(chosen[0]?.message ?? "", /\(setup\.py:2, when USE_OLD is on\), .* This is not what happens by default\.$/);
  assert.deepEqual(under(false).check(cxxStandard), []);
  assert.deepEqual(lines(under(true).torch("2.5.1", installed).check(cxxStandard)), ["/p/setup.py:2 error"]);
  const cuda = project(old, {}, { conditions: [{ ...made.condition("BUILD_CUDA_MODULE"), byDefault: false }] }).torch("2.5.1", installed);
  assert.deepEqual(lines(cuda.check(cxxStandard)), ["/p/setup.py:2 error"]);
  const mixed = [["-std=c++17", ["CXX"]], ["-std=c++14", ["CUDA"]]] as const;
  assert.deepEqual(lines(under(false, mixed).torch("2.0.0", { "cxx-standard-floor": 14 }).check(cxxStandard)), ["/p/setup.py:2 info"]);
  assert.deepEqual(lines(under(true, mixed).torch("2.0.0", { "cxx-standard-floor": 14 }).check(cxxStandard)), ["/p/setup.py:2 warning"]);
});
