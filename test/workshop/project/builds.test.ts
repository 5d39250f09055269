import assert from "node:assert/strict";
import { test } from "node:test";
import { complaints, ids, place, plan, readMemory } from "./support.ts";

const cmake = "cmake_minimum_required(VERSION 3.22)\n# project(not)\nproject(ops LANGUAGES CXX)\n";
const extension = "import os\nfrom setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension\nif os.name == 'x':\n    setup(name='other')\nsetup(name='ops', ext_modules=[CppExtension('ops._C', ['a.cpp'])])\n";
const driving = "from setuptools import Extension, setup\nfrom setuptools.command.build_ext import build_ext\nimport subprocess\nclass Build(build_ext):\n    def run(self):\n        subprocess.check_call(['cmake', '..'])\nsetup(name='ops', ext_modules=[Extension('ops', [])], cmdclass={'build_ext': Build})\n";
const scikit = `[build-system]\nrequires = ["scikit-build-core"]\nbuild-backend = "scikit_build_core.build"\n[project]\nname = "ops"\n`;

test("a CMake project without presets is built in build", async () => {
  const project = await readMemory({ "CMakeLists.txt": cmake });
  assert.deepEqual(project.builds, [{
    kind: "cmake", id: "cmake:build", label: "CMake, configured anew in build", origin: "detected", shownBy: project.builds[0]?.shownBy, variables: {}, source: "/p", folder: "/p/build", arguments: [], targets: [],
  }]);
  assert.equal(place(project.builds[0]?.shownBy), "CMakeLists.txt:3:1");
  assert.deepEqual(project.builds[0]?.shownBy.range.end, { line: 2, character: 7 });
});

test("a folder called build that holds something else is left alone", async () => {
  const taken = await readMemory({ "CMakeLists.txt": cmake, "build/scripts/release.sh": "" });
  assert.deepEqual(ids(taken.builds), ["cmake:build/cmake"]);
  const tried = await readMemory({ "CMakeLists.txt": cmake, "build/.cmake/api/v1/query/client-abiding/codemodel-v2": "" });
  assert.deepEqual(ids(tried.builds), ["cmake:build"], "a first build that found no CMake leaves only its questions");
  const file = await readMemory({ "CMakeLists.txt": cmake, build: "" });
  assert.deepEqual(ids(file.builds), ["cmake:out/build"]);
});

test("every folder that CMake can start in is a build, and those that another leads to are none", async () => {
  const project = await readMemory({
    "one/CMakeLists.txt": `${cmake}add_subdirectory(inner)\n`, "one/inner/CMakeLists.txt": cmake, "two/CMakeLists.txt": cmake, "examples/e/CMakeLists.txt": cmake, "third_party/x/CMakeLists.txt": cmake, "excluded/CMakeLists.txt": cmake,
    "loose/CMakeLists.txt": "add_library(x x.cpp)\n", "abiding.json": `{"exclude": "excluded"}`,
  });
  assert.deepEqual(ids(project.builds), ["cmake:one/build", "cmake:two/build", "cmake:examples/e/build"]);
});

test("a setup.py that compiles comes before the CMake beside it", async () => {
  const project = await readMemory({ "setup.py": extension, "CMakeLists.txt": cmake });
  assert.deepEqual(ids(project.builds), ["python:in-place", "python:wheel", "python:editable", "cmake:build"]);
  const [first] = project.builds;
  assert.deepEqual([first?.label, place(first?.shownBy)], ["The extension ops._C built in place (setup.py build_ext --inplace)", "setup.py:6:1"]);
});

test("CMake that setup.py calls is not offered first, even with presets", async () => {
  const project = await readMemory({ "setup.py": driving, "CMakeLists.txt": cmake, "CMakePresets.json": `{"version": 3, "configurePresets": [{"name": "linux"}]}` });
  assert.deepEqual(ids(project.builds), ["python:in-place", "python:wheel", "python:editable", "cmake:linux"]);
  assert.equal(project.builds[0]?.label, "CMake by setup.py built in place (setup.py build_ext --inplace)");
  const below = await readMemory({ "python/setup.py": driving, "CMakeLists.txt": cmake, "python/test/test_a.py": "def test_a(): pass\n" });
  assert.deepEqual(ids(below.builds), ["python:python/in-place", "python:python/wheel", "python:python/editable", "cmake:build"]);
  assert.deepEqual(ids(below.smoke), ["pytest:python"]);
});

