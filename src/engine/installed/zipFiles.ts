import * as path from "node:path";
import { inflateRawSync } from "node:zlib";
import { decodeText } from "../files/decode.ts";
import { maximumTextSize } from "../model/index.ts";
import type { DirectoryEntry, Files, FileStatus, ReadResult } from "../model/index.ts";

const maximumEntries = 200_000;
const maximumDirectory = 64 * 1024 * 1024;
/** libtorch_python is 34 MB. */
const maximumUnpacked = 128 * 1024 * 1024;
const endRecordSize = 22;
const maximumComment = 65_535;

interface Entry {
  readonly compressedSize: number;
  readonly size: number;
  readonly method: number;
  readonly header: number;
}

/**
 * The files inside a zip archive, shown below the path of the archive itself: "/x/torch.whl/torch/version.py".
 * Reads the central directory and the entries asked for. Layout: PKWARE APPNOTE 6.3, sections 4.3 and 4.5.3 (ZIP64).
 */
export class ZipFiles implements Files {
  readonly #files: Files;
  readonly #archive: string;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #folders: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #unpacked = new Map<string, Uint8Array | undefined>();

  private constructor(files: Files, archive: string, entries: ReadonlyMap<string, Entry>) {
    this.#files = files;
    this.#archive = archive;
    this.#entries = entries;
    const folders = new Map<string, Set<string>>();
    for (const name of entries.keys()) {
      for (let child = name; child !== "."; child = path.posix.dirname(child)) {
        const folder = path.posix.dirname(child);
        const names = folders.get(folder) ?? new Set<string>();
        names.add(path.posix.basename(child));
        folders.set(folder, names);
      }
    }
    this.#folders = folders;
  }

  /** Opens an archive; a string says in a sentence why it cannot be read. */
  static open(archive: string, files: Files): ZipFiles | string {
    const status = files.status(archive);
    if (status?.kind !== "file") {
      return `${archive} is not a file that can be read.`;
    }
    const entries = readDirectory(archive, status.size, files);
    return entries === undefined ? `${archive} is not a zip archive that can be read: its central directory is missing or damaged.` : new ZipFiles(files, archive, entries);
  }

  readText(file: string): ReadResult {
    const entry = this.#entry(file);
    if (entry === undefined) {
      return { ok: false, problem: "missing", message: `${file} does not exist.` };
    }
    if (entry.size > maximumTextSize) {
      return { ok: false, problem: "too-large", message: `${file} is too large to be read as text.` };
    }
    const bytes = this.#unpack(file);
    return bytes === undefined ? { ok: false, problem: "unreadable", message: `${file} cannot be unpacked.` } : decodeText(file, bytes);
  }

  readBytes(file: string, offset: number, length: number): Uint8Array | undefined {
    return offset < 0 || length < 0 ? undefined : this.#unpack(file)?.subarray(offset, offset + length);
  }

  status(file: string): FileStatus | undefined {
    const entry = this.#entry(file);
    if (entry !== undefined) {
      return { kind: "file", size: entry.size, modified: 0 };
    }
    return this.#folders.has(this.#name(file) ?? "") ? { kind: "directory", size: 0, modified: 0 } : undefined;
  }

