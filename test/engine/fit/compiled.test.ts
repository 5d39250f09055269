/**
 * The loading model against the loader itself: a small torch made of real libraries, a host program in the place of Python,
 * and extensions that load or do not. What dlopen says is compared with what was predicted.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openElf } from "../../../src/engine/binaries/elf/index.ts";
import { NodeFiles } from "../../../src/engine/files/index.ts";
import { environmentOf, fit } from "../../../src/engine/fit/index.ts";
import type { FitResult } from "../../../src/engine/fit/index.ts";
import { built, fact, installed, options } from "./fakes.ts";

const files = new NodeFiles();
let root = "";
let site = "";

const c10 = `
#include <string>
namespace c10 { void check(const std::string& text) { (void)text.size(); } namespace cuda { void SetDevice(signed char, bool) {} void SetDevice(const char*, const char*) {} } }`;
const cpu = `namespace c10 { namespace cuda { void SetDevice(signed char, bool); } } namespace at { void zeros(int) { c10::cuda::SetDevice(1, true); } } extern "C" void aoti_torch_abi_version() {}`;

/** dlopen as import torch does it, then the file; prints what dlopen says. */
const host = `
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** arguments) {
  const char* base = arguments[1];
  char path[4096];
  if (arguments[3][0] == 'y') {
    snprintf(path, sizeof path, "%s/torch/lib/libtorch_global_deps.so", base);
    if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL)) { puts(dlerror()); return 2; }
    snprintf(path, sizeof path, "%s/torch/_C.cpython-311-x86_64-linux-gnu.so", base);
    if (!dlopen(path, RTLD_NOW)) { puts(dlerror()); return 2; }
  }
  puts(dlopen(arguments[2], RTLD_NOW) ? "loaded" : dlerror());
  return 0;
}`;

function compile(output: string, source: string, flags: readonly string[], compiler = "g++"): void {
  const file = `${output}.${compiler === "gcc" ? "c" : "cpp"}`;
  writeFileSync(file, source);
  execFileSync(compiler, [file, "-o", output, ...(output.endsWith(".so") || /\.so\.\d+$/.test(output) ? ["-shared", "-fPIC"] : []), ...flags], { stdio: "pipe" });
}

before(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "abiding-fit-")));
  site = join(root, "env", "lib", "python3.11", "site-packages");
  const lib = join(site, "torch", "lib");
  mkdirSync(lib, { recursive: true });
  mkdirSync(join(root, "env", "bin"));
  mkdirSync(join(root, "project"));
  const link = ["-L", lib, "-Wl,--no-as-needed,-rpath,$ORIGIN"];
  compile(join(lib, "libc10.so"), c10, ["-Wl,-soname,libc10.so", ...link]);
  compile(join(lib, "libtorch_cpu.so"), cpu, ["-Wl,-soname,libtorch_cpu.so", ...link, "-lc10"]);
  compile(join(lib, "libtorch.so"), "", ["-Wl,-soname,libtorch.so", ...link, "-ltorch_cpu"]);
  compile(join(lib, "libtorch_python.so"), "extern \"C\" void THPVariable_Wrap() {}", ["-Wl,-soname,libtorch_python.so", ...link, "-ltorch", "-ltorch_cpu", "-lc10"]);
  compile(join(lib, "libglobal.so.1"), "extern \"C\" void for_all() {}", ["-Wl,-soname,libglobal.so.1"]);
  compile(join(lib, "libtorch_global_deps.so"), "", ["-Wl,-soname,libtorch_global_deps.so", ...link, join(lib, "libglobal.so.1")]);
  compile(join(site, "torch", "_C.cpython-311-x86_64-linux-gnu.so"), "", ["-L", lib, "-Wl,--no-as-needed,-rpath,$ORIGIN/lib,-rpath-link," + lib, "-ltorch_python"]);
  compile(join(root, "env", "bin", "python3.11"), host, ["-ldl"], "gcc");
});

after(() => rmSync(root, { recursive: true, force: true }));

