/** Which cells of the matrix are in the page, where those that are tried stand, and what cells say. */
import assert from "node:assert/strict";
import test from "node:test";
import { foldMatrix } from "../../src/views/matrix.ts";
import type { Cell } from "../../src/workshop/combinations/types.ts";
import { cellSentence, cellWords, columnWords } from "../../webview/panel/cellWords.ts";
import { livePlaces, placeKey, runningCells } from "../../webview/panel/live.ts";
import type { LiveCell } from "../../webview/panel/model.ts";
import { itemsInSight, offsetFor } from "../../webview/panel/window.ts";
import { panelRecord as record } from "../support/panelRecords.ts";

const line = { count: 400, size: 24, before: 28, beyond: 2, kept: -1 };
const indexes = (offset: number, length: number, changes = {}): number[] => itemsInSight({ ...line, ...changes }, offset, length).map(({ index }) => index);

test("of a long line only what is in sight is there, and a little beyond", () => {
  assert.deepEqual(indexes(0, 28 + 48), [0, 1, 2, 3]);
  assert.deepEqual(indexes(240, 28 + 48), [8, 9, 10, 11, 12, 13]);
  assert.deepEqual(indexes(399 * 24, 28 + 48), [397, 398, 399]);
  assert.deepEqual(itemsInSight(line, 240, 76)[0], { index: 8, start: 28 + 8 * 24 });
  assert.deepEqual(indexes(0, 0, { beyond: 0 }), []);
  assert.deepEqual(indexes(100_000, 76), []);
  assert.deepEqual(indexes(0, 76, { count: 0 }), []);
});

test("what has the focus stays wherever it is scrolled to", () => {
  assert.deepEqual(indexes(240, 28 + 48, { kept: 3 }), [3, 8, 9, 10, 11, 12, 13]);
  assert.deepEqual(indexes(0, 28 + 48, { kept: 399 }), [0, 1, 2, 3, 399]);
  assert.deepEqual([2, 4].map((kept) => indexes(0, 28 + 48, { kept })), [[0, 1, 2, 3], [0, 1, 2, 3, 4]]);
  assert.deepEqual(indexes(0, 28 + 48, { kept: 400 }), [0, 1, 2, 3]);
});

test("it is scrolled no further than it takes to see all of an item", () => {
  assert.deepEqual([0, 2, 3, 10].map((index) => offsetFor(index, line, 0, 28 + 72)), [0, 0, 24, 192]);
  assert.deepEqual([10, 9, 12, 13].map((index) => offsetFor(index, line, 240, 28 + 72)), [240, 216, 240, 264]);
  // A box that has no room for one shows its begin.
  assert.equal(offsetFor(5, line, 0, 10), 120);
});

const cell = (changes: Partial<Cell> = {}): Cell => ({ id: "c1", label: "", torch: "2.14.1", packages: {}, ...changes });
const live = (...cells: readonly LiveCell[]): ReadonlyMap<string, LiveCell> => new Map(cells.map((one) => [one.cell.id, one]));
const current = { project: "ops", version: "1.2", commit: "abc", platform: "linux-x86_64" };

test("a cell that is tried stands where its records will", () => {
  const of = (axis: Parameters<typeof runningCells>[1], changes: Partial<Cell> = {}): string | null | undefined => runningCells(live({ cell: cell(changes), state: "running" }), axis, current)[0]?.value;
  assert.deepEqual([of("version"), of("commit"), of("platform"), of("python", { python: "3.12" })], ["1.2", "abc", "linux-x86_64", "3.12"]);
  assert.deepEqual([of("cuda", { cuda: "cu130" }), of("cuda", { cuda: "cu128" }), of("cuda", { cuda: "cpu" }), of("cuda", { cuda: "rocm6.4" }), of("cuda")], ["13.0", "12.8", null, undefined, undefined]);
  // Another commit may be of another version; which compiler "gcc-13" is shows when it was tried.
  assert.deepEqual([of("version", { commit: "v1.0" }), of("commit", { commit: "v1.0" }), of("compiler", { compiler: { name: "gcc-13" } }), of("gpu")], [undefined, "v1.0", undefined, undefined]);
  assert.deepEqual(runningCells(live({ cell: cell(), state: "ended" }), "version", current), []);
});

test("of several cells in one place those that run come first, and the row has them all", () => {
  const [waiting, runs, elsewhere] = [{ cell: cell({ id: "a" }), state: "queued" }, { cell: cell({ id: "b" }), state: "running" }, { cell: cell({ id: "c", commit: "v1.0" }), state: "running" }] as const satisfies readonly LiveCell[];
  const places = livePlaces(live(waiting, runs, elsewhere, { cell: cell({ id: "d" }), state: "ended" }), "version", current, { severalProjects: false });
  assert.deepEqual([...places].map(([key, cells]) => [key, cells.map((one) => one.cell.id)]), [[placeKey("2.14.1", ""), ["b", "c", "a"]], [placeKey("2.14.1", "=1.2"), ["b", "a"]]]);
  assert.deepEqual([...livePlaces(live(runs), "version", current, { severalProjects: true }).keys()], [placeKey("2.14.1", ""), placeKey("2.14.1", "ops =1.2")]);
});

function said(...records: Parameters<typeof foldMatrix>[0]): readonly unknown[] {
  const found = foldMatrix(records, [], { axis: "version" }).cell(0, 0);
  assert.ok(found);
  return [cellWords(found), cellSentence(found)];
}

test("cells say what was found and by which method, and of a prediction that it is one", () => {
  assert.deepEqual(said(record()), [{ word: "passed", by: "smoke", said: "smoke tests passed" }, "Smoke tests passed."]);
  assert.deepEqual(said(record({ how: "built", outcome: "failed", reason: { message: "No c10::Error." } })), [{ word: "failed", by: "build", said: "did not build: No c10::Error." }, "Did not build."]);
  assert.deepEqual(said(record(), record({ python: "3.11", outcome: "failed" })), [{ word: "1 of 2 passed", said: "1 of 2 passed" }, "1 of 2 combinations passed."]);
  assert.deepEqual(said(record(), record({ python: "3.11" })), [{ word: "passed", by: "smoke", said: "2 of 2 passed" }, "Smoke tests passed in 2 combinations."]);
  assert.deepEqual(said(record({ outcome: "unknown" })), [{ word: "not told", by: "smoke", said: "smoke tests could not be told" }, "Smoke tests could not be told."]);
  assert.deepEqual(said(record({ how: "predicted", outcome: "no-conflict" })), [{ word: "no conflict", said: "predicted no conflict" }, "Predicted no conflict. It was not tried."]);
  assert.deepEqual(said(record({ how: "predicted", outcome: "conflict" }), record({ how: "predicted", outcome: "no-conflict", python: "3.11" })), [
    { word: "conflict in 1/2", said: "1 of 2 predicted no conflict" }, "A conflict is predicted for 1 of 2 combinations. Nothing was tried.",
  ]);
  assert.deepEqual(said(record({ how: "predicted", outcome: "unknown" })), [{ word: "not told", said: "prediction could not tell" }, "Prediction could not tell. It was not tried."]);
});

test("the head of a column has the whole value that its label shortens", () => {
  assert.equal(columnWords({ key: `=${"a1".repeat(20)}`, label: "a1a1a1a1a", rank: 0 }), "a1".repeat(20));
  assert.equal(columnWords({ key: "ops =1.0", label: "ops 1.0", rank: 0 }), "ops 1.0");
  assert.equal(columnWords({ key: "?", label: "not known", rank: 2 }), "not known");
});
