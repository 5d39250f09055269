import assert from "node:assert/strict";
import test from "node:test";
import type { PanelRecord } from "../../src/protocol/panel.ts";
import { columnFor, foldMatrix, matrixChoices } from "../../src/views/matrix.ts";
import type { Axis, Matrix, MatrixFilter } from "../../src/views/matrix.ts";
import { panelRecord as record } from "../support/panelRecords.ts";

const torches = (matrix: Matrix): string[] => matrix.rows.map(({ torch }) => torch);
const columns = (matrix: Matrix): string[] => matrix.columns.map(({ label }) => label);
const fold = (records: readonly PanelRecord[], filter: MatrixFilter = {}, axis: Axis = "version"): Matrix => foldMatrix(records, [], { axis, filter });

/** The only cell of what was folded. */
function only(...records: readonly PanelRecord[]): { readonly outcome: string; readonly good: number; readonly count: number; readonly record: string } | undefined {
  const matrix = fold(records);
  assert.deepEqual([matrix.rows.length, matrix.columns.length], [1, 1]);
  const cell = matrix.cell(0, 0);
  return cell && { outcome: cell.outcome, good: cell.good, count: cell.count, record: cell.record.id };
}

test("rows are versions of torch by their order, newest first: a nightly stands before the release that it comes after", () => {
  const of = ["2.9.0", "2.15.0.dev20261105+cu130", "not a version", "2.14.1+cpu", "2.14.1+cu130", "2.15.0.dev20261130+cu130", "2.10.0", "2.15.0rc1"].map((torch) => record({ torch }));
  assert.deepEqual(torches(fold(of)), ["2.15.0rc1", "2.15.0.dev20261130+cu130", "2.15.0.dev20261105+cu130", "2.14.1+cu130", "2.14.1+cpu", "2.10.0", "2.9.0", "not a version"]);
});

test("a row tells its channel, its day, and whether an index still lists it", () => {
  const known = [{ torch: "2.15.0.dev20261130+cu130", listed: true }, { torch: "2.14.1", listed: false, yanked: true }, { torch: "2.13.0", listed: true }];
  const matrix = foldMatrix([record({ torch: "2.14.1+cu130" }), record({ torch: "2.12.0" })], known, { axis: "version" });
  assert.deepEqual(matrix.rows, [
    { torch: "2.15.0.dev20261130+cu130", channel: "nightly", day: "2026-11-30", listed: true },
    // PyPI calls it 2.14.1; it is the same.
    { torch: "2.14.1+cu130", channel: "release", listed: false, yanked: true },
    { torch: "2.13.0", channel: "release", listed: true },
    { torch: "2.12.0", channel: "release" },
  ]);
});

test("columns are the values of an axis, the newest first, then what has none, then what is not known", () => {
  const of = (changes: readonly Partial<PanelRecord>[]): PanelRecord[] => changes.map((one) => record(one));
  const anonymous = (({ version: _version, python: _python, ...rest }) => rest)(record());
  assert.deepEqual(columns(fold([...of([{ version: "1.2" }, { version: "1.10" }, { version: "1.9.dev1" }]), anonymous])), ["1.10", "1.9.dev1", "1.2", "not known"]);
  assert.deepEqual(columns(fold([...of([{ python: "3.9" }, { python: "3.13t" }, { python: "3.13" }]), anonymous], {}, "python")), ["3.13t", "3.13", "3.9", "not known"]);
  assert.deepEqual(columns(fold(of([{ cuda: "12.9" }, { cuda: null }, { cuda: "13.0" }, {}]), {}, "cuda")), ["13.0", "12.9", "no CUDA", "not known"]);
  assert.deepEqual(columns(fold(of([{ compiler: "gcc 13.2.0" }, { compiler: "clang 14.0.6" }, { compiler: "gcc 9.4.0" }]), {}, "compiler")), ["clang 14.0.6", "gcc 9.4.0", "gcc 13.2.0"]);
  assert.deepEqual(columns(fold(of([{ gpu: null }, { gpu: "NVIDIA H200" }]), {}, "gpu")), ["NVIDIA H200", "no GPU"]);
  assert.deepEqual(columns(fold(of([{ commit: "a".repeat(40), when: "2026-11-01T00:00:00Z" }, { commit: "b".repeat(40), when: "2026-11-02T00:00:00Z" }, { commit: "a".repeat(40), when: "2026-11-03T00:00:00Z" }]), {}, "commit")), ["aaaaaaaaa", "bbbbbbbbb"]);
});

