/** Messages of the page: what a page that was taken over could send is not believed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageMessage } from "../../../src/extension/binary/messages.ts";

test("every message of the page is understood, and nothing more of it is kept", () => {
  for (const type of ["copyReport", "compare", "compareSelected", "selectEnvironment", "cancel", "retry", "openAsText", "ready"]) {
    assert.deepEqual(pageMessage({ type, more: "x" }), { type });
  }
  assert.deepEqual(pageMessage({ type: "ready", against: "torch==2.8.0", more: 1 }), { type: "ready", against: "torch==2.8.0" });
  assert.deepEqual(pageMessage({ type: "copy", text: "a" }), { type: "copy", text: "a" });
  assert.deepEqual(pageMessage({ type: "openRule", rule: "torch-symbols" }), { type: "openRule", rule: "torch-symbols" });
});

test("anything else is no message", () => {
  for (const data of [undefined, null, "copyReport", 7, [], {}, { type: 1 }, { type: "toString" }, { type: "run" }, { type: ["copy"] }, { type: "copy" }, { type: "copy", text: 1 }, { type: "openRule" }, { type: "openRule", rule: {} }]) {
    assert.equal(pageMessage(data), undefined);
  }
  assert.deepEqual(pageMessage({ type: "ready", against: { toString: "x" } }), { type: "ready" });
});
