import assert from "node:assert/strict";
import { test } from "node:test";
import type { AbiSetting, CompileArgument, DeclaredTarget, Language } from "../../../src/engine/model/index.ts";
import { libstdcxxAbiPinned } from "../../../src/engine/rules/libstdcxx-abi-pinned.ts";
import { libstdcxxAbi } from "../../../src/engine/rules/libstdcxx-abi.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

const old = "-D_GLIBCXX_USE_CXX11_ABI=0";
const now = "-D_GLIBCXX_USE_CXX11_ABI=1";
const setup = `ops a.cpp a.cu\n["${old}",\n "${now}", "-O3"]\ntorch>=2.7\ntorch==2.5.1\nNCXX=0\n`;
const torchSource = "#include <torch/extension.h>\n";

function project(flags: readonly string[], changes: Partial<CompileArgument> = {}, target: Partial<DeclaredTarget> = {}) {
  const made = new RuleProject({ "/p/setup.py": setup, "/p/a.cpp": torchSource, "/p/a.cu": torchSource });
  return made.target("/p/setup.py", ["/p/a.cpp"], {
    builder: "setuptools", kind: "extension", madeBy: "CUDAExtension",
    arguments: flags.map((flag) => made.argument("/p/setup.py", flag, { origin: "argument-list", ...changes })), ...target,
  });
}

const abi = (value: 0 | 1) => ({ "libstdcxx-abi": value, platform: "linux-x86_64" }) as const;

