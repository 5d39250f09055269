/** What the libraries of one torch wheel on a server export, read by ranges as Abiding itself reads such wheels. */
import { mkdtempSync, openSync, readSync, rmSync, writeSync, closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateTail } from "../../src/engine/binaries/archive/inflateTail.ts";
import { localHeaderLength, locateData, openArchive } from "../../src/engine/binaries/archive/index.ts";
import type { Archive, Member } from "../../src/engine/binaries/archive/index.ts";
import { openElfRanges } from "../../src/engine/binaries/elf/index.ts";
import { httpSource } from "../../src/engine/binaries/remote/index.ts";
import type { RemoteOptions } from "../../src/engine/binaries/remote/index.ts";
import { isRecordedSymbol } from "../../src/engine/catalogue/recordedSymbols.ts";
import { libraryImage } from "../../src/engine/installed/wheelEnvironmentLibraries.ts";

export interface WheelExports {
  readonly wheel: string;
  /** By file name. */
  readonly libraries: Readonly<Record<string, { readonly needed: readonly string[]; readonly exports: readonly string[] }>>;
  /** Requires-Dist: read-nvidia-libraries.py goes by it. */
  readonly requires: readonly string[];
  /** Bytes that were fetched. */
  readonly read: number;
}

const recordedLibraries = /^torch\/lib\/(lib(?:c10|c10_cuda|torch|torch_cpu|torch_cuda|torch_cuda_cpp|torch_cuda_cu|torch_python|caffe2|caffe2_gpu)\.so(?:\.[\d.]+)?)$/;
/** Of these only what they load matters: it comes with `import torch`. */
const loadedToo = /^torch\/(?:lib\/)?((?:_C(?:\.cpython-\w+-[\w-]+)?|libtorch_global_deps|libshm)\.so)$/;
/** Packed bytes of an end that are fetched at most: behind the dynamic segment lie 80 MB of debugging symbols, packed into 20. */
const largestEnd = 96 * 1024 * 1024;
const dynamicSegment = 2;
const loadSegment = 1;

/** Throws what reading throws, and where the tables of a library cannot be had. */
export async function readWheelExports(url: string, wheel: string, options: RemoteOptions): Promise<WheelExports> {
  const source = await httpSource(url, options);
  const archive = await openArchive(source);
  const libraries: Record<string, { needed: readonly string[]; exports: readonly string[] }> = {};
  for (const member of archive.members.values()) {
    const recorded = recordedLibraries.exec(member.name)?.[1];
    const loaded = loadedToo.exec(member.name)?.[1]?.replace(/\..*/, ".so");
    const name = recorded ?? loaded;
    if (name === undefined) continue;
    const { needed, names } = await tablesOf(archive, member, recorded !== undefined);
    libraries[name] = { needed, exports: [...new Set(names)].filter(isRecordedSymbol).sort() };
  }
  const metadata = [...archive.members.values()].find((one) => /^torch-[^/]+\.dist-info\/METADATA$/.test(one.name));
  const text = metadata === undefined ? "" : Buffer.from(await archive.read(metadata, 16 * 1024 * 1024)).toString("utf8");
  return { wheel, libraries, requires: [...text.matchAll(/^Requires-Dist: (.*)$/gm)].map((one) => one[1] ?? ""), read: source.bytesRead };
}

interface Tables {
  readonly needed: readonly string[];
  readonly names: readonly string[];
}

/** By the ends of the library where they show its tables, else unpacked whole into a file: of some old ones the names lie in the middle. */
async function tablesOf(archive: Archive, member: Member, withNames: boolean): Promise<Tables> {
  const image = await libraryImage(archive, member, member.name, { whole: undefined, allow: () => false, notKnown: [] });
  if (image?.exportsKnownBy === "names") {
    const needed = image.needed ?? await neededOf(archive, member);
    if (needed !== undefined) return { needed, names: withNames ? [...image.exportedNames()] : [] };
  }
  return wholeTables(archive, member);
}

/** DT_NEEDED, which lies near the end with the strings that patchelf moved behind it; undefined where a moderate end does not hold both. */
async function neededOf(archive: Archive, member: Member): Promise<readonly string[] | undefined> {
  const head = await archive.head(member, 64 * 1024);
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const [table, entry, count] = [Number(view.getBigUint64(32, true)), view.getUint16(54, true), view.getUint16(56, true)];
  const segments = Array.from({ length: count }, (_, index) => {
    const at = table + index * entry;
    return { type: view.getUint32(at, true), offset: Number(view.getBigUint64(at + 8, true)), address: Number(view.getBigUint64(at + 16, true)), size: Number(view.getBigUint64(at + 32, true)) };
  });
  const dynamic = segments.find((one) => one.type === dynamicSegment);
  if (dynamic === undefined) return undefined;
  const end = await endOf(archive, member, dynamic.offset);
  if (end === undefined) return undefined;
  const entries = new DataView(end.buffer, end.byteOffset, end.byteLength);
  const names: number[] = [];
  let strings: number | undefined;
  for (let at = 0; at + 16 <= dynamic.size; at += 16) {
    const [tag, value] = [Number(entries.getBigInt64(at, true)), Number(entries.getBigUint64(at + 8, true))];
    if (tag === 0) break;
    if (tag === 1) names.push(value);
    if (tag === 5) strings = value;
  }
  const loaded = segments.find((one) => one.type === loadSegment && strings !== undefined && one.address <= strings && strings < one.address + one.size);
  const start = loaded === undefined || strings === undefined ? -1 : strings - loaded.address + loaded.offset - dynamic.offset;
  if (start < 0) return undefined;
  return names.map((name) => Buffer.from(end.subarray(start + name, end.indexOf(0, start + name))).toString("latin1"));
}

/** The unpacked bytes from an offset to the end, of a packed end that is fetched longer until it tells them all; undefined where it would be too long. */
async function endOf({ source }: Archive, member: Member, from: number): Promise<Uint8Array | undefined> {
  const start = locateData(source.name, source.size, member, await source.read(member.headerOffset, localHeaderLength(member, source.size)));
  const wanted = member.size - from;
  for (let length = Math.ceil(wanted / 5) + 1024 * 1024; ; length = Math.ceil(length * 1.4)) {
    const packedLength = Math.min(length, member.compressedSize);
    if (packedLength > largestEnd) return undefined;
    const end = inflateTail(await source.read(start + member.compressedSize - packedLength, packedLength), wanted + 256 * 1024 * 1024);
    const bytes = end === "damaged" ? undefined : end?.last(wanted);
    if (bytes !== undefined) return bytes;
    if (end === "damaged" || packedLength === member.compressedSize) return undefined;
  }
}

async function wholeTables(archive: Archive, member: Member): Promise<Tables> {
  const folder = mkdtempSync(join(tmpdir(), "torch-exports-"));
  const file = openSync(join(folder, "library"), "w+");
  try {
    for await (const piece of archive.stream(member)) writeSync(file, piece);
    const opened = openElfRanges(member.name, member.size, (offset, length) => {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
    });
    if (!opened.ok) throw new Error(opened.message);
    return { needed: opened.elf.needed, names: [...opened.elf.exportedNames()] };
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}