interface Extension {
  readonly source: string;
  readonly flags?: readonly string[];
  readonly importTorch?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** What the loader says and what the model says, in one form. */
function both(name: string, extension: Extension): { readonly said: string; readonly predicted: string; readonly result: FitResult } {
  const file = join(root, "project", `${name}.so`);
  compile(file, extension.source, ["-L", join(site, "torch", "lib"), "-L", join(root, "project"), "-Wl,--no-as-needed,--allow-shlib-undefined", ...(extension.flags ?? [])]);
  const importTorch = extension.importTorch !== false;
  const variables = variablesOf(extension);
  const said = execFileSync(join(root, "env", "bin", "python3.11"), [site, file, importTorch ? "y" : "n"], { encoding: "utf8", env: { ...process.env, ...variables } }).trim();
  const result = predicted(file, extension);
  return { said: short(said), predicted: prediction(result), result };
}

function predicted(file: string, extension: Extension): FitResult {
  const opened = openElf(file, files);
  assert.ok(opened.ok);
  const body = installed([], { torchRoot: join(site, "torch"), prefix: join(root, "env"), facts: [fact("torch-version", "2.13.0+cpu"), fact("python-version", "3.11.7"), fact("cuda-version", null)] });
  return fit(built({ path: file }), opened.elf, environmentOf(body, files, { environment: variablesOf(extension) }), { ...options, importTorchFirst: extension.importTorch !== false });
}

function variablesOf(extension: Extension): Readonly<Record<string, string>> {
  return { LD_LIBRARY_PATH: "", ...extension.environment };
}

function short(text: string): string {
  const symbol = /undefined symbol: ([^\s,]+)/.exec(text)?.[1];
  const version = /version `([^']+)' not found/.exec(text)?.[1];
  const missing = /: ([^\s:]+): cannot open shared object file|^([^\s:]+): cannot open shared object file/.exec(text);
  return symbol !== undefined ? `symbol ${symbol}` : version !== undefined ? `version ${version}` : missing !== null ? `library ${missing[1] ?? missing[2]}` : text;
}

function prediction(result: FitResult): string {
  const [library] = result.missingDependencies;
  const [version] = result.missingVersions;
  const [symbol] = result.missing;
  return library !== undefined ? `library ${library.name}` : version !== undefined ? `version ${version.version}` : symbol !== undefined ? `symbol ${symbol.symbol}` : result.verdict === "no-conflict" ? "loaded" : result.verdict;
}

function agree(name: string, extension: Extension, expected: string, kind?: string): FitResult {
  const { said, predicted, result } = both(name, extension);
  assert.deepEqual({ said, predicted }, { said: expected, predicted: expected });
  if (kind !== undefined) {
    assert.equal(result.missing[0]?.kind, kind);
  }
  return result;
}

const zeros = "namespace at { void zeros(int); } void run() { at::zeros(1); }";

test("loads with its library linked, or through a chain", () => {
  agree("direct", { source: zeros, flags: ["-ltorch_cpu"] }, "loaded");
  agree("chain", { source: zeros, flags: ["-ltorch"] }, "loaded");
});

test("does not load without it, though torch has loaded it", () => {
  agree("unlinked", { source: zeros, flags: ["-lc10"] }, "symbol _ZN2at5zerosEi", "missing-library");
  agree("python", { source: "extern \"C\" void THPVariable_Wrap(); void run() { THPVariable_Wrap(); }", flags: ["-ltorch_cpu"] }, "symbol THPVariable_Wrap", "missing-library");
});

test("takes from libraries that were opened for all without linking them", () => {
  agree("global", { source: "extern \"C\" void for_all(); void run() { for_all(); }" }, "loaded");
  agree("global-late", { source: "extern \"C\" void for_all(); void run() { for_all(); }", importTorch: false }, "symbol for_all");
});

test("the other std::string", () => {
  const source = "#include <string>\nnamespace c10 { void check(const std::string&); } void run() { c10::check(\"x\"); }";
  agree("abi1", { source, flags: ["-lc10"] }, "loaded");
  const result = agree("abi0", { source, flags: ["-D_GLIBCXX_USE_CXX11_ABI=0", "-lc10"] }, "symbol _ZN3c105checkERKSs", "abi-twin");
  assert.equal(result.missing[0]?.twin, "_ZN3c105checkERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
});

test("another signature, and a name that is nowhere", () => {
  const result = agree("drift", { source: "namespace c10 { namespace cuda { void SetDevice(signed char); } } void run() { c10::cuda::SetDevice(1); }", flags: ["-lc10"] }, "symbol _ZN3c104cuda9SetDeviceEa", "drift");
  assert.equal(result.missing[0]?.nearest?.demangled, "c10::cuda::SetDevice(signed char, bool)");
  agree("gone", { source: "namespace c10 { void gone(); } void run() { c10::gone(); }", flags: ["-lc10"] }, "symbol _ZN3c104goneEv", "drift");
});

test("a function of the stable ABI, a source that was forgotten, a weak reference", () => {
  agree("shim", { source: "extern \"C\" void torch_has_storage(); void run() { torch_has_storage(); }", flags: ["-ltorch_cpu"] }, "symbol torch_has_storage", "stable-shim");
  agree("own", { source: "void kernel(float*); void run() { kernel(nullptr); }" }, "symbol _Z6kernelPf", "own");
  agree("weak", { source: "__attribute__((weak)) void kernel(); void run() { if (kernel) kernel(); }" }, "loaded");
});

test("functions count like data, and the order of relocations decides what is named", () => {
  agree("data", { source: "extern int table; int* run() { return &table; }" }, "symbol table");
  agree("several", { source: "void one(); extern int two; void three(); int* p() { return &two; } void run() { three(); one(); }" }, "symbol two");
  // Which of two calls comes first is the linker's choice; both sides read it from the file.
  const calls = both("calls", { source: "void zebra(); void ape(); void run() { zebra(); ape(); }" });
  assert.equal(calls.said, calls.predicted);
});

test("dependencies: found beside it by RUNPATH or RPATH, not found without, named before symbols", () => {
  compile(join(root, "project", "libhelper.so"), "void helper() {}", ["-Wl,-soname,libhelper.so"]);
  const source = "void helper(); void run() { helper(); }";
  agree("runpath", { source, flags: ["-lhelper", "-Wl,--enable-new-dtags,-rpath,$ORIGIN"] }, "loaded");
  agree("rpath", { source, flags: ["-lhelper", "-Wl,--disable-new-dtags,-rpath,$ORIGIN"] }, "loaded");
  agree("nopath", { source, flags: ["-lhelper"] }, "library libhelper.so");
  agree("variable", { source, flags: ["-lhelper"], environment: { LD_LIBRARY_PATH: join(root, "project") } }, "loaded");
  agree("before", { source: "void helper(); void other(); void run() { helper(); other(); }", flags: ["-lhelper"] }, "library libhelper.so");
});

test("an RPATH serves what the file loads, a RUNPATH does not", () => {
  mkdirSync(join(root, "project", "deep"), { recursive: true });
  compile(join(root, "project", "deep", "libinner.so"), "void inner() {}", ["-Wl,-soname,libinner.so"]);
  compile(join(root, "project", "libouter.so"), "void inner(); void outer() { inner(); }", ["-Wl,-soname,libouter.so", "-L", join(root, "project", "deep"), "-linner"]);
  const source = "void outer(); void run() { outer(); }";
  const link = ["-louter", `-Wl,-rpath-link,${join(root, "project", "deep")}`];
  agree("inherits", { source, flags: [...link, "-Wl,--disable-new-dtags,-rpath,$ORIGIN:$ORIGIN/deep"] }, "loaded");
  agree("inherits-not", { source, flags: [...link, "-Wl,--enable-new-dtags,-rpath,$ORIGIN:$ORIGIN/deep"] }, "library libinner.so");
});

test("what a dependency lacks is named before what the file lacks", () => {
  compile(join(root, "project", "libneedy.so"), "void absent(); void needy() { absent(); }", ["-Wl,-soname,libneedy.so"]);
  const result = agree("needs", { source: "void needy(); void missing(); void run() { needy(); missing(); }", flags: ["-lneedy", "-Wl,-rpath,$ORIGIN"] }, "symbol _Z6absentv");
  assert.equal(result.missing[0]?.neededBy, join(root, "project", "libneedy.so"));
});

test("a file of the right name that is no library ends the search", () => {
  mkdirSync(join(root, "project", "text"), { recursive: true });
  writeFileSync(join(root, "project", "text", "libhelper.so"), "INPUT(-lhelper)\n");
  const { said, result } = both("linker-script", { source: "void helper(); void run() { helper(); }", flags: ["-lhelper", "-Wl,-rpath,$ORIGIN/text:$ORIGIN"] });
  assert.match(said, /text\/libhelper\.so: (?:invalid ELF header|file too short)/);
  assert.match(result.missingDependencies[0]?.because ?? "", /what the loader finds is no library/);
  assert.ok(said.includes(result.missingDependencies[0]?.refused ?? "nothing"), said);
  writeFileSync(join(root, "project", "text", "libhelper.so"), `/* ${"long ".repeat(20)}*/ INPUT(-lhelper)\n`);
  const long = both("long-script", { source: "void helper(); void run() { helper(); }", flags: ["-lhelper", "-Wl,-rpath,$ORIGIN/text:$ORIGIN"] });
  assert.ok(long.said.includes(long.result.missingDependencies[0]?.refused ?? "nothing"), long.said);
});

test("symbol versions", () => {
  const folder = join(root, "project", "versions");
  mkdirSync(join(folder, "new"), { recursive: true });
  writeFileSync(join(folder, "new.map"), "FOO_1 { global: foo; local: *; }; FOO_2 { global: bar; } FOO_1;");
  writeFileSync(join(folder, "old.map"), "FOO_1 { global: foo; local: *; };");
  compile(join(folder, "new", "libfoo.so.1"), "extern \"C\" void foo() {} extern \"C\" void bar() {}", ["-Wl,-soname,libfoo.so.1", `-Wl,--version-script,${join(folder, "new.map")}`]);
  compile(join(folder, "libfoo.so.1"), "extern \"C\" void foo() {}", ["-Wl,-soname,libfoo.so.1", `-Wl,--version-script,${join(folder, "old.map")}`]);
  const source = "extern \"C\" void foo(); extern \"C\" void bar(); void run() { foo(); bar(); }";
  const library = join(folder, "new", "libfoo.so.1");
  agree("versions-new", { source, flags: [library, `-Wl,-rpath,${join(folder, "new")}`] }, "loaded");
  const result = agree("versions-old", { source, flags: [library, `-Wl,-rpath,${folder}`] }, "version FOO_2");
  assert.deepEqual([result.missingVersions[0]?.foundIn, result.missingVersions[0]?.highest], [join(folder, "libfoo.so.1"), "FOO_1"]);
  assert.deepEqual(result.missing.map((one) => [one.symbol, one.version, one.versionOf]), [["bar", "FOO_2", "libfoo.so.1"]]);
});

test("torch that was not imported", () => {
  agree("late", { source: zeros, flags: ["-ltorch_cpu"], importTorch: false }, "library libtorch_cpu.so");
  agree("late-rpath", { source: zeros, flags: ["-ltorch_cpu", `-Wl,-rpath,${join(site, "torch", "lib")}`], importTorch: false }, "loaded");
});

/** Whether the loader ends the process instead of saying what it misses, and whether that was foreseen. */
function dies(name: string, extension: Extension): { readonly said: string; readonly result: FitResult } {
  try {
    const { said, result } = both(name, extension);
    return { said, result };
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    const file = join(root, "project", `${name}.so`);
    return { said, result: predicted(file, extension) };
  }
}

test("a library without versions of symbols in the place of one that had them", () => {
  const folder = join(root, "project", "bare");
  for (const kind of ["with", "without", "needing", "lacking"]) mkdirSync(join(folder, kind), { recursive: true });
  writeFileSync(join(folder, "two.map"), "V1 { global: first; }; V2 { global: second; } V1;");
  const plain = "extern \"C\" void first() {} extern \"C\" void second() {}";
  const soname = ["-nostdlib", "-Wl,-soname,libbare.so"];
  compile(join(folder, "with", "libbare.so"), plain, [...soname, `-Wl,--version-script,${join(folder, "two.map")}`]);
  compile(join(folder, "without", "libbare.so"), plain, soname);
  compile(join(folder, "lacking", "libbare.so"), "extern \"C\" void first() {}", soname);
  // It needs GLIBC in versions, so it has a version for each of its symbols, if only the base one.
  compile(join(folder, "needing", "libbare.so"), `#include <stdlib.h>\n${plain} void* more() { return malloc(3); }`, ["-Wl,-soname,libbare.so"]);
  const strong = "extern \"C\" void second(); void run() { second(); }";
  const weak = "extern \"C\" void first(); extern \"C\" __attribute__((weak)) void second(); void run() { first(); if (second) second(); }";
  const run = (name: string, source: string, kind: string, more: readonly string[] = []) => dies(`bare-${name}`, { source, flags: [...more, join(folder, "with", "libbare.so"), `-Wl,-rpath,${join(folder, kind)}`] });
  const outcome = ({ said, result }: ReturnType<typeof run>): readonly unknown[] => [said.includes("check_match: Assertion") ? "dies" : said, result.verdict, result.traits.find((one) => one.trait === "symbol-versions")?.built];
  assert.deepEqual(outcome(run("with", strong, "with")), ["loaded", "no-conflict", undefined]);
  assert.deepEqual(outcome(run("without", strong, "without")), ["dies", "conflict", "second in version V2 of libbare.so"]);
  assert.deepEqual(outcome(run("weak", weak, "without")).slice(0, 2), ["dies", "conflict"]);
  assert.deepEqual(outcome(run("needing", strong, "needing")), ["loaded", "no-conflict", undefined]);
  assert.deepEqual(outcome(run("lacking", strong, "lacking")), ["symbol second", "conflict", undefined]);
  // Another library of the scope answers before it: linked with an empty one of the same name, so that no version is bound to it.
  compile(join(folder, "libfirst.so"), plain, ["-nostdlib", "-Wl,-soname,libfirst.so"]);
  compile(join(folder, "libempty.so"), "", ["-nostdlib", "-Wl,-soname,libfirst.so"]);
  const shadow = run("shadowed", strong, "without", ["-Wl,--no-as-needed", join(folder, "libempty.so"), `-Wl,-rpath,${folder}`]);
  assert.deepEqual(outcome(shadow), ["loaded", "no-conflict", undefined]);
});
