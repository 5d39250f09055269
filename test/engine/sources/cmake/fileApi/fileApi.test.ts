import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { execaSync } from "execa";
import { NodeFiles } from "../../../../../src/engine/files/index.ts";
import type { DeclaredTarget } from "../../../../../src/engine/model/index.ts";
import { compareWithStatic, readConfiguredBuild } from "../../../../../src/engine/sources/cmake/fileApi/index.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "abiding-file-api-")));
after(() => rmSync(root, { recursive: true, force: true }));
const files = new NodeFiles();

const listFile = `cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES CXX)
include(helper.cmake)
set(CMAKE_CXX_STANDARD 17)
add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=0)
set(CMAKE_CXX_FLAGS "\${CMAKE_CXX_FLAGS} -fabi-version=11")
add_library(base STATIC base.cpp)
target_compile_definitions(base PUBLIC BASE=1)
make_module(ops)
target_link_libraries(ops PRIVATE base)
  target_compile_options(ops PRIVATE -Wall)
target_compile_features(ops PRIVATE cxx_std_20)
add_custom_target(docs)
`;

/** Configures a scratch project with the real cmake, the codemodel asked for. */
function configure(name: string, args: readonly string[] = []): { readonly source: string; readonly build: string } {
  const source = join(root, name, "src");
  const build = join(root, name, "build");
  const query = join(build, ".cmake/api/v1/query");
  for (const folder of [source, query]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(source, "CMakeLists.txt"), listFile);
  writeFileSync(join(source, "helper.cmake"), "function(make_module name)\n  add_library(${name} MODULE ${name}.cpp)\n  set_target_properties(${name} PROPERTIES SUFFIX .abi3.so)\nendfunction()\n");
  for (const file of ["base.cpp", "ops.cpp"]) writeFileSync(join(source, file), "int f() { return 0; }\n");
  for (const kind of ["codemodel-v2", "cmakeFiles-v1"]) writeFileSync(join(query, kind), "");
  execaSync("cmake", ["-S", source, "-B", build, ...args]);
  return { source, build };
}

const simple = configure("simple", ["-DCMAKE_CXX_FLAGS=-march=x86-64"]);
const reading = readConfiguredBuild(simple.build, files);
const target = (name: string): DeclaredTarget => {
  const found = reading?.targets.find((one) => one.name === name);
  assert.ok(found);
  return found;
};
const places = (one: DeclaredTarget) => one.arguments.map((argument) => [argument.text, argument.origin, argument.evidence.location.path.slice(root.length + 1), argument.evidence.location.range.start.line + 1]);

test("every argument that CMake passes, with the place that set it", () => {
  assert.deepEqual(reading?.targets.map((one) => [one.name, one.kind]), [["base", "static"], ["ops", "module"]]);
  assert.deepEqual(places(target("ops")), [
    ["-DBASE=1", "definition", "simple/src/CMakeLists.txt", 10],
    ["-D_GLIBCXX_USE_CXX11_ABI=0", "definition", "simple/src/CMakeLists.txt", 5],
    ["-Dops_EXPORTS", "definition", "simple/src/helper.cmake", 2],
    ["-march=x86-64", "flags-variable", "simple/build/CMakeCache.txt", lineOf("CMAKE_CXX_FLAGS:")],
    ["-fabi-version=11", "flags-variable", "simple/src/helper.cmake", 2],
    ["-fPIC", "flags-variable", "simple/src/helper.cmake", 2],
    ["-Wall", "option", "simple/src/CMakeLists.txt", 11],
    ["-std=gnu++20", "standard", "simple/src/CMakeLists.txt", 12],
  ]);
});

function lineOf(text: string): number {
  const read = files.readText(join(simple.build, "CMakeCache.txt"));
  return read.ok ? read.text.split("\n").findIndex((line) => line.startsWith(text)) + 1 : 0;
}

test("the standard counts though the compiler's default makes the flag needless", () => {
  assert.equal(target("base").arguments.at(-1)?.text, "-std=gnu++17");
});

