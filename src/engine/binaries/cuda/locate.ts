import type { ElfFile } from "../elf/index.ts";
import { cubinsOf, openCubin } from "./cubin.ts";
import { alignUp, fatbinAt, magicBytes, walkFatbins } from "./fatbin.ts";
import type { Fatbin, FatbinWalk, ReadRange } from "./fatbin.ts";

const scanWindow = 1024 * 1024;
/** A library without section headers is searched for fat binaries up to here, not counting what they hold. */
const maximumScan = 512 * 1024 * 1024;

export interface DeviceCodePlaces extends FatbinWalk {
  /**
   * What separate compilation (`-rdc=true`) keeps of each translation unit beside the linked code; nothing loads it.
   * An object file has nothing else, and there it counts.
   */
  readonly relocatable: readonly Fatbin[];
}

/** The fat binaries of a file. */
export function findFatbins(elf: ElfFile, read: ReadRange): DeviceCodePlaces {
  if (elf.sections().length === 0) {
    return scanSegments(elf, read);
  }
  const [linked, relocatable] = [".nv_fatbin", "__nv_relfatbin"].map((name) => {
    const section = elf.section(name);
    return section === undefined ? { fatbins: [] } : walkFatbins(read, section.offset, section.size);
  });
  if (linked === undefined || relocatable === undefined) {
    return { fatbins: [], relocatable: [] };
  }
  const isLinked = linked.notRead !== undefined || linked.fatbins.some((one) => one.entries.length > 0);
  return isLinked ? { ...linked, relocatable: relocatable.fatbins } : { ...relocatable, relocatable: [] };
}

/** Without section headers the magic is searched in what is loaded and not writable. Payloads are skipped. */
function scanSegments(elf: ElfFile, read: ReadRange): DeviceCodePlaces {
  const fatbins: Fatbin[] = [];
  let notRead: string | undefined;
  let scanned = 0;
  for (const segment of elf.segments.filter((one) => one.type === 1 && (one.flags & 2) === 0)) {
    const end = segment.offset + segment.fileSize;
    for (let at = segment.offset; at < end && notRead === undefined; ) {
      if (scanned >= maximumScan) {
        notRead = `the file has no section headers, and only its first ${maximumScan / (1024 * 1024)} MiB were searched for fat binaries`;
        break;
      }
      const bytes = read(at, Math.min(scanWindow, end - at));
      if (bytes === undefined || bytes.length === 0) {
        notRead = `the file could not be read from offset ${at} on`;
        break;
      }
      const first = firstFatbin(bytes, at, end, read);
      scanned += first === undefined ? bytes.length : first.offset - at;
      // A header could begin in the last bytes of the window.
      at += bytes.length < scanWindow ? bytes.length : bytes.length - magicBytes.length;
      // They mostly follow each other.
      for (let next = first; next !== undefined; next = fatbinAt(read, at, end)) {
        fatbins.push(next);
        at = alignUp(next.end);
      }
    }
  }
  const relocatable = new Set(fatbins.filter((one) => isRelocatable(one, read)));
  const isLinked = relocatable.size < fatbins.length;
  return { fatbins: isLinked ? fatbins.filter((one) => !relocatable.has(one)) : fatbins, relocatable: isLinked ? [...relocatable] : [], ...(notRead === undefined ? {} : { notRead }) };
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

/** The section would say it; without one the type of a cubin does. */
function isRelocatable(fatbin: Fatbin, read: ReadRange): boolean {
  const [cubin] = cubinsOf([fatbin]);
  return cubin !== undefined && openCubin(cubin, read)?.type === "REL";
}
