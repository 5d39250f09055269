import { ArchiveError } from "./errors.ts";
import { readDirectory } from "./directory.ts";
import { localHeaderLength, locateData, requireReadable } from "./localHeader.ts";
import { packedPieces, unpack, unpackSync } from "./unpack.ts";
import type { Archive, ByteSource, Member } from "./types.ts";

/** Up to here a member is read and unpacked in one step, which costs less than a stream does. */
const smallMember = 256 * 1024;

/**
 * Reads and checks the directory of a zip archive. Throws ArchiveError for one that is damaged or hostile (names that
 * lead out, duplicates, overlaps, bombs), ByteSourceError when its bytes cannot be had.
 */
export async function openArchive(source: ByteSource): Promise<Archive> {
  const reading = readDirectory(source.name, source.size);
  let step = reading.next();
  while (step.done !== true) {
    step = reading.next(await source.read(step.value.offset, step.value.length));
  }
  return new ZipArchive(source, step.value);
}

class ZipArchive implements Archive {
  readonly source: ByteSource;
  readonly members: ReadonlyMap<string, Member>;

  constructor(source: ByteSource, members: ReadonlyMap<string, Member>) {
    this.source = source;
    this.members = members;
  }

  async read(member: Member, limit: number): Promise<Uint8Array> {
    if (member.size > limit) {
      throw new ArchiveError(this.source.name, `unpacks to ${member.size} bytes, above the limit of ${limit}`, member.name, member.headerOffset);
    }
    return this.#collect(member, member.size);
  }

  async head(member: Member, length: number): Promise<Uint8Array> {
    return this.#collect(member, Math.min(length, member.size));
  }

  async *stream(member: Member): AsyncIterable<Uint8Array> {
    requireReadable(this.source.name, member);
    const header = await this.source.read(member.headerOffset, localHeaderLength(member, this.source.size));
    const data = locateData(this.source.name, this.source.size, member, header);
    yield* unpack(this.source.name, member, packedPieces(this.source, data, member.compressedSize));
  }

  async #collect(member: Member, length: number): Promise<Uint8Array> {
    if (length === member.size && member.size <= smallMember && member.compressedSize <= smallMember) {
      return unpackSync(this.source.name, member, await this.#packed(member));
    }
    const joined = new Uint8Array(length);
    let filled = 0;
    // A whole member is read to its end, where size and checksum are compared.
    for await (const piece of this.stream(member)) {
      const part = piece.subarray(0, length - filled);
      joined.set(part, filled);
      filled += part.length;
      if (filled === length && length < member.size) {
        break;
      }
    }
    return joined;
  }

  /** The packed bytes of a small member, in one read: its local header is mostly as long as its name. */
  async #packed(member: Member): Promise<Uint8Array> {
    requireReadable(this.source.name, member);
    const wanted = localHeaderLength(member, this.source.size);
    const bytes = await this.source.read(member.headerOffset, Math.min(wanted + member.compressedSize, this.source.size - member.headerOffset));
    const start = locateData(this.source.name, this.source.size, member, bytes.subarray(0, wanted));
    const from = start - member.headerOffset;
    return from + member.compressedSize <= bytes.length ? bytes.subarray(from, from + member.compressedSize) : this.source.read(start, member.compressedSize);
  }
}
