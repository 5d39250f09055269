import assert from "node:assert/strict";
import * as fs from "node:fs";
import { describe, it } from "node:test";
import { openElf } from "../../../../src/engine/binaries/elf/index.ts";
import { readStamp } from "../../../../src/engine/binaries/profile/stamp.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";

/** Shared with the readers in Python and C++; written by generate.py beside it. */
interface Vector {
  readonly name: string;
  readonly class: 32 | 64;
  readonly order: "little" | "big";
  readonly file: readonly { readonly hex: string; readonly times: number }[];
  readonly stamp: Readonly<Record<string, string>> | null;
  readonly refused: boolean;
}

const { vectors } = JSON.parse(fs.readFileSync(new URL("../../../../native/tests/stamp/vectors/vectors.json", import.meta.url), "utf8")) as { readonly vectors: readonly Vector[] };

function bytesOf(vector: Vector): Buffer {
  return Buffer.concat(vector.file.flatMap(({ hex, times }) => Array.from({ length: times }, () => Buffer.from(hex, "hex"))));
}

describe("the stamp of a file, by the vectors of native/tests/stamp", () => {
  it("has vectors", () => assert.ok(vectors.length > 60));

  for (const vector of vectors) {
    it(vector.name, () => {
      const opened = openElf("/vector", new MemoryFiles({ "/vector": bytesOf(vector) }));
      if (vector.class === 32 || vector.order === "big") {
        assert.equal(opened.ok, false);
        return;
      }
      const stamp = opened.ok ? readStamp(opened.elf.notes()) : undefined;
      assert.deepEqual(stamp, vector.stamp ?? undefined);
      assert.deepEqual(Object.keys(stamp ?? {}), Object.keys(vector.stamp ?? {}));
    });
  }
});
