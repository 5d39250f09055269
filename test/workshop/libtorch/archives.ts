/** Zip archives as libtorch's are, and hostile ones: with Unix modes, links, any name, and 64-bit sizes. */
import * as fs from "node:fs";
import * as path from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

export interface Entry {
  readonly name: string;
  readonly content: Uint8Array | string;
  /** st_mode; absent: none is written, as Windows does. */
  readonly mode?: number;
  readonly stored?: boolean;
  /** Sizes and offset stand in the ZIP64 field. */
  readonly wide?: boolean;
  /** What the directory says instead of the size. */
  readonly claims?: number;
}

export function archive(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode, stored, wide, claims } of entries) {
    const plain = Buffer.from(content);
    const packed = stored === true ? plain : deflateRawSync(plain);
    const size = claims ?? plain.length;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(stored === true ? 0 : 8, 8);
    local.writeUInt32LE(crc32(plain), 14);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    const extra = Buffer.alloc(wide === true ? 28 : 0);
    if (wide === true) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(size), 4);
      extra.writeBigUInt64LE(BigInt(packed.length), 12);
      extra.writeBigUInt64LE(BigInt(offset), 20);
    }
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt8(mode === undefined ? 0 : 3, 5);
    central.writeUInt16LE(stored === true ? 0 : 8, 10);
    central.writeUInt32LE(crc32(plain), 16);
    central.writeUInt32LE(wide === true ? 0xffffffff : packed.length, 20);
    central.writeUInt32LE(wide === true ? 0xffffffff : size, 24);
    central.writeUInt16LE(Buffer.byteLength(name), 28);
    central.writeUInt16LE(extra.length, 30);
    central.writeUInt32LE(((mode ?? 0) << 16) >>> 0, 38);
    central.writeUInt32LE(wide === true ? 0xffffffff : offset, 42);
    parts.push(local, Buffer.from(name), packed);
    directory.push(central, Buffer.from(name), extra);
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

/** The files of a folder below a name, with their modes and links. */
export function entriesOf(folder: string, below: string): Entry[] {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory()).map((one) => {
    const file = path.join(one.parentPath, one.name);
    const name = `${below}/${path.relative(folder, file)}`;
    return one.isSymbolicLink() ? { name, content: fs.readlinkSync(file), mode: 0o120777 } : { name, content: fs.readFileSync(file), mode: fs.statSync(file).mode };
  });
}
