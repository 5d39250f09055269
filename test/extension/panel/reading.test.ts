/** What the panel reads: one at a time, again when it changed meanwhile, and nothing while nobody looks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Reading } from "../../../src/extension/panel/reading.ts";

interface Stage {
  readonly reading: Reading<number>;
  readonly shown: (readonly [now: number, before: number | undefined])[];
  readonly failed: unknown[];
  /** Answers the oldest question that waits. */
  readonly answer: (value: number | Error) => Promise<void>;
  readonly asked: () => number;
}

function stage(): Stage {
  const waiting: { resolve(value: number): void; reject(error: Error): void }[] = [];
  let asked = 0;
  const shown: [number, number | undefined][] = [];
  const failed: unknown[] = [];
  const reading = new Reading<number>(() => {
    asked += 1;
    return new Promise((resolve, reject) => void waiting.push({ resolve, reject }));
  }, (value, before) => void shown.push([value, before]), (error) => void failed.push(error));
  return {
    reading, shown, failed, asked: () => asked,
    async answer(value) {
      const next = waiting.shift();
      assert.ok(next !== undefined);
      if (value instanceof Error) next.reject(value);
      else next.resolve(value);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("nothing is read before somebody looks, and then once", async () => {
  const { reading, shown, asked, answer } = stage();
  reading.changed();
  assert.equal(asked(), 0);
  reading.watch(true);
  reading.watch(true);
  assert.equal(asked(), 1);
  await answer(1);
  assert.deepEqual([shown, asked(), reading.value], [[[1, undefined]], 1, 1]);
});

test("what changes while it is read is read once more, however often it changed", async () => {
  const { reading, shown, asked, answer } = stage();
  reading.watch(true);
  reading.changed();
  reading.changed();
  reading.changed();
  assert.equal(asked(), 1);
  await answer(1);
  assert.equal(asked(), 2);
  await answer(2);
  assert.deepEqual([shown, asked()], [[[1, undefined], [2, 1]], 2]);
});

test("a change while nobody looks is read when somebody does", async () => {
  const { reading, asked, answer } = stage();
  reading.watch(true);
  await answer(1);
  reading.watch(false);
  reading.changed();
  assert.equal(asked(), 1);
  reading.watch(true);
  assert.equal(asked(), 2);
});

test("a failure is told, keeps what was there, and is no reason to ask for ever", async () => {
  const { reading, failed, asked, answer } = stage();
  reading.watch(true);
  await answer(1);
  reading.changed();
  const error = new Error("gone");
  await answer(error);
  assert.deepEqual([failed, reading.value, asked()], [[error], 1, 2]);
});

test("what is answered after the end is told to nobody", async () => {
  const { reading, shown, failed, answer } = stage();
  reading.watch(true);
  reading.changed();
  reading.dispose();
  await answer(1);
  assert.deepEqual([shown, failed], [[], []]);
});
