/** pytest: listed without an import, run with each crash and time-out attributed to its test. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { debugLaunch } from "../../../src/workshop/smoke/index.ts";
import type { SmokeReport, TestResult } from "../../../src/workshop/smoke/types.ts";
import { byLabel, has, outcomes, Project } from "./support.ts";

const skip = has("python3", "-m", "pytest", "--version") ? false : "pytest is not installed for python3";
const hasGdb = has("gdb", "--version");

const tests = `import ctypes, os, sys, time, unittest
import pytest

open(os.path.join(os.path.dirname(__file__), "imported"), "a").close()

def test_passes():
    print("hello")

def test_equal():
    assert {"a": 1} == {"a": 2}

@pytest.mark.parametrize("x", [1, 2, 3])
def test_numbers(x):
    assert x != 2

@pytest.mark.gpu
def test_gpu():
    pytest.skip("CUDA is not available")

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

@pytest.mark.xfail(reason="known")
def test_expected_to_fail():
    assert False

def test_segfault():
    print("before")
    ctypes.string_at(0)

def test_both_streams():
    for number in range(200):
        print("out", number)
        print("err", number, file=sys.stderr)

def test_hangs():
    print("begun")
    os.system("sleep 600 &")
    time.sleep(600)

def test_exits():
    os._exit(3)

def test_forks():
    if os.fork() == 0:
        os._exit(0)
    os.wait()

class TestGroup:
    @pytest.fixture
    def broken(self):
        raise ValueError("no fixture")

    def test_method(self):
        raise OSError("on purpose")

    def test_fixture(self, broken):
        pass

class Old(unittest.TestCase):
    def test_old(self):
        self.assertEqual(1, 1)

def helper():
    def test_inside():
        pass

class TestWithConstructor:
    def __init__(self):
        pass

    def test_never(self):
        pass

def test_after_all():
    print("still here")
`;

describe("tests of pytest", { skip }, () => {
  const project = new Project();
  let report: SmokeReport;
  let results: Readonly<Record<string, TestResult>>;
  const at = (...parts: readonly string[]): string => join(project.root, ...parts);
  after(() => project[Symbol.dispose]());
  before(() => {
    project.file("tests/test_all.py", tests);
    project.file("tests/test_import.py", "import nothing_of_that_name\n\ndef test_unreachable():\n    pass\n");
    project.file("tests/test_crash_at_import.py", "import os\nos.abort()\n\ndef test_never():\n    pass\n");
    project.file("tests/env/pyvenv.cfg", "");
    project.file("tests/env/test_of_a_package.py", "def test_other():\n    pass\n");
  });

  it("are listed from their files, and nothing is imported", async () => {
    const { tests: listed, problems } = await project.discover([project.pytest(["tests"])]);
    assert.deepEqual(problems, []);
    assert.equal(existsSync(at("tests", "imported")), false);
    assert.deepEqual(listed.filter((test) => test.parent === "pytest::tests/test_all.py").map((test) => test.label), [
      "test_passes", "test_equal", "test_numbers", "test_gpu", "test_skipped", "test_expected_to_fail", "test_segfault", "test_both_streams", "test_hangs", "test_exits", "test_forks",
      "TestGroup::test_method", "TestGroup::test_fixture", "Old::test_old", "test_after_all",
    ]);
    const gpu = listed.find((test) => test.label === "test_gpu");
    assert.deepEqual(gpu?.labels, ["gpu"]);
    assert.deepEqual(gpu.location, { path: at("tests/test_all.py"), range: { start: { line: 16, character: 4 }, end: { line: 16, character: 12 } } });
    assert.equal(listed.some((test) => test.label === "test_other"), false, "an environment's own tests");
  });

  it("run in one process as long as it lives", async () => {
    report = await project.run([project.pytest(["tests"])], { timeLimit: 5000 });
    results = byLabel(report);
    assert.deepEqual(outcomes(report), {
      "tests/test_crash_at_import.py": "crashed", test_never: "not-run", "tests/test_import.py": "failed", test_unreachable: "not-run",
      test_passes: "passed", test_equal: "failed", test_numbers: "failed", test_gpu: "skipped", test_skipped: "skipped", test_expected_to_fail: "skipped",
      test_segfault: "crashed", test_both_streams: "passed", test_hangs: "timed-out", test_exits: "failed", test_forks: "passed",
      "TestGroup::test_method": "failed", "TestGroup::test_fixture": "failed", "Old::test_old": "passed", test_after_all: "passed",
    });
    assert.equal(report.outcome, "failed");
    assert.deepEqual(report.problems, []);
  });

  it("say why", () => {
    const reason = (label: string): string => results[label]?.reason ?? "";
    assert.equal(reason("test_equal"), "It failed: AssertionError: assert {'a': 1} == {'a': 2}");
    assert.equal(reason("test_numbers"), "1 of 3 with parameters: [2]. It failed: assert 2 != 2");
    assert.deepEqual(results["test_numbers"]?.cases, { total: 3, passed: 2, skipped: 0 });
    assert.equal(reason("TestGroup::test_fixture"), "Its set-up failed: ValueError: no fixture");
    assert.equal(reason("test_exits"), "It ended the process of pytest with the exit status 3.");
    assert.equal(reason("test_hangs"), "It did not end within 5 s, and was ended with all that it had started.");
    assert.equal(reason("test_expected_to_fail"), "It fails, as it is expected to: known.");
    assert.equal(reason("test_unreachable"), "tests/test_import.py could not be imported.");
    assert.equal(results["test_skipped"]?.reason, "not today");
    assert.match(reason("test_segfault"), /^It was ended by the signal SIGSEGV/);
    assert.match(reason("tests/test_crash_at_import.py"), /^It was ended by the signal SIGABRT/);
  });

  it("tell a missing GPU from other reasons", { skip: existsSync("/dev/nvidia0") ? "this machine has a GPU" : false }, () => {
    assert.equal(results["test_gpu"]?.skipped, "no-gpu");
    assert.match(results["test_gpu"]?.reason ?? "", /^CUDA is not available\. No NVIDIA GPU was found/);
    assert.equal(results["test_skipped"]?.skipped, "other");
  });

  it("tell places and values", () => {
    const [equal] = results["test_equal"]?.messages ?? [];
    assert.deepEqual([equal?.location?.path, equal?.location?.range.start.line, equal?.expected, equal?.actual], [at("tests/test_all.py"), 9, "{'a': 2}", "{'a': 1}"]);
    assert.equal(results["test_numbers"]?.messages[0]?.expected, undefined, "it was not compared for equality");
    assert.equal(results["test_segfault"]?.messages[0]?.location?.range.start.line, 29, "of Python's own stack");
    assert.equal(results["tests/test_import.py"]?.messages[0]?.message, "ModuleNotFoundError: No module named 'nothing_of_that_name'");
    assert.equal(results["tests/test_import.py"]?.messages[0]?.location?.path, at("tests/test_import.py"));
  });

  it("keep what each printed, up to its end", () => {
    assert.equal(results["test_passes"]?.output, "hello\n");
    assert.equal(results["test_hangs"]?.output, "begun\n");
    assert.equal(results["test_after_all"]?.output, "still here\n");
    assert.match(results["test_segfault"]?.output ?? "", /^before\nFatal Python error: Segmentation fault\n/);
    // Which line of one stream comes first is nobody's to say, and neither is where a line is cut.
    const both = results["test_both_streams"]?.output ?? "";
    assert.deepEqual([both.match(/out/g)?.length, both.match(/err/g)?.length, both.match(/\n/g)?.length], [200, 200, 400]);
    assert.match(results["test_equal"]?.output ?? "", /^E +AssertionError: assert/m);
  });

  it("have the native stack of a crash", { skip: hasGdb ? false : "gdb is not installed" }, () => {
    const names = (results["test_segfault"]?.stack ?? []).map((frame) => frame.function);
    assert.ok(names.length > 2 && names.some((name) => /ffi_call|string_at/.test(name)), names.join(" "));
  });

  it("are told as they start and end, each once", () => {
    const started = project.events.flatMap((event) => (event.kind === "started" ? [event.id] : []));
    const ended = project.events.flatMap((event) => (event.kind === "ended" ? [event.result.id] : []));
    assert.equal(new Set(started).size, started.length);
    assert.equal(new Set(ended).size, ended.length);
    assert.equal(ended.length, report.results.length);
  });

  it("run alone, by function or with parameters, without the plan's name too", async () => {
    const one = await project.run([project.pytest(["tests"])], { only: ["pytest::tests/test_all.py::test_passes"] });
    assert.deepEqual(outcomes(one), { test_passes: "passed" });
    const two = await project.run([project.pytest(["tests"])], { only: ["tests/test_all.py::test_numbers[3]", "Old::test_old"] });
    assert.deepEqual(outcomes(two), { test_numbers: "passed", "Old::test_old": "passed" });
    assert.equal(two.results.find((result) => result.label === "test_numbers")?.cases, undefined);
  });

  it("run by marker", async () => {
    const report = await project.run([project.pytest(["tests"])], { labels: ["gpu"] });
    assert.deepEqual(outcomes(report), { test_gpu: "skipped" });
  });

  it("run again when they did not pass", async () => {
    const report = await project.run([project.pytest(["tests/test_all.py"])], { failed: true, timeLimit: 2000, except: ["test_segfault", "test_hangs"] });
    assert.deepEqual(Object.keys(outcomes(report)).sort(), ["TestGroup::test_fixture", "TestGroup::test_method", "test_equal", "test_exits", "test_numbers"]);
  });

  it("are listed by pytest when that is asked for; a file that crashes leaves what the files show", async () => {
    const whole = await project.discover([project.pytest(["tests/test_all.py"])], true);
    assert.deepEqual(whole.problems, []);
    assert.equal(whole.tests.find((test) => test.label === "Old::test_old")?.id, "pytest::tests/test_all.py::Old::test_old");
    const broken = await project.discover([project.pytest(["tests"])], true);
    assert.match(broken.problems[0]?.message ?? "", /^pytest did not list its tests: it was ended by the signal SIGABRT when it imported tests\/test_crash_at_import\.py$/);
    assert.ok(broken.tests.some((test) => test.label === "test_passes"));
  });

  it("start a debugger with pytest", async () => {
    const { tests: listed } = await project.discover([project.pytest(["tests"])]);
    const test = listed.find((one) => one.label === "TestGroup::test_method");
    assert.ok(test !== undefined);
    const launch = await debugLaunch(test, [project.pytest(["tests"])], project.workshop, "/usr/bin/python3");
    assert.deepEqual([launch?.language, launch?.program, launch?.arguments], ["python", "/usr/bin/python3", ["-m", "pytest", "--capture=no", "tests/test_all.py::TestGroup::test_method"]]);
  });
});

describe("pytest as a whole", { skip }, () => {
  it("is a failure when it crashes after its tests", async () => {
    using project = new Project();
    project.file("test_exit.py", "import atexit, os\natexit.register(os.abort)\n\ndef test_fine():\n    pass\n");
    const report = await project.run([project.pytest()]);
    assert.deepEqual(outcomes(report), { test_fine: "passed", pytest: "crashed" });
    assert.match(byLabel(report)["pytest"]?.reason ?? "", /^No test ran at that moment: It was ended by the signal SIGABRT/);
    assert.equal(report.outcome, "failed");
  });

  it("is not there: the reason and what to do", async () => {
    using project = new Project();
    project.file("test_a.py", "def test_a():\n    pass\n");
    const python = project.file("bin/python3", "#!/bin/sh\nexec python3 -I -S \"$@\"\n");
    const report = await project.run([project.pytest()], { interpreter: python });
    assert.equal(report.outcome, "no-tests");
    assert.equal(report.problems[0]?.message, `pytest is not installed for ${python}. Install it into that environment, or choose another interpreter.`);
  });

  it("names what it does not understand", async () => {
    using project = new Project();
    project.file("test_a.py", "def test_a():\n    pass\n");
    const report = await project.run([project.pytest([], { arguments: ["--no-such-option"] })]);
    assert.equal(report.outcome, "no-tests");
    assert.match(report.problems[0]?.message ?? "", /exit status 4: .*unrecognized arguments: --no-such-option/);
  });

  it("holds the options of the project, and runs one test at a time", async () => {
    using project = new Project();
    project.file("pytest.ini", "[pytest]\naddopts = -v -ra --numprocesses=4\npython_files = check_*.py\npython_functions = check\nmarkers =\n    smoke: quick\n");
    // As pytest-xdist has it.
    project.file("conftest.py", "def pytest_addoption(parser):\n    parser.addoption('--numprocesses', dest='numprocesses', type=int)\n");
    project.file("check_a.py", "import pytest\n\n@pytest.mark.smoke\ndef check_one(request):\n    assert request.config.option.numprocesses is None\n\ndef check_two():\n    pass\n");
    const plan = project.pytest([], { marker: "smoke" });
    const { tests: listed } = await project.discover([plan]);
    assert.deepEqual(listed.filter((test) => test.kind === "pytest").map((test) => test.label), ["check_one"]);
    const report = await project.run([plan]);
    assert.deepEqual(outcomes(report), { check_one: "passed" });
  });

  it("is named by pyproject.toml, in either of its tables, a list and a text alike", async () => {
    for (const table of ['[tool.pytest.ini_options]\npython_files = "check_*.py also_*.py"', '[tool.pytest]\npython_files = ["check_*.py", "also_*.py"]']) {
      using project = new Project();
      project.file("pyproject.toml", `${table}\ntestpaths = ["some"]\nnorecursedirs = ["data"]\n`);
      for (const name of ["some/check_a.py", "some/also_b.py", "some/test_c.py", "some/data/check_d.py", "other/check_e.py"]) project.file(name, "def test_it():\n    pass\n");
      const { tests } = await project.discover([project.pytest([])]);
      assert.deepEqual(tests.filter((test) => test.kind === "pytest").map((test) => test.id).sort(), ["pytest::some/also_b.py::test_it", "pytest::some/check_a.py::test_it"], table);
    }
  });

  it("is found through a link to its folder", async () => {
    using project = new Project();
    project.file("real/test_a.py", "def test_a():\n    pass\n");
    symlinkSync(join(project.root, "real"), join(project.root, "link"));
    const plan = project.pytest([], { folder: join(project.root, "link") });
    const report = await project.run([plan], { only: ["test_a"] });
    assert.deepEqual(report.results.map(({ id, outcome }) => [id, outcome]), [["pytest::test_a.py::test_a", "passed"]]);
  });

  it("tells in which order torch and the project's extensions were imported", async () => {
    using project = new Project();
    project.program("mine.so", "void *PyInit_mine(void) { extern void *PyModule_Create2(void *, int); static struct { long head[5]; const char *name; const char *doc; long size; void *rest[6]; } module = { { 1 }, \"mine\", 0, -1, { 0 } }; return PyModule_Create2(&module, 1013); }", "-shared", "-fPIC");
    project.file("torch/__init__.py", "");
    project.file("test_order.py", "import mine\nimport torch\n\ndef test_a():\n    pass\n");
    const report = await project.run([project.pytest()]);
    assert.equal(report.outcome, "passed", JSON.stringify(report.results));
    assert.deepEqual(report.circumstances.importOrder, ["mine", "torch"]);
    assert.ok(readFileSync(join(project.root, ".abiding/local/smoke.json"), "utf8").includes("test_order.py"));
  });
});
