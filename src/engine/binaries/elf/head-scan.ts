import { GnuHashTable, maximumSymbols, sysvHash } from "./hash-table.ts";
import type { RangeReader } from "./range-reader.ts";
import { readVersions } from "./versions.ts";
import type { Versions } from "./versions.ts";

const symbolSize = 24;
/** Names whose hashes must agree before tables are believed to belong together; all of them where there are fewer. */
const witnesses = 16;
/** Version records follow the names and the hash tables within this; glibc's own take 2 KB. */
const versionWindow = 64 * 1024;
/** Bytes for each symbol that may stand before the version records: its index, and its part of a second hash table. */
const bytesBetween = 12;
/** A hash table is believed only after its whole length was checked; so many lookalikes are tried. */
const maximumCandidates = 4096;

export interface FoundNames {
  /** File offsets. */
  readonly symbols: number;
  readonly strings: number;
  readonly count: number;
  /** Behind the last name of a symbol. */
  readonly end: number;
}

/** The first GNU hash table that is consistent in every entry; an empty one only where there is no other. */
export function findHash(reader: RangeReader, head: Uint8Array): GnuHashTable | undefined {
  const words = new Uint32Array(head.slice(0, head.length - (head.length % 4)).buffer);
  let empty: GnuHashTable | undefined;
  let candidates = 0;
  // The table is aligned to 8 bytes, and follows the 64 bytes of the ELF header.
  for (let at = 16; at + 7 < words.length && candidates < maximumCandidates; at += 2) {
    const buckets = words[at] ?? 0;
    const firstHashed = words[at + 1] ?? 0;
    const bloom = words[at + 2] ?? 0;
    const shift = words[at + 3] ?? 0;
    if (buckets === 0 || buckets > maximumSymbols || firstHashed === 0 || firstHashed > maximumSymbols || bloom === 0 || bloom > maximumSymbols || (bloom & (bloom - 1)) !== 0 || shift >= 64) {
      continue;
    }
    if (!beginsAsBuckets(words, at + 4 + bloom * 2, buckets, firstHashed)) {
      continue;
    }
    candidates += 1;
    const table = GnuHashTable.read(reader, at * 4);
    if (table?.isConsistent() === true && passesBloom(words, at, bloom, shift, table)) {
      if (table.symbolCount > table.firstHashed) {
        return table;
      }
      empty ??= table;
    }
  }
  return empty;
}

/** Symbols stand in the order of their buckets, so the first bucket in use begins with the first symbol, and they rise. */
function beginsAsBuckets(words: Uint32Array, from: number, count: number, firstHashed: number): boolean {
  let previous = firstHashed - 1;
  const end = Math.min(from + count, words.length, from + 64);
  for (let at = from; at < end; at += 1) {
    const bucket = words[at] ?? 0;
    if (bucket !== 0) {
      if (bucket <= previous || (previous < firstHashed && bucket !== firstHashed)) {
        return false;
      }
      previous = bucket;
    }
  }
  return from + count <= words.length;
}

function passesBloom(words: Uint32Array, at: number, bloom: number, shift: number, table: GnuHashTable): boolean {
  const bit = (word: number, position: number): boolean => (((words[at + 4 + word * 2 + (position >= 32 ? 1 : 0)] ?? 0) >>> (position % 32)) & 1) === 1;
  const step = Math.max(1, Math.floor((table.symbolCount - table.firstHashed) / witnesses));
  for (let index = table.firstHashed; index < table.symbolCount; index += step) {
    // The lowest bit of the hash is not in the table.
    const hash = ((table.hashOf(index) ?? 0) << 1) >>> 0;
    const word = Math.floor(hash / 64) % bloom;
    const passes = [hash, hash + 1].some((one) => bit(word, one % 64) && bit(word, (shift >= 32 ? 0 : one >>> shift) % 64));
    if (!passes) {
      return false;
    }
  }
  return true;
}

/** Symbols and names that agree with the hash table. ld.bfd puts them right behind it, lld around it, gold before it. */
export function findNames(reader: RangeReader, head: Uint8Array, hash: GnuHashTable): FoundNames | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const count = hash.symbolCount;
  if (count <= hash.firstHashed) {
    return undefined;
  }
  const behind = Math.ceil(hash.end / 8) * 8;
  const last = head.length - count * symbolSize;
  for (const symbols of inOrder(behind, last)) {
    if (isSymbolTable(view, symbols, hash)) {
      const strings = findStrings(head, view, symbols, hash);
      const end = strings === undefined ? undefined : endOfNames(reader, view, symbols, count, strings);
      if (strings !== undefined && end !== undefined) {
        return { symbols, strings, count, end };
      }
    }
  }
  return undefined;
}