test("versions of several projects in one file do not share a column", () => {
  const matrix = fold([record({ project: "ops" }), record({ project: "kernels" })]);
  assert.equal(matrix.severalProjects, true);
  assert.deepEqual(columns(matrix), ["ops 1.0", "kernels 1.0"]);
  assert.deepEqual(columns(fold([record({ project: "ops" }), record({ project: "kernels" })], {}, "python")), ["3.12"]);
});

test("a record that stands twice in a merged file counts once", () => {
  const one = record({ outcome: "failed" });
  const matrix = fold([one, { ...one }, record({ python: "3.11" })]);
  assert.deepEqual(matrix.shown, { records: 2, ofRecords: 2, rows: 1, ofRows: 1 });
  assert.deepEqual(matrix.cell(0, 0)?.records.length, 2);
});

test("of one combination the newest record by the strongest method counts", () => {
  const built = record({ how: "built", when: "2026-11-22T10:00:00Z" });
  const smoke = record({ how: "smoke", outcome: "failed", when: "2026-11-20T10:00:00Z" });
  const older = record({ how: "smoke", outcome: "passed", when: "2026-11-19T10:00:00Z" });
  assert.deepEqual(only(built, smoke, older), { outcome: "failed", good: 0, count: 1, record: smoke.id });
  const newer = record({ how: "smoke", outcome: "passed", when: "2026-11-21T10:00:00Z" });
  assert.deepEqual(only(smoke, older, newer), { outcome: "passed", good: 1, count: 1, record: newer.id });
});

test("what no longer builds passes no tests, whatever it passed before", () => {
  const failed = record({ how: "built", outcome: "failed", when: "2026-11-22T10:00:00Z" });
  assert.deepEqual(only(failed, record({ how: "smoke", when: "2026-11-20T10:00:00Z" })), { outcome: "failed", good: 0, count: 1, record: failed.id });
});

test("times of other zones are compared as times", () => {
  const earlier = record({ outcome: "failed", when: "2026-11-20T12:30:00+05:00" });
  const later = record({ when: "2026-11-20T08:00:00Z" });
  assert.equal(only(earlier, later)?.outcome, "passed");
});

test("several combinations in a cell are counted, and neither outcome hides the other", () => {
  const failed = record({ python: "3.13", outcome: "failed", when: "2026-11-21T10:00:00Z" });
  assert.deepEqual(only(record({ python: "3.11" }), record({ python: "3.12" }), failed), { outcome: "mixed", good: 2, count: 3, record: failed.id });
  assert.deepEqual(only(record({ python: "3.11" }), record({ python: "3.12" }))?.outcome, "passed");
});

test("packages in another order are the same combination", () => {
  const [a, b] = [record({ packages: { torchvision: "0.30.0", torchaudio: "2.14.1" }, outcome: "failed" }), record({ packages: { torchaudio: "2.14.1", torchvision: "0.30.0" }, when: "2026-11-21T10:00:00Z" })];
  assert.deepEqual(only(a, b), { outcome: "passed", good: 1, count: 1, record: b.id });
});

