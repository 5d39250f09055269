import assert from "node:assert/strict";
import { test } from "node:test";
import { ids, place, plan, readMemory } from "./support.ts";

const cmake = "cmake_minimum_required(VERSION 3.22)\nproject(ops LANGUAGES CXX)\n";
const extension = "from setuptools import setup, Extension\nsetup(name='ops', ext_modules=[Extension('ops._C', ['a.c'])], package_dir={'': 'src'})\n";
const some = "def test_a():\n    pass\n";

test("CTest is offered where the sources enable tests and make some", async () => {
  const smokeOf = async (text: string): Promise<readonly unknown[]> => (await readMemory({ "CMakeLists.txt": cmake + text })).smoke;
  assert.deepEqual(await smokeOf("add_test(NAME a COMMAND a)\n"), []);
  assert.deepEqual(await smokeOf("enable_testing()\n"), []);
  const [all] = (await readMemory({ "CMakeLists.txt": `${cmake}include(CTest)\ngtest_discover_tests(a PROPERTIES LABELS unit TIMEOUT smoke)\n` })).smoke;
  assert.deepEqual(all, { kind: "ctest", id: "ctest:build", label: "CTest in build", origin: "detected", shownBy: all?.shownBy, variables: {}, folder: "/p/build", labels: [] });
  const helper = await readMemory({ "CMakeLists.txt": `${cmake}enable_testing()\ninclude(h.cmake)\nours(a LABELS quick smoke)\n`, "h.cmake": "function(ours name)\n  add_test(NAME ${name} COMMAND ${name})\nendfunction()\n" });
  assert.deepEqual(helper.smoke.map((one) => (one.kind === "ctest" ? one.labels : [])), [["smoke"]]);
});

test("pytest is offered for what it would collect", async () => {
  const project = await readMemory({ "pkg/test/test_a.py": some, "more/deep/unit_tests/x/a_test.py": some, "examples/e/tests/test_e.py": some, "scripts/test_b.py": "print()\n", "tests/test_script.py": "print()\n", ".github/test_c.py": some });
  assert.deepEqual(project.smoke, [{
    kind: "pytest", id: "pytest", label: "pytest of pkg/test, more/deep/unit_tests", origin: "detected", shownBy: project.smoke[0]?.shownBy, variables: {}, folder: "/p", paths: ["pkg/test", "more/deep/unit_tests"], arguments: [],
  }]);
  assert.equal(place(project.smoke[0]?.shownBy), "more/deep/unit_tests/x/a_test.py:1:1");
  assert.deepEqual((await readMemory({ "test_x.py": "print()\n" })).smoke, []);
  assert.deepEqual((await readMemory({ "pytest.ini": "[pytest]\n" })).smoke, []);
  const only = await readMemory({ "examples/tests/test_e.py": some });
  assert.deepEqual(only.smoke.map((one) => (one.kind === "pytest" ? one.paths : [])), [["examples/tests"]]);
});

test("the marker smoke is used where it is declared", async () => {
  const shownBy = async (files: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
    const [found] = (await readMemory({ "tests/test_a.py": some, ...files })).smoke;
    return found?.kind === "pytest" ? [found.marker, found.paths, place(found.shownBy)] : [];
  };
  assert.deepEqual(await shownBy({ "pytest.ini": "[pytest]\nmarkers =\n    slow: takes long\n    smoke: does it run\ntestpaths = tests more\n" }), ["smoke", [], "pytest.ini:1:1"]);
  assert.deepEqual(await shownBy({ "setup.cfg": "[metadata]\nname = x\n[tool:pytest]\nmarkers = smoke\n[other]\nmarkers = x\n" }), ["smoke", ["tests"], "setup.cfg:3:1"]);
  assert.deepEqual(await shownBy({ "tox.ini": "[tox]\nmarkers = smoke\n[pytest]\naddopts = -q\n" }), [undefined, ["tests"], "tox.ini:3:1"]);
  assert.deepEqual(await shownBy({ "pyproject.toml": `[project]\nname = "x"\n[tool.pytest.ini_options]\nmarkers = ["gpu", "smoke(n): x"]\n` }), ["smoke", ["tests"], "pyproject.toml:3:1"]);
  assert.deepEqual(await shownBy({ "pyproject.toml": `[tool.pytest]\nmarkers = ["smoke"]\ntestpaths = ["tests"]\n` }), ["smoke", [], "pyproject.toml:1:1"]);
  assert.deepEqual(await shownBy({ "tests/conftest.py": `def pytest_configure(config):\n    config.addinivalue_line(\n        "markers", "smoke: quick ones")\n` }), ["smoke", ["tests"], "tests/test_a.py:1:1"]);
  assert.deepEqual(await shownBy({ "pyproject.toml": "[tool.pytest.ini_options]\nmarkers = [\n" }), [undefined, ["tests"], "pyproject.toml:1:1"]);
});

