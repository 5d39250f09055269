import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, openSync, rmSync, writeSync, closeSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ArchiveError, ByteSourceError, fileSource, memberImage, openArchive } from "../../../../src/engine/binaries/archive/index.ts";
import type { Archive } from "../../../../src/engine/binaries/archive/index.ts";
import { MemorySource } from "../../../support/memory-source.ts";
import { build, endOf } from "./build.ts";
import type { Form, Part } from "./build.ts";

async function opened(parts: readonly Part[], form: Form = {}): Promise<Archive> {
  return openArchive(new MemorySource(build(parts, form)));
}

async function text(archive: Archive, name: string): Promise<string> {
  const member = archive.members.get(name);
  assert.ok(member);
  return Buffer.from(await archive.read(member, 1000)).toString();
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof ArchiveError, String(error));
    return error.message;
  }
  return "not refused";
}

async function readRefusal(part: Part): Promise<string> {
  const archive = await opened([part]);
  return refusal(text(archive, part.name));
}

const two: readonly Part[] = [{ name: "a/one.py", content: "one\n" }, { name: "two.so", content: "two", method: 0 }];

describe("openArchive", () => {
  it("reads packed and stored members", async () => {
    const archive = await opened(two);
    assert.deepEqual([...archive.members.keys()], ["a/one.py", "two.so"]);
    assert.deepEqual([await text(archive, "a/one.py"), await text(archive, "two.so")], ["one\n", "two"]);
  });

  it("finds the end record before a comment, even one that holds its signature, and behind a prefix", async () => {
    for (const form of [{ comment: "x".repeat(65_000) }, { comment: `PK\u0005\u0006${"\0".repeat(30)}` }, { prefix: Buffer.from("#!/bin/sh\n") }, { zip64: true }, { zip64: true, comment: "c" }] satisfies Form[]) {
      assert.equal(await text(await opened(two, form), "a/one.py"), "one\n");
    }
  });

  it("reads ZIP64 sizes as the standard orders them, and as careless writers do", async () => {
    for (const wide of [
      { values: ["size", "compressedSize", "offset"], narrow: ["size", "compressedSize", "offset"] },
      { values: ["offset"], narrow: ["offset"] },
      { values: ["size", "compressedSize"], narrow: ["size", "compressedSize"] },
      { values: ["size", "compressedSize", "offset"], narrow: ["offset"] },
      { values: ["size", "compressedSize", "offset"], narrow: ["compressedSize"] },
    ] as const) {
      const archive = await opened([{ name: "first", content: "11" }, { name: "second", content: "22222", wide }]);
      assert.equal(await text(archive, "second"), "22222");
    }
  });

  it("says what is wrong with a file that is no archive", async () => {
    assert.equal(await refusal(openArchive(new MemorySource(Buffer.from("short")))), "/w/test.whl is no zip archive: it is too short for an end record.");
    assert.equal(await refusal(openArchive(new MemorySource(build(two).subarray(0, 130)))), "/w/test.whl is no zip archive, or is cut off: no end record was found in its last bytes.");
    assert.equal(await refusal(opened(two, { count: 3 })), "/w/test.whl is damaged: its end record says 3 entries, its directory has 2 (at byte 91).");
  });

  it("refuses names that lead out of the archive, naming them", async () => {
    for (const name of ["../x", "a/../../x", "/etc/passwd", "a\\..\\..\\x", "C:\\x", "\\x", "a\0b", "..", ""]) {
      assert.equal(await refusal(opened([{ name, content: "" }])), `/w/test.whl: its entry ${JSON.stringify(name)} has a name that leads out of the archive or that no file can have (at byte ${36 + Buffer.byteLength(name)}).`);
    }
    assert.deepEqual([...(await opened([{ name: "a..b/..c", content: "" }])).members.keys()], ["a..b/..c"]);
  });

  it("refuses duplicates and overlaps", async () => {
    assert.match(await refusal(opened([{ name: "a", content: "1" }, { name: "./a", content: "2" }])), /its entry ".\/a" occurs twice \(at byte 125\)/);
    assert.match(await refusal(opened([{ name: "a", content: "1" }, { name: "b", content: "2", says: { offset: 0 } }])), /its entry "a" overlaps the entry "b" \(at byte 0\)/);
    assert.match(await refusal(opened([{ name: "a", content: "1", says: { compressedSize: 30 } }, { name: "b", content: "2" }])), /its entry "a" overlaps the entry "b"/);
    assert.match(await refusal(opened([{ name: "a", content: "1", says: { offset: 5000 } }])), /its entry "a" would lie outside the archive: 3 bytes from byte 5000 \(at byte 38\)/);
  });

  it("refuses bombs, and takes what is only repetitive", async () => {
    const zeros = Buffer.alloc(90 * 1024 * 1024);
    assert.match(await refusal(opened([{ name: "bomb", content: zeros }])), /its entry "bomb" unpacks to 94371840 bytes from 91738, as a zip bomb does \(at byte 0\)/);
    assert.match(await refusal(opened([{ name: "liar", content: "x", says: { size: 1e9 } }])), /claims to unpack to 1000000000 bytes from 3, which its method cannot do/);
    const archive = await opened([{ name: "zeros", content: zeros.subarray(0, 1e6) }]);
    assert.equal((await archive.read(archive.members.get("zeros") ?? assert.fail(), 1e6)).length, 1e6);
  });

  it("refuses what it cannot unpack, naming the entry", async () => {
    assert.equal(await readRefusal({ name: "a", content: "1", flags: 1 }), '/w/test.whl: its entry "a" is encrypted (at byte 0).');
    assert.equal(await readRefusal({ name: "a", content: "1", method: 93 }), '/w/test.whl: its entry "a" is packed with method 93, which is not read here (only 0, stored, and 8, deflate) (at byte 0).');
    assert.equal(await readRefusal({ name: "a", content: "1", says: { localName: "b" } }), '/w/test.whl: its entry "a" has another name in its local header than in the directory (at byte 0).');
  });

  it("notices a local header that leads out of the archive", async () => {
    const bytes = build([{ name: "a", content: "1" }]);
    bytes[29] = 0xff;
    const archive = await openArchive(new MemorySource(bytes));
    assert.equal(await refusal(text(archive, "a")), '/w/test.whl: its entry "a" would lie outside the archive by its local header: 3 bytes from byte 65315 (at byte 0).');
  });

  it("compares size and checksum", async () => {
    assert.equal(await readRefusal({ name: "a", content: "123", says: { size: 2 } }), '/w/test.whl: its entry "a" unpacks to more than the 2 bytes that the directory says (at byte 0).');
    assert.equal(await readRefusal({ name: "a", content: "123", says: { size: 4 } }), '/w/test.whl: its entry "a" unpacks to 3 bytes, where the directory says 4 (at byte 0).');
    assert.equal(await readRefusal({ name: "a", content: "123", says: { crc32: 1 } }), '/w/test.whl: its entry "a" has other content than its checksum says (CRC-32 884863d2 instead of 00000001) (at byte 0).');
    const damaged = build([{ name: "a", content: "123".repeat(50) }]);
    damaged[36] = 0xff;
    const archive = await openArchive(new MemorySource(damaged));
    assert.match(await refusal(text(archive, "a")), /its entry "a" cannot be unpacked: .+ \(at byte 0\)/);
    assert.match(await refusal(archive.read(archive.members.get("a") ?? assert.fail(), 10)), /unpacks to 150 bytes, above the limit of 10/);
  });

  it("reads no more of a member than its head needs", async () => {
    const noise = randomBytes(4_000_000);
    for (const method of [0, 8]) {
      const source = new MemorySource(build([{ name: "lib.so", content: noise, method }]));
      const archive = await openArchive(source);
      const before = source.bytesRead;
      const head = await archive.head(archive.members.get("lib.so") ?? assert.fail(), 100_000);
      assert.ok(noise.subarray(0, 100_000).equals(head));
      assert.ok(source.bytesRead - before < 140_000, String(source.bytesRead - before));
    }
  });

  it("lets the loop over a stream be left, and passes on what a source throws", async () => {
    const source = new MemorySource(build([{ name: "lib.so", content: randomBytes(3_000_000) }]));
    const archive = await openArchive(source);
    const member = archive.members.get("lib.so") ?? assert.fail();
    for await (const piece of archive.stream(member)) {
      assert.ok(piece.length > 0);
      break;
    }
    let reads = 0;
    const read = source.read.bind(source);
    source.read = async (offset, length) => {
      reads += 1;
      if (reads > 3) throw new ByteSourceError("unreadable", "gone.");
      return read(offset, length);
    };
    await assert.rejects(archive.read(member, 4_000_000), { name: "ByteSourceError", message: "gone." });
  });
});