test("scikit-build-core comes first unless its CMake project has presets or tests", async () => {
  const files = { "pyproject.toml": scikit, "CMakeLists.txt": cmake };
  assert.deepEqual(ids((await readMemory(files)).builds), ["python:wheel", "python:editable", "cmake:build"]);
  const tested = { ...files, "CMakeLists.txt": `${cmake}enable_testing()\nadd_test(NAME a COMMAND a)\n` };
  assert.deepEqual(ids((await readMemory(tested)).builds), ["cmake:build", "python:wheel", "python:editable"]);
  const presets = { ...files, "CMakePresets.json": `{"version": 3, "configurePresets": [{"name": "host", "binaryDir": "out"}]}` };
  const project = await readMemory(presets);
  assert.deepEqual(ids(project.builds), ["cmake:host", "python:wheel", "python:editable"]);
  assert.equal(place(plan(project.builds, "python:wheel").shownBy), "pyproject.toml:2:12");
});

test("backends are told apart, and pure Python is no build", async () => {
  const backendOf = async (files: Readonly<Record<string, string>>): Promise<readonly (string | undefined)[]> => (await readMemory(files)).builds.map((one) => (one.kind === "python" ? `${one.backend} ${one.mode}` : one.kind));
  assert.deepEqual(await backendOf({ "pyproject.toml": `[build-system]\nrequires = ["meson-python"]\nbuild-backend = "mesonpy"\n` }), ["meson-python wheel", "meson-python editable"]);
  assert.deepEqual(await backendOf({ "pyproject.toml": `[build-system]\nrequires = ["maturin"]\nbuild-backend = "maturin"\n` }), ["other wheel", "other editable"]);
  assert.deepEqual(await backendOf({ "pyproject.toml": `[build-system]\nrequires = ["scikit-build-core", "x"]\nbuild-backend = "own"\nbackend-path = ["."]\n` }), ["scikit-build-core wheel", "scikit-build-core editable"]);
  assert.deepEqual(await backendOf({ "pyproject.toml": `[project]\nname = "x"\n[[tool.setuptools.ext-modules]]\nname = "x"\nsources = ["x.c"]\n` }), ["setuptools wheel", "setuptools editable"]);
  assert.deepEqual(await backendOf({ "setup.py": "from setuptools import setup, find_packages\nsetup(name='x', packages=find_packages())\n" }), []);
  assert.deepEqual(await backendOf({ "pyproject.toml": `[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n` }), []);
  assert.deepEqual(await backendOf({ "setup.py": "from setuptools import setup\nsetup(name='x', cmdclass={'build_ext': Own})\n" }), ["setuptools in-place", "setuptools wheel", "setuptools editable"]);
});

const presets = `{
  "version": 6,
  "include": ["more/extra.json", "$penv{SECRET_PRESETS}"],
  "configurePresets": [
    { "name": "base", "hidden": true, "binaryDir": "\${sourceParentDir}/b-\${sourceDirName}/\${presetName}", "condition": { "type": "notEquals", "lhs": "\${hostSystemName}", "rhs": "Windows" } },
    { "name": "cross", "inherits": "base", "toolchainFile": "x.cmake" },
    { "name": "host", "displayName": "Here", "inherits": "base", "environment": { "A": "1", "B": "$env{A}$penv{C}" } },
    { "name": "multi", "inherits": "base", "generator": "Ninja Multi-Config" },
    { "name": "windows", "inherits": "base", "condition": { "type": "inList", "string": "\${hostSystemName}", "list": ["Windows", "Darwin"] } },
    { "name": "always", "inherits": "windows", "condition": null, "binaryDir": "rel/$env{WHERE}", "vendor": { "x": 1 } },
    { "name": "odd", "inherits": "base", "binaryDir": "\${nobodyKnows}" },
    { "name": "either", "inherits": "base", "condition": { "type": "anyOf", "conditions": [ { "type": "const", "value": false }, { "type": "not", "condition": { "type": "matches", "string": "$penv{C}", "regex": "^x" } } ] } }
  ],
  "buildPresets": [
    { "name": "host-debug", "configurePreset": "host", "configuration": "Debug", "targets": ["ops"] },
    { "name": "host", "configurePreset": "host" }
  ],
  "testPresets": [
    { "name": "all", "configurePreset": "host" },
    { "name": "smoke", "configurePreset": "host", "environment": { "D": "$env{A}" }, "filter": { "include": { "label": "^smoke$" } } }
  ]
}`;

