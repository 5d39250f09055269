/** Error texts of every family, near misses among them: what is said first, how sure, and that no advice does damage. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { explained, faults, readCorpus } from "./corpus/corpus.ts";

const corpus = readCorpus();

describe("the corpus of error texts", () => {
  it("has texts of every family, a third of them near misses", () => {
    const families = new Set(corpus.map((one) => one.family));
    assert.deepEqual(Array.from({ length: 21 }, (_, index) => `F${index + 1}`).filter((family) => !families.has(family)), []);
    assert.equal(new Set(corpus.map((one) => one.id)).size, corpus.length);
    assert.ok(corpus.length >= 150, `${corpus.length} texts`);
    assert.ok(corpus.filter((one) => one.nearMiss === true).length * 3 >= corpus.length);
  });

  for (const one of corpus) {
    it(one.id, async () => {
      assert.deepEqual(faults(one, await explained(one)), []);
    });
  }
});
