/** A bounded run of the bench `fuzz-binaries` over ELF files and heads. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openElf } from "../../../../src/engine/binaries/elf/index.ts";
import { fuzz, inputOf, prepare } from "../../../../scripts/bench/fuzz-binaries/run.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";

describe("damaged ELF files", () => {
  it("neither crash, nor hang, nor read beyond the file, nor eat memory", async () => {
    const outcome = await fuzz(await prepare(["elf", "elf-heads"]), 1, 4000);
    assert.deepEqual(outcome.problems, []);
  });

  it("are the same for the same seed, and neither all sound nor all refused", async () => {
    const material = await prepare(["elf"]);
    const inputs = Array.from({ length: 300 }, (_, seed) => inputOf(material, seed)?.bytes ?? new Uint8Array());
    assert.deepEqual(inputs[7], inputOf(material, 7)?.bytes);
    const opened = inputs.filter((bytes) => openElf("/x.so", new MemoryFiles({ "/x.so": bytes })).ok).length;
    assert.ok(opened > 90 && opened < 270, String(opened));
  });
});