test("a condition whose pattern could run for ever decides nothing", async () => {
  const preset = (name: string, regex: string): object => ({ name, binaryDir: name, condition: { type: "matches", string: `${"a".repeat(60)}!`, regex } });
  const project = await readMemory({ "CMakeLists.txt": cmake, "CMakePresets.json": JSON.stringify({ version: 6, configurePresets: [preset("no", "^b"), preset("yes", "^a+!$"), preset("open", "^(a+)+$")] }) });
  assert.deepEqual(project.builds.map((one) => one.id), ["cmake:yes", "cmake:open"]);
});

test("presets are read as CMake reads them", async () => {
  const files = { "CMakeLists.txt": `${cmake}enable_testing()\nadd_test(NAME a COMMAND a)\n`, "CMakePresets.json": presets, "more/extra.json": `{"version": 6, "configurePresets": [{"name": "extra", "binaryDir": "\${fileDir}/b"}]}`, "CMakeUserPresets.json": `{"version": 6, "configurePresets": [{"name": "mine", "inherits": "host"}]}` };
  const project = await readMemory(files, { C: "c", WHERE: "w", SECRET_PRESETS: "none.json" });
  const shown = project.builds.map((one) => (one.kind === "cmake" ? [one.id, one.folder, one.configurePreset, one.buildPreset, one.configuration] : []));
  assert.deepEqual(shown, [
    ["cmake:extra", "/p/more/b", "extra", undefined, undefined],
    ["cmake:host", "/b-p/host", "host", "host", undefined],
    ["cmake:host/host-debug", "/b-p/host", "host", "host-debug", "Debug"],
    ["cmake:multi", "/b-p/multi", "multi", undefined, "Release"],
    ["cmake:always", "/p/rel/w", "always", undefined, undefined],
    ["cmake:either", "/b-p/either", "either", undefined, undefined],
    ["cmake:mine", "/b-p/mine", "mine", undefined, undefined],
    ["cmake:cross", "/b-p/cross", "cross", undefined, undefined],
  ]);
  assert.deepEqual(complaints(project), [
    "CMakePresets.json:3:34 /p/none.json does not exist.",
    "CMakePresets.json:11:15 The build folder of the preset odd could not be told, and so it is not offered.",
  ]);
  assert.equal(plan(project.builds, "cmake:host").label, "CMake preset host (Here)");
  assert.deepEqual([place(plan(project.builds, "cmake:host").shownBy), place(plan(project.builds, "cmake:mine").shownBy)], ["CMakePresets.json:7:15", "CMakeUserPresets.json:1:46"]);
  const [tests] = (await readMemory({ ...files, "abiding.json": `{"build": {"preset": "host"}}` }, { C: "c" })).smoke;
  assert.deepEqual([tests?.id, tests?.variables], ["ctest:../b-p/host", { A: "1", B: "1c", D: "1" }]);
});

test("a preset called default comes first", async () => {
  const project = await readMemory({ "CMakeLists.txt": cmake, "CMakePresets.json": `{"version": 3, "configurePresets": [{"name": "a"}, {"name": "default"}]}` });
  assert.deepEqual(ids(project.builds), ["cmake:default", "cmake:a"]);
});
