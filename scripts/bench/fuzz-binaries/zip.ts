/** Damaged wheels: the directory, each member whole and by its head and end, and the torch in it. */
import { deflateRawSync } from "node:zlib";
import { ArchiveError, ByteSourceError, memberTail, openArchive } from "../../../src/engine/binaries/archive/index.ts";
import { inflateTail } from "../../../src/engine/binaries/archive/inflateTail.ts";
import { loadCatalogue } from "../../../src/engine/catalogue/index.ts";
import { describeTorchWheel, resolveAgainst } from "../../../src/engine/installed/index.ts";
import { build } from "../../../test/engine/binaries/archive/build.ts";
import type { Part } from "../../../test/engine/binaries/archive/build.ts";
import { MemoryFiles } from "../../../test/support/memory-files.ts";
import { MemorySource } from "../../../test/support/memory-source.ts";
import { Random } from "../../../test/support/random.ts";
import type { Original, Subject } from "./subject.ts";

const catalogue = loadCatalogue();
const largestRead = 32 * 1024 * 1024;

export const zip: Subject = {
  name: "zip",
  originals() {
    const parts: readonly Part[] = [
      { name: "torch/version.py", content: "__version__ = '2.9.0+cu128'\ncuda: Optional[str] = '12.8'\n" }, { name: "torch/__init__.py", content: "" }, { name: "torch/_C.cpython-311-x86_64-linux-gnu.so", content: "" },
      { name: "torch/lib/libc10.so", content: names(1, 3000) }, { name: "torch/lib/libtorch_cpu.so", content: names(2, 40_000) }, { name: "torch/include/ATen/ATen.h", content: "#if __cplusplus < 201703L\n", method: 0 },
      { name: "torch-2.9.0+cu128.dist-info/METADATA", content: "Name: torch\nRequires-Dist: filelock\n" }, { name: "torch-2.9.0+cu128.dist-info/WHEEL", content: "Tag: cp311-cp311-manylinux_2_28_x86_64\n" },
    ];
    const wide = parts.map((part): Part => ({ ...part, wide: { values: ["size", "compressedSize", "offset"], narrow: ["offset"] } }));
    return Promise.resolve([original("plain", build(parts)), original("zip64", build(wide, { zip64: true, comment: "comment" })), original("prefixed", build(parts, { prefix: Buffer.from("#!/usr/bin/env python\n") }))]);
  },
  async read(bytes) {
    const source = new MemorySource(bytes);
    await guarded(async () => describeTorchWheel(source, source.name, { catalogue, allow: () => true }));
    await guarded(async () => {
      const archive = await openArchive(source);
      for (const member of archive.members.values()) {
        await guarded(async () => archive.head(member, 100));
        await guarded(async () => archive.read(member, largestRead));
        await guarded(async () => memberTail(archive, member, Math.floor(member.size / 2), largestRead));
      }
    });
    resolveAgainst("/w/test.whl", { root: "/w", files: new MemoryFiles({ "/w/test.whl": bytes }), catalogue, environment: {} });
  },
};

/** Ends of deflate streams, of which the beginning is not there. */
export const deflateEnds: Subject = {
  name: "deflate-ends",
  originals() {
    return Promise.resolve([1, 6, 9].map((level): Original => {
      const packed = deflateRawSync(Buffer.from(names(level, 6000)), { level });
      return { name: `level-${level}`, bytes: new Uint8Array(packed.subarray(Math.max(0, packed.length - 60_000))), structure: [] };
    }));
  },
  read(bytes) {
    const tail = inflateTail(bytes, largestRead);
    if (tail !== "damaged") tail?.last(1000);
    return Promise.resolve();
  },
};

/** Errors about the archive are what is wanted; a read outside of it is not. */
async function guarded(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ArchiveError) && !(error instanceof ByteSourceError && error.problem !== "outside")) {
      throw error;
    }
    if (!error.message.startsWith("/w/test.whl")) {
      throw new Error(`An error that does not name the archive: ${error.message}`, { cause: error });
    }
  }
}

function original(name: string, bytes: Uint8Array): Original {
  const directory = Math.max(0, bytes.length - 1400);
  return { name, bytes, structure: [{ offset: directory, size: 1400 }, { offset: Math.max(0, bytes.length - 110), size: 110 }, { offset: 0, size: 400 }, { offset: 0, size: bytes.length }] };
}

function names(seed: number, count: number): string {
  const random = new Random(seed);
  return Array.from({ length: count }, () => `_ZN2at${random.below(1000)}name${random.below(1_000_000)}Ev\0`).join("");
}
