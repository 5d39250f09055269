import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { walkFatbins } from "../../../../src/engine/binaries/cuda/fatbin.ts";
import { readDeviceCode } from "../../../../src/engine/binaries/cuda/index.ts";
import { openElf } from "../../../../src/engine/binaries/elf/index.ts";
import { NodeFiles } from "../../../../src/engine/files/index.ts";
import type { CudaArchitecture, CudaContent, Files } from "../../../../src/engine/model/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";
import { fatbin, libraryWith, withoutSections } from "./fatbin-builder.ts";
import type { EntryShape } from "./fatbin-builder.ts";
import { processorTime } from "../../../support/processorTime.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-fatbin-"));
after(() => fs.rmSync(folder, { recursive: true }));

function contentOf(file: string, files: Files = new NodeFiles()): CudaContent | undefined {
  const opened = openElf(file, files);
  assert.ok(opened.ok, opened.ok ? "" : opened.message);
  return readDeviceCode(opened.elf, (offset, length) => files.readBytes(file, offset, length))?.content;
}

const named = (list: readonly CudaArchitecture[] | undefined): string => (list ?? []).map((one) => `${one.real ? "sm" : ""}${one.ptx ? "+ptx" : ""}_${one.sm}${one.suffix}`).join(" ");
const kernels: readonly EntryShape[] = [{ kind: "cubin", sm: 80 }, { kind: "cubin", sm: 90, suffix: "a", compression: "zstd" }, { kind: "cubin", sm: 100, suffix: "f", compression: "lz4" }, { kind: "ptx", sm: 120, compression: "zstd", version: [9, 0] }];
const stub = fatbin([{ kind: "cubin", sm: 80, payload: Buffer.alloc(1472) }, { kind: "cubin", sm: 90, suffix: "a", payload: Buffer.alloc(500), compression: "zstd", fullSize: 1552 }]);

