import { inflateTail } from "./inflateTail.ts";
import { localHeaderLength, locateData, requireReadable } from "./localHeader.ts";
import type { Archive, Member } from "./types.ts";

/** Of what is wanted, this part is fetched first: tables of names are packed to a sixth. */
const firstShare = 0.17;
/** A block of the stream must begin in what is fetched, and bytes must become known before what is wanted begins. */
const leadIn = 64 * 1024;
/** Several copies of the same tables, one for each time a file was patched, are packed to less. */
const largestFirst = 1100 * 1024;
const growth = 1.4;
/** Unpacked; torch 1.13.1 was patched four times, its tables begin 24 MB before the end. */
const maximumUnpacked = 28 * 1024 * 1024;

/** The end of a member, from `offset` on. */
export interface MemberTail {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/**
 * The unpacked bytes of a member from `from` to its end, without unpacking what is before: for tables at the end of a
 * large library. Fetches more of the packed end until every byte is known, up to `limit` packed bytes; undefined beyond.
 * Throws ArchiveError and ByteSourceError.
 */
export async function memberTail(archive: Archive, member: Member, from: number, limit: number): Promise<MemberTail | undefined> {
  requireReadable(archive.source.name, member);
  const header = await archive.source.read(member.headerOffset, localHeaderLength(member, archive.source.size));
  const start = locateData(archive.source.name, archive.source.size, member, header);
  const wanted = member.size - from;
  if (member.method === 0) {
    return wanted > limit ? undefined : { offset: from, bytes: await archive.source.read(start + from, wanted) };
  }
  const largest = Math.min(limit, member.compressedSize);
  for (let length = Math.min(largest, largestFirst, Math.ceil(wanted * firstShare) + leadIn); ; length = Math.min(largest, Math.ceil(length * growth))) {
    const packed = await archive.source.read(start + member.compressedSize - length, length);
    const tail = inflateTail(packed, maximumUnpacked);
    const bytes = tail === "damaged" ? undefined : tail?.last(wanted);
    if (bytes !== undefined) {
      return { offset: from, bytes };
    }
    if (tail === "damaged" || length >= largest) {
      return undefined;
    }
  }
}