test("a hard-coded 0 against a torch of ABI 1: error at the flag, deleted by the fix", () => {
  const found = project([old]).torch("2.9.1+cu128", abi(1)).check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/setup.py:2 error"]);
  assert.match(found[0]?.message ?? "", /^_GLIBCXX_USE_CXX11_ABI is 0 for the C\+\+ sources of target ops \(set at setup\.py:2\), but torch 2\.9\.1\+cu128 in \.venv is built with 1 \(/);
  assert.deepEqual(found[0]?.fixes.map((one) => [one.title, one.preferred]), [[`Delete ${old}`, true], [`Change it to ${now}`, false]]);
});

test("the same value as torch is silent", () => {
  assert.deepEqual(project([old]).torch("2.5.1+cu124", abi(0)).check(libstdcxxAbi), []);
  assert.deepEqual(project([now]).torch("2.9.1", abi(1)).check(libstdcxxAbi), []);
});

test("only the later of two values counts", () => {
  assert.deepEqual(project([old, now]).torch("2.9.1", abi(1)).check(libstdcxxAbi), []);
});

test("no torch in the target, torch's stable headers alone, no Linux, and branches on torch's version are silent", () => {
  assert.deepEqual(project([old], {}, { usesTorch: false, sources: [] }).torch("2.9.1", abi(1)).check(libstdcxxAbi), []);
  const stable = project([old]);
  stable.files.write("/p/a.cpp", "#include <torch/csrc/stable/library.h>\n");
  assert.deepEqual(stable.torch("2.9.1", abi(1)).check(libstdcxxAbi), []);
  assert.deepEqual(project([old]).torch("2.9.1", { ...abi(1), platform: "macos-arm64" }).check(libstdcxxAbi), []);
  const made = project([old]);
  assert.deepEqual(project([old], { conditions: [made.condition("TORCH_VERSION < 2.7")] }).torch("2.9.1", abi(1)).check(libstdcxxAbi), []);
});

test("a value that whoever builds has to choose is information against a given torch, the default of the same switch is an error", () => {
  const made = project([old]);
  const under = (byDefault: boolean) => project([old], { conditions: [{ ...made.condition("OLD_ABI"), byDefault }] });
  const chosen = under(false).torch("2.9.1", abi(1)).check(libstdcxxAbi);
  assert.deepEqual(lines(chosen), ["/p/setup.py:2 info"]);
  assert.match(chosen[0]?.message ?? "", /\(set at setup\.py:2, when OLD_ABI is on\), .* This is not what happens by default\.$/);
  assert.deepEqual(under(false).check(libstdcxxAbi), []);
  const msvc = project([old], { conditions: [{ ...made.condition("the CXX compiler is MSVC"), byDefault: false }] });
  assert.deepEqual(msvc.torch("2.9.1", abi(1)).check(libstdcxxAbi), []);
  assert.deepEqual(under(false).torch("2.5.1", abi(0)).check(libstdcxxAbi), []);
  assert.deepEqual(lines(under(true).torch("2.9.1", abi(1)).check(libstdcxxAbi)), ["/p/setup.py:2 error"]);
});

test("the value of torch itself is silent, TensorFlow's is not", () => {
  const made = (follows: "torch" | "tensorflow") => project([old], { follows }).torch("2.9.1", abi(1)).check(libstdcxxAbi);
  assert.deepEqual(made("torch"), []);
  assert.match(made("tensorflow")[0]?.message ?? "", /The value is TensorFlow's, not torch's\./);
});

test("several targets with one flag are one finding", () => {
  const made = project([old]);
  const [first] = made.targets;
  assert.ok(first);
  made.targets.push({ ...first, name: "more" });
  const found = made.torch("2.9.1", abi(1)).check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/setup.py:2 error"]);
  assert.match(found[0]?.message ?? "", /of targets ops and more \(/);
});

test("a value that BuildExtension of torch below 2.9 overrides is a warning", () => {
  const made = project([old]);
  const [target] = made.targets;
  assert.ok(target);
  made.targets[0] = { ...target, arguments: [...target.arguments, made.argument("/p/setup.py", now, { origin: "builder-default", follows: "torch", evidence: made.evidence("/p/setup.py", "ops") })] };
  const found = made.torch("2.8.0+cu128", abi(1)).check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/setup.py:2 warning"]);
  assert.match(found[0]?.message ?? "", /from torch 2\.9 nothing corrects it/);
});

test("where CMake builds, it is the torch target that overrides", () => {
  const made = project([old], {}, { builder: "cmake", kind: "shared" });
  const [target] = made.targets;
  assert.ok(target);
  made.targets[0] = { ...target, arguments: [...target.arguments, made.argument("/p/setup.py", now, { origin: "builder-default", follows: "torch", evidence: made.evidence("/p/setup.py", "ops") })] };
  const [found] = made.torch("2.7.0+cpu", abi(1)).check(libstdcxxAbi);
  assert.match(found?.message ?? "", /Up to torch 2\.7 the target torch of find_package\(Torch\) appends torch's value after it, .* from torch 2\.8 nothing corrects it/);
});

test("without a torch the newest allowed release decides, as a warning", () => {
  const found = project([old]).require("/p/setup.py", "torch>=2.7").check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/setup.py:2 warning"]);
  assert.match(found[0]?.message ?? "", /the project asks for torch>=2\.7 \(setup\.py:4\)\), are built with 1\. .* No installed torch was given/);
  assert.deepEqual(project([old]).require("/p/setup.py", "torch==2.5.1").check(libstdcxxAbi), []);
  assert.deepEqual(lines(project([now]).require("/p/setup.py", "torch==2.5.1").check(libstdcxxAbi)), ["/p/setup.py:3 warning"]);
  assert.deepEqual(project([now]).check(libstdcxxAbi), []);
});

test("host and nvcc flags that differ", () => {
  const made = project([]);
  made.targets.length = 0;
  const argument = (text: string, language: Language) => made.argument("/p/setup.py", text, { languages: [language] });
  made.target("/p/setup.py", ["/p/a.cpp", "/p/a.cu"], { arguments: [argument(now, "CXX"), argument(old, "CUDA")] });
  assert.deepEqual(lines(made.torch("2.9.1", abi(1)).check(libstdcxxAbi)), ["/p/setup.py:2 error"]);
  made.targets.length = 0;
  made.target("/p/setup.py", ["/p/a.cpp", "/p/a.cu"], { arguments: [argument(now, "CXX"), argument(now, "CUDA")] });
  assert.deepEqual(made.check(libstdcxxAbi), []);
});

const cmake = "main core\nadd_definitions(-D_GLIBCXX_USE_CXX11_ABI=0)\nadd_compile_definitions(_GLIBCXX_USE_CXX11_ABI=1)\nNO_ABI\n";

function linked(mainFlag: string | undefined, coreFlag: string | undefined, kind: DeclaredTarget["kind"] = "shared") {
  const made = new RuleProject({ "/p/CMakeLists.txt": cmake, "/p/main.cpp": "", "/p/core.cpp": "" });
  const flags = (text: string | undefined) => (text === undefined ? [] : [made.argument("/p/CMakeLists.txt", `-D${text}`, { evidence: made.evidence("/p/CMakeLists.txt", text) })]);
  made.target("/p/CMakeLists.txt", ["/p/main.cpp"], { name: "main", usesTorch: false, arguments: flags(mainFlag), links: [made.link("/p/CMakeLists.txt", "core", { isProjectTarget: true })] });
  made.target("/p/CMakeLists.txt", ["/p/core.cpp"], { name: "core", usesTorch: false, kind, arguments: flags(coreFlag) });
  return made;
}

test("targets that are linked together", () => {
  const zero = "_GLIBCXX_USE_CXX11_ABI=0";
  const one = "_GLIBCXX_USE_CXX11_ABI=1";
  const found = linked(zero, one).check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:2 error"]);
  assert.match(found[0]?.message ?? "", /^[Tt]arget main is compiled with _GLIBCXX_USE_CXX11_ABI=0 \(CMakeLists\.txt:2\) and target core with 1 \(CMakeLists\.txt:3\), and the two are linked together\./);
  assert.deepEqual(linked(zero, zero).check(libstdcxxAbi), []);
  assert.deepEqual(lines(linked(zero, undefined).check(libstdcxxAbi)), ["/p/CMakeLists.txt:2 warning"]);
  assert.deepEqual(linked(one, undefined).check(libstdcxxAbi), []);
  assert.deepEqual(linked(zero, one, "interface").check(libstdcxxAbi), []);
});

test("what one value does to many targets is one sentence", () => {
  const made = linked(undefined, "_GLIBCXX_USE_CXX11_ABI=0");
  for (const name of ["tool", "other"]) made.target("/p/CMakeLists.txt", ["/p/main.cpp"], { name, usesTorch: false, kind: "executable", arguments: [], links: [made.link("/p/CMakeLists.txt", "core", { isProjectTarget: true })] });
  const found = made.check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:2 warning"]);
  assert.equal(found[0]?.message, "Target core is compiled with _GLIBCXX_USE_CXX11_ABI=0 (CMakeLists.txt:2), and targets main, tool and other, with which it is linked, get no value and so the compiler's default of 1. Functions between the two that take or return std::string will not be found.");
});

test("targets that are not linked together may differ", () => {
  const made = linked("_GLIBCXX_USE_CXX11_ABI=0", "_GLIBCXX_USE_CXX11_ABI=1");
  const [main] = made.targets;
  assert.ok(main);
  made.targets[0] = { ...main, links: [] };
  assert.deepEqual(made.check(libstdcxxAbi), []);
});

test("two switches that both may be on, but not a switch and its negation", () => {
  const made = linked(undefined, undefined);
  const check = (first: string, second: string, branch = 0) => {
    made.targets.length = 0;
    const zero = made.argument("/p/CMakeLists.txt", "-D_GLIBCXX_USE_CXX11_ABI=0", { conditions: [made.condition(first)] });
    const one = made.argument("/p/CMakeLists.txt", "-D_GLIBCXX_USE_CXX11_ABI=1", { conditions: [made.condition(second, branch)], evidence: made.evidence("/p/CMakeLists.txt", "_GLIBCXX_USE_CXX11_ABI=1") });
    return lines(made.target("/p/CMakeLists.txt", ["/p/main.cpp"], { usesTorch: false, arguments: [zero, one] }).check(libstdcxxAbi));
  };
  assert.deepEqual(check("BUILD_TF", "BUILD_TF2"), ["/p/CMakeLists.txt:2 error"]);
  assert.deepEqual(check("USE_OLD", "NOT USE_OLD"), []);
  assert.deepEqual(check("USE_OLD", "USE_NEW AND NOT USE_OLD"), []);
  assert.deepEqual(check("NOT USE_OLD", "NOT (USE_OLD)", 1), []);
  assert.deepEqual(check("USE_OLD", "NOT USE_OLD", 1), ["/p/CMakeLists.txt:2 error"]);
});

test("switches that add up in several targets are one finding, and a warning where both have to be asked for", () => {
  const made = linked(undefined, undefined);
  made.targets.length = 0;
  const off = (name: string) => ({ ...made.condition(name), byDefault: false });
  const zero = made.argument("/p/CMakeLists.txt", "-D_GLIBCXX_USE_CXX11_ABI=0", { conditions: [off("WITH_OLD")] });
  const one = made.argument("/p/CMakeLists.txt", "-D_GLIBCXX_USE_CXX11_ABI=1", { conditions: [off("WITH_NEW")], evidence: made.evidence("/p/CMakeLists.txt", "_GLIBCXX_USE_CXX11_ABI=1") });
  for (const name of ["a", "b"]) made.target("/p/CMakeLists.txt", ["/p/main.cpp"], { name, usesTorch: false, arguments: [zero, one] });
  const found = made.check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:2 warning"]);
  assert.match(found[0]?.message ?? "", /^Targets a and b get _GLIBCXX_USE_CXX11_ABI=0 \(when WITH_OLD is on\) at CMakeLists\.txt:2 and 1 \(when WITH_NEW is on\) at CMakeLists\.txt:\d+\./);
});

test("defaults of CMake and setup.py that differ, and a default that is not torch's", () => {
  const made = new RuleProject({ "/p/CMakeLists.txt": "set(CXX11 0)\nops\n", "/p/setup.py": "environ 1\n", "/p/a.cpp": torchSource }).target("/p/CMakeLists.txt", ["/p/a.cpp"]);
  const setting = (path: string, text: string, value: 0 | 1, how: string): AbiSetting => ({ kind: "abi-setting", value, how, variable: path.endsWith("py") ? "_GLIBCXX_USE_CXX11_ABI" : "GLIBCXX_USE_CXX11_ABI", conditions: [], evidence: made.evidence(path, text) });
  made.observations.push(setting("/p/CMakeLists.txt", "0", 0, "cache default"), setting("/p/setup.py", "1", 1, "setup.py default"));
  const found = made.check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:1 error"]);
  assert.match(found[0]?.message ?? "", /GLIBCXX_USE_CXX11_ABI defaults to 0 at CMakeLists\.txt:1 and _GLIBCXX_USE_CXX11_ABI to 1 at setup\.py:1/);
  assert.equal(found[0]?.fixes[0]?.title, "Change it to 1");
  made.observations.length = 0;
  made.observations.push(setting("/p/CMakeLists.txt", "0", 0, "cache default"));
  assert.deepEqual(lines(made.check(libstdcxxAbi)), ["/p/CMakeLists.txt:1 warning"]);
  made.observations.length = 0;
  made.observations.push({ ...setting("/p/CMakeLists.txt", "0", 0, "cache default"), conditions: [made.condition("GLIBCXX_USE_CXX11_ABI", 1)] });
  assert.deepEqual(made.check(libstdcxxAbi), []);
  made.observations.length = 0;
  made.observations.push(setting("/p/CMakeLists.txt", "0", 0, "cmake argument"));
  assert.deepEqual(made.check(libstdcxxAbi), []);
});

test("a default and the flag that it reaches are one finding, at the default", () => {
  const made = new RuleProject({ "/p/CMakeLists.txt": "set(USE_CXX11 0)\nops\n-D_GLIBCXX_USE_CXX11_ABI=0\n", "/p/a.cpp": torchSource });
  const evidence = made.evidence("/p/CMakeLists.txt", "0");
  made.observations.push({ kind: "abi-setting", value: 0, how: "cache default", variable: "USE_CXX11", conditions: [], evidence });
  const argument = made.argument("/p/CMakeLists.txt", old, { evidence: { ...made.evidence("/p/CMakeLists.txt", old), via: [{ what: "variable USE_CXX11 set", location: evidence.location }] } });
  const found = made.target("/p/CMakeLists.txt", ["/p/a.cpp"], { arguments: [argument] }).torch("2.9.1", abi(1)).check(libstdcxxAbi);
  assert.deepEqual(lines(found), ["/p/CMakeLists.txt:1 error"]);
  assert.match(found[0]?.related[0]?.message ?? "", /^[Tt]arget ops gets it here/);
});

test("no value where g++'s default of 1 meets a torch of ABI 0", () => {
  const plain = (torch: 0 | 1, madeBy = "Extension") => lines(project([], {}, { madeBy }).torch("2.5.1", abi(torch)).check(libstdcxxAbi));
  assert.deepEqual(plain(0), ["/p/setup.py:1 error"]);
  assert.deepEqual(plain(1), []);
  assert.deepEqual(plain(0, "CppExtension"), []);
  assert.deepEqual(plain(0, "NpuExtension"), []);
});

test("OpenCV beside a torch of ABI 0", () => {
  const made = (torch: 0 | 1, library: string) => {
    const p = new RuleProject({ "/p/CMakeLists.txt": "ops opencv_core cudart", "/p/a.cpp": torchSource });
    const follows = p.argument("/p/CMakeLists.txt", `-D_GLIBCXX_USE_CXX11_ABI=${torch}`, { origin: "builder-default", follows: "torch" });
    return lines(p.target("/p/CMakeLists.txt", ["/p/a.cpp"], { arguments: [follows], links: [p.link("/p/CMakeLists.txt", library)] }).torch("2.5.1", abi(torch)).check(libstdcxxAbi));
  };
  assert.deepEqual(made(0, "opencv_core"), ["/p/CMakeLists.txt:1 warning"]);
  assert.deepEqual(made(1, "opencv_core"), []);
  assert.deepEqual(made(0, "cudart"), []);
});

test("a pinned value that agrees is information, and none where every allowed torch agrees", () => {
  const found = project([now]).torch("2.9.1", abi(1)).check(libstdcxxAbiPinned);
  assert.deepEqual(lines(found), ["/p/setup.py:3 info"]);
  assert.match(found[0]?.message ?? "", /There are builds of torch 2\.6\.0, which the project allows too \(no requirement of the project bounds torch\), with the other value/);
  assert.deepEqual(project([now]).require("/p/setup.py", "torch>=2.7").torch("2.9.1", abi(1)).check(libstdcxxAbiPinned).length, project([now]).require("/p/setup.py", "torch>=2.8").torch("2.9.1", abi(1)).check(libstdcxxAbiPinned).length);
  assert.deepEqual(project([now]).require("/p/setup.py", "torch>=2.8").torch("2.9.1", abi(1)).check(libstdcxxAbiPinned), []);
  assert.deepEqual(project([old]).torch("2.9.1", abi(1)).check(libstdcxxAbiPinned), []);
});
