import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { inflateTail } from "../../../../src/engine/binaries/archive/inflateTail.ts";
import type { UnpackedTail } from "../../../../src/engine/binaries/archive/inflateTail.ts";
import { memberTail, openArchive } from "../../../../src/engine/binaries/archive/index.ts";
import { MemorySource } from "../../../support/memory-source.ts";
import { Random } from "../../../support/random.ts";
import { build } from "./build.ts";
import { processorTime } from "../../../support/processorTime.ts";

/** Names as a string table holds them: much is repeated, much is new. */
function names(seed: number, count: number): Buffer {
  const random = new Random(seed);
  const words: readonly string[] = Array.from({ length: 400 }, (_, index) => `${index % 7}word${random.below(1_000_000)}`);
  return Buffer.from(Array.from({ length: count }, () => `_ZN${words[random.below(400)]}${words[random.below(400)]}E${random.below(100_000)}v\0`).join(""));
}

/** What could be unpacked of the end. */
function tailOf(packed: Uint8Array, most = limit): UnpackedTail | undefined {
  const tail = inflateTail(packed, most);
  return tail === "damaged" ? undefined : tail;
}

const limit = 64 * 1024 * 1024;

describe("inflateTail", () => {
  it("unpacks the end of a stream without its beginning, for every level and strategy", () => {
    const end = names(2, 20_000);
    const plain = Buffer.concat([names(1, 40_000), randomBytes(300_000), end]);
    const wanted = end.length + 100_000;
    for (const options of [{ level: 1 }, { level: 6 }, { level: 9 }, { level: 6, memLevel: 1 }, { level: 6, strategy: constants.Z_FILTERED }, { level: 6, strategy: constants.Z_HUFFMAN_ONLY }]) {
      const packed = deflateRawSync(plain, options);
      const bytes = tailOf(packed.subarray(packed.length - deflateRawSync(end, options).length - 350_000))?.last(wanted);
      assert.ok(bytes !== undefined && plain.subarray(plain.length - wanted).equals(bytes), JSON.stringify(options));
    }
  });

  it("never hands out a byte that it does not know", () => {
    const plain = Buffer.concat([names(3, 10_000), randomBytes(100_000), names(4, 5000)]);
    const packed = deflateRawSync(plain);
    let handedOut = 0;
    for (let length = 5000; length < packed.length; length += 10_000) {
      const tail = tailOf(packed.subarray(packed.length - length));
      for (let wanted = 1000; tail !== undefined && wanted <= tail.length; wanted = Math.ceil(wanted * 1.5)) {
        const bytes = tail.last(wanted);
        if (bytes !== undefined) {
          handedOut += 1;
          assert.ok(plain.subarray(plain.length - wanted).equals(bytes), `${length} ${wanted}`);
        }
      }
    }
    assert.ok(handedOut > 10, String(handedOut));
  });

  it("answers nothing for what is no end of a stream, in bounded time", () => {
    const started = processorTime();
    const packed = deflateRawSync(names(4, 20_000));
    assert.equal(inflateTail(packed.subarray(0, packed.length - 5), limit), "damaged");
    assert.equal(inflateTail(randomBytes(400_000), limit), undefined);
    assert.equal(inflateTail(new Uint8Array(400_000), limit), undefined);
    assert.equal(inflateTail(new Uint8Array(0), limit), undefined);
    assert.ok((tailOf(packed, 100_000)?.length ?? 0) <= 100_000);
    const random = new Random(5);
    for (let round = 0; round < 30; round += 1) {
      const damaged = Uint8Array.from(packed.subarray(packed.length - 40_000));
      for (let change = 0; change < 5; change += 1) damaged[random.below(damaged.length)] = random.below(256);
      inflateTail(damaged, limit);
    }
    assert.ok(processorTime() - started < 10_000, `${processorTime() - started} ms`);
  });
});

describe("memberTail", () => {
  it("fetches the end of a member until every byte of it is known", async () => {
    const plain = Buffer.concat([randomBytes(2_000_000), names(6, 30_000), randomBytes(200_000), names(7, 10_000)]);
    const from = plain.length - 700_000;
    for (const method of [0, 8]) {
      const source = new MemorySource(build([{ name: "first", content: "1" }, { name: "lib.so", content: plain, method }]));
      const archive = await openArchive(source);
      const member = archive.members.get("lib.so") ?? assert.fail();
      const tail = await memberTail(archive, member, from, 2_000_000);
      assert.equal(tail?.offset, from);
      assert.ok(plain.subarray(from).equals(tail?.bytes ?? assert.fail()));
      assert.ok(source.ranges.every((one) => one.offset + one.length <= 100 || one.offset > 1_500_000), JSON.stringify(source.ranges));
      assert.equal(await memberTail(archive, member, from, 20_000), undefined);
    }
  });
});
