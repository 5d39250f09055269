import assert from "node:assert/strict";
import { test } from "node:test";
import { nightlyPin } from "../../../src/engine/rules/nightly-pin.ts";
import { pinnedProject } from "../../support/pinned-project.ts";
import { lines } from "../../support/rule-project.ts";

const index = "--pre\n--extra-index-url https://download.pytorch.org/whl/nightly/cu128\n";
const check = (line: string, native = true) => pinnedProject({ "requirements.txt": `${index}${line}\n` }, native).check(nightlyPin);

test("a nightly that the index no longer lists", () => {
  const found = check("torch==2.8.0.dev20250401+cu128");
  assert.deepEqual(lines(found), ["/p/requirements.txt:3 warning"]);
  assert.match(found[0]?.message ?? "", /was built on 2025-04-01, \d+ days or more before today .* torch 2\.8\.0 has been released since; pin that\.$/);
  assert.equal(found[0]?.fixes[0]?.edits[0]?.newText, "==2.8.0");
});

test("a nightly without a day under a native package", () => {
  assert.deepEqual(lines(check("torch")), ["/p/requirements.txt:3 warning"]);
});

test("silent: a recent nightly, a release, no native code, a direct link", () => {
  assert.deepEqual(check("torch==2.99.0.dev20991231"), []);
  assert.deepEqual(check("torch==2.8.0"), []);
  assert.deepEqual(check("torch", false), []);
  assert.deepEqual(check("torch @ https://download.pytorch.org/whl/nightly/cpu/torch-2.8.0.dev20250401-cp311-cp311-linux_x86_64.whl"), []);
});

test("a release is offered only where an index holds it", () => {
  const pinned = (options: string) => pinnedProject({ "requirements.txt": `--pre\n${options}\ntorch==2.8.0.dev20250401+cu128\n` }).check(nightlyPin)[0];
  const only = pinned("--index-url https://download.pytorch.org/whl/nightly/cu128");
  assert.deepEqual(only?.fixes, []);
  assert.match(only?.message ?? "", /pin that, and take it from an index of releases \(https:\/\/download\.pytorch\.org\/whl\/cu128\): the one given here holds nightlies only\.$/);
  assert.equal(pinned("--index-url https://pypi.org/simple\n--extra-index-url https://download.pytorch.org/whl/nightly/cu128")?.fixes.length, 1);
  const image = pinnedProject({ Dockerfile: "FROM ubuntu\nRUN pip install --pre torch==2.8.0.dev20250401 -i https://download.pytorch.org/whl/nightly/cpu\n" }).check(nightlyPin)[0];
  assert.deepEqual(image?.fixes, []);
  const conda = pinnedProject({ "environment.yml": "dependencies:\n  - pip:\n    - --index-url https://download.pytorch.org/whl/nightly/cpu\n    - torch==2.8.0.dev20250401\n" }).check(nightlyPin)[0];
  assert.deepEqual(conda?.fixes, []);
});
