/** What `npm test` counts and prints: nothing may be left out without a word. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../harness/locations.ts";

const tests = `
import { describe, it } from "node:test";
it("passes", () => {});
it("is skipped", { skip: "no compiler" }, () => {});
describe("a suite", () => {
  it("passes too", () => {});
  it("fails", () => { throw new Error("it is broken"); });
});
describe("a suite without torch", { skip: "no torch" }, () => {
  it("is never seen", () => {});
});
`;

test("a suite that is skipped whole is counted and told with its reason, as a test is", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "abiding-node-tests-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "some.test.mjs");
  writeFileSync(file, tests);
  // Inside of a test Node would not run others.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout, status } = spawnSync(process.execPath, [join(root, "scripts/test.ts"), file], { cwd: root, env, encoding: "utf8" });
  assert.match(stdout, /skipped: \S+some\.test\.mjs:4 is skipped \(no compiler\)/);
  assert.match(stdout, /skipped: \S+some\.test\.mjs:9 a suite without torch \(no torch\)/);
  assert.match(stdout, /FAILED: \S+some\.test\.mjs:7 fails/);
  assert.equal(stdout.trimEnd().split("\n").at(-1), "2 passed, 1 failed, 2 skipped");
  assert.equal(status, 1);
});
