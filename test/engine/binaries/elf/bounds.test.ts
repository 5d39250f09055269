/** Large files, counts that do not fit their fields, and files made to hang a reader or to eat its memory. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import { openElf, openElfRanges } from "../../../../src/engine/binaries/elf/index.ts";
import type { ElfFile } from "../../../../src/engine/binaries/elf/index.ts";
import { NodeFiles } from "../../../../src/engine/files/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";
import { compile, open, temporaryFolder } from "./compile.ts";
import { processorTime } from "../../../support/processorTime.ts";

const folder = temporaryFolder();
const pageOffset = 5 * 2 ** 30;

let file = "";
let library = new Uint8Array();
let view = new DataView(library.buffer);

before(() => {
  file = compile(folder, "lib.so", `#include <string>\nextern "C" int missing(); std::string f(const std::string& x) { return x + std::to_string(missing()); }`, "-Wl,--hash-style=gnu", "-Wl,-soname,lib.so");
  library = new Uint8Array(fs.readFileSync(file));
  view = new DataView(library.buffer);
});

function changed(change: (view: DataView) => void, grow = 0): Uint8Array {
  const copy = new Uint8Array(library.length + grow);
  copy.set(library);
  change(new DataView(copy.buffer));
  return copy;
}

function opened(bytes: Uint8Array): ElfFile {
  const result = openElf("/x.so", new MemoryFiles({ "/x.so": bytes }));
  assert.ok(result.ok, result.ok ? "" : result.message);
  return result.elf;
}

function programHeaders(): { at: number; type: number; offset: number }[] {
  const start = Number(view.getBigUint64(32, true));
  return Array.from({ length: view.getUint16(56, true) }, (_, index) => start + index * 56).map((at) => ({ at, type: view.getUint32(at, true), offset: Number(view.getBigUint64(at + 8, true)) }));
}

function dynamicEntry(tag: number): number {
  for (let at = programHeaders().find((one) => one.type === 2)?.offset ?? 0; at < library.length; at += 16) {
    if (Number(view.getBigUint64(at, true)) === tag) {
      return at;
    }
  }
  throw new Error(`no dynamic entry ${tag}`);
}

/** The library as the loader would see it, but with everything behind its ELF header beyond 5 GiB: the file is sparse. */
function farAway(): string {
  const far = path.join(folder, "far.so");
  const copy = library.slice();
  const changing = new DataView(copy.buffer);
  const headers = programHeaders();
  for (const { at, offset } of headers) {
    changing.setBigUint64(at + 8, BigInt(offset + pageOffset), true);
  }
  changing.setBigUint64(32, BigInt(pageOffset) + view.getBigUint64(32, true), true);
  changing.setBigUint64(40, BigInt(pageOffset) + view.getBigUint64(40, true), true);
  for (let section = Number(view.getBigUint64(40, true)), left = view.getUint16(60, true); left > 0; section += 64, left -= 1) {
    changing.setBigUint64(section + 24, view.getBigUint64(section + 24, true) + BigInt(pageOffset), true);
  }
  const descriptor = fs.openSync(far, "w");
  fs.writeSync(descriptor, copy, 0, 64, 0);
  fs.writeSync(descriptor, copy, 0, copy.length, pageOffset);
  fs.closeSync(descriptor);
  return far;
}

describe("large files and counts", () => {
  it("reads a file above 4 GiB by ranges", () => {
    const far = openElf(farAway(), new NodeFiles());
    assert.ok(far.ok, far.ok ? "" : far.message);
    const near = open(file);
    assert.ok(far.elf.size > 4 * 2 ** 30);
    assert.equal(far.elf.soname, "lib.so");
    assert.deepEqual(far.elf.needed, near.needed);
    assert.deepEqual([...far.elf.symbols()], [...near.symbols()]);
    assert.deepEqual(far.elf.versionNeeds(), near.versionNeeds());
    assert.deepEqual(far.elf.relocationOrder(), near.relocationOrder());
    assert.deepEqual(far.elf.comment(), near.comment());
    assert.deepEqual(far.elf.notes(), near.notes());
    assert.ok(far.elf.bytesRead < 1024 * 1024, String(far.elf.bytesRead));
  });

  it("takes numbers of headers from the first section header when their fields are too small", () => {
    const sections = Number(view.getBigUint64(40, true));
    const copy = changed((one) => {
      one.setUint32(sections + 44, view.getUint16(56, true), true);
      one.setUint16(56, 0xffff, true);
      one.setBigUint64(sections + 32, BigInt(view.getUint16(60, true)), true);
      one.setUint16(60, 0, true);
      one.setUint32(sections + 40, view.getUint16(62, true), true);
      one.setUint16(62, 0xffff, true);
    });
    assert.deepEqual(opened(copy).segments, open(file).segments);
    assert.deepEqual(opened(copy).sections(), open(file).sections());
  });

  it("looks 200 names up and lists all with few reads", () => {
    const elf = open(file);
    for (let index = 0; index < 200; index += 1) {
      elf.defines(`absent${index}`);
    }
    assert.ok(elf.bytesRead <= library.length + 32 * 1024, String(elf.bytesRead));
  });
});