test("modules that are built in place below src are found by the tests", async () => {
  const files = { "setup.py": extension, "tests/test_a.py": some };
  assert.deepEqual((await readMemory(files)).smoke[0]?.variables, { PYTHONPATH: "/p/src" });
  assert.deepEqual((await readMemory(files, { PYTHONPATH: "/q" })).smoke[0]?.variables, { PYTHONPATH: "/p/src:/q" });
  assert.deepEqual((await readMemory({ ...files, "pytest.ini": "[pytest]\npythonpath = src\n" })).smoke[0]?.variables, {});
});

test("what is built first is tested first", async () => {
  const files = { "CMakeLists.txt": `${cmake}enable_testing()\nadd_test(NAME a COMMAND a)\n`, "setup.py": extension, "tests/test_a.py": some };
  assert.deepEqual(ids((await readMemory(files)).smoke), ["pytest"]);
  const configured = { ...files, "build/CMakeCache.txt": "CMAKE_HOME_DIRECTORY:INTERNAL=/p\n" };
  assert.deepEqual([ids((await readMemory(configured)).builds)[0], ids((await readMemory(configured)).smoke)], ["cmake:build", ["ctest:build"]]);
  assert.deepEqual(ids((await readMemory({ ...configured, "pytest.ini": "[pytest]\n" })).smoke), ["ctest:build", "pytest"]);
  const turned = await readMemory({ ...files, "abiding.json": `{"build": [{"folder": "out"}, {"python": "wheel"}]}` });
  assert.deepEqual([ids(turned.builds), ids(turned.smoke)], [["cmake:out", "python:wheel"], ["ctest:out"]]);
  const two = await readMemory({ "one/CMakeLists.txt": files["CMakeLists.txt"], "two/CMakeLists.txt": files["CMakeLists.txt"], "abiding.json": `{"build": [{"source": "two"}, {"source": "one"}]}` });
  assert.deepEqual([ids(two.builds), ids(two.smoke)], [["cmake:two/build", "cmake:one/build"], ["ctest:two/build"]]);
});

test("programs of Google Benchmark and nvbench are found by what they link or include", async () => {
  const project = await readMemory({
    "CMakeLists.txt": `${cmake}set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "\${CMAKE_BINARY_DIR}/bin")
add_executable(a a.cpp)
target_link_libraries(a PRIVATE benchmark::benchmark_main)
add_executable(b b.cu)
target_link_libraries(b PRIVATE nvbench::main)
add_executable(c c.cpp)
add_library(d SHARED a.cpp)
target_link_libraries(d PRIVATE benchmark)
`,
    "a.cpp": "", "b.cu": "", "c.cpp": "int main() {}\n",
  });
  assert.deepEqual(project.benchmarks.map(({ id, command, shownBy, printsJson }) => [id, command, place(shownBy), printsJson]), [
    ["google-benchmark:a", ["/p/build/bin/a"], "CMakeLists.txt:4:1", false],
    ["nvbench:b", ["/p/build/bin/b"], "CMakeLists.txt:6:1", false],
  ]);
});

test("pytest-benchmark is offered where it is required and its fixture is used", async () => {
  const files = { "benchmarks/bench_a.py": "def test_a(x, benchmark):\n    pass\n", "benchmarks/deep/test_b.py": "def test_b(benchmark): pass\n", "tests/test_c.py": "def test_c(): pass\n" };
  assert.deepEqual((await readMemory(files)).benchmarks, []);
  const project = await readMemory({ ...files, "requirements-dev.txt": "pytest-benchmark>=4\n" });
  const found = plan(project.benchmarks, "pytest-benchmark:benchmarks");
  assert.deepEqual([found.command, found.format, found.folder, place(found.shownBy), project.benchmarks.length], [["python3", "-m", "pytest", "benchmarks"], "pytest-benchmark", "/p", "benchmarks/bench_a.py:1:1", 1]);
  assert.deepEqual((await readMemory({ ...files, "benchmarks/bench_a.py": "", "benchmarks/deep/test_b.py": "", "setup.py": "setup(extras_require={'test': ['pytest-benchmark']})\n" })).benchmarks, []);
});
