import * as fs from "node:fs";

/** libc10.a has some thousand names; libtorch_cpu.a has about 60 MB of them. */
const largestIndex = 256 * 1024 * 1024;
const headerSize = 60;

export interface StaticArchive {
  /** Names that it defines, as its index lists them. */
  readonly defines: (name: string) => boolean;
  /** The first bytes of its first object. */
  readonly firstObject: Uint8Array | undefined;
}

/**
 * A static library of Linux: its index of symbols, which the linker uses, and its first object. Answers a sentence for a
 * file that is none or that is cut short. Format: System V Release 4 and GNU `ar`, <ar.h> and the binutils manual.
 */
export function readStaticArchive(file: string): StaticArchive | string {
  const descriptor = fs.openSync(file, "r");
  try {
    const { size } = fs.fstatSync(descriptor);
    if (bytesAt(descriptor, 0, 8).toString("latin1") !== "!<arch>\n") {
      return `${file} is no static library: it does not begin with "!<arch>".`;
    }
    let index: Buffer = Buffer.alloc(0);
    for (let at = 8; at + headerSize <= size;) {
      const header = bytesAt(descriptor, at, headerSize).toString("latin1");
      const name = header.slice(0, 16).trimEnd();
      const length = Number(header.slice(48, 58).trim());
      if (!Number.isSafeInteger(length) || header.slice(58) !== "`\n") {
        return `${file} is damaged: no header of a member is at byte ${at}.`;
      }
      const data = at + headerSize;
      if (data + length > size) {
        return `${file} is cut short: its member at byte ${at} has ${length} bytes, and the file ends after ${size}.`;
      }
      if (name === "/" || name === "/SYM64/") {
        index = length <= largestIndex ? namesOf(bytesAt(descriptor, data, length), name === "/" ? 4 : 8) : index;
      } else if (name !== "//") {
        const names = index;
        return { defines: (symbol) => names.includes(Buffer.from(`\0${symbol}\0`)), firstObject: bytesAt(descriptor, data, Math.min(64, length)) };
      }
      at = data + length + (length % 2);
    }
    return `${file} holds no object.`;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The names of the index behind its offsets, each between two NULs. */
function namesOf(index: Buffer, width: 4 | 8): Buffer {
  const count = index.length < width ? 0 : width === 4 ? index.readUInt32BE(0) : Number(index.readBigUInt64BE(0));
  const start = width * (count + 1);
  return start >= index.length ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0]), index.subarray(start)]);
}

function bytesAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, length, offset));
}
