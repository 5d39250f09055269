/** What is remembered of a terminal: the last output, the one around a line, and no more than its bound. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Outputs } from "../../../src/extension/explain/outputs.ts";

test("the last command that printed something", () => {
  const outputs = new Outputs();
  assert.equal(outputs.last, undefined);
  const first = outputs.begin({ commandLine: "python app.py", folder: "file:///w" });
  first("ImportError: ");
  first("libc10.so: cannot open shared object file\r\n");
  outputs.begin({ commandLine: "cd .." })("\u001B]633;D;0\u0007\r\n");
  assert.deepEqual(outputs.last, { commandLine: "python app.py", folder: "file:///w", text: "ImportError: libc10.so: cannot open shared object file\r\n" });
});

test("the output around a line, whatever its colours, and the newest of several", () => {
  const outputs = new Outputs();
  outputs.begin({ commandLine: "a" })("one\r\nundefined symbol: f\r\n");
  outputs.begin({ commandLine: "b" })("one\r\ntwo\r\n\u001B[31mundefined\u001B[0m symbol: f\r\n");
  outputs.begin({ commandLine: "c" })("nothing\r\n");
  const found = outputs.with("undefined symbol: f");
  assert.deepEqual([found?.commandLine, found?.line], ["b", 3]);
  assert.equal(outputs.with("undefined symbol: g"), undefined);
});

test("a million characters are kept, the newest", () => {
  const outputs = new Outputs();
  outputs.begin({ commandLine: "old" })("old output\n");
  const take = outputs.begin({ commandLine: "long" });
  for (let count = 0; count < 40; count += 1) take(`${String(count).padStart(2, "0")}${"x".repeat(99_997)}\n`);
  assert.equal(outputs.with("old output"), undefined);
  const text = outputs.last?.text ?? "";
  assert.equal(text.length <= 1 << 20, true);
  assert.equal(text.length > 1_000_000, true);
  assert.equal(text.endsWith("x\n"), true);
  take("y".repeat(3 << 20));
  assert.equal(outputs.last?.text, "y".repeat(1 << 20));
  take("\nlast line\n");
  assert.equal(/^y{1000000,}\nlast line\n$/.test(outputs.last?.text ?? ""), true);
});

test("a program that writes one character at a time costs no more", () => {
  const outputs = new Outputs();
  const take = outputs.begin({ commandLine: "slow" });
  for (let count = 0; count < 50_000; count += 1) take("z");
  assert.equal(outputs.last?.text, "z".repeat(50_000));
});
