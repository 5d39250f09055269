import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openTable, packTable } from "../../../scripts/data/torchSymbolsTable.ts";
import { packageSymbols } from "../../../scripts/lib/packageSymbols.ts";
import { symbolAnswer } from "../../../src/engine/binaries/history/index.ts";
import { symbolHistoryOf } from "../../../src/engine/catalogue/symbolHistory.ts";
import { root } from "../../harness/locations.ts";

const file = readFileSync(join(root, "data", "torch-symbols.br"));

describe("the file of the table", () => {
  it("is the same after it was opened and packed again", () => {
    const masks = new Map([["_ZN3c101fEv", Uint8Array.of(1, 0)], ["_ZN3c101gEv", Uint8Array.of(0, 3)], ["aoti_torch_f", Uint8Array.of(1, 0)]]);
    const small = packTable({ source: "a test", libraries: ["libc10.so"], releases: ["2.0.0", "2.1.0"].map((version) => ({ version, libstdcxxAbi: 0 as const, needed: {} })), missing: [], masks });
    assert.deepEqual(openTable(small).masks, masks);
    assert.ok(packTable(openTable(small)).equals(small));
  });

  it("has every name in one place of the order, in whichever section it is", () => {
    const names = [...openTable(file).masks.keys()];
    assert.deepEqual(names, [...names].sort());
    const history = symbolHistoryOf(file);
    const missed = names.filter((name, at) => at % 97 === 0 && (history.releasesExporting(name) ?? []).length === 0);
    assert.deepEqual(missed, []);
    assert.deepEqual([...history.namesFrom("")], names);
    for (const prefix of ["_ZN2at6Tensor", "_ZN3c10", "_ZN5torch3nn", "_ZNK", "aoti_torch_c", "zzz", "A"]) assert.deepEqual([...history.namesFrom(prefix)], names.filter((one) => one.startsWith(prefix)), prefix);
  });

  it("records its gaps: releases that exist and were not read, each with a reason", () => {
    const { missing, releases } = symbolHistoryOf(file);
    assert.ok(missing.some((one) => one.version === "1.7.1" || one.version === "1.0.0"));
    assert.deepEqual(missing.filter((one) => one.why === "" || releases.includes(one.version)), []);
  });

  it("is smaller in the package, where it says which names and releases it leaves out, and the same in all else", () => {
    const whole = symbolHistoryOf(file);
    const packaged = symbolHistoryOf(packageSymbols(file, 1));
    assert.equal(packaged.releases[0], "1.13.0");
    assert.deepEqual(packaged.missing.map((one) => one.version).sort(), [...whole.missing.map((one) => one.version), ...whole.releases.slice(0, whole.releases.indexOf("1.13.0"))].sort());
    const names = [...whole.namesFrom("")].filter((_, at) => at % 61 === 0);
    for (const name of names) {
      const expected = whole.releasesExporting(name)?.filter((one) => packaged.releases.includes(one));
      assert.deepEqual(packaged.releasesExporting(name), packaged.isRecorded(name) ? expected : undefined, name);
    }
    const dispatched = "_ZN2at4cuda10abs_outfERKNS_6TensorERS1_";
    assert.deepEqual([whole.isRecorded(dispatched), packaged.isRecorded(dispatched), packaged.isRecorded("_ZN2at4cuda26getCurrentDevicePropertiesEv")], [true, false, true]);
    assert.ok(names.filter((one) => !packaged.isRecorded(one)).length < names.length / 4);
    // What it leaves out is unknown under every way to ask.
    const known = (query: string) => [whole, packaged].map((history) => symbolAnswer(query, history).known);
    assert.deepEqual(known("at::cuda::abs_out(at::Tensor const&, at::Tensor&)"), ["none", "not-recorded"]);
    assert.deepEqual(known("at::cuda::abs_out"), ["found", "not-recorded"]);
    assert.deepEqual(known("at::redispatch::add"), ["found", "not-recorded"]);
    assert.deepEqual(known("at::cuda::getCurrentDeviceProperties"), ["found", "found"]);
    assert.deepEqual(packaged.missing.map((one) => one.version).slice(2, 7), ["1.1.0", "1.2.0", "1.3.0", "1.3.1", "1.4.0"]);
  });

  it("is refused when it is something else", () => {
    assert.throws(() => symbolHistoryOf(Buffer.from("no table\n")));
    assert.throws(() => symbolHistoryOf(file.subarray(0, 300)));
  });
});
