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
