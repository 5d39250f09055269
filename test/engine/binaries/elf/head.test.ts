import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { before, describe, it } from "node:test";
import { imageFromHead } from "../../../../src/engine/binaries/elf/index.ts";
import type { LibraryImage } from "../../../../src/engine/binaries/library.ts";
import { compile, open, temporaryFolder } from "./compile.ts";

const folder = temporaryFolder();

/** 400 KB of constants lie between the tables and the dynamic segment. */
const source = `
#include <string>
#include <map>
#include <iostream>
namespace shop { std::string name(const std::string& x) { return x + "!"; } std::map<std::string, std::string> all; void print() { std::cout << name("x") << all["a"]; } }
extern "C" int missing(); extern "C" int calls() { return missing(); }
const char big[400000] = { 1, 2, 3 };
extern "C" const char* where() { return big; }
`;
const headSize = 64 * 1024;

function hasLinker(name: string): boolean {
  try {
    execFileSync(`ld.${name}`, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function image(bytes: Uint8Array): LibraryImage {
  const found = imageFromHead(bytes, "lib.so");
  assert.ok(found !== undefined && !("needMore" in found));
  return found;
}

describe("imageFromHead", () => {
  for (const linker of ["bfd", "gold", "lld", "mold"]) {
    for (const style of ["gnu", "both"]) {
      it(`finds symbols, names and versions in the head of what ld.${linker} links, hash style ${style}`, { skip: hasLinker(linker) ? false : `ld.${linker} is not here` }, () => {
        const file = compile(folder, `lib${linker}-${style}.so`, source, `-fuse-ld=${linker}`, `-Wl,--hash-style=${style}`);
        const whole = open(file);
        const found = image(new Uint8Array(fs.readFileSync(file)).slice(0, headSize));
        assert.equal(found.exportsKnownBy, "names");
        assert.equal(found.needed, undefined);
        assert.equal(found.machine, whole.machine);
        assert.deepEqual([...found.exportedNames()], [...whole.exportedNames()]);
        assert.deepEqual([...(found.imports() ?? [])], [...whole.imports()]);
        assert.deepEqual(found.versionNeeds(), whole.versionNeeds());
        assert.ok([...whole.exportedNames()].every((name) => found.defines(name) && !found.defines(`${name}x`)));
      });
    }
  }

  describe("of damaged or moved tables", () => {
    let bytes = new Uint8Array();
    let tables = { hash: { offset: 0, size: 0 }, symbols: { offset: 0, size: 0 }, strings: { offset: 0, size: 0 } };
    let names: readonly string[] = [];
    before(() => {
      const file = compile(folder, "libtables.so", source, "-fuse-ld=bfd", "-Wl,--hash-style=gnu");
      bytes = new Uint8Array(fs.readFileSync(file));
      const section = (name: string): { offset: number; size: number } => open(file).section(name) ?? { offset: 0, size: 0 };
      tables = { hash: section(".gnu.hash"), symbols: section(".dynsym"), strings: section(".dynstr") };
      names = [...open(file).exportedNames()];
    });

    it("asks for more while the tables are cut", () => {
      for (const length of [0, 40, 100, tables.hash.offset + 4, tables.symbols.offset + 100, tables.strings.offset + 20]) {
        assert.deepEqual(imageFromHead(bytes.slice(0, length), "lib.so"), { needMore: true }, String(length));
      }
    });

    it("takes the whole file where it is all there", () => {
      const found = image(bytes);
      assert.ok(found.needed?.includes("libstdc++.so.6"));
    });

    it("falls back to hashes where the symbols and names were moved away", () => {
      const copy = bytes.slice(0, headSize);
      copy.fill(0x58, tables.symbols.offset, tables.strings.offset + tables.strings.size);
      const found = image(copy);
      assert.equal(found.exportsKnownBy, "hashes");
      assert.deepEqual([...found.exportedNames()], []);
      assert.equal(found.imports(), undefined);
      assert.ok(names.every((name) => found.defines(name)));
      assert.ok(names.every((name) => !found.defines(`${name}x`) && !found.defines(`x${name}`)));
    });

    it("knows at once that the hash table was moved away", () => {
      const copy = bytes.slice(0, tables.strings.offset);
      copy.fill(0x5a, 64 + 56 * new DataView(bytes.buffer).getUint16(56, true), tables.symbols.offset);
      assert.equal(imageFromHead(copy, "lib.so"), undefined);
    });

    it("does not believe a hash table whose entries do not fit each other", () => {
      for (const at of [0, 4, 8, 12, tables.hash.size - 4]) {
        const copy = bytes.slice(0, headSize);
        const view = new DataView(copy.buffer);
        view.setUint32(tables.hash.offset + at, view.getUint32(tables.hash.offset + at, true) ^ 0x4111, true);
        const found = imageFromHead(copy, "lib.so");
        assert.ok(found === undefined || "needMore" in found, `changed at ${at}`);
      }
    });

    it("does not believe names that do not hash to what the table says", () => {
      const copy = bytes.slice(0, headSize);
      for (let at = tables.strings.offset; at < tables.strings.offset + tables.strings.size; at += 1) {
        copy[at] = (copy[at] ?? 0) === 0 ? 0 : 0x61;
      }
      const found = imageFromHead(copy, "lib.so");
      assert.ok(found === undefined || "needMore" in found || found.exportsKnownBy === "hashes");
    });
  });

  it("is not made of what is no ELF file", () => {
    assert.equal(imageFromHead(new TextEncoder().encode("#!/bin/sh\n".repeat(50)), "x"), undefined);
    assert.equal(imageFromHead(Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 1, 1, ...new Uint8Array(200)]), "x"), undefined);
  });
});
