/** Zip archives of tests, byte by byte, so that any part of them can be wrong. */
import { crc32, deflateRawSync } from "node:zlib";

export interface Part {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  /** What the directory says instead of the truth. */
  readonly says?: { readonly size?: number; readonly compressedSize?: number; readonly crc32?: number; readonly offset?: number; readonly localName?: string };
  /** The ZIP64 extra field of the directory entry, and whether the narrow fields are all ones. */
  readonly wide?: { readonly values: readonly ("size" | "compressedSize" | "offset")[]; readonly narrow: readonly ("size" | "compressedSize" | "offset")[] };
}

export interface Form {
  readonly comment?: string;
  readonly prefix?: Uint8Array;
  /** Writes a ZIP64 end record; the narrow one is all ones. */
  readonly zip64?: boolean;
  readonly count?: number;
}

export function build(parts: readonly Part[], form: Form = {}): Uint8Array {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const plain = Buffer.from(part.content as string);
    const method = part.method ?? 8;
    const packed = method === 8 ? deflateRawSync(plain) : plain;
    const localName = Buffer.from(part.says?.localName ?? part.name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(localName.length, 26);
    local.writeUInt16LE(4, 28);
    const values = { size: part.says?.size ?? plain.length, compressedSize: part.says?.compressedSize ?? packed.length, offset: part.says?.offset ?? offset };
    const narrow = (which: "size" | "compressedSize" | "offset"): number => (part.wide?.narrow.includes(which) === true ? 0xffffffff : values[which]);
    const extra = Buffer.alloc(part.wide === undefined ? 0 : 4 + part.wide.values.length * 8);
    if (part.wide !== undefined) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(extra.length - 4, 2);
      for (const [index, which] of part.wide.values.entries()) extra.writeBigUInt64LE(BigInt(values[which]), 4 + index * 8);
    }
    const name = Buffer.from(part.name);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(part.flags ?? 0, 8);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(part.says?.crc32 ?? crc32(plain), 16);
    central.writeUInt32LE(narrow("compressedSize"), 20);
    central.writeUInt32LE(narrow("size"), 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt16LE(extra.length, 30);
    central.writeUInt32LE(narrow("offset"), 42);
    // Four bytes of local extra that the directory does not have.
    locals.push(local, localName, Buffer.from([0, 0, 0, 0]), packed);
    centrals.push(central, name, extra);
    offset += 34 + localName.length + packed.length;
  }
  const directory = Buffer.concat(centrals);
  return Buffer.concat([form.prefix ?? Buffer.alloc(0), ...locals, directory, endOf(offset, directory.length, form.count ?? parts.length, form)]);
}

/** The end record, or records. */
export function endOf(start: number, size: number, count: number, form: Form): Buffer {
  const comment = Buffer.from(form.comment ?? "");
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(form.zip64 === true ? 0xffff : count, 10);
  end.writeUInt32LE(form.zip64 === true ? 0xffffffff : size, 12);
  end.writeUInt32LE(form.zip64 === true ? 0xffffffff : start, 16);
  end.writeUInt16LE(comment.length, 20);
  if (form.zip64 !== true) return Buffer.concat([end, comment]);
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + size), 8);
  return Buffer.concat([record, locator, end, comment]);
}
