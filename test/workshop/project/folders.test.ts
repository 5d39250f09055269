/** What CMake itself leaves and says: build folders, presets, the File API's reply, CTest's files. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { execa } from "execa";
import { readProject } from "../../../src/workshop/project/index.ts";
import { ids, plan } from "./support.ts";

function project(context: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "abiding-project-")));
  context.after(() => { rmSync(folder, { recursive: true, force: true }); });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const cmake = async (folder: string, ...words: readonly string[]): Promise<string> => (await execa("cmake", words, { cwd: folder })).stdout;

// Without languages a configuration takes no compiler and a blink.
const lists = `cmake_minimum_required(VERSION 3.22)
project(ops LANGUAGES NONE)
include(CTest)
add_test(NAME smoke_a COMMAND "\${CMAKE_COMMAND}" -E true)
set_tests_properties(smoke_a PROPERTIES LABELS "quick;smoke" TIMEOUT 5)
`;

test("folders that somebody configured come first, the last one before the others", async (context) => {
  const root = project(context, { "src/CMakeLists.txt": lists, "src/pyproject.toml": `[build-system]\nrequires = ["scikit-build-core"]\nbuild-backend = "scikit_build_core.build"\n` });
  const source = join(root, "src");
  for (const folder of ["build-old", "out/build/new", "_skbuild/x/cmake-build", "build/temp.linux-x86_64-cpython-311"]) await cmake(source, "-S", ".", "-B", folder);
  await cmake(source, "-S", ".", "-B", "../build-beside", "-DCMAKE_BUILD_TYPE=Debug");
  await cmake(source, "-S", ".", "-B", "build-pip", "-DSKBUILD=2");
  const seconds = Date.now() / 1000;
  utimesSync(join(source, "build-old/CMakeCache.txt"), seconds - 60, seconds - 60);
  utimesSync(join(root, "build-beside/CMakeCache.txt"), seconds - 30, seconds - 30);
  const found = await readProject(source, { environment: {} });
  assert.deepEqual(ids(found.builds), ["cmake:out/build/new", "cmake:../build-beside", "cmake:build-old", "python:wheel", "python:editable"]);
  assert.equal(plan(found.builds, "cmake:../build-beside").label, "CMake in ../build-beside, as it is configured (Debug)");
  assert.deepEqual(found.problems, []);
  assert.deepEqual(found.smoke.map((one) => (one.kind === "ctest" ? [one.id, one.labels] : [])), [["ctest:out/build/new", ["smoke"]], ["ctest:../build-beside", ["smoke"]], ["ctest:build-old", ["smoke"]]]);
});

test("a build folder that was moved or copied is not built in", async (context) => {
  const root = project(context, { "CMakeLists.txt": lists });
  await cmake(root, "-S", ".", "-B", "one");
  renameSync(join(root, "one"), join(root, "two"));
  const found = await readProject(root, { environment: {} });
  assert.deepEqual(ids(found.builds), ["cmake:build"]);
  assert.deepEqual(found.problems.map(({ message, location }) => [message, location?.path]), [
    [`${root}/two was configured by CMake as ${root}/one and moved since; CMake refuses to build there, and so it is left out. Remove it, or configure it again.`, join(root, "two/CMakeCache.txt")],
  ]);
});

test("the folder of a preset that is configured comes before the other presets", async (context) => {
  const presets = `{"version": 3, "configurePresets": [{"name": "a", "generator": "Unix Makefiles", "binaryDir": "\${sourceDir}/b/\${presetName}"}, {"name": "b", "inherits": "a"}, {"name": "c", "inherits": "a", "condition": {"type": "equals", "lhs": "\${hostSystemName}", "rhs": "Nowhere"}}]}`;
  const root = project(context, { "CMakeLists.txt": lists, "CMakePresets.json": presets });
  const listed = [...(await cmake(root, "--list-presets")).matchAll(/^ +"(\w+)"/gm)].map((match) => match[1]);
  assert.deepEqual(ids((await readProject(root, { environment: {} })).builds), listed.map((name) => `cmake:${name}`));
  await cmake(root, "--preset", "b");
  const found = await readProject(root, { environment: {} });
  assert.deepEqual(ids(found.builds), ["cmake:b", "cmake:a"]);
  assert.deepEqual(ids(found.smoke), ["ctest:b/b"]);
});

test("tests and labels are those that CTest has", async (context) => {
  const root = project(context, { "CMakeLists.txt": `${lists}add_subdirectory(more)\n`, "more/CMakeLists.txt": `add_test(NAME b COMMAND x)\nset_property(TEST b PROPERTY LABELS other)\n` });
  await cmake(root, "-S", ".", "-B", "build");
  const labels = (await execa("ctest", ["--test-dir", "build", "--print-labels"], { cwd: root })).stdout;
  assert.deepEqual([...labels.matchAll(/^ {2}(\w+)$/gm)].map((match) => match[1]).sort(), ["other", "quick", "smoke"]);
  assert.deepEqual((await readProject(root, { environment: {} })).smoke.map(({ label }) => label), ["CTest, label smoke, in build"]);
  // What a label is called only shows once CMake has put it together.
  writeFileSync(join(root, "more/CMakeLists.txt"), "set(kind smo)\nadd_test(NAME b COMMAND x)\nset_property(TEST b PROPERTY LABELS ${kind}ke)\n");
  writeFileSync(join(root, "CMakeLists.txt"), "cmake_minimum_required(VERSION 3.22)\nproject(ops LANGUAGES NONE)\nenable_testing()\nadd_subdirectory(more)\n");
  await cmake(root, "--fresh", "-S", ".", "-B", "build");
  assert.deepEqual((await readProject(root, { environment: {} })).smoke.map(({ label }) => label), ["CTest, label smoke, in build"]);
  writeFileSync(join(root, "included.cmake"), "add_test(c y)\nset_tests_properties(c PROPERTIES LABELS \"quick;smoke\")\n");
  writeFileSync(join(root, "more/CMakeLists.txt"), "set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_SOURCE_DIR}/included.cmake)\n");
  await cmake(root, "-S", ".", "-B", "build");
  assert.deepEqual((await readProject(root, { environment: {} })).smoke.map(({ label }) => label), ["CTest, label smoke, in build"]);
  writeFileSync(join(root, "more/CMakeLists.txt"), "add_test(NAME b COMMAND x)\nset_property(TEST b PROPERTY LABELS other)\n");
  cpSync(join(root, "more"), join(root, "less"), { recursive: true });
  writeFileSync(join(root, "CMakeLists.txt"), "cmake_minimum_required(VERSION 3.22)\nproject(ops LANGUAGES NONE)\nenable_testing()\nadd_subdirectory(less)\n");
  await cmake(root, "--fresh", "-S", ".", "-B", "build");
  assert.deepEqual((await readProject(root, { environment: {} })).smoke.map((one) => (one.kind === "ctest" ? [one.label, one.labels] : [])), [["CTest in build", []]]);
});

test("where a benchmark's program lies is what CMake says, and before it has, what its files do", async (context) => {
  const root = project(context, {
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.22)
project(ops LANGUAGES CXX)
add_library(benchmark::benchmark INTERFACE IMPORTED)
add_subdirectory(bench)
`,
    "bench/CMakeLists.txt": `add_executable(ops_bench main.cpp)
target_link_libraries(ops_bench PRIVATE benchmark::benchmark)
set_target_properties(ops_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY "\${CMAKE_BINARY_DIR}/programs" OUTPUT_NAME fast)
add_executable(by_header header.cpp)
add_executable(neither other.cpp)
`,
    "bench/main.cpp": "int main() {}\n", "bench/header.cpp": "# include <benchmark/benchmark.h>\nint main() {}\n", "bench/other.cpp": "int main() {}\n",
  });
  const programs = async (): Promise<unknown> => (await readProject(root, { environment: {} })).benchmarks.map((one) => [one.id, one.command, one.format, one.folder]);
  assert.deepEqual(await programs(), [
    ["google-benchmark:ops_bench", [join(root, "build/bench/ops_bench")], "google-benchmark", join(root, "build")],
    ["google-benchmark:by_header", [join(root, "build/bench/by_header")], "google-benchmark", join(root, "build")],
  ]);
  mkdirSync(join(root, "build/.cmake/api/v1/query"), { recursive: true });
  writeFileSync(join(root, "build/.cmake/api/v1/query/codemodel-v2"), "");
  await cmake(root, "-S", ".", "-B", "build");
  assert.deepEqual(await programs(), [
    ["google-benchmark:ops_bench", [join(root, "build/programs/fast")], "google-benchmark", join(root, "build")],
    ["google-benchmark:by_header", [join(root, "build/bench/by_header")], "google-benchmark", join(root, "build")],
  ]);
});