test("what was tried counts before what was predicted, and a prediction never becomes a test", () => {
  const predicted = record({ how: "predicted", outcome: "conflict", when: "2026-11-25T10:00:00Z" });
  const built = record({ how: "built", when: "2026-11-01T10:00:00Z" });
  assert.deepEqual(only(predicted, built), { outcome: "passed", good: 1, count: 1, record: built.id });
  assert.deepEqual(only(predicted), { outcome: "predicted-conflict", good: 0, count: 1, record: predicted.id });
  assert.equal(only(record({ how: "predicted", outcome: "no-conflict" }))?.outcome, "predicted-no-conflict");
  // The file is one that anybody may have written into.
  assert.equal(only(record({ how: "predicted", outcome: "passed" }))?.outcome, "predicted-unknown");
  assert.deepEqual(only(predicted, record({ how: "predicted", outcome: "no-conflict", python: "3.11" })), { outcome: "predicted-mixed", good: 1, count: 2, record: predicted.id });
});

test("what could not be told hides nothing that could", () => {
  const lost = record({ how: "benchmark", outcome: "unknown", when: "2026-11-29T10:00:00Z" });
  const predicted = record({ how: "predicted", outcome: "no-conflict" });
  assert.equal(only(lost, record({ how: "built", outcome: "failed" }))?.outcome, "failed");
  assert.equal(only(lost, predicted)?.outcome, "predicted-no-conflict");
  assert.deepEqual(only(lost), { outcome: "unknown", good: 0, count: 1, record: lost.id });
  assert.equal(only(record({ how: "predicted", outcome: "unknown" }))?.outcome, "predicted-unknown");
  assert.equal(only(record({ how: "predicted", outcome: "unknown" }), lost)?.outcome, "unknown");
});

test("a cell has all its records, the newest first, and a row those of all its cells", () => {
  const [a, b, c] = [record({ when: "2026-11-20T10:00:00Z" }), record({ when: "2026-11-22T10:00:00Z" }), record({ version: "1.1", when: "2026-11-21T10:00:00Z" })];
  const matrix = fold([a, b, c]);
  assert.deepEqual(matrix.cell(0, 1)?.records.map(({ id }) => id), [b.id, a.id]);
  assert.deepEqual(matrix.recordsOf(0).map(({ id }) => id), [b.id, c.id, a.id]);
  assert.equal(matrix.cell(1, 0), undefined);
  assert.deepEqual(matrix.recordsOf(7), []);
});

test("a record whose time is none is the oldest", () => {
  assert.equal(only(record({ outcome: "failed", when: "yesterday" }), record({ when: "2026-11-01T00:00:00Z" }))?.outcome, "passed");
});

const mixed = [
  record({ torch: "2.15.0.dev20261130+cu130", outcome: "failed", reason: { message: "It did not link.", rule: "torch-symbols", symbols: ["_ZN2at6gatherEv"] } }),
  record({ torch: "2.14.1+cu130", version: "1.1", python: "3.11", how: "built", compiler: "gcc 12.2.0" }),
  record({ torch: "2.13.0+cpu", platform: "linux-aarch64", how: "predicted", outcome: "no-conflict" }),
];
const listed = [{ torch: "2.16.0", listed: true }, { torch: "2.13.0+cpu", listed: false }];

