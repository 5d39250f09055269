/** Builds by Python, with setuptools and pip of a real environment; one of a small torch extension with a skewed flag. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { build } from "../../../src/workshop/build/index.ts";
import { CannotDo } from "../../../src/workshop/workshop.ts";
import { bench, pythonPlan, request, scratchFolder, writeFiles } from "./support.ts";

const prefix = process.env["ABIDING_TEST_TORCH"];
const options = { skip: prefix === undefined ? "ABIDING_TEST_TORCH names no environment" : false };
const { folder: scratch, remove } = scratchFolder("build-python");
after(remove);
const interpreter = path.join(prefix ?? "", "bin", "python");

const setup = (name: string): string => `from setuptools import setup, Extension
setup(name="${name}", version="1.0", py_modules=[], ext_modules=[Extension("${name}", ["${name}.c"])])
`;
const module = (name: string): string => `#include <Python.h>
static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, "${name}", 0, -1, 0 };
PyMODINIT_FUNC PyInit_${name}(void) { return PyModule_Create(&definition); }
`;

function project(name: string, files: Readonly<Record<string, string>> = {}): string {
  return writeFiles(path.join(scratch, name), { "setup.py": setup(name), [`${name}.c`]: module(name), ...files });
}

describe("a build by Python", options, () => {
  it("in place makes the module beside the sources, with the chosen Python and without isolation, and only once", async () => {
    const root = project("inplace");
    const report = await build(request(root, pythonPlan(root), { interpreter }), bench());
    assert.equal(report.outcome, "built", report.reason);
    assert.deepEqual(report.steps.map((step) => step.command), [[interpreter, "setup.py", "build_ext", "--inplace"]]);
    assert.deepEqual(report.products.map((one) => [path.dirname(one.file), one.verdict, one.headline]), [[root, "no-conflict", "No conflict with torch 2.13.0+cpu found in what was checked."]]);
    const again = await build(request(root, pythonPlan(root), { interpreter }), bench());
    assert.deepEqual([again.outcome, again.products, again.unchanged?.length], ["built", [], 1]);
  });

  it("makes a wheel in a folder of ours, and what a compiler says inside pip has its place", async () => {
    const root = project("wheel");
    const report = await build(request(root, pythonPlan(root, { mode: "wheel" }), { interpreter }), bench());
    assert.deepEqual([report.outcome, report.products.map((one) => path.relative(root, path.dirname(one.file)))], ["built", [".abiding/local/wheels"]], report.reason);
    assert.match(report.steps[0]?.line ?? "", /-m pip wheel -v --no-build-isolation --no-deps /);
    const broken = project("broken", { "broken.c": "int x = nothing;\n" });
    const failed = await build(request(broken, pythonPlan(broken, { mode: "wheel" }), { interpreter }), bench());
    assert.equal(failed.outcome, "failed");
    assert.deepEqual(failed.problems.filter((one) => one.tool === "gcc").map((one) => [path.basename(one.location?.path ?? ""), one.location?.range.start.line]), [["broken.c", 0]]);
  });

  it("installs editable into the environment only when that is asked for", async () => {
    const root = project("editable");
    const own = writeFiles(path.join(scratch, "venv"), { "pyvenv.cfg": fs.readFileSync(path.join(prefix ?? "", "pyvenv.cfg"), "utf8"), "lib/python3.11/site-packages/others.pth": `${prefix}/lib/python3.11/site-packages\n` });
    fs.mkdirSync(path.join(own, "bin"));
    fs.symlinkSync(fs.realpathSync(interpreter), path.join(own, "bin", "python"));
    const workshop = bench();
    const report = await build(request(root, pythonPlan(root, { mode: "editable" }), { interpreter: path.join(own, "bin", "python") }), workshop);
    assert.equal(report.outcome, "built", report.reason);
    assert.deepEqual(report.products.map((one) => path.dirname(one.file)), [root]);
    assert.ok(fs.readdirSync(path.join(own, "lib/python3.11/site-packages")).some((name) => /^editable-1\.0.*\.dist-info$/.test(name)));
    assert.match(workshop.notes.join("\n"), /is installed editable into the environment of /);
  });

  it("tells before it begins what the environment lacks, with the line that installs it", async () => {
    const root = project("lacking", { "pyproject.toml": '[build-system]\nrequires = ["setuptools>=61", "nanobind==2.9.2", "wheel", "ninja"]\nbuild-backend = "setuptools.build_meta"\n' });
    await assert.rejects(build(request(root, pythonPlan(root, { mode: "wheel" }), { interpreter }), bench()), (error) =>
      error instanceof CannotDo && error.message === `The environment of ${interpreter} lacks nanobind==2.9.2, which building without isolation needs. This installs it: ${interpreter} -m pip install nanobind==2.9.2` || assert.fail(String(error)));
    const bare = writeFiles(path.join(scratch, "bare"), { "pyvenv.cfg": "home = /usr/bin\nversion = 3.11.2\n", "bin/python": "", "lib/python3.11/site-packages/README": "" });
    const torch = project("needstorch", { "setup.py": `import torch\n${setup("needstorch")}` });
    await assert.rejects(build(request(torch, pythonPlan(torch), { interpreter: `${bare}/bin/python`, stopOn: "never" }), bench()), (error) =>
      error instanceof CannotDo && error.message.endsWith(`lacks setuptools and torch, which building without isolation needs. This installs them: uv pip install --python ${bare}/bin/python setuptools torch`) || assert.fail(String(error)));
  });

  it("says that there is no compiler, and where setup.py stopped", async () => {
    const root = project("nocompiler");
    const report = await build(request(root, pythonPlan(root), { interpreter }), bench({ CC: "/nowhere/gcc" }));
    assert.deepEqual([report.outcome, report.reason], ["failed", "The compiler /nowhere/gcc was not found. Install it (apt-get install g++), or name another one with CC and CXX."]);
    const stopped = project("stopped", { "setup.py": "def f():\n    raise RuntimeError('no CUDA')\nf()\n" });
    const failed = await build(request(stopped, pythonPlan(stopped), { interpreter }), bench());
    assert.deepEqual(failed.problems.map((one) => [one.tool, one.message, one.location?.path, one.location?.range.start.line]), [["python", "RuntimeError: no CUDA", `${stopped}/setup.py`, 1]]);
  });

  it("of a torch extension with the other std::string is stopped by the warning before it", async () => {
    const root = writeFiles(path.join(scratch, "skewed"), {
      "setup.py": 'from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CppExtension\nsetup(name="ops", ext_modules=[CppExtension("ops", ["ops.cpp"], extra_compile_args=["-D_GLIBCXX_USE_CXX11_ABI=0"])], cmdclass={"build_ext": BuildExtension})\n',
      "ops.cpp": "#include <torch/extension.h>\n",
    });
    const report = await build(request(root, pythonPlan(root), { interpreter }), bench());
    assert.deepEqual([report.outcome, report.steps, report.before.map((one) => [one.rule, path.basename(one.location.path), one.location.range.start.line])], ["stopped", [], [["libstdcxx-abi", "setup.py", 2]]]);
  });
});
