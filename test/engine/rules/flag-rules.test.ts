import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompileArgument, Condition, DeclaredTarget, Language } from "../../../src/engine/model/index.ts";
import { flagNotForwarded } from "../../../src/engine/rules/flag-not-forwarded.ts";
import { gxxAbiVersion } from "../../../src/engine/rules/gxx-abi-version.ts";
import { layoutFlag } from "../../../src/engine/rules/layout-flag.ts";
import { nativeArch } from "../../../src/engine/rules/native-arch.ts";
import type { Rule } from "../../../src/engine/rules/index.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

const torchSource = "#include <torch/extension.h>\n";

type Given = readonly [string, readonly Language[], Partial<CompileArgument>?];

/** setup.py holds one flag a line from line 2 on. */
function project(flags: readonly Given[], target: Partial<DeclaredTarget> = {}, path = "/p/setup.py") {
  const made = new RuleProject({ [path]: ["ops a.cpp a.cu", ...flags.map(([text]) => `  "${text}",`), "]"].join("\n"), "/p/a.cpp": torchSource, "/p/a.cu": torchSource });
  return made.target(path, ["/p/a.cpp", "/p/a.cu"], {
    builder: "setuptools", kind: "extension", madeBy: "CUDAExtension",
    arguments: flags.map(([text, languages, change]) => made.argument(path, text, { origin: "argument-list", languages, ...change })), ...target,
  });
}

function when(text: string, changes: Partial<Condition> = {}): readonly Condition[] {
  return [{ ...new RuleProject({}).condition(text), ...changes }];
}

const host: readonly Language[] = ["CXX"];
const device: readonly Language[] = ["CUDA"];
const stable = "-DTORCH_TARGET_VERSION=0x020a000000000000";

test("TORCH_TARGET_VERSION in the cxx list only", () => {
  const found = project([[stable, host], ["-O3", device]]).check(flagNotForwarded);
  assert.deepEqual(lines(found), ["/p/setup.py:2 warning"]);
  assert.match(found[0]?.message ?? "", /^TORCH_TARGET_VERSION reaches the C\+\+ sources of target ops \(setup\.py:2\) and not its CUDA sources, which are compiled without it\./);
  assert.equal(found[0]?.fixes[0]?.edits[0]?.newText, `, "${stable}"`);
});

test("one flag of two targets is one finding", () => {
  const made = project([[stable, host], ["-O3", device]]);
  const [first] = made.targets;
  assert.ok(first);
  made.targets.push({ ...first, name: "more" });
  const found = made.check(flagNotForwarded);
  assert.deepEqual(lines(found), ["/p/setup.py:2 warning"]);
  assert.match(found[0]?.message ?? "", /The same holds for target more\.$/);
});

test("a flag in both lists, no CUDA sources, or an unknown list is silent", () => {
  assert.deepEqual(project([[stable, ["CXX", "CUDA"]]]).check(flagNotForwarded), []);
  assert.deepEqual(project([[stable, host]], { languages: ["CXX"] }).check(flagNotForwarded), []);
  assert.deepEqual(project([[stable, host], ["{flags}", device, { known: false }]]).check(flagNotForwarded), []);
  assert.deepEqual(project([[stable, host], [`-Xcompiler=${stable}`, device]]).check(flagNotForwarded), []);
  assert.deepEqual(project([[stable, host]], { usesTorch: false, sources: [] }).check(flagNotForwarded), []);
});

test("an ABI of 0 for the host alone; a 1 is the other compiler's default", () => {
  const made = project([["-D_GLIBCXX_USE_CXX11_ABI=0", host]]);
  assert.deepEqual(lines(made.check(flagNotForwarded)), ["/p/setup.py:2 error"]);
  assert.deepEqual(project([["-D_GLIBCXX_USE_CXX11_ABI=1", host]]).check(flagNotForwarded), []);
  assert.deepEqual(project([["-D_GLIBCXX_USE_CXX11_ABI=${A}", host, { known: false }]]).check(flagNotForwarded), []);
});

test("an ABI that torch does not have is not repeated for the other compiler", () => {
  const fixes = (abi?: 0 | 1) => {
    const made = project([["-D_GLIBCXX_USE_CXX11_ABI=0", host], ["-O3", device]]);
    return (abi === undefined ? made : made.torch("2.6.0", { "libstdcxx-abi": abi })).check(flagNotForwarded).map((one) => one.fixes.map((fix) => [fix.title, fix.preferred]));
  };
  const title = "Add -D_GLIBCXX_USE_CXX11_ABI=0 to the CUDA flags";
  assert.deepEqual([fixes(0), fixes(1), fixes()], [[[[title, true]]], [[]], [[[title, false]]]]);
});

test("torch's own value for the host alone matters only where it is 0", () => {
  const follows: Given = ["-D_GLIBCXX_USE_CXX11_ABI=${A}", host, { known: false, follows: "torch" }];
  assert.deepEqual(lines(project([follows]).torch("2.5.1", { "libstdcxx-abi": 0 }).check(flagNotForwarded)), ["/p/setup.py:2 error"]);
  assert.deepEqual(project([follows]).torch("2.9.1", { "libstdcxx-abi": 1 }).check(flagNotForwarded), []);
});

