import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompileArgument, Condition, Fact, Language } from "../../../../src/engine/model/index.ts";
import { effectiveFacts, parseCMakeArchitectureList, parseFlags, parseTorchArchitectureList, readFlags, standardOf } from "../../../../src/engine/sources/flags/index.ts";

const location = { path: "/p/setup.py", range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } } };

function args(texts: readonly string[], changes: Partial<CompileArgument> = {}): CompileArgument[] {
  return texts.map((text) => ({ text, known: true, languages: ["CXX"], origin: "argument-list", conditions: [], evidence: { kind: "source", location, text, via: [] }, ...changes }));
}

function condition(text: string, branch = 0): Condition {
  return { text, id: text, branch, location };
}

/** "trait=value" of each fact, with its languages. */
function said(facts: readonly Fact[]): string[] {
  return facts.map((one) => `${one.trait}=${typeof one.value === "object" ? JSON.stringify(one.value) : String(one.value)} ${(one.languages ?? []).join("+")}`);
}

function parsed(texts: readonly string[], languages: readonly Language[] = ["CUDA"]): string[] {
  return parseFlags(args(texts, { languages })).map((one) => `${one.kind} ${one.name}${one.value === undefined ? "" : ` ${one.value}`} ${one.languages.join("+")}${one.viaXcompiler ? " x" : ""}`);
}

test("the spellings of -Xcompiler", () => {
  const wanted = ["define A 1 CUDA x", "option -fPIC CUDA x"];
  assert.deepEqual(parsed(["-Xcompiler=-DA=1,-fPIC"]), wanted);
  assert.deepEqual(parsed(["-Xcompiler", "-DA=1,-fPIC"]), wanted);
  assert.deepEqual(parsed(["-Xcompiler -DA=1 -Xcompiler -fPIC"]), wanted);
  assert.deepEqual(parsed(["SHELL:-Xcompiler \"-DA=1 -fPIC\""]), wanted);
  assert.deepEqual(parsed(["--compiler-options", "'-DA=1'"]), ["define A 1 CUDA x"]);
});

test("g++ does not know -Xcompiler, and arguments of other tools are not flags", () => {
  assert.deepEqual(parsed(["-Xcompiler=-DA=1"], ["CXX", "CUDA"]), ["define A 1 CUDA x"]);
  assert.deepEqual(parsed(["-Xptxas", "-Dnot", "-Xlinker", "-std=c++11", "-O3"]), ["option -O3 CUDA"]);
});

test("macros in all spellings", () => {
  assert.deepEqual(parsed(["-DA", "-D", "B=2", "/DC=3", "-UD", "-DPYBIND11_BUILD_ABI=\\\"_cxxabi1011\\\"", "-DF(x)=x", "-DG=\"a b\""]), [
    "define A CUDA", "define B 2 CUDA", "define C 3 CUDA", "undefine D CUDA", "define PYBIND11_BUILD_ABI _cxxabi1011 CUDA", "define F x CUDA", "define G a b CUDA",
  ]);
});

test("a value belongs to its option only where one compiler gets both", () => {
  const [option, value] = args(["-std", "c++17"]);
  assert.ok(option && value);
  assert.deepEqual(said(readFlags([option, { ...value, languages: ["CUDA"] }])), []);
  assert.deepEqual(said(readFlags([option, value])), ["cxx-standard=17 CXX"]);
});

test("facts of g++ flags", () => {
  assert.deepEqual(said(readFlags(args(["-D_GLIBCXX_USE_CXX11_ABI=0", "-std=gnu++1z", "-fabi-version=11", "-DTORCH_TARGET_VERSION=0x020a000000000000", "-DPy_LIMITED_API=0x03090000"]))), [
    "libstdcxx-abi=0 CXX", "cxx-standard=17 CXX", "gxx-abi-version=1011 CXX", "stable-abi-target=0x020a000000000000 CXX", "python-limited-api=3.9 CXX",
  ]);
  assert.deepEqual(said(readFlags(args(["-D_GLIBCXX_USE_CXX11_ABI", "/std:c++20", "-DPy_LIMITED_API", "-UPy_LIMITED_API", "-fabi-version=0"]))), [
    "libstdcxx-abi=1 CXX", "cxx-standard=20 CXX", "python-limited-api=3.2 CXX", "python-limited-api=none CXX", "gxx-abi-version=undefined CXX",
  ]);
});

test("near misses state nothing", () => {
  assert.deepEqual(said(readFlags(args(["-DGLIBCXX_USE_CXX11_ABI=0", "-std=c11", "-D_GLIBCXX_ASSERTIONS", "-DNOTE=\"-std=c++11\"", "-fno-abi", "-stdlib=libc++"]))), []);
});

