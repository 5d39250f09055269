import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SortedNames } from "../../../src/engine/catalogue/sortedNames.ts";

/** The table of names as scripts/data/build-torch-symbols.ts packs it, after some other bytes. */
function table(names: readonly string[]): SortedNames {
  const before = Buffer.from("head\n");
  const sizes: number[] = [];
  const shared: number[] = [];
  let rests = "";
  for (const [index, name] of names.entries()) {
    const last = index % 32 === 0 ? "" : (names[index - 1] ?? "");
    let length = 0;
    while (length < 255 && length < last.length && length < name.length && last[length] === name[length]) length++;
    shared.push(length);
    rests += `${name.slice(length)}\n`;
    sizes[index >> 5] = (sizes[index >> 5] ?? 0) + name.length - length + 1;
  }
  return new SortedNames(Buffer.concat([before, Buffer.from(Uint16Array.from(sizes).buffer), Buffer.from(shared), Buffer.from(rests)]), before.length, names.length);
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