function* inOrder(first: number, last: number): Generator<number> {
  if (first <= last) {
    yield first;
  }
  for (let at = 64; at <= last; at += 8) {
    if (at !== first) {
      yield at;
    }
  }
}

/** The first symbol is 24 zero bytes; the hashed ones are defined and global, weak or unique. */
function isSymbolTable(view: DataView, start: number, hash: GnuHashTable): boolean {
  for (let at = 0; at < symbolSize; at += 4) {
    if (view.getUint32(start + at, true) !== 0) {
      return false;
    }
  }
  const step = Math.max(1, Math.floor((hash.symbolCount - hash.firstHashed) / 64));
  for (let index = hash.firstHashed; index < hash.symbolCount; index += step) {
    const at = start + index * symbolSize;
    const binding = view.getUint8(at + 4) >> 4;
    if (view.getUint32(at, true) === 0 || (binding !== 1 && binding !== 2 && binding !== 10) || (view.getUint8(at + 4) & 15) > 10 || view.getUint16(at + 6, true) === 0) {
      return false;
    }
  }
  return true;
}

function findStrings(head: Uint8Array, view: DataView, symbols: number, hash: GnuHashTable): number | undefined {
  const sample = witnessesOf(view, symbols, hash);
  const agrees = (strings: number): boolean => head[strings] === 0 && sample.every(({ name, hash: expected }) => hashAt(head, strings + name) === expected);
  for (const likely of [symbols + hash.symbolCount * symbolSize, hash.end]) {
    if (agrees(likely)) {
      return likely;
    }
  }
  // A string table begins with an empty name and a name behind it.
  for (let at = head.indexOf(0, 64); at >= 0; at = head.indexOf(0, at + 1)) {
    if (head[at + 1] !== 0 && agrees(at)) {
      return at;
    }
  }
  return undefined;
}

function witnessesOf(view: DataView, symbols: number, hash: GnuHashTable): readonly { readonly name: number; readonly hash: number | undefined }[] {
  const step = Math.max(1, Math.floor((hash.symbolCount - hash.firstHashed) / witnesses));
  const sample: { name: number; hash: number | undefined }[] = [];
  for (let index = hash.firstHashed; index < hash.symbolCount; index += step) {
    sample.push({ name: view.getUint32(symbols + index * symbolSize, true), hash: hash.hashOf(index) });
  }
  return sample;
}

/** The 31 bits that the table keeps of the hash of the name at `start`; undefined where none ends within reach. */
function hashAt(head: Uint8Array, start: number): number | undefined {
  let hash = 5381;
  const end = Math.min(head.length, start + 64 * 1024);
  for (let at = start; at < end; at += 1) {
    const byte = head[at] ?? 0;
    if (byte === 0) {
      return hash >>> 1;
    }
    hash = (Math.imul(hash, 33) + byte) >>> 0;
  }
  return undefined;
}

/** undefined: some name lies beyond the head. */
function endOfNames(reader: RangeReader, view: DataView, symbols: number, count: number, strings: number): number | undefined {
  let highest = 0;
  for (let index = 0; index < count; index += 1) {
    highest = Math.max(highest, view.getUint32(symbols + index * symbolSize, true));
  }
  const last = reader.readBytesToNul(strings + highest, 1024 * 1024);
  return last === undefined ? undefined : strings + highest + last.length + 1;
}

/** patchelf fills the place of what it moved away with one letter, X or Z by its release. */
function isFilled(head: Uint8Array, start: number, length: number): boolean {
  const letter = head[start];
  return start + length <= head.length && (letter === 0x58 || letter === 0x5a) && head.subarray(start, start + length).every((byte) => byte === letter);
}

/** Whether patchelf moved the symbols and names away that ld.bfd had put right behind the hash table. */
export function isMovedBehind(head: Uint8Array, hash: GnuHashTable): boolean {
  return isFilled(head, Math.ceil(hash.end / 8) * 8, 48);
}

/**
 * Whether patchelf moved the hash table itself, as it does when it renames needed libraries: where ld.bfd puts it,
 * between the program headers and the symbols, stands nothing but filling.
 */