describe("fileSource", () => {
  it("reads members beyond 4 GB of a sparse wheel by ranges", async () => {
    const folder = mkdtempSync(join(tmpdir(), "abiding-"));
    try {
      const file = join(folder, "large.whl");
      const gap = 4_400_000_000;
      const large = build([{ name: "hole.so", content: "", method: 0, says: { size: gap, compressedSize: gap }, wide: { values: ["size", "compressedSize"], narrow: ["size", "compressedSize"] } }]);
      const small = build([{ name: "last.py", content: "last", method: 0, says: { offset: 41 + gap }, wide: { values: ["offset"], narrow: ["offset"] } }]);
      const locals = [large.subarray(0, 41), small.subarray(0, 45)];
      const centrals = [large.subarray(41, 41 + 46 + 7 + 20), small.subarray(45, 45 + 46 + 7 + 12)];
      const start = 41 + gap + 45;
      const descriptor = openSync(file, "w");
      writeSync(descriptor, locals[0] ?? assert.fail(), 0, 41, 0);
      writeSync(descriptor, locals[1] ?? assert.fail(), 0, 45, 41 + gap);
      const tail = Buffer.concat([...centrals, endOf(start, 138, 2, { zip64: true })]);
      writeSync(descriptor, tail, 0, tail.length, start);
      closeSync(descriptor);
      const source = await fileSource(file);
      const archive = await openArchive(source);
      assert.equal(archive.members.get("hole.so")?.size, gap);
      assert.equal(await text(archive, "last.py"), "last");
      const image = await memberImage(archive, archive.members.get("hole.so") ?? assert.fail(), 1_000_000);
      assert.deepEqual([image.path, image.available, image.isWhole, image.files.status(image.path)?.size], [join(file, "hole.so"), 1_000_000, false, gap]);
      assert.deepEqual([image.files.readBytes(image.path, 999_990, 20)?.length, image.files.readBytes(image.path, 1_000_000, 20)], [10, undefined]);
      assert.ok(source.bytesRead < 2_000_000);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("says why a file cannot be read, and notices that it changed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "abiding-"));
    try {
      const file = join(folder, "a.whl");
      await assert.rejects(fileSource(file), { problem: "missing", message: `${file} cannot be read: ENOENT.` });
      await assert.rejects(fileSource(folder), { problem: "unreadable", message: `${folder} is not a regular file.` });
      writeFileSync(file, "12345");
      const source = await fileSource(file);
      assert.equal(Buffer.from(await source.read(1, 3)).toString(), "234");
      await assert.rejects(source.read(3, 3), { problem: "outside", message: `${file} has 5 bytes; 3 bytes from byte 3 cannot be read.` });
      writeFileSync(file, "123");
      await assert.rejects(source.read(0, 3), { problem: "changed", message: `${file} changed while it was read.` });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