test("another mangling version than torch's", () => {
  const made = (flag: string) => project([[flag, host]]).torch("2.5.1", { "gxx-abi-version": 1011, "pybind11-internals": "v5_gcc_libstdcpp_cxxabi1011" });
  const found = made("-fabi-version=18").check(gxxAbiVersion);
  assert.deepEqual(lines(found), ["/p/setup.py:2 warning"]);
  assert.equal(found[0]?.fixes[0]?.title, "Change it to -fabi-version=11");
  assert.deepEqual(made("-fabi-version=11").check(gxxAbiVersion), []);
  assert.deepEqual(lines(made("-DPYBIND11_BUILD_ABI=_cxxabi1018").check(gxxAbiVersion)), ["/p/setup.py:2 warning"]);
  assert.deepEqual(project([["-fabi-version=18", host]]).torch("2.9.1", { "pybind11-internals": "v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1" }).check(gxxAbiVersion), []);
});

test("a mangling version that hangs on the string ABI", () => {
  const tied = (text: string) => lines(project([["-fabi-version=11", host, { conditions: when(text) }]]).check(gxxAbiVersion));
  assert.deepEqual(tied('GLIBCXX_USE_CXX11_ABI STREQUAL "0"'), ["/p/setup.py:2 warning"]);
  assert.deepEqual(tied("MSVC"), []);
});

function fires(rule: Rule, flags: readonly Given[], target: Partial<DeclaredTarget> = {}, path?: string) {
  return lines(project(flags, target, path).check(rule));
}

test("-march=native in a build for others", () => {
  const native: Given = ["-march=native", host];
  assert.deepEqual(fires(nativeArch, [native]), ["/p/setup.py:2 warning"]);
  assert.deepEqual(fires(nativeArch, [["-mcpu=native", host]]), ["/p/setup.py:2 warning"]);
  assert.deepEqual(fires(nativeArch, [["-arch=native", device]]), ["/p/setup.py:2 warning"]);
  assert.deepEqual(fires(nativeArch, [["-Xcompiler=-march=native", device]]), ["/p/setup.py:2 warning"]);
});

test("-march=native overridden, asked for, for a JIT build or a program of an unpackaged project is silent", () => {
  assert.deepEqual(fires(nativeArch, [["-march=native", host], ["-march=x86-64-v3", host]]), []);
  assert.deepEqual(fires(nativeArch, [["-march=native", host, { conditions: when("USE_NATIVE_ARCH") }]]), []);
  assert.deepEqual(fires(nativeArch, [["-march=native", host, { conditions: when("TUNE", { byDefault: false }) }]]), []);
  assert.deepEqual(fires(nativeArch, [["-march=native", host, { conditions: when("EXTRAS", { byDefault: false }) }]], { conditions: when("EXTRAS", { byDefault: false }) }), ["/p/setup.py:2 warning"]);
  assert.deepEqual(fires(nativeArch, [["-mtune=native", host]]), []);
  assert.deepEqual(fires(nativeArch, [["-march=native", host]], { builder: "torch-jit", madeBy: "load" }), []);
  assert.deepEqual(fires(nativeArch, [["-march=native", host]], { builder: "cmake", kind: "shared" }, "/p/CMakeLists.txt"), []);
});

test("flags that change layouts", () => {
  const found = project([["-D_GLIBCXX_DEBUG", host]]).check(layoutFlag);
  assert.deepEqual(lines(found), ["/p/setup.py:2 warning"]);
  assert.match(found[0]?.message ?? "", /^-D_GLIBCXX_DEBUG at setup\.py:2 gives std::vector/);
  assert.deepEqual(fires(layoutFlag, [["-fshort-enums", host]]), ["/p/setup.py:2 warning"]);
  assert.deepEqual(fires(layoutFlag, [["-fpack-struct=4", host]]), ["/p/setup.py:2 warning"]);
  assert.deepEqual(fires(layoutFlag, [["-stdlib=libc++", host]]), ["/p/setup.py:2 warning"]);
});

test("flags that change no layout, are undone, or do not meet torch are silent", () => {
  for (const flag of ["-D_GLIBCXX_ASSERTIONS", "-fvisibility=hidden", "-stdlib=libstdc++", "-O0", "-D_GLIBCXX_DEBUGX"]) assert.deepEqual(fires(layoutFlag, [[flag, host]]), [], flag);
  assert.deepEqual(fires(layoutFlag, [["-fshort-enums", host], ["-fno-short-enums", host]]), []);
  assert.deepEqual(fires(layoutFlag, [["-D_GLIBCXX_DEBUG", host], ["-U_GLIBCXX_DEBUG", host]]), []);
  assert.deepEqual(fires(layoutFlag, [["-stdlib=libc++", host, { conditions: when("APPLE") }]]), []);
  assert.deepEqual(fires(layoutFlag, [["-D_GLIBCXX_DEBUG", host]], { usesTorch: false, sources: [] }), []);
});