describe("hostile files", () => {
  const budget = 2000;

  /** Everything that an ELF file is asked for; fails when it takes long. */
  function use(elf: ElfFile): void {
    const started = processorTime();
    let count = 0;
    for (const symbol of elf.symbols()) count += symbol.name.length;
    for (const name of elf.exportedNames()) count += elf.defines(name) ? 1 : 0;
    for (const one of elf.imports()) count += elf.defines(one.name, one.version?.name) ? 1 : 0;
    count += elf.versionNeeds().length + elf.versionDefinitions().length + elf.relocationOrder().length + elf.notes().length + elf.comment().length + elf.sections().length + (elf.interpreter?.length ?? 0);
    assert.ok(count >= 0);
    assert.ok(processorTime() - started < budget, `took ${(processorTime() - started).toFixed(0)} ms`);
  }

  it("cannot make version records run in circles or multiply", () => {
    const needs = Number(view.getBigUint64(dynamicEntry(0x6ffffffe) + 8, true));
    // The file is mapped at its own offsets up to its first page of data.
    for (const next of [1, 2, 4, 16]) {
      const copy = changed((one) => {
        for (let at = needs; at < needs + 64; at += 16) {
          one.setUint32(at + 12, next, true);
          one.setUint16(at + 2, 0xffff, true);
        }
      });
      const elf = opened(copy);
      use(elf);
      assert.ok(elf.versionNeeds().length <= 16384);
    }
    const backward = changed((one) => one.setUint32(needs + 12, 0xffff_fff0, true));
    use(opened(backward));
    assert.match(opened(backward).versionNeeds().map((one) => one.library).join(), /^lib/);
    const elf = opened(backward);
    elf.versionNeeds();
    assert.match(elf.problems.join(), /^A version record at 0x[0-9a-f]+ lies outside of the file\.$/);
  });

  it("cannot make notes, needed names or one long text multiply", () => {
    const segment = programHeaders().find((one) => one.type === 4);
    assert.ok(segment !== undefined);
    use(opened(changed((one) => one.setUint32(segment.offset + 4, 0xffff_ffff, true))));
    use(opened(changed((one) => { one.setUint32(segment.offset, 0, true); one.setUint32(segment.offset + 4, 0, true); })));
    const started = processorTime();
    // A dynamic segment of 4096 entries that all name one text of 4 MB.
    const big = 4 * 2 ** 20;
    const copy = changed((one) => {
      const at = library.length;
      for (let index = 0; index < 5000; index += 1) {
        one.setBigUint64(at + index * 16, 1n, true);
        one.setBigUint64(at + index * 16 + 8, 1n, true);
      }
      new Uint8Array(one.buffer).fill(0x61, at + 5000 * 16);
      const dynamic = programHeaders().find((header) => header.type === 2);
      one.setBigUint64((dynamic?.at ?? 0) + 8, BigInt(at), true);
      one.setBigUint64((dynamic?.at ?? 0) + 32, 80_000n, true);
    }, 80_000 + big);
    assert.deepEqual(opened(copy).needed, []);
    assert.ok(processorTime() - started < budget);
  });

  it("cannot make the same notes be read for every one of many segments", () => {
    const count = 50_000;
    const notes = 4000;
    const segment = programHeaders().find((one) => one.type === 4);
    assert.ok(segment !== undefined);
    const copy = changed((one) => {
      const table = Math.ceil(library.length / 8) * 8;
      const start = table + count * 56;
      new Uint8Array(one.buffer).set(library.subarray(Number(view.getBigUint64(32, true)), Number(view.getBigUint64(32, true)) + view.getUint16(56, true) * 56), table);
      for (let index = view.getUint16(56, true); index < count; index += 1) {
        one.setUint32(table + index * 56, 4, true);
        one.setBigUint64(table + index * 56 + 8, BigInt(start), true);
        one.setBigUint64(table + index * 56 + 32, BigInt(notes * 12), true);
      }
      one.setBigUint64(32, BigInt(table), true);
      one.setUint16(56, count, true);
    }, count * 56 + notes * 12 + 64);
    use(opened(copy));
  });

  it("cannot make a hash chain run for ever", () => {
    const sysv = new Uint8Array(fs.readFileSync(compile(folder, "libsysv.so", `extern "C" int f() { return 1; }`, "-Wl,--hash-style=sysv")));
    const elf = openElf("/x.so", new MemoryFiles({ "/x.so": sysv }));
    assert.ok(elf.ok);
    const at = elf.elf.section(".hash")?.offset ?? 0;
    const one = new DataView(sysv.buffer);
    const buckets = one.getUint32(at, true);
    const chains = one.getUint32(at + 4, true);
    for (let index = 0; index < buckets; index += 1) one.setUint32(at + 8 + index * 4, 1, true);
    for (let index = 0; index < chains; index += 1) one.setUint32(at + 8 + (buckets + index) * 4, 1, true);
    const circular = openElf("/x.so", new MemoryFiles({ "/x.so": sysv }));
    assert.ok(circular.ok);
    use(circular.elf);
    assert.equal(circular.elf.defines("absent"), false);
  });

  it("cannot make the reader allocate what only a count claims", () => {
    const size = 2 ** 40;
    const claims = changed((one) => {
      const hash = Number(view.getBigUint64(dynamicEntry(0x6ffffef5) + 8, true));
      one.setUint32(hash, 400_000_000, true);
    });
    let largest = 0;
    const result = openElfRanges("/claims.so", size, (offset, length) => {
      largest = Math.max(largest, length);
      const bytes = new Uint8Array(Math.min(length, 2 ** 20));
      bytes.set(claims.subarray(offset, offset + bytes.length));
      return bytes;
    });
    assert.equal(result.ok, false);
    assert.ok(largest <= 96 * 2 ** 20, String(largest));
  });
});
