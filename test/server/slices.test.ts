import assert from "node:assert/strict";
import { test } from "node:test";
import { inSlices, within } from "../../src/server/slices.ts";

/** Keeps the thread busy, as reading does. */
function busy(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

function* slow(steps: number, done: string[]): Generator<string, string, undefined> {
  for (let step = 0; step < steps; step++) {
    yield `step ${step}`;
    busy(12);
    done.push(`step ${step}`);
  }
  return "result";
}

test("others get their turn between slices", async () => {
  const done: string[] = [];
  const between: string[] = [];
  setImmediate(() => done.push("another"));
  const work = inSlices(slow(3, done), (next) => {
    between.push(next);
    return true;
  });
  assert.equal(await work, "result");
  assert.deepEqual(done, ["step 0", "another", "step 1", "step 2"]);
  assert.deepEqual(between, ["step 1", "step 2"]);
});

test("what is not wanted any longer is left", async () => {
  const done: string[] = [];
  assert.equal(await inSlices(slow(5, done), () => false), undefined);
  assert.deepEqual(done, ["step 0"]);
});

test("an answer that takes too long is replaced, one in time is not", async () => {
  assert.equal(await within(10_000, Promise.resolve("new"), () => "old"), "new");
  assert.equal(await within(1, new Promise<string>(() => undefined), () => "old"), "old");
  await assert.rejects(within(10_000, Promise.reject(new Error("failed")), () => "old"), /failed/);
});