test("a filter leaves the rows and columns in which something fits", () => {
  const shown = (filter: MatrixFilter): [string[], string[]] => {
    const matrix = foldMatrix(mixed, listed, { axis: "version", filter });
    return [torches(matrix), columns(matrix)];
  };
  assert.deepEqual(shown({}), [["2.16.0", "2.15.0.dev20261130+cu130", "2.14.1+cu130", "2.13.0+cpu"], ["1.1", "1.0"]]);
  assert.deepEqual(shown({ channel: "nightly" }), [["2.15.0.dev20261130+cu130"], ["1.0"]]);
  assert.deepEqual(shown({ channel: "release" }), [["2.16.0", "2.14.1+cu130", "2.13.0+cpu"], ["1.1", "1.0"]]);
  assert.deepEqual(shown({ outcome: "failed" }), [["2.15.0.dev20261130+cu130"], ["1.0"]]);
  assert.deepEqual(shown({ outcome: "predicted-no-conflict" }), [["2.13.0+cpu"], ["1.0"]]);
  assert.deepEqual(shown({ outcome: "untried" }), [["2.16.0"], []]);
  assert.deepEqual(shown({ how: "built" }), [["2.14.1+cu130"], ["1.1"]]);
  assert.deepEqual(shown({ python: "3.11" }), [["2.14.1+cu130"], ["1.1"]]);
  assert.deepEqual(shown({ platform: "linux-aarch64" }), [["2.13.0+cpu"], ["1.0"]]);
  assert.deepEqual(shown({ listed: true }), [["2.16.0"], []]);
  assert.deepEqual(shown({ listed: false }), [["2.15.0.dev20261130+cu130", "2.14.1+cu130", "2.13.0+cpu"], ["1.1", "1.0"]]);
  assert.deepEqual(shown({ text: "GATHER" }), [["2.15.0.dev20261130+cu130"], ["1.0"]]);
  assert.deepEqual(shown({ text: "gcc 2.14" }), [["2.14.1+cu130"], ["1.1"]]);
  assert.deepEqual(shown({ text: "2.16" }), [["2.16.0"], []]);
  assert.deepEqual(shown({ text: "  " })[0].length, 4);
  assert.deepEqual(shown({ text: "2.14", python: "3.12" }), [[], []]);
});

test("a filter for an outcome takes away the cells that have another", () => {
  const matrix = fold([record({ version: "1.0" }), record({ version: "1.1", outcome: "failed" })], { outcome: "failed" });
  assert.deepEqual([columns(matrix), matrix.cell(0, 0)?.outcome, matrix.shown], [["1.1"], "failed", { records: 2, ofRecords: 2, rows: 1, ofRows: 1 }]);
});

test("what is being tried has its row and column before there is a record", () => {
  const running = [{ torch: "2.15.0.dev20261201+cu130", project: "ops", value: "1.2" }, { torch: "2.14.1+cu130" }];
  const matrix = foldMatrix([record()], [], { axis: "version", running });
  assert.deepEqual([torches(matrix), columns(matrix), matrix.cell(0, 0)], [["2.15.0.dev20261201+cu130", "2.14.1+cu130"], ["1.2", "1.0"], undefined]);
  assert.equal(matrix.columns[0]?.key, columnFor("version", "1.2").key);
  const filtered = foldMatrix([record()], [], { axis: "version", running, filter: { outcome: "failed" } });
  assert.deepEqual(torches(filtered), ["2.15.0.dev20261201+cu130", "2.14.1+cu130"]);
});

test("nothing folds to nothing", () => {
  const matrix = fold([]);
  assert.deepEqual([matrix.rows, matrix.columns, matrix.cell(0, 0), matrix.severalProjects, matrix.shown], [[], [], undefined, false, { records: 0, ofRecords: 0, rows: 0, ofRows: 0 }]);
});

test("the filter offers what the records have", () => {
  assert.deepEqual(matrixChoices([...mixed, record({ python: "3.9" })]), { pythons: ["3.12", "3.11", "3.9"], platforms: ["linux-aarch64", "linux-x86_64"] });
});

test("24,000 cells: every record is in its cell", () => {
  const records = Array.from({ length: 24_000 }, (_, index) => record({ torch: `2.15.0.dev${20_260_000 + Math.floor(index / 60)}`, version: `1.${index % 60}`, outcome: index % 7 === 0 ? "failed" : "passed" }));
  const matrix = fold(records);
  assert.deepEqual([matrix.rows.length, matrix.columns.length], [400, 60]);
  let failed = 0;
  for (let row = 0; row < 400; row += 1) for (let column = 0; column < 60; column += 1) if (matrix.cell(row, column)?.outcome === "failed") failed += 1;
  assert.equal(failed, Math.ceil(24_000 / 7));
  assert.equal(matrix.cell(0, 0)?.record.id, records[399 * 60 + 59]?.id);
});
