import assert from "node:assert/strict";
import { test } from "node:test";
import { pageMessage } from "../../../src/extension/explain/messages.ts";

test("messages of the page are believed only in their shape", () => {
  for (const message of [{ type: "ready" }, { type: "close" }, { type: "compare" }, { type: "copy", text: "a" }, { type: "openRule", text: "torch-symbols" }, { type: "showFile", verdict: 0 }, { type: "showLines", verdict: 2 }]) {
    assert.deepEqual(pageMessage(message), message);
  }
  for (const message of [undefined, null, "ready", 1, {}, { type: "copy" }, { type: "copy", text: 1 }, { type: "showFile", verdict: "0" }, { type: "showLines" }, { type: "run", text: "rm" }]) {
    assert.equal(pageMessage(message), undefined);
  }
});
