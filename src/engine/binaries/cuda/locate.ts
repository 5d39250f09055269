import type { ElfFile } from "../elf/index.ts";
import { fatbinAt, magicBytes, walkFatbins } from "./fatbin.ts";
import type { Fatbin, FatbinWalk, ReadRange } from "./fatbin.ts";

const scanWindow = 1024 * 1024;
/** A library without section headers is searched for fat binaries up to here, not counting what they hold. */
const maximumScan = 512 * 1024 * 1024;

/**
 * All fat binaries of a file that a process can load. With separate compilation (`-rdc=true`) the code of each
 * translation unit is in __nv_relfatbin and the linked code in .nv_fatbin: only the latter is loaded. An object file
 * has the former alone.
 */
export function findFatbins(elf: ElfFile, read: ReadRange): FatbinWalk {
  const linked = elf.section(".nv_fatbin");
  if (linked !== undefined && linked.size > 0) {
    const walk = walkFatbins(read, linked.offset, linked.size);
    if (walk.notRead !== undefined || walk.fatbins.some((one) => one.entries.length > 0)) {
      return walk;
    }
  }
  const relocatable = elf.section("__nv_relfatbin");
  if (relocatable !== undefined && relocatable.size > 0) {
    return walkFatbins(read, relocatable.offset, relocatable.size);
  }
  return elf.section(".dynsym") === undefined ? scanSegments(elf, read) : { fatbins: [] };
}

/** Without section headers the magic is searched in what is loaded and not writable. Payloads are skipped. */
function scanSegments(elf: ElfFile, read: ReadRange): FatbinWalk {
  const fatbins: Fatbin[] = [];
  let scanned = 0;
  for (const segment of elf.segments.filter((one) => one.type === 1 && (one.flags & 2) === 0)) {
    const end = segment.offset + segment.fileSize;
    let at = segment.offset;
    while (at < end) {
      if (scanned >= maximumScan) {
        return { fatbins, notRead: `the file has no section headers, and only its first ${maximumScan / (1024 * 1024)} MiB were searched for fat binaries` };
      }
      const bytes = read(at, Math.min(scanWindow, end - at));
      if (bytes === undefined || bytes.length === 0) {
        return { fatbins, notRead: `the file could not be read from offset ${at} on` };
      }
      scanned += bytes.length;
      const found = firstFatbin(bytes, at, end, read);
      if (found !== undefined) {
        fatbins.push(found);
        at = found.end;
      } else {
        // A header could begin in the last bytes of the window.
        at += bytes.length < scanWindow ? bytes.length : bytes.length - magicBytes.length;
      }
    }
  }
  return { fatbins };
}

function firstFatbin(bytes: Uint8Array, base: number, limit: number, read: ReadRange): Fatbin | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = buffer.indexOf(magicBytes); at >= 0; at = buffer.indexOf(magicBytes, at + 1)) {
    const found = (base + at) % 8 === 0 ? fatbinAt(read, base + at, limit) : undefined;
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
