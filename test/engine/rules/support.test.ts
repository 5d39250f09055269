import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition, Finding } from "../../../src/engine/model/index.ts";
import { conditionPhrase, describe, finding, isComputedName, joinWords, mergeByLocation, shortPath, targetMadeHere, targetsPhrase, torchName } from "../../../src/engine/rules/support.ts";

const location = { path: "/p/setup.py", range: { start: { line: 7, character: 2 }, end: { line: 7, character: 9 } } };

function condition(text: string, branch = 0, id = text): Condition {
  return { text, id, branch, location };
}

test("conditions in words", () => {
  assert.equal(conditionPhrase([]), "");
  assert.equal(conditionPhrase([condition("USE_CUDA")]), "when USE_CUDA is on");
  assert.equal(conditionPhrase([condition("USE_CUDA", 1)]), "when USE_CUDA is off");
  assert.equal(conditionPhrase([condition('os.name == "nt"'), condition("WITH_X STREQUAL y", 1)]), 'when `os.name == "nt"` holds and unless `WITH_X STREQUAL y` holds');
  assert.equal(conditionPhrase([condition("configuration Debug", 0, "configuration")]), "in the Debug configuration");
  assert.equal(conditionPhrase(["A", "B", "C", "D", "E"].map((one) => condition(one))), "when A is on, when B is on, when C is on and 2 more conditions");
});

test("lists of names", () => {
  assert.equal(joinWords(["a", "b", "c"]), "a, b and c");
  assert.equal(targetsPhrase(["a", "a"]), "target a");
  assert.equal(targetsPhrase(["a", "b"]), "targets a and b");
  assert.equal(targetsPhrase(["a", "b", "c", "d", "e"]), "targets a, b, c and 2 more");
});

test("paths inside and outside the project", () => {
  assert.equal(shortPath("/p/csrc/a.cpp", "/p"), "csrc/a.cpp");
  assert.equal(shortPath("/other/a.cpp", "/p"), "/other/a.cpp");
  assert.equal(describe({ kind: "source", location, text: "x", via: [] }, "/p"), "setup.py:8");
  assert.equal(describe({ kind: "file", path: "/venv/libc10.so", what: "exports X" }, "/p"), "/venv/libc10.so (exports X)");
});

test("torch in words", () => {
  const body = { role: "installed", name: ".venv", distributions: [], shadowed: [], notKnown: [], facts: [{ trait: "torch-version", value: "2.8.0+cu128", certainty: "observed", conditions: [], evidence: [{ kind: "file", path: "/v", what: "v" }] }] } as const;
  assert.equal(torchName({ ...body, source: "environment" }), "torch 2.8.0+cu128 in .venv");
  assert.equal(torchName({ ...body, source: "catalogue" }), "torch 2.8.0+cu128 (catalogue)");
  assert.equal(torchName({ ...body, facts: [], source: "libtorch" }), "torch of unknown version in .venv");
});

test("only one fix is preferred, and missing ones are dropped", () => {
  const fix = { title: "a", edits: [], preferred: true };
  const made = finding({ name: "r", severity: "error" }, { message: "m", location, fixes: [undefined, fix, { ...fix, title: "b" }] });
  assert.deepEqual(made.fixes.map((one) => [one.title, one.preferred]), [["a", true], ["b", false]]);
});

test("findings at one place become one, the gravest first", () => {
  const make = (severity: Finding["severity"], message: string): Finding => finding({ name: "r", severity }, { message, location });
  const [merged, ...rest] = mergeByLocation([make("warning", "Second."), make("error", "First."), make("warning", "Second.")]);
  assert.deepEqual([merged?.severity, merged?.message, rest.length], ["error", "First. Second.", 0]);
  const many = mergeByLocation(Array.from({ length: 300 }, (_, index) => make("error", `${index}.`)));
  assert.deepEqual(many.map((one) => one.message), ["0. 1. 2. 3. 4. 5. 294 more like these are not shown."]);
});

test("names that could not be worked out, whole or in part", () => {
  assert.equal(targetsPhrase(["{name}"]), "a target with a computed name");
  assert.equal(targetsPhrase(["{name}", "{other()}"]), "targets with computed names");
  assert.equal(targetsPhrase(["CUDAExtension"]), "a target with a computed name");
  assert.equal(targetsPhrase(["cu_${name}", "context", "{name}"]), "targets context and cu_…");
  assert.equal(isComputedName("cu_${name}"), true);
  assert.equal(isComputedName("pkg._C"), false);
  assert.equal(targetMadeHere("{name}"), "a target with a computed name is made here");
});

test("conditions on what is set rather than switched, and one more condition", () => {
  assert.equal(conditionPhrase([condition("NOT CMAKE_CXX_STANDARD")]), "when CMAKE_CXX_STANDARD is not set");
  assert.equal(conditionPhrase([condition("NOT USE_CUDA", 1)]), "when USE_CUDA is on");
  assert.equal(conditionPhrase(["A", "B", "C", "D"].map((one) => condition(one))), "when A is on, when B is on, when C is on and 1 more condition");
});
