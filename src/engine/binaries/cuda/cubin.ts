import * as zlib from "node:zlib";
import { openElfRanges } from "../elf/index.ts";
import type { ElfFile } from "../elf/index.ts";
import type { Fatbin, FatbinEntry, ReadRange } from "./fatbin.ts";

/** Compressed cubins above this are not unpacked. */
const maximumUnpacked = 4 * 1024 * 1024;

/** A cubin is an ELF file itself. undefined: it is compressed in a way that is not read, or is damaged. */
export function openCubin(cubin: FatbinEntry, read: ReadRange): ElfFile | undefined {
  if (cubin.compression === "none") {
    return elfOf(cubin.size, (offset, length) => read(cubin.offset + offset, Math.min(length, cubin.size - offset)));
  }
  const bytes = cubin.compression === "zstd" ? unpack(cubin, read) : undefined;
  return bytes === undefined ? undefined : elfOf(bytes.length, (offset, length) => bytes.subarray(offset, offset + length));
}

/** The cubins of fat binaries, the cheapest to look into first. */
export function cubinsOf(fatbins: readonly Fatbin[]): readonly FatbinEntry[] {
  return fatbins.flatMap((one) => one.entries).filter((one) => one.kind === "cubin").sort((a, b) => a.fullSize - b.fullSize);
}

function elfOf(size: number, read: ReadRange): ElfFile | undefined {
  const opened = openElfRanges("cubin", size, read);
  return opened.ok ? opened.elf : undefined;
}

function unpack(cubin: FatbinEntry, read: ReadRange): Uint8Array | undefined {
  // Node has it from 22.15 on. Without it PTX, or the runtime's name, tells the toolkit less exactly.
  const stored = "zstdDecompressSync" in zlib && cubin.fullSize <= maximumUnpacked ? read(cubin.offset, cubin.size) : undefined;
  try {
    return stored === undefined ? undefined : zlib.zstdDecompressSync(stored, { maxOutputLength: maximumUnpacked });
  } catch {
    return undefined;
  }
}
