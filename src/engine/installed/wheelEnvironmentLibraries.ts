import { ArchiveError, BudgetExceededError } from "../binaries/archive/index.ts";
import type { Archive, Member } from "../binaries/archive/index.ts";
import { imageFromHead } from "../binaries/elf/index.ts";
import type { LibraryImage } from "../binaries/library.ts";
import { appendedPart, imageFromEnds } from "./wheelEnvironmentEnds.ts";

/** Whether a step may be done that fetches `bytes` bytes of `what`. */
export type Permission = (bytes: number, what: string) => boolean | Promise<boolean>;

export interface LibraryReading {
  /** The whole content, where it was fetched anyway. */
  readonly whole: Uint8Array | undefined;
  readonly allow: Permission | undefined;
  readonly notKnown: string[];
}

/** Libraries packed into less are read whole: that costs hardly more than their head. */
const smallPacked = 300 * 1024;
const smallSize = 16 * 1024 * 1024;
/** Program headers are at its beginning. */
const headerPart = 16 * 1024;
const firstHead = 256 * 1024;
/** A larger step is likely to fetch more than needed, a smaller one looks for the tables more often. */
const growth = 1.3;
/** A library that must be unpacked whole is held in memory up to this size. */
const largestWhole = 96 * 1024 * 1024;

/**
 * The export table of one member, from as little of it as will do. `name` is what the image calls itself. What cannot be
 * had is said in `notKnown`. Throws ByteSourceError.
 */
export async function libraryImage(archive: Archive, member: Member, name: string, reading: LibraryReading): Promise<LibraryImage | undefined> {
  try {
    const whole = reading.whole ?? (member.compressedSize <= smallPacked && member.size <= smallSize ? await archive.read(member, smallSize) : undefined);
    const image = whole === undefined ? await fromPart(archive, member, name) : imageOf(whole, name);
    if (image !== undefined || whole !== undefined) {
      if (image === undefined) {
        reading.notKnown.push(`${name} is no library whose symbols can be read.`);
      }
      return image;
    }
    if (member.size <= largestWhole && (await reading.allow?.(member.compressedSize, member.name)) === true) {
      return imageOf(await archive.read(member, largestWhole), name);
    }
    reading.notKnown.push(`The symbols of ${name} are not known: they are not where a part of it would show them, and unpacking all of it would fetch ${member.compressedSize} bytes.`);
    return undefined;
  } catch (error) {
    if (error instanceof ArchiveError || error instanceof BudgetExceededError) {
      reading.notKnown.push(error.message);
      return undefined;
    }
    throw error;
  }
}

async function fromPart(archive: Archive, member: Member, name: string): Promise<LibraryImage | undefined> {
  const head = await archive.head(member, headerPart);
  const appended = appendedPart(head, member.size);
  return appended === undefined ? fromHead(archive, member, name) : imageFromEnds(archive, member, name, head, appended);
}

/** Unpacks from the front and stops as soon as the tables were found. */
async function fromHead(archive: Archive, member: Member, name: string): Promise<LibraryImage | undefined> {
  let bytes = new Uint8Array(Math.min(member.size, firstHead));
  let filled = 0;
  for await (const piece of archive.stream(member)) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + bytes.length - filled);
      bytes.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < bytes.length) {
        continue;
      }
      const found = imageFromHead(bytes, name);
      if (found === undefined || !("needMore" in found)) {
        return found;
      }
      if (filled === member.size) {
        return undefined;
      }
      const larger = new Uint8Array(Math.min(member.size, Math.ceil(bytes.length * growth)));
      larger.set(bytes);
      bytes = larger;
    }
  }
  return undefined;
}

function imageOf(bytes: Uint8Array, name: string): LibraryImage | undefined {
  const found = imageFromHead(bytes, name);
  return found === undefined || "needMore" in found ? undefined : found;
}
