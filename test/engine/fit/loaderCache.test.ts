import assert from "node:assert/strict";
import { test } from "node:test";
import { isForMachine, readLoaderCache } from "../../../src/engine/fit/loaderCache.ts";

interface Row { readonly name: string; readonly path: string; readonly flags: number; readonly hwcap?: bigint }

function cache(rows: readonly Row[], before: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(48);
  head.write("glibc-ld.so.cache1.1", "latin1");
  head.writeUInt32LE(rows.length, 20);
  const entries = Buffer.alloc(rows.length * 24);
  const texts: Buffer[] = [];
  let at = head.length + entries.length;
  const place = (text: string): number => {
    const bytes = Buffer.from(`${text}\0`);
    texts.push(bytes);
    at += bytes.length;
    return at - bytes.length;
  };
  rows.forEach((row, index) => {
    entries.writeInt32LE(row.flags, index * 24);
    entries.writeUInt32LE(place(row.name), index * 24 + 4);
    entries.writeUInt32LE(place(row.path), index * 24 + 8);
    entries.writeBigUInt64LE(row.hwcap ?? 0n, index * 24 + 16);
  });
  return Buffer.concat([before, head, entries, ...texts]);
}

const rows: readonly Row[] = [
  { name: "libz.so.1", path: "/lib/libz.so.1", flags: 0x0303 },
  { name: "libz.so.1", path: "/lib/i386/libz.so.1", flags: 0x0003 },
  { name: "libm.so.6", path: "/lib/glibc-hwcaps/x86-64-v3/libm.so.6", flags: 0x0303, hwcap: 1n << 62n },
];

test("entries are read in file order, variants for newer processors left out", () => {
  const entries = readLoaderCache(cache(rows));
  assert.deepEqual(entries.map((one) => one.path), ["/lib/libz.so.1", "/lib/i386/libz.so.1"]);
  assert.deepEqual(entries.map((one) => isForMachine(one, 62)), [true, false]);
  assert.equal(isForMachine({ name: "x", path: "/x", flags: 0x0a03 }, 183), true);
});

test("the table of older tools before it is skipped", () => {
  const old = Buffer.alloc(16 + 12 + 4);
  old.write("ld.so-1.7.0\0", "latin1");
  old.writeUInt32LE(1, 12);
  assert.deepEqual(readLoaderCache(cache(rows, old)).map((one) => one.name), ["libz.so.1", "libz.so.1"]);
});

test("what is no cache, or a damaged one, has no entries", () => {
  assert.deepEqual(readLoaderCache(Buffer.from("#!/bin/sh")), []);
  assert.deepEqual(readLoaderCache(Buffer.alloc(0)), []);
  assert.deepEqual(readLoaderCache(Buffer.from("ld.so-1.7.0\0")), []);
  const cut = cache(rows);
  cut.writeUInt32LE(0xffffffff, 20);
  assert.equal(readLoaderCache(cut.subarray(0, 48 + 24)).length, 0);
});