test("unknown values stay unknown and keep what they follow", () => {
  const [fact] = readFlags(args(["-D_GLIBCXX_USE_CXX11_ABI=${ABI}"], { known: false, follows: "torch" }));
  assert.deepEqual([fact?.value, fact?.expression, fact?.follows], [undefined, "${ABI}", "torch"]);
  assert.deepEqual(said(readFlags(args(["${TORCH_CXX_FLAGS}"], { known: false, follows: "torch" }))), ["libstdcxx-abi=undefined CXX"]);
  assert.deepEqual(readFlags(args(["${EXTRA_FLAGS}"], { known: false })), []);
});

test("GPU code of nvcc flags", () => {
  const arch = (sm: number, suffix: string, real: boolean, ptx: boolean) => ({ sm, suffix, real, ptx });
  const values = readFlags(args(["-gencode", "arch=compute_80,code=sm_80", "-gencode=arch=compute_90a,code=[sm_90a,compute_90a]", "--generate-code=arch=compute_120,code=compute_120", "-arch=sm_75", "-arch=native"], { languages: ["CUDA"] })).map((one) => one.value);
  assert.deepEqual(values, [[arch(80, "", true, false)], [arch(90, "a", true, true)], [arch(120, "", false, true)], [arch(75, "", true, true)], undefined]);
});

test("architecture lists of torch and of CMake", () => {
  const names = (list: ReturnType<typeof parseTorchArchitectureList>) => list?.map((one) => `${one.sm}${one.suffix}${one.real ? "r" : ""}${one.ptx ? "p" : ""}`);
  assert.deepEqual(names(parseTorchArchitectureList("8.0 8.6;9.0a;12.0+PTX")), ["80r", "86r", "90ar", "120rp"]);
  assert.deepEqual(names(parseTorchArchitectureList("Ampere;8.0")), ["80r", "86rp"]);
  assert.equal(parseTorchArchitectureList("Common"), undefined);
  assert.deepEqual(names(parseCMakeArchitectureList("80;90a-real;120-virtual")), ["80rp", "90ar", "120p"]);
  assert.equal(parseCMakeArchitectureList("native"), undefined);
  assert.equal(parseCMakeArchitectureList("OFF"), undefined);
});

test("standards by name", () => {
  assert.deepEqual(["c++11", "gnu++0x", "c++1y", "c++2a", "c++23", "c++98", "c++latest", "c17"].map(standardOf), [11, 11, 14, 20, 23, 3, undefined, undefined]);
});

test("the later flag wins only where it holds whenever the earlier does", () => {
  const plain = args(["-std=c++14", "-std=c++17"]);
  assert.deepEqual(said(effectiveFacts(readFlags(plain), "CXX")), ["cxx-standard=17 CXX"]);
  const conditional = [...args(["-std=c++14"]), ...args(["-std=c++17"], { conditions: [condition("USE_NEW")] })];
  assert.deepEqual(said(effectiveFacts(readFlags(conditional), "CXX")), ["cxx-standard=14 CXX", "cxx-standard=17 CXX"]);
  const both = [...args(["-std=c++14"], { conditions: [condition("USE_NEW"), condition("X")] }), ...args(["-std=c++17"], { conditions: [condition("USE_NEW")] })];
  assert.deepEqual(said(effectiveFacts(readFlags(both), "CXX")), ["cxx-standard=17 CXX"]);
  assert.deepEqual(said(effectiveFacts(readFlags(plain), "CUDA")), []);
});

test("flags of one configuration hold in that configuration", () => {
  const facts = readFlags(args(["-D_GLIBCXX_USE_CXX11_ABI=0"], { configurations: ["Debug", "Release"] }));
  assert.deepEqual(facts.map((one) => one.conditions.map((c) => `${c.text} ${c.branch}`)), [["configuration Debug 0"], ["configuration Release 1"]]);
});

test("odd arguments do not throw", () => {
  assert.deepEqual(said(readFlags(args(["", "-std=", "-D", "-Xcompiler", "-U", "-O2", "-gencode", "\"", "-D=", "-Xcompiler=", "-D_GLIBCXX_USE_CXX11_ABI=2"]))), ["cxx-standard=undefined CXX", "libstdcxx-abi=undefined CXX"]);
});

test("endless arguments neither hang nor throw", () => {
  for (const text of ["-Xcompiler=".repeat(10_000), "-Xcompiler=".repeat(200_000), '"'.repeat(100_000), "-Xcompiler=" + ",".repeat(100_000), `-D${"A(".repeat(50_000)}`]) assert.deepEqual(said(readFlags(args([text], { languages: ["CUDA"] }))), []);
});
