/** A bounded run of the bench `fuzz-binaries` over wheels and index pages; ELF files have their own beside their reader. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz, prepare } from "../../../scripts/bench/fuzz-binaries/run.ts";

describe("damaged wheels and index pages", () => {
  for (const [subject, inputs] of [["zip", 100], ["deflate-ends", 150], ["wheel", 600], ["index-page", 600]] as const) {
    it(`neither crash, nor hang, nor eat memory: ${subject}`, async () => {
      const material = await prepare([subject]);
      assert.deepEqual(material.map((one) => one.subject), [subject]);
      assert.deepEqual((await fuzz(material, 1, inputs)).problems, []);
    });
  }
});