test("a target made in a function of the project is placed there, with the call on the way", () => {
  const { location, sources, links, pyLimitedApi } = target("ops");
  assert.equal(location.path, join(simple.source, "helper.cmake"));
  assert.deepEqual(location.range, { start: { line: 1, character: 2 }, end: { line: 1, character: 41 } });
  assert.deepEqual(sources.map((one) => [one.path, one.language]), [[join(simple.source, "ops.cpp"), "CXX"]]);
  assert.deepEqual(links.map((one) => [one.name, one.isProjectTarget]), [["base", true]]);
  assert.equal(pyLimitedApi?.value, true);
  assert.deepEqual(pyLimitedApi?.evidence.via.map((one) => [one.what, one.location.range.start.line]), [["make_module called", 8]]);
});

test("a build folder that is older than one of its files is no longer the truth", () => {
  const { source, build } = configure("stale");
  assert.notEqual(readConfiguredBuild(build, files), undefined);
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(source, "helper.cmake"), later, later);
  assert.equal(readConfiguredBuild(build, files), undefined);
});

test("a multi-configuration build says which configuration gets a flag", () => {
  const { build } = configure("multi", ["-G", "Ninja Multi-Config"]);
  const ops = readConfiguredBuild(build, files)?.targets.find((one) => one.name === "ops");
  const flags = new Map(ops?.arguments.map((one) => [one.text, one.configurations]));
  assert.deepEqual(flags.get("-DNDEBUG"), ["Release", "RelWithDebInfo"]);
  assert.equal(flags.get("-D_GLIBCXX_USE_CXX11_ABI=0"), undefined);
});

test("no reply, a torn reply and a reply that points outside are no reading", () => {
  assert.equal(readConfiguredBuild(join(root, "nowhere"), files), undefined);
  const { build } = configure("torn");
  const reply = join(build, ".cmake/api/v1/reply");
  for (const name of files.list(reply).filter((one) => one.startsWith("target-ops"))) writeFileSync(join(reply, name), "{ torn");
  const torn = readConfiguredBuild(build, files);
  assert.deepEqual(torn?.targets.map((one) => one.name), ["base"]);
  assert.match(torn?.gaps[0]?.message ?? "", /reply of target ops could not be read/);
  for (const name of files.list(reply).filter((one) => one.startsWith("codemodel"))) writeFileSync(join(reply, name), "[]");
  assert.equal(readConfiguredBuild(build, files), undefined);
});

test("static reading against the truth", () => {
  const ops = target("ops");
  const compared = (texts: readonly [string, string?][]) => {
    const made = texts.map(([text, condition]) => ({ ...ops.arguments[0], text, known: true, languages: ["CXX"] as const, origin: "option" as const, evidence: ops.arguments[0]?.evidence ?? assert.fail(), conditions: condition === undefined ? [] : [{ text: condition, id: condition, branch: 0, location: ops.location }] }));
    const [result] = compareWithStatic([{ ...ops, arguments: made }], [ops]);
    return [result?.outcome, result?.differences.map((one) => [one.setting, one.read, one.truth]), result?.undecided];
  };
  const all: [string][] = [["-D_GLIBCXX_USE_CXX11_ABI=0"], ["-fabi-version=11"], ["-march=x86-64"]];
  assert.deepEqual(compared([...all, ["-std=c++20"]]), ["agrees", [], 0]);
  assert.deepEqual(compared([...all, ["-std=c++17"]]), ["different", [["-std", ["17"], "20"]], 0]);
  assert.deepEqual(compared([...all, ["-std=c++17"], ["-std=c++20", "NEW"]]), ["agrees", [], 1]);
  assert.deepEqual(compared([["-D_GLIBCXX_USE_CXX11_ABI=1"], ["-fabi-version=11"], ["-march=x86-64"], ["-std=c++20"]]), ["different", [["_GLIBCXX_USE_CXX11_ABI", ["1"], "0"]], 0]);
  assert.deepEqual(compareWithStatic([], [ops]).map((one) => one.outcome), ["missing"]);
});

test("a name that only the build completes is the target's", () => {
  const ops = target("ops");
  const outcome = (name: string): string | undefined => compareWithStatic([{ ...ops, name }], [ops])[0]?.outcome;
  assert.deepEqual(["ops", "o${SUFFIX}", "${PREFIX}ops", "other${SUFFIX}"].map(outcome), ["agrees", "agrees", "missing", "missing"]);
});
