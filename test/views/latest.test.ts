/** Which line works: of what was tried, never of what was predicted. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PanelRecord } from "../../src/protocol/panel.ts";
import { deciding } from "../../src/views/deciding.ts";
import { latestWorking } from "../../src/views/latest.ts";

let count = 0;
/** Later ones are newer, as `when` says. */
function record(torch: string, more: Partial<PanelRecord> = {}): PanelRecord {
  count += 1;
  return { id: `r${count}`, torch, project: "ops", version: "1.0", python: "3.12", cuda: null, platform: "linux-x86_64", how: "smoke", outcome: "passed", when: new Date(Date.UTC(2026, 10, 1, 0, count)).toISOString(), ...more };
}

/** As `panelRecords` has them. */
const newest = (...records: readonly PanelRecord[]): readonly PanelRecord[] => records.toReversed();
const lines = (...records: readonly PanelRecord[]): readonly (readonly [string, string])[] => latestWorking(newest(...records)).map((one) => [one.channel, one.line]);

describe("the latest working line", () => {
  it("is none where nothing was tried, or nothing passed", () => {
    assert.deepEqual(latestWorking([]), []);
    assert.deepEqual(lines(record("2.14.1", { how: "predicted", outcome: "no-conflict" }), record("2.13.0", { outcome: "failed" }), record("2.12.0", { outcome: "unknown" })), []);
  });

  it("is one for releases and one for nightlies, of the newest version of each", () => {
    const all = newest(
      record("2.9.1"), record("2.13.0", { index: "https://example.org/simple", packages: { torchvision: "0.28.0" } }), record("2.10.0"), record("2.14.0", { outcome: "failed" }), record("2.15.0rc1"), record("2.16.0a0+gitabcdef0"),
      record("2.15.0.dev20261101+cu130"), record("2.15.0.dev20261102+cu130", { how: "predicted", outcome: "no-conflict" }), record("2.15.0.dev20261031+cu130"),
    );
    assert.deepEqual(latestWorking(all).map(({ record: _id, ...one }) => one), [
      { channel: "release", torch: "2.13.0", line: "pip install torch==2.13.0 torchvision==0.28.0 --index-url https://example.org/simple", because: "smoke tests passed on 2026-11-01, ops 1.0, Python 3.12, linux-x86_64" },
      { channel: "nightly", torch: "2.15.0.dev20261101+cu130", line: "pip install --pre torch==2.15.0.dev20261101+cu130 --index-url https://download.pytorch.org/whl/nightly/cu130", because: "smoke tests passed on 2026-11-01, ops 1.0, Python 3.12, linux-x86_64" },
    ]);
    assert.equal(all.find((one) => one.torch === "2.13.0")?.id, latestWorking(all)[0]?.record);
  });

  it("is of what tests passed with, before what was only loaded or built", () => {
    assert.deepEqual(lines(record("2.12.0"), record("2.13.0", { how: "loaded" }), record("2.14.0", { how: "built" })), [["release", "pip install torch==2.12.0"]]);
    assert.deepEqual(lines(record("2.13.0", { how: "loaded" }), record("2.14.0", { how: "built" })), [["release", "pip install torch==2.13.0"]]);
    assert.deepEqual(lines(record("2.14.0", { how: "built" })), [["release", "pip install torch==2.14.0"]]);
    assert.deepEqual(lines(record("2.12.0"), record("2.13.0", { how: "benchmark" })), [["release", "pip install torch==2.13.0"]]);
  });

  it("is of the newest record, whatever passed before", () => {
    assert.deepEqual(lines(record("2.12.0"), record("2.13.0"), record("2.13.0", { outcome: "failed", commit: "b" })), [["release", "pip install torch==2.12.0"]]);
    assert.deepEqual(lines(record("2.13.0", { outcome: "failed" }), record("2.13.0", { commit: "b" })), [["release", "pip install torch==2.13.0"]]);
    // What could not be told takes nothing back.
    assert.deepEqual(lines(record("2.13.0"), record("2.13.0", { outcome: "unknown" })), [["release", "pip install torch==2.13.0"]]);
    // An older version of the project that is tried again says nothing of the newest.
    assert.deepEqual(lines(record("2.13.0", { version: "1.10" }), record("2.13.0", { version: "1.9", outcome: "failed" })), [["release", "pip install torch==2.13.0"]]);
    assert.deepEqual(lines(record("2.13.0", { version: "1.9" }), record("2.13.0", { version: "1.10", outcome: "failed" })), []);
  });

  it("says with which Pythons and machines, and with which not", () => {
    const [one] = latestWorking(newest(record("2.13.0", { python: "3.13t" }), record("2.13.0", { python: "3.9" }), record("2.13.0", { platform: "linux-aarch64" }), record("2.13.0", { python: "3.14", outcome: "failed" })));
    assert.equal(one?.because, "smoke tests passed on 2026-11-01, ops 1.0, Python 3.9, 3.12 and 3.13t, linux-aarch64 and linux-x86_64; failed with Python 3.14, linux-x86_64");
  });

  it("is for GPUs where both are known, and of the packages that were there", () => {
    assert.deepEqual(lines(record("2.13.0+cu130"), record("2.13.0+cpu")), [["release", "pip install torch==2.13.0+cu130 --index-url https://download.pytorch.org/whl/cu130"]]);
    assert.deepEqual(lines(record("2.13.0+cu130", { packages: { torchvision: "1", torchaudio: "2" }, outcome: "failed" }), record("2.13.0+cu130", { packages: { torchvision: "3" } })), [["release", "pip install torch==2.13.0+cu130 torchvision==3 --index-url https://download.pytorch.org/whl/cu130"]]);
    // What somebody built for himself is nowhere to be had.
    assert.deepEqual(lines(record("2.12.0"), record("2.13.0+git1234567")), [["release", "pip install torch==2.12.0"]]);
    assert.deepEqual(lines(record("2.13.0+git1234567", { index: "https://example.org/simple" })), [["release", "pip install torch==2.13.0+git1234567 --index-url https://example.org/simple"]]);
  });

  it("is of one project where the file has several", () => {
    const all = newest(record("2.13.0"), record("2.12.0"), record("2.14.0", { project: "torchvision" }));
    assert.deepEqual(latestWorking(all).map((one) => one.torch), ["2.13.0"]);
    assert.deepEqual(latestWorking(all, { project: "torchvision" }).map((one) => one.torch), ["2.14.0"]);
    assert.deepEqual(latestWorking(all, { project: "gone" }), []);
  });
});

describe("the record that counts", () => {
  it("is the newest by the strongest method, unless a weaker one fails since", () => {
    const [bench, built] = [record("2.13.0", { how: "benchmark" }), record("2.13.0", { how: "built", outcome: "failed" })];
    assert.equal(deciding(newest(record("2.13.0"), bench)), bench);
    assert.equal(deciding(newest(bench, built)), built);
    assert.equal(deciding(newest(bench, built, record("2.13.0", { how: "built" }))), bench);
    assert.equal(deciding(newest(built, bench)), bench);
  });
});
