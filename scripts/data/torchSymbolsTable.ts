/** Packs what src/engine/catalogue/symbolTable.ts reads, which describes it, and opens it again to be added to. */
import { brotliCompressSync, constants } from "node:zlib";
import { openParts } from "../../src/engine/catalogue/symbolTable.ts";
import type { Head } from "../../src/engine/catalogue/symbolTable.ts";

export interface TableContent extends Omit<Head, "classes"> {
  /** By name: of each release a bit for each library that exports it. */
  readonly masks: ReadonlyMap<string, Uint8Array>;
}

/**
 * Where a section begins, in the order of bytes: at and C names that are written in capitals; c10; torch, const members, tables
 * and other C names. Each is unpacked in a millisecond or two; smaller ones, which share less, would make the table larger.
 */
const sectionStarts = ["", "_ZN3", "_ZN5torch"];
/** Names in a block that is searched step by step. */
const blockSize = 32;

/** `quality` is that of Brotli: tests, which do not care for the size, ask for less. */
export function packTable({ masks, ...head }: TableContent, quality: number = constants.BROTLI_MAX_QUALITY): Buffer {
  const names = [...masks.keys()].sort();
  const members = new Map<string, string[]>();
  for (const name of names) {
    const row = String(masks.get(name));
    const others = members.get(row);
    if (others === undefined) members.set(row, [name]);
    else others.push(name);
  }
  const classes = [...members].sort(([, one], [, other]) => other.length - one.length);
  if (classes.length > 65_535) throw new Error(`${classes.length} classes do not fit into two bytes.`);
  const ids = new Map(classes.flatMap(([, those], id) => those.map((name) => [name, id] as const)));
  const headPart = pack(Buffer.from(JSON.stringify({ ...head, classes: classes.length } satisfies Head)), quality);
  const maskPart = pack(Buffer.concat(classes.map(([row]) => Buffer.from(row.split(",").map(Number)))), quality);
  const groups = sectionStarts.map((start, at) => names.filter((name) => name >= start && (sectionStarts[at + 1] === undefined || name < (sectionStarts[at + 1] ?? ""))));
  const sections = groups.filter((group) => group.length > 0).map((group) => {
    const numbers = group.map((name) => ids.get(name) ?? 0);
    return { first: group[0] ?? "", names: group.length, packed: pack(Buffer.concat([Buffer.from(numbers.map((id) => id & 255)), Buffer.from(numbers.map((id) => id >> 8)), packNames(group)]), quality) };
  });
  const index = { head: headPart.length, masks: maskPart.length, sections: sections.map(({ first, names: count, packed }) => ({ first, names: count, size: packed.length })) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), headPart, maskPart, ...sections.map((one) => one.packed)]);
}

export function openTable(file: Buffer): TableContent {
  const { head, masks, sections } = openParts(file);
  const { source, libraries, releases, missing, leftOut } = head;
  const width = releases.length;
  const names = sections.flatMap((section) => [...section.from("")]);
  return { source, libraries, releases, missing, ...(leftOut === undefined ? {} : { leftOut }), masks: new Map(names.map((one) => [one.name, Uint8Array.from(masks.subarray(one.class * width, (one.class + 1) * width))])) };
}

/**
 * What is missing, by version. A release that an index does not have any more is still missing; what newer ones there are
 * is a question to the index of the day. Addresses are left out: they may be of one network only.
 */
export function gapsOf(before: TableContent["missing"], found: ReadonlyMap<string, string>, recorded: readonly string[]): TableContent["missing"] {
  const kept = before.filter((one) => /^\d/.test(one.version)).map(({ version, why }) => [version, why] as const);
  return [...new Map([...kept, ...found])].filter(([version]) => !recorded.includes(version)).map(([version, why]) => ({ version, why: why.replaceAll(/\bhttps?:\/\/\S+/g, "it") }));
}

/** Two bytes for the size of each block; a byte for the letters that a name shares with the one before; the rests. */
export function packNames(sorted: readonly string[]): Buffer {
  const shared = sorted.map((name, index) => (index % blockSize === 0 ? 0 : commonLength(sorted[index - 1] ?? "", name)));
  const rests = sorted.map((name, index) => Buffer.from(`${name.slice(shared[index])}\n`));
  const sizes = Buffer.alloc(2 * Math.ceil(sorted.length / blockSize));
  for (let first = 0; first < sorted.length; first += blockSize) {
    // A block above 64 KB throws here.
    sizes.writeUInt16LE(rests.slice(first, first + blockSize).reduce((sum, one) => sum + one.length, 0), (2 * first) / blockSize);
  }
  return Buffer.concat([sizes, Buffer.from(shared), ...rests]);
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < 255 && length < one.length && one[length] === other[length]) length++;
  return length;
}

function pack(data: Buffer, quality: number): Buffer {
  return brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: data.length } });
}