export function isHashMoved(head: Uint8Array, programHeadersEnd: number): boolean {
  const start = Math.ceil(programHeadersEnd / 8) * 8;
  if (!isFilled(head, start, 256)) {
    return false;
  }
  let end = start;
  while (head[end] === head[start]) {
    end += 1;
  }
  // The symbol table begins with an empty symbol and goes on with one that has a name.
  const symbols = end + symbolSize * 2 <= head.length ? head.subarray(end, end + symbolSize * 2) : undefined;
  return symbols !== undefined && end % 8 === 0 && symbols.subarray(0, symbolSize).every((byte) => byte === 0) && symbols.subarray(symbolSize, symbolSize + 4).some((byte) => byte !== 0);
}

/** Whether the head reaches so far that version records would be in it. */
export function mayHoldVersions(head: Uint8Array, hash: GnuHashTable, names: FoundNames): boolean {
  return Math.max(names.end, hash.end, names.symbols + names.count * symbolSize) + names.count * bytesBetween + 4096 <= head.length;
}

export interface FoundVersions {
  readonly versions: Versions;
  /** File offset of the version index of each symbol. */
  readonly indexes: number | undefined;
}

/** Version records carry hashes of their own names, so they too are believed only where these agree. */
export function findVersions(reader: RangeReader, head: Uint8Array, hash: GnuHashTable, names: FoundNames): FoundVersions {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const stringAt = (offset: number): string | undefined => reader.readBytesToNul(names.strings + offset, 4096)?.toString("utf8");
  const place: { needs: number | undefined; definitions: number | undefined } = { needs: undefined, definitions: undefined };
  for (const start of [names.symbols + names.count * symbolSize, names.end, hash.end]) {
    const end = Math.min(head.length - 20, start + names.count * bytesBetween + versionWindow);
    for (let at = Math.ceil(start / 4) * 4; at < end && (place.needs === undefined || place.definitions === undefined); at += 4) {
      if (view.getUint16(at, true) === 1) {
        place.needs ??= isNeed(view, at, stringAt) ? at : undefined;
        place.definitions ??= isDefinition(view, at, stringAt) ? at : undefined;
      }
    }
  }
  const versions = readVersions(reader, place, stringAt, () => undefined);
  const first = Math.min(place.needs ?? Infinity, place.definitions ?? Infinity);
  return { versions, indexes: Number.isFinite(first) ? findIndexes(view, first, names, versions) : undefined };
}

function isNeed(view: DataView, at: number, stringAt: (offset: number) => string | undefined): boolean {
  const auxiliary = at + view.getUint32(at + 8, true);
  if (view.getUint16(at + 2, true) === 0 || auxiliary + 16 > view.byteLength) {
    return false;
  }
  const name = stringAt(view.getUint32(auxiliary + 8, true));
  return name !== undefined && name !== "" && view.getUint32(auxiliary, true) === sysvHash(name) && (stringAt(view.getUint32(at + 4, true)) ?? "") !== "";
}

function isDefinition(view: DataView, at: number, stringAt: (offset: number) => string | undefined): boolean {
  const auxiliary = at + view.getUint32(at + 12, true);
  if (view.getUint16(at + 6, true) === 0 || auxiliary + 8 > view.byteLength) {
    return false;
  }
  const name = stringAt(view.getUint32(auxiliary, true));
  return name !== undefined && name !== "" && view.getUint32(at + 8, true) === sysvHash(name);
}

/**
 * The indexes end where the records begin, up to padding. Needed versions belong to undefined symbols and defined ones
 * to symbols of the library; the place where this holds most often is theirs.
 */
function findIndexes(view: DataView, end: number, names: FoundNames, versions: Versions): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (let start = end - names.count * 2; start > end - names.count * 2 - 8 && start > 64; start -= 2) {
    let fitting = 0;
    let impossible = view.getUint16(start, true) !== 0;
    for (let index = 1; !impossible && index < names.count; index += 1) {
      const number = view.getUint16(start + index * 2, true) & 0x7fff;
      const version = versions.byIndex.get(number);
      impossible = number > 1 && version === undefined;
      if (view.getUint16(names.symbols + index * symbolSize + 6, true) === 0) {
        fitting += version?.library !== undefined ? 1 : number < 2 ? 0 : -1;
      } else {
        // Index 0 is for symbols that nobody else sees, which would not be hashed.
        fitting += number === 1 || (version !== undefined && version.library === undefined) ? 1 : -1;
      }
    }
    if (!impossible && fitting > most) {
      most = fitting;
      best = start;
    }
  }
  return best;
}
