import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { mutant, readMutant, wrongPlace } from "../../support/mutations.ts";

test("readers survive damaged build files", () => {
  const catalogue = loadCatalogue();
  const count = { cmake: 0, python: 0, requirements: 0 };
  const started = performance.now();
  // A busy machine reads fewer of them.
  for (let seed = 0; seed < 3000 && performance.now() - started < 8000; seed++) {
    const input = mutant(seed);
    count[input.reader]++;
    try {
      assert.equal(wrongPlace(input, readMutant(input, catalogue)), undefined);
    } catch (error) {
      throw new Error(`Seed ${seed}: npm run bench -- fuzz --from ${seed} --count 1 --print`, { cause: error });
    }
  }
  assert.ok(Math.min(...Object.values(count)) > 20);
});

test("the same seed gives the same input", () => {
  assert.deepEqual(mutant(7), mutant(7));
  assert.notEqual(mutant(7).text, mutant(8).text);
});
