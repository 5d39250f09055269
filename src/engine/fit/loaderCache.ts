/**
 * /etc/ld.so.cache in the format of glibc 2.2 and later (sysdeps/generic/dl-cache.h of glibc): a header of 48 bytes, then
 * entries of 24 bytes. Files of older tools begin with another table, "ld.so-1.7.0", which is skipped.
 */
const magic = "glibc-ld.so.cache1.1";
const oldMagic = "ld.so-1.7.0";
const headerSize = 48;
const entrySize = 24;
const maximumEntries = 200_000;

/** Flags of an entry by e_machine: FLAG_ELF_LIBC6 (3) with the architecture in the next byte. */
const flagsOfMachine: Readonly<Record<number, number>> = { 62: 0x0303, 183: 0x0a03 };

export interface LoaderCacheEntry {
  readonly name: string;
  readonly path: string;
  readonly flags: number;
}

/** The entries in file order: for one name the first that fits the machine wins. Empty when the bytes are no such cache. */
export function readLoaderCache(bytes: Uint8Array): readonly LoaderCacheEntry[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = startOfTable(text);
  if (start === undefined || start + headerSize > text.length || text.toString("latin1", start, start + magic.length) !== magic) {
    return [];
  }
  const count = Math.min(text.readUInt32LE(start + 20), maximumEntries, Math.floor((text.length - start - headerSize) / entrySize));
  const entries: LoaderCacheEntry[] = [];
  for (let index = 0; index < count; index += 1) {
    const at = start + headerSize + index * entrySize;
    const name = stringAt(text, start + text.readUInt32LE(at + 4));
    const path = stringAt(text, start + text.readUInt32LE(at + 8));
    // An entry with a hwcap is a variant for newer processors of a library that the cache also has plainly.
    const isPlain = text.readUInt32LE(at + 16) === 0 && text.readUInt32LE(at + 20) === 0;
    if (name !== undefined && path !== undefined && isPlain) {
      entries.push({ name, path, flags: text.readInt32LE(at) });
    }
  }
  return entries;
}

/** Whether an entry is for files of that e_machine. */
export function isForMachine(entry: LoaderCacheEntry, machine: number | undefined): boolean {
  return machine === undefined || entry.flags === flagsOfMachine[machine];
}

function startOfTable(text: Buffer): number | undefined {
  if (!text.toString("latin1", 0, oldMagic.length).startsWith(oldMagic)) {
    return 0;
  }
  if (text.length < 16) {
    return undefined;
  }
  const end = 16 + text.readUInt32LE(12) * 12;
  return Math.ceil(end / 8) * 8;
}

function stringAt(text: Buffer, at: number): string | undefined {
  const end = at < text.length ? text.indexOf(0, at) : -1;
  return end < 0 || end - at > 4096 ? undefined : text.toString("utf8", at, end);
}
