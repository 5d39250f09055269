import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openTable, packTable } from "../../../scripts/data/torchSymbolsTable.ts";
import { symbolHistoryOf } from "../../../src/engine/catalogue/symbolHistory.ts";
import { root } from "../../harness/locations.ts";

const file = readFileSync(join(root, "data", "torch-symbols.br"));

describe("the file of the table", () => {
  it("is the same after it was opened and packed again", () => {
    assert.ok(packTable(openTable(file)).equals(file));
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

  it("is refused when it is something else", () => {
    assert.throws(() => symbolHistoryOf(Buffer.from("no table\n")));
    assert.throws(() => symbolHistoryOf(file.subarray(0, 300)));
  });
});
