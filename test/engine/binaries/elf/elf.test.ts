import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, describe, it } from "node:test";
import { openElf } from "../../../../src/engine/binaries/elf/index.ts";
import type { ElfFile } from "../../../../src/engine/binaries/elf/index.ts";
import { NodeFiles } from "../../../../src/engine/files/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-elf-"));
after(() => fs.rmSync(folder, { recursive: true }));

const source = `
#include <string>
namespace shop { std::string name(const std::string& x) { return x + "!"; } int count = 3; }
extern "C" __attribute__((weak)) int maybe() { return 1; }
extern "C" int missing();
extern "C" int calls() { return missing(); }
static int hidden() { return 4; }
extern "C" int uses() { return hidden(); }
`;

function build(name: string, ...flags: readonly string[]): string {
  const file = path.join(folder, name);
  execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", `-Wl,-soname,${name}`, "-o", file, ...flags], { input: source });
  return file;
}

function open(file: string): ElfFile {
  const opened = openElf(file, new NodeFiles());
  assert.ok(opened.ok, opened.ok ? "" : opened.message);
  return opened.elf;
}

describe("openElf", () => {
  let gnu = "";
  let sysv = "";
  before(() => {
    gnu = build("libgnu.so", "-Wl,--hash-style=gnu");
    sysv = build("libsysv.so", "-Wl,--hash-style=sysv");
  });

  it("reads the name, the needed libraries and their versions", () => {
    const elf = open(gnu);
    assert.equal(elf.soname, "libgnu.so");
    assert.ok(elf.needed.includes("libstdc++.so.6"));
    const need = elf.versionNeeds().find((one) => one.library === "libstdc++.so.6");
    assert.ok(need?.versions.includes("GLIBCXX_3.4.21"), JSON.stringify(need));
  });

  for (const style of ["gnu", "sysv"] as const) {
    it(`looks symbols up through the ${style} hash table`, () => {
      const elf = open(style === "gnu" ? gnu : sysv);
      assert.equal(elf.lookup("_ZN4shop4nameERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")?.binding, "global");
      assert.equal(elf.lookup("maybe")?.binding, "weak");
      assert.equal(elf.lookup("_ZN4shop5countE")?.size, 4);
      assert.equal(elf.lookup("missing"), undefined);
      assert.equal(elf.lookup("hidden"), undefined);
      assert.equal(elf.lookup("_ZN4shop4nameERKSs"), undefined);
    });

    it(`lists symbols with the ${style} hash table`, () => {
      const elf = open(style === "gnu" ? gnu : sysv);
      const exported = [...elf.exportedNames()];
      assert.ok(["calls", "uses", "maybe", "_ZN4shop5countE"].every((name) => exported.includes(name)), exported.join(" "));
      assert.equal([...elf.symbols()].find((one) => one.name === "missing")?.defined, false);
      assert.ok(exported.every((name) => elf.lookup(name) !== undefined));
    });
  }

  it("finds sections, and answers with nothing in a file without section headers", () => {
    assert.ok((open(gnu).section(".rodata")?.size ?? 0) > 0);
    const bytes = new Uint8Array(fs.readFileSync(gnu));
    new DataView(bytes.buffer).setUint16(60, 0, true);
    const opened = openElf("/x.so", new MemoryFiles({ "/x.so": bytes }));
    assert.ok(opened.ok);
    assert.equal(opened.elf.section(".rodata"), undefined);
    assert.equal(opened.elf.lookup("maybe")?.name, "maybe");
  });

  it("says in a sentence what it cannot open", () => {
    const files = new MemoryFiles({ "/text.so": "#!/bin/sh\n".repeat(20), "/short.so": Uint8Array.of(0x7f, 0x45), "/elf32.so": Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 1, 1, ...new Uint8Array(80)]) });
    const messages = ["/text.so", "/short.so", "/elf32.so", "/none.so"].map((file) => openElf(file, files)).map((one) => (one.ok ? "" : one.message));
    assert.deepEqual(messages, ["/text.so is not an ELF file but a script.", "/short.so is not an ELF file.", "/elf32.so is a 32-bit little-endian ELF file for machine 0; only 64-bit little-endian ones are read.", "/none.so is not a file that can be read."]);
  });

  it("survives any damage within bounded time", () => {
    const original = new Uint8Array(fs.readFileSync(gnu));
    let state = 12345;
    const random = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return (state >>> 8) % below;
    };
    const started = performance.now();
    for (let round = 0; round < 1500; round += 1) {
      const bytes = original.slice(0, random(4) === 0 ? random(original.length) : original.length);
      for (let change = random(8); change >= 0 && bytes.length > 0; change -= 1) {
        // Most of the structure is in the first 4 KiB and in the dynamic segment at the end.
        const at = random(2) === 0 ? random(Math.min(4096, bytes.length)) : random(bytes.length);
        bytes[at] = random(3) === 0 ? 0xff : random(256);
      }
      const opened = openElf("/x.so", new MemoryFiles({ "/x.so": bytes }));
      if (opened.ok) {
        opened.elf.lookup("maybe");
        opened.elf.versionNeeds();
        opened.elf.section(".rodata");
        assert.ok([...opened.elf.symbols()].length < 1_000_000);
      }
    }
    assert.ok(performance.now() - started < 30_000);
  });
});