  list(folder: string): readonly string[] {
    return [...(this.#folders.get(this.#name(folder) ?? "") ?? [])].sort();
  }

  entries(folder: string): readonly DirectoryEntry[] {
    return this.list(folder).map((name) => ({ name, kind: this.#entry(path.join(folder, name)) === undefined ? "directory" : "file" }));
  }

  realPath(file: string): string | undefined {
    return this.status(file) === undefined ? undefined : file;
  }

  #name(file: string): string | undefined {
    const relative = path.relative(this.#archive, file).split(path.sep).join("/");
    return relative === "" ? "." : relative.startsWith("..") ? undefined : relative;
  }

  #entry(file: string): Entry | undefined {
    const name = this.#name(file);
    return name === undefined ? undefined : this.#entries.get(name);
  }

  #unpack(file: string): Uint8Array | undefined {
    const name = this.#name(file);
    const entry = this.#entry(file);
    if (name === undefined || entry === undefined || entry.size > maximumUnpacked || entry.compressedSize > maximumUnpacked) {
      return undefined;
    }
    if (!this.#unpacked.has(name)) {
      this.#unpacked.set(name, this.#inflate(entry));
    }
    return this.#unpacked.get(name);
  }

  #inflate(entry: Entry): Uint8Array | undefined {
    const header = this.#files.readBytes(this.#archive, entry.header, 30);
    if (header === undefined || header.length < 30) {
      return undefined;
    }
    const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
    const start = entry.header + 30 + view.getUint16(26, true) + view.getUint16(28, true);
    const packed = this.#files.readBytes(this.#archive, start, entry.compressedSize);
    if (packed === undefined || packed.length < entry.compressedSize) {
      return undefined;
    }
    if (entry.method === 0) {
      return packed;
    }
    try {
      return entry.method === 8 ? inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) }) : undefined;
    } catch {
      return undefined;
    }
  }
}

function readDirectory(archive: string, size: number, files: Files): ReadonlyMap<string, Entry> | undefined {
  const tailLength = Math.min(size, endRecordSize + maximumComment + 20);
  const tailStart = size - tailLength;
  const tail = files.readBytes(archive, tailStart, tailLength);
  if (tail === undefined || tail.length < endRecordSize) {
    return undefined;
  }
  const text = Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength);
  const end = text.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  if (end < 0 || end + endRecordSize > text.length) {
    return undefined;
  }
  let directorySize = text.readUInt32LE(end + 12);
  let directoryStart = text.readUInt32LE(end + 16);
  if (directoryStart === 0xffffffff || directorySize === 0xffffffff) {
    const locator = end - 20;
    const record = locator >= 0 && text.readUInt32LE(locator) === 0x07064b50 ? files.readBytes(archive, Number(text.readBigUInt64LE(locator + 8)), 56) : undefined;
    if (record === undefined || record.length < 56) {
      return undefined;
    }
    const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
    directorySize = Number(view.getBigUint64(40, true));
    directoryStart = Number(view.getBigUint64(48, true));
  }
  if (directorySize > maximumDirectory || directoryStart + directorySize > size) {
    return undefined;
  }
  const bytes = files.readBytes(archive, directoryStart, directorySize);
  return bytes === undefined || bytes.length < directorySize ? undefined : parseDirectory(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), size);
}

function parseDirectory(bytes: Buffer, archiveSize: number): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  let at = 0;
  while (at + 46 <= bytes.length && bytes.readUInt32LE(at) === 0x02014b50 && entries.size < maximumEntries) {
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const wide = wideSizes(bytes, at, at + 46 + nameLength, extraLength);
    // A name that climbs out of the archive is not one that a package has.
    if (!name.endsWith("/") && !path.posix.isAbsolute(name) && path.posix.normalize(name) === name && wide.header < archiveSize) {
      entries.set(name, { ...wide, method: bytes.readUInt16LE(at + 10) });
    }
    at += 46 + nameLength + extraLength + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** Sizes and offset of a directory entry; those that are 0xffffffff stand in the ZIP64 extra field, in this order. */
function wideSizes(bytes: Buffer, at: number, extraStart: number, extraLength: number): Omit<Entry, "method"> {
  const narrow = [bytes.readUInt32LE(at + 24), bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)];
  const extraEnd = Math.min(extraStart + extraLength, bytes.length);
  for (let field = extraStart; field + 4 <= extraEnd && narrow.includes(0xffffffff); field += 4 + bytes.readUInt16LE(field + 2)) {
    if (bytes.readUInt16LE(field) !== 1) {
      continue;
    }
    let next = field + 4;
    for (const [index, value] of narrow.entries()) {
      if (value === 0xffffffff && next + 8 <= extraEnd) {
        narrow[index] = Number(bytes.readBigUInt64LE(next));
        next += 8;
      }
    }
    break;
  }
  const [size = 0, compressedSize = 0, header = 0] = narrow;
  return { size, compressedSize, header };
}
