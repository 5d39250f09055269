import type { CudaArchitecture } from "../../model/index.ts";

/**
 * Fat binaries of NVIDIA's tools: a header, then entries (cubins and PTX) whose headers say how long they are, so that
 * payloads need not be read. The magic and the header are documented by fatbinary_section.h of the toolkit; the entry
 * header was established by compiling with nvcc 13.0 and agrees with what cuobjdump lists.
 */
const magic = 0xba55ed50;
export const magicBytes = Buffer.from([0x50, 0xed, 0x55, 0xba]);
const headerSize = 16;
const entryHeaderSize = 64;
const largestEntryHeader = 4096;
/** libtorch_cuda has 475 fat binaries of up to nine entries; beyond these bounds a file is damaged. */
const maximumFatbins = 200_000;
const maximumEntries = 1_000_000;
/** Headers are read through a window of this size: payloads of small kernels lie in it, larger ones are skipped. */
const windowSize = 4096;

const flagLz4 = 0x2000;
const flagZstd = 0x8000;
const flagArchSpecific = 0x100000;
const flagFamily = 0x200000;

export interface FatbinEntry {
  readonly kind: "cubin" | "ptx";
  readonly sm: number;
  readonly suffix: CudaArchitecture["suffix"];
  readonly compression: "none" | "lz4" | "zstd" | "other";
  /** PTX: the version of the instruction set, "9.0". */
  readonly version: string;
  readonly offset: number;
  readonly size: number;
  /** Size once decompressed. */
  readonly fullSize: number;
}

export interface Fatbin {
  readonly offset: number;
  /** Offset of the first byte after it. */
  readonly end: number;
  readonly entries: readonly FatbinEntry[];
}

export type ReadRange = (offset: number, length: number) => Uint8Array | undefined;

export interface FatbinWalk {
  readonly fatbins: readonly Fatbin[];
  /** Why not everything was read. */
  readonly notRead?: string;
}

/** A small window over a file, moved forward as headers are asked for. */
class Window {
  readonly #read: ReadRange;
  readonly #end: number;
  #start = 0;
  #data: DataView = new DataView(new ArrayBuffer(0));

  constructor(read: ReadRange, end: number) {
    this.#read = read;
    this.#end = end;
  }

  at(offset: number, length: number): DataView | undefined {
    const inside = offset - this.#start;
    if (inside >= 0 && inside + length <= this.#data.byteLength) {
      return new DataView(this.#data.buffer, this.#data.byteOffset + inside, length);
    }
    const bytes = offset + length > this.#end ? undefined : this.#read(offset, Math.min(windowSize, this.#end - offset));
    if (bytes === undefined || bytes.length < length) {
      return undefined;
    }
    this.#start = offset;
    this.#data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  }
}

/** The fat binaries that follow each other in a section such as .nv_fatbin. */
export function walkFatbins(read: ReadRange, start: number, size: number): FatbinWalk {
  const end = start + size;
  const window = new Window(read, end);
  const fatbins: Fatbin[] = [];
  let entries = 0;
  let at = start;
  while (at + headerSize <= end) {
    if (fatbins.length >= maximumFatbins || entries >= maximumEntries) {
      return { fatbins, notRead: `more than ${fatbins.length} fat binaries` };
    }
    const header = window.at(at, headerSize);
    if (header === undefined) {
      return { fatbins, notRead: `the fat binaries from offset ${at} on could not be read` };
    }
    if (header.getUint32(0, true) === magic) {
      const found = readFatbin(window, header, at, end);
      if (typeof found === "string") {
        return { fatbins, notRead: found };
      }
      fatbins.push(found);
      entries += found.entries.length;
      at = alignUp(found.end);
    } else if (isZero(header)) {
      at += 8;
    } else {
      return { fatbins, notRead: `what follows at offset ${at} is no fat binary` };
    }
  }
  return { fatbins };
}

/** A fat binary at an offset where the magic was seen; undefined when it is none. */
export function fatbinAt(read: ReadRange, offset: number, limit: number): Fatbin | undefined {
  const window = new Window(read, limit);
  const header = window.at(offset, headerSize);
  const found = header === undefined || header.getUint32(0, true) !== magic ? undefined : readFatbin(window, header, offset, limit);
  return typeof found === "object" ? found : undefined;
}

function readFatbin(window: Window, header: DataView, at: number, limit: number): Fatbin | string {
  const version = header.getUint16(4, true);
  const length = header.getUint16(6, true);
  const size = uint64(header, 8);
  const end = at + length + size;
  if (version !== 1 || length < headerSize || end > limit) {
    return `the fat binary at offset ${at} is damaged or of an unknown form`;
  }
  const entries: FatbinEntry[] = [];
  let position = at + length;
  while (position + entryHeaderSize <= end && entries.length < maximumEntries) {
    const found = window.at(position, entryHeaderSize);
    if (found === undefined) {
      return `the fat binary at offset ${at} could not be read`;
    }
    const own = found.getUint32(4, true);
    const stored = uint64(found, 8);
    if (own < entryHeaderSize || own > largestEntryHeader || position + own + stored > end) {
      return `the fat binary at offset ${at} has a damaged entry at offset ${position}`;
    }
    const entry = entryOf(found, position + own, stored);
    if (entry !== undefined) {
      entries.push(entry);
    }
    position += own + stored;
  }
  return { offset: at, end, entries };
}

function entryOf(header: DataView, offset: number, size: number): FatbinEntry | undefined {
  const kind = header.getUint16(0, true);
  const sm = header.getUint32(28, true);
  if ((kind !== 1 && kind !== 2) || sm === 0 || sm > 999) {
    // Other kinds are not loaded by architecture: archives of link-time code (LTO IR), and indices.
    return undefined;
  }
  // The flags that matter lie in the low half.
  const flags = header.getUint32(40, true);
  const isCompressed = header.getUint32(16, true) !== 0;
  return {
    kind: kind === 1 ? "ptx" : "cubin",
    sm,
    suffix: (flags & flagArchSpecific) !== 0 ? "a" : (flags & flagFamily) !== 0 ? "f" : "",
    compression: (flags & flagZstd) !== 0 ? "zstd" : (flags & flagLz4) !== 0 ? "lz4" : isCompressed ? "other" : "none",
    version: `${header.getUint16(26, true)}.${header.getUint16(24, true)}`,
    offset,
    size,
    fullSize: isCompressed ? uint64(header, 56) : size,
  };
}

function uint64(data: DataView, offset: number): number {
  const value = data.getUint32(offset, true) + data.getUint32(offset + 4, true) * 0x1_0000_0000;
  return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
}

function isZero(data: DataView): boolean {
  return data.getUint32(0, true) === 0 && data.getUint32(4, true) === 0;
}

export function alignUp(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}
