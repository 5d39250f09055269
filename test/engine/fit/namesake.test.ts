import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LibraryImage } from "../../../src/engine/binaries/library.ts";
import { nearestNamesake } from "../../../src/engine/fit/namesake.ts";
import { library } from "./fakes.ts";

/** c10::run(int), c10::run(int, double), c10::run(float), c10::other(int). */
const run = ["_ZN3c103runEi", "_ZN3c103runEid", "_ZN3c103runEf", "_ZN3c105otherEi"];

/** A library that counts how often its names were gone through, and which texts were asked for. */
function counting(names: readonly string[], canSearch: boolean): { readonly image: LibraryImage; readonly asked: string[] } {
  const asked: string[] = [];
  const plain = library("/t/libc10.so", { exports: names });
  const image = {
    ...plain,
    exportedNames: () => {
      asked.push("all");
      return names;
    },
    ...(canSearch ? { exportedNamesContaining: (text: string) => {
      asked.push(text);
      return names.filter((one) => one.includes(text));
    } } : {}),
  };
  return { image, asked };
}

describe("the nearest namesake", () => {
  it("has the parameters that are most alike, and is no other entity", () => {
    const { image } = counting(run, false);
    assert.equal(nearestNamesake("_ZN3c103runEidi", [image])?.symbol, "_ZN3c103runEid");
    assert.equal(nearestNamesake("_ZN3c105otherEf", [image])?.symbol, "_ZN3c105otherEi");
    assert.equal(nearestNamesake("_ZN3c104walkEi", [image]), undefined);
    assert.equal(nearestNamesake("_ZTVN3c103runE", [image]), undefined);
  });

  it("is looked for in the first library that has any", () => {
    const { image: first } = counting(["_ZN3c104walkEi"], false);
    const { image: second } = counting(run, false);
    assert.deepEqual(nearestNamesake("_ZN3c103runEd", [first, second]), { symbol: "_ZN3c103runEid", library: second });
  });

  it("costs one walk through the names of a library that cannot be searched, however many are asked for", () => {
    const { image, asked } = counting(run, false);
    for (const list of [[image], [image]]) {
      for (const wanted of ["_ZN3c103runEd", "_ZN3c105otherEd", "_ZN3c104walkEi", "_ZN3c103runEd"]) {
        nearestNamesake(wanted, list);
      }
    }
    assert.deepEqual(asked, ["all"]);
  });

  it("is looked for once in one list of libraries: members of a wheel miss the same names", () => {
    const { image, asked } = counting(run, true);
    const torch = [image];
    assert.equal(nearestNamesake("_ZN3c103runEidi", torch)?.symbol, "_ZN3c103runEid");
    assert.equal(nearestNamesake("_ZN3c103runEidi", torch)?.symbol, "_ZN3c103runEid");
    assert.equal(nearestNamesake("_ZN3c104walkEi", torch), undefined);
    assert.equal(nearestNamesake("_ZN3c104walkEi", torch), undefined);
    assert.deepEqual(asked, ["3c103run", "3c104walk"]);
  });
});
