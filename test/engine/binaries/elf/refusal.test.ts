import assert from "node:assert/strict";
import * as fs from "node:fs";
import { before, describe, it } from "node:test";
import { machineName, openElf } from "../../../../src/engine/binaries/elf/index.ts";
import type { ElfFailure } from "../../../../src/engine/binaries/elf/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";
import { compile, temporaryFolder } from "./compile.ts";

const folder = temporaryFolder();

function refuse(content: string | Uint8Array): ElfFailure {
  const opened = openElf("/x.so", new MemoryFiles({ "/x.so": content }));
  assert.ok(!opened.ok);
  return opened;
}

function header(bits: 1 | 2, order: 1 | 2, machine: number): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, bits, order, 1]);
  new DataView(bytes.buffer).setUint16(18, machine, order === 1);
  return bytes;
}

describe("what is not opened", () => {
  it("is called what it is when it is no ELF file", () => {
    const contents: readonly (readonly [string | Uint8Array, string])[] = [
      ["", "/x.so is empty."],
      ["#!/bin/sh\n", "/x.so is not an ELF file but a script."],
      ["MZ\x90\0", "/x.so is not an ELF file but a Windows program or DLL."],
      [Uint8Array.of(0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1), "/x.so is not an ELF file but a macOS (Mach-O) library or program."],
      [Uint8Array.of(0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2), "/x.so is not an ELF file but a macOS (Mach-O) library or program."],
      // A Java class has the same magic, and a version from 45 up where the number of architectures would be.
      [Uint8Array.of(0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61), "/x.so is not an ELF file."],
      ["!<arch>\nfoo.o/  ", "/x.so is not an ELF file but a static archive (ar)."],
      ["PK\x03\x04....", "/x.so is not an ELF file but a zip archive."],
      ["version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "/x.so is not an ELF file but a Git LFS pointer: the file itself was not downloaded."],
      ["/* GNU ld script */\nOUTPUT_FORMAT(elf64-x86-64)\nGROUP ( /lib/libc.so.6 )", "/x.so is not an ELF file but a linker script, a text that names other libraries."],
      ["INPUT(-ltinfo)", "/x.so is not an ELF file but a linker script, a text that names other libraries."],
      ["hello", "/x.so is not an ELF file."],
      [Uint8Array.of(0x7f, 0x45), "/x.so is not an ELF file."],
    ];
    for (const [content, message] of contents) {
      assert.deepEqual(refuse(content), { ok: false, problem: "not-elf", message, offset: 0 });
    }
    const missing = openElf("/none.so", new MemoryFiles());
    assert.deepEqual(missing, { ok: false, problem: "unreadable", message: "/none.so is not a file that can be read." });
  });

  it("is named by its machine when it is an ELF file of another kind", () => {
    assert.equal(refuse(header(1, 1, 3)).message, "/x.so is a 32-bit little-endian ELF file for i386; only 64-bit little-endian ones are read.");
    assert.equal(refuse(header(1, 1, 40)).message, "/x.so is a 32-bit little-endian ELF file for arm; only 64-bit little-endian ones are read.");
    assert.equal(refuse(header(2, 2, 22)).message, "/x.so is a 64-bit big-endian ELF file for s390x; only 64-bit little-endian ones are read.");
    assert.equal(refuse(header(1, 2, 8)).problem, "unsupported");
    const odd = header(2, 1, 62);
    odd[4] = 9;
    assert.deepEqual(refuse(odd), { ok: false, problem: "damaged", message: "/x.so is a damaged ELF file: its class (9) and byte order (1) are none that exist.", offset: 4 });
  });

  it("opens 64-bit little-endian files of any machine", () => {
    for (const machine of [62, 183, 243, 21, 4242]) {
      const opened = openElf("/x.so", new MemoryFiles({ "/x.so": header(2, 1, machine) }));
      assert.ok(opened.ok);
      assert.equal(opened.elf.machine, machine);
    }
    assert.deepEqual([62, 183, 21, 243, 4242].map(machineName), ["x86-64", "aarch64", "ppc64", "riscv", "machine 4242"]);
  });
});

describe("what is damaged", () => {
  let library = new Uint8Array();
  let view = new DataView(library.buffer);
  before(() => {
    library = new Uint8Array(fs.readFileSync(compile(folder, "lib.so", `extern "C" int f() { return 1; }`, "-Wl,--hash-style=gnu", "-Wl,-soname,lib.so", "-nostdlib")));
    view = new DataView(library.buffer);
  });

  /** The library with one field changed. */
  function changed(change: (view: DataView) => void): Uint8Array {
    const copy = library.slice();
    change(new DataView(copy.buffer));
    return copy;
  }

  function programHeader(type: number): number {
    const start = Number(view.getBigUint64(32, true));
    for (let at = start; at < start + 56 * view.getUint16(56, true); at += 56) {
      if (view.getUint32(at, true) === type) {
        return at;
      }
    }
    throw new Error(`no program header of type ${type}`);
  }

  function dynamicEntry(tag: number): number {
    const start = Number(view.getBigUint64(programHeader(2) + 8, true));
    for (let at = start; ; at += 16) {
      if (Number(view.getBigUint64(at, true)) === tag) {
        return at;
      }
    }
  }

  it("is said to end within the header", () => {
    assert.deepEqual(refuse(library.slice(0, 40)), { ok: false, problem: "damaged", message: "/x.so is a damaged ELF file: it ends after 40 bytes, within its header.", offset: 40 });
    assert.deepEqual(refuse(library.slice(0, 8)), { ok: false, problem: "damaged", message: "/x.so is a damaged ELF file: it ends after 8 bytes, within its header.", offset: 8 });
  });

  it("is said to be truncated, with the segment", () => {
    const found = refuse(library.slice(0, 5000));
    assert.match(found.message, /^\/x\.so is a damaged ELF file: it is truncated: segment \d, \d+ bytes from 0x[0-9a-f]+, ends beyond the file's 5000 bytes\.$/);
    assert.equal(found.problem, "damaged");
    assert.ok((found.offset ?? 0) > 0);
  });

  it("is said to have program headers outside of the file", () => {
    assert.match(refuse(changed((one) => one.setBigUint64(32, 1n << 40n, true))).message, /its \d+ program headers at 0x10000000000 lie outside of the file's \d+ bytes\.$/);
    assert.match(refuse(changed((one) => one.setBigUint64(32, (1n << 64n) - 1n, true))).message, /program headers at an impossible place lie outside/);
    assert.match(refuse(changed((one) => one.setUint16(54, 8, true))).message, /program headers are said to have 8 bytes each instead of 56\.$/);
    assert.match(refuse(changed((one) => { one.setUint16(56, 0xffff, true); one.setBigUint64(40, 1n << 50n, true); })).message, /section headers, which lie outside of the file\.$/);
  });

  it("is said to have tables that no segment holds, or that do not fit", () => {
    assert.match(refuse(changed((one) => one.setBigUint64(dynamicEntry(5) + 8, 0x7000_0000n, true))).message, /the address of its string table, 0x70000000, lies in none of its segments\.$/);
    assert.match(refuse(changed((one) => one.setBigUint64(dynamicEntry(10) + 8, 1n << 40n, true))).message, /its string table at 0x[0-9a-f]+, said to have \d+ bytes or more, does not fit the file\.$/);
    const hash = Number(view.getBigUint64(dynamicEntry(0x6ffffef5) + 8, true));
    const huge = refuse(changed((one) => one.setUint32(hash, 0xffff_ffff, true)));
    assert.match(huge.message, /its hash table at 0x[0-9a-f]+ leads out of the file\.$/);
    assert.equal(huge.offset, hash);
  });

  it("is read as far as it goes when only a name is wrong, and says so", () => {
    const opened = openElf("/x.so", new MemoryFiles({ "/x.so": changed((one) => one.setBigUint64(dynamicEntry(14) + 8, 0xff_ffffn, true)) }));
    assert.ok(opened.ok);
    assert.deepEqual([opened.elf.soname, opened.elf.defines("f"), opened.elf.problems], [undefined, true, ["The text of DT_SONAME, said to be at 16777215 in the string table, lies outside of it."]]);
  });
});