describe("readDeviceCode", () => {
  it("merges fat binaries, and says what a translation unit lacks", () => {
    const file = libraryWith(folder, "libtwo.so", { ".nv_fatbin": Buffer.concat([fatbin(kernels), fatbin([{ kind: "cubin", sm: 80 }, { kind: "ptx", sm: 80, version: [9, 0] }])]) });
    const content = contentOf(file);
    assert.equal(named(content?.architectures), "sm+ptx_80 sm_90a sm_100f +ptx_120");
    assert.equal(named(content?.notEverywhere), "+ptx_80 sm_90a sm_100f +ptx_120");
    assert.deepEqual({ fatbins: content?.fatbins, compressed: content?.compressed, toolkit: content?.toolkit, notRead: content?.notRead }, { fatbins: 2, compressed: true, toolkit: "13.0", notRead: undefined });
  });

  it("does not count what nvcc's device link leaves where there is nothing to link", () => {
    const content = contentOf(libraryWith(folder, "libstub.so", { ".nv_fatbin": Buffer.concat([stub, fatbin(kernels), fatbin([])]) }));
    assert.equal(content?.fatbins, 1);
    assert.deepEqual(content?.notEverywhere, []);
    assert.equal(contentOf(libraryWith(folder, "libonlystub.so", { ".nv_fatbin": stub })), undefined);
    assert.equal(contentOf(libraryWith(folder, "libnone.so", { ".data1": Buffer.alloc(8) })), undefined);
  });

  it("counts linked code alone, unless a file holds nothing else", () => {
    const relocatable = fatbin([{ kind: "cubin", sm: 80 }, { kind: "ptx", sm: 80, version: [8, 1] }]);
    const linked = contentOf(libraryWith(folder, "librdc.so", { __nv_relfatbin: relocatable, ".nv_fatbin": fatbin([{ kind: "cubin", sm: 80 }]) }));
    assert.equal(named(linked?.architectures), "sm_80");
    // The PTX that stayed behind still tells which toolkit wrote it.
    assert.equal(linked?.toolkit, "12.1");
    assert.equal(named(contentOf(libraryWith(folder, "librel.so", { __nv_relfatbin: relocatable }))?.architectures), "sm+ptx_80");
  });

  it("leaves the minor version out where two toolkits write the same PTX, and all of it where none is known", () => {
    const toolkitOf = (name: string, version: readonly [number, number]): string | undefined => contentOf(libraryWith(folder, name, { ".nv_fatbin": fatbin([{ kind: "ptx", sm: 80, version }]) }))?.toolkit;
    assert.equal(toolkitOf("libptx85.so", [8, 5]), "12");
    assert.equal(toolkitOf("libptx87.so", [8, 7]), "12.8");
    assert.equal(toolkitOf("libptx42.so", [42, 0]), undefined);
  });

  it("passes over entries that are neither cubin nor PTX", () => {
    const content = contentOf(libraryWith(folder, "liblto.so", { ".nv_fatbin": fatbin([{ kind: 8, sm: 90 }, { kind: "cubin", sm: 86 }]) }));
    assert.equal(named(content?.architectures), "sm_86");
  });

  it("finds fat binaries without section headers, also across the edges of its windows", () => {
    for (const distance of [8, 1024 * 1024 - 8, 1024 * 1024, 1024 * 1024 + 4088]) {
      const file = libraryWith(folder, `libfar${distance}.so`, { ".rodata": Buffer.alloc(distance, 7), ".nv_fatbin": Buffer.concat([fatbin(kernels), fatbin(kernels)]) });
      const content = contentOf("/x.so", new MemoryFiles({ "/x.so": withoutSections(file) }));
      assert.equal(content?.fatbins, 2, String(distance));
      assert.equal(named(content.architectures), "sm_80 sm_90a sm_100f +ptx_120");
    }
  });

  it("takes the magic among other bytes for nothing", () => {
    const magic = Buffer.from([0x50, 0xed, 0x55, 0xba]);
    const file = libraryWith(folder, "libmagic.so", { ".rodata": Buffer.concat([Buffer.alloc(8), magic, Buffer.alloc(12, 0xff), magic]) });
    assert.equal(contentOf("/x.so", new MemoryFiles({ "/x.so": withoutSections(file) })), undefined);
  });

  it("says where damage ends the walk, and keeps what came before", () => {
    const broken = fatbin(kernels);
    broken.writeUInt32LE(7, 16 + 64 + 4000 + 4);
    const content = contentOf(libraryWith(folder, "libbroken.so", { ".nv_fatbin": Buffer.concat([fatbin(kernels), broken]) }));
    assert.equal(content?.fatbins, 1);
    assert.match(content.notRead ?? "", /^the fat binary at offset \d+ has a damaged entry at offset \d+$/);
  });

  it("reads the headers of a gigabyte of device code, not the code", () => {
    const entries = 2000;
    const payload = 512 * 1024;
    const stride = 16 + 64 + payload;
    // Payloads are zeros that nobody keeps.
    const template = fatbin([{ kind: "cubin", sm: 90, payload: Buffer.alloc(0) }]);
    template.writeBigUInt64LE(BigInt(64 + payload), 8);
    template.writeBigUInt64LE(BigInt(payload), 16 + 8);
    let read = 0;
    const sparse = (offset: number, length: number): Uint8Array => {
      read += length;
      const bytes = Buffer.alloc(length);
      for (let index = Math.floor(offset / stride); index * stride < offset + length && index < entries; index += 1) {
        template.copy(bytes, Math.max(0, index * stride - offset), Math.max(0, offset - index * stride));
      }
      return bytes;
    };
    const started = processorTime();
    const walk = walkFatbins(sparse, 0, entries * stride);
    assert.equal(walk.fatbins.length, entries);
    assert.equal(walk.notRead, undefined);
    assert.ok(read < 20_000_000 && processorTime() - started < 2000, `${read} bytes`);
  });
});
