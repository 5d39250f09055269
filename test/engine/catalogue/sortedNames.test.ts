import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { packNames } from "../../../scripts/data/torchSymbolsTable.ts";
import { SortedNames } from "../../../src/engine/catalogue/sortedNames.ts";

/** After some other bytes. */
function table(names: readonly string[]): SortedNames {
  const before = Buffer.from("head\n");
  return new SortedNames(Buffer.concat([before, packNames(names)]), before.length, names.length);
}

/** Names that share beginnings, also more of them than a byte can tell, are beginnings of each other, and fill blocks and a part. */
const names = [...new Set(["", "L".repeat(240), "L".repeat(300)].flatMap((long) => Array.from({ length: 50 }, (_, index) => [`_ZN${long}${index % 7}a${index}`, `_ZN${long}${index % 7}a${index}Ev`, `_ZN${long}${index % 7}b`]).flat()))].sort();

describe("sorted names", () => {
  it("are found in their places", () => {
    const sorted = table(names);
    assert.ok(names.length > 96 && names.length % 32 !== 0);
    assert.deepEqual(names.map((one) => sorted.find(one)), names.map((_, index) => index));
  });

  it("are not found when they are not there", () => {
    const sorted = table(names);
    const others = ["", "A", "~", ...names.flatMap((one) => [`${one}~`, `${one}A`, one.slice(0, -1), `A${one}`])].filter((one) => !names.includes(one));
    assert.deepEqual(others.filter((one) => sorted.find(one) !== undefined), []);
    assert.equal(table([]).find("a"), undefined);
  });

  it("are listed from any place", () => {
    const sorted = table(names);
    for (const least of ["", "_ZN3", "_ZN3a10", "_ZN3a10E", "_ZN6b", "~"]) {
      assert.deepEqual([...sorted.from(least)], [...names.entries()].filter(([, name]) => name >= least), least);
    }
    assert.deepEqual([...table([]).from("")], []);
  });
});
