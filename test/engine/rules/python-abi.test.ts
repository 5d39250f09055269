import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition, DeclaredTarget } from "../../../src/engine/model/index.ts";
import { pythonAbi } from "../../../src/engine/rules/python-abi.ts";
import { lines, RuleProject } from "../../support/rule-project.ts";

const setup = [
  "ops = CUDAExtension('ops', ['ops.cpp'],",
  "  py_limited_api=False,",
  "  extra='-DPy_LIMITED_API=0x03090000 -UPy_LIMITED_API')",
  "options={'bdist_wheel': {'py_limited_api': 'cp39'}}",
  "Python_add_library(ops USE_SABI 3.11 ops.cpp)",
].join("\n");
const binding = "#include <torch/extension.h>\nPYBIND11_MODULE(ops, m) {}\n";
const registering = "#include <torch/all.h>\nTORCH_LIBRARY(ops, m) {}\n";

interface Setting {
  readonly source: string;
  readonly limited?: boolean | undefined;
  readonly tag?: string;
  readonly tagConditions?: readonly Condition[];
  readonly flags?: readonly string[];
  readonly target?: Partial<DeclaredTarget>;
  readonly limitedText?: string;
}

function project({ source, limited, tag, tagConditions = [], flags = [], target = {}, limitedText = "py_limited_api=False" }: Setting) {
  const made = new RuleProject({ "/p/setup.py": setup, "/p/ops.cpp": source, "/p/pyproject.toml": 'requires-python = ">=3.10"' });
  made.target("/p/setup.py", ["/p/ops.cpp"], {
    builder: "setuptools", kind: "extension", madeBy: "CUDAExtension", arguments: flags.map((flag) => made.argument("/p/setup.py", flag)),
    ...(limited === undefined ? {} : { pyLimitedApi: { value: limited, evidence: made.evidence("/p/setup.py", limitedText) } }), ...target,
  });
  if (tag !== undefined) made.observations.push({ kind: "wheel-tag", tag, conditions: tagConditions, evidence: made.evidence("/p/setup.py", "'cp39'") });
  return made;
}

test("the limited API with pybind11 or torch's Python binding", () => {
  const found = project({ source: binding, limited: true }).check(pythonAbi);
  assert.deepEqual(lines(found), ["/p/setup.py:2 error"]);
  assert.match(found[0]?.message ?? "", /^Target ops asks for the limited API .* torch\/extension\.h at ops\.cpp:1 needs the full one/);
});

test("the limited API with TORCH_LIBRARY alone, or with the binding left out under it, is silent", () => {
  assert.deepEqual(project({ source: registering, limited: true }).check(pythonAbi), []);
  assert.deepEqual(project({ source: `#ifndef Py_LIMITED_API\n${binding}#endif\n${registering}`, limited: true }).check(pythonAbi), []);
  assert.deepEqual(project({ source: binding }).check(pythonAbi), []);
  assert.deepEqual(project({ source: binding, limited: false }).check(pythonAbi), []);
});

test("a wheel tagged abi3 whose extension is built with py_limited_api=False", () => {
  const found = project({ source: registering, limited: false, tag: "cp39" }).check(pythonAbi);
  assert.deepEqual(lines(found), ["/p/setup.py:2 error"]);
  assert.match(found[0]?.message ?? "", /^The wheel is tagged cp39-abi3, which promises every later CPython, and extension ops is built with py_limited_api=False at setup\.py:2/);
});

test("a wheel tagged abi3 whose extension says nothing and uses pybind11", () => {
  assert.deepEqual(lines(project({ source: binding, tag: "cp39" }).check(pythonAbi)), ["/p/setup.py:4 error"]);
  assert.deepEqual(project({ source: registering, tag: "cp39" }).check(pythonAbi), []);
});

test("a tag that hangs on the same choice, or a tag of one interpreter, is silent", () => {
  const condition = new RuleProject({}).condition("py_limited_api");
  assert.deepEqual(project({ source: registering, limited: false, tag: "cp39", tagConditions: [condition] }).check(pythonAbi), []);
  assert.deepEqual(project({ source: registering, limited: false, tag: "py3" }).check(pythonAbi), []);
});

test("USE_SABI names the file abi3, -UPy_LIMITED_API compiles against the full API", () => {
  const target = { builder: "cmake", madeBy: "Python_add_library" } as const;
  const found = project({ source: binding, limited: true, limitedText: "USE_SABI 3.11", flags: ["-UPy_LIMITED_API"], target }).check(pythonAbi);
  assert.deepEqual(lines(found), ["/p/setup.py:3 error"]);
  assert.match(found[0]?.message ?? "", /^Target ops is declared for the limited API at setup\.py:5, which names its file \.abi3\.so, and -UPy_LIMITED_API compiles it against the full API/);
  assert.deepEqual(project({ source: binding, flags: ["-UPy_LIMITED_API"], target }).check(pythonAbi), []);
});

test("a limited-API level above the oldest Python admitted", () => {
  const withRange = (specifier: string, limitedText = "USE_SABI 3.11") => {
    const made = project({ source: registering, limited: true, limitedText, target: { builder: "cmake" } });
    made.observations.push({ kind: "python-range", specifier, conditions: [], evidence: made.evidence("/p/pyproject.toml", 'requires-python = ">=3.10"') });
    return lines(made.check(pythonAbi));
  };
  assert.deepEqual(withRange(">=3.10,<3.14"), ["/p/setup.py:5 warning"]);
  assert.deepEqual(withRange(">=3.10", "3.11"), ["/p/setup.py:5 warning"]);
  assert.deepEqual(withRange(">=3.11"), []);
  assert.deepEqual(withRange(">=3.12"), []);
  assert.deepEqual(withRange("<4"), []);
});

test("BuildExtension appends its own level after the one in the flags", () => {
  const appending = (level: string) => {
    const made = project({ source: registering, limited: true, tag: "cp39", flags: ["-DPy_LIMITED_API=0x03090000"] }).torch("2.13.0");
    const [target] = made.targets;
    assert.ok(target);
    made.targets[0] = { ...target, arguments: [...target.arguments, made.argument("/p/setup.py", `-DPy_LIMITED_API=${level}`, { origin: "builder-default" })] };
    return made.check(pythonAbi);
  };
  const found = appending("0x030A0000");
  assert.deepEqual(lines(found), ["/p/setup.py:3 warning", "/p/setup.py:4 info"]);
  assert.match(found[0]?.message ?? "", /asks for the limited API of Python 3\.9 and the wheel's tag cp39 at setup\.py:4 promises Python 3\.9, but BuildExtension of torch 2\.13\.0 appends its own -DPy_LIMITED_API for Python 3\.10/);
  assert.deepEqual(lines(appending("0x03090000")), ["/p/setup.py:4 info"]);
});

test("abi3 is not torch-stable: a note, unless torch is pinned or only stable headers are used", () => {
  const tagged = { limited: true, tag: "cp39" } as const;
  assert.deepEqual(lines(project({ source: registering, ...tagged }).check(pythonAbi)), ["/p/setup.py:4 info"]);
  assert.deepEqual(project({ source: registering, ...tagged }).require("/p/setup.py", "torch==2.9.1").check(pythonAbi), []);
  assert.deepEqual(project({ source: "#include <torch/csrc/stable/library.h>", ...tagged }).check(pythonAbi), []);
});
