import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

/** One entry of a synthetic fat binary. */
export interface EntryShape {
  readonly kind: "cubin" | "ptx" | number;
  readonly sm: number;
  readonly suffix?: "a" | "f";
  readonly compression?: "lz4" | "zstd";
  /** PTX version, [9, 0]. */
  readonly version?: readonly [number, number];
  readonly payload?: Uint8Array;
  /** Size once unpacked, for a compressed one. */
  readonly fullSize?: number;
}

const flags = { lz4: 0x2000, zstd: 0x8000, a: 0x100000, f: 0x200000 } as const;

/** A fat binary as nvcc lays it out, padded to 8 bytes. */
export function fatbin(entries: readonly EntryShape[]): Buffer {
  const body = Buffer.concat(entries.map(entry));
  const header = Buffer.alloc(16);
  header.writeUInt32LE(0xba55ed50, 0);
  header.writeUInt16LE(1, 4);
  header.writeUInt16LE(16, 6);
  header.writeBigUInt64LE(BigInt(body.length), 8);
  return Buffer.concat([header, body, Buffer.alloc((8 - (body.length % 8)) % 8)]);
}

function entry(shape: EntryShape): Buffer {
  const payload = shape.payload ?? Buffer.alloc(4000, 1);
  const header = Buffer.alloc(64);
  header.writeUInt16LE(shape.kind === "ptx" ? 1 : shape.kind === "cubin" ? 2 : shape.kind, 0);
  header.writeUInt16LE(0x0101, 2);
  header.writeUInt32LE(64, 4);
  header.writeBigUInt64LE(BigInt(payload.length), 8);
  header.writeUInt32LE(shape.compression === undefined ? 0 : payload.length, 16);
  const [major, minor] = shape.version ?? [1, 8];
  header.writeUInt16LE(minor, 24);
  header.writeUInt16LE(major, 26);
  header.writeUInt32LE(shape.sm, 28);
  header.writeUInt32LE(0x11 | (shape.compression === undefined ? 0 : flags[shape.compression]) | (shape.suffix === undefined ? 0 : flags[shape.suffix]), 40);
  header.writeBigUInt64LE(BigInt(shape.compression === undefined ? 0 : (shape.fullSize ?? 20_000)), 56);
  return Buffer.concat([header, payload]);
}

/** A shared library whose sections hold those bytes. */
export function libraryWith(folder: string, name: string, sections: Readonly<Record<string, Buffer>>, ...flagsOfCompiler: readonly string[]): string {
  const assembly = Object.entries(sections).map(([section, bytes], index) => {
    const file = path.join(folder, `${name}.${index}.bin`);
    fs.writeFileSync(file, bytes);
    return `.section ${section},"a"\n.balign 8\n.incbin "${file}"\n`;
  });
  const source = path.join(folder, `${name}.s`);
  fs.writeFileSync(source, `${assembly.join("")}.section .note.GNU-stack,"",@progbits\n`);
  const file = path.join(folder, name);
  execFileSync("g++", ["-shared", "-fPIC", source, "-o", file, ...flagsOfCompiler]);
  return file;
}

/** The same file without section headers. */
export function withoutSections(file: string): Uint8Array {
  const bytes = new Uint8Array(fs.readFileSync(file));
  const header = new DataView(bytes.buffer);
  header.setBigUint64(40, 0n, true);
  [58, 60, 62].forEach((at) => header.setUint16(at, 0, true));
  return bytes;
}
