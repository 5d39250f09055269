/** abiding.json gets what is tried, and keeps everything else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withMatrix } from "../../../src/workshop/combinations/index.ts";

test("a file that is not there yet gets the usual", () => {
  const { text, offset } = withMatrix("");
  assert.deepEqual(JSON.parse(text), { combinations: { matrix: { torch: ["release:2", "nightly:3"] }, steps: ["build", "load", "smoke"] } });
  assert.equal(text.slice(offset, offset + 14), '"combinations"');
});

test("comments and the rest stay as they are", () => {
  const before = '{\n  // ours\n  "smoke": [], // none\n}\n';
  const { text, offset } = withMatrix(before);
  assert.equal(text.startsWith('{\n  // ours\n  "smoke": []'), true, text);
  assert.match(text, /\/\/ none/);
  assert.equal(text.slice(offset, offset + 14), '"combinations"');
});

test("a section that is there is only found, and a text that is not understood is left alone", () => {
  const there = '{ "build": [], "combinations": { "steps": ["build"] } }';
  assert.deepEqual(withMatrix(there), { text: there, offset: there.indexOf('"combinations"') });
  for (const text of ["[]", "nonsense", "7"]) assert.deepEqual(withMatrix(text), { text, offset: 0 });
});
