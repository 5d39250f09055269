import { ArchiveError } from "./errors.ts";
import type { Member } from "./types.ts";

/** Deflate packs at most 258 bytes into two bits; RFC 1951, 3.2.5. */
const maximumDeflateRatio = 1032;
/** Below these sizes a ratio harms nobody; torch's most repetitive member is packed 34 to 1, its wheels 4 to 1. */
const harmlessMember = 64 * 1024 * 1024;
const maximumMemberRatio = 500;
const harmlessTotal = 1024 * 1024 * 1024;
const maximumTotalRatio = 100;

/** Members that share bytes: what small zip bombs are made of. No writer of wheels makes them. */
export function refuseOverlaps(archive: string, members: ReadonlyMap<string, Member>, directory: number): void {
  const ordered = [...members.values()].sort((a, b) => a.headerOffset - b.headerOffset);
  for (const [index, member] of ordered.entries()) {
    const next = ordered[index + 1];
    const end = member.headerOffset + 30 + Buffer.byteLength(member.name) + member.compressedSize;
    if (next !== undefined && end > next.headerOffset) {
      throw new ArchiveError(archive, `overlaps the entry ${JSON.stringify(next.name)} (at byte ${next.headerOffset})`, member.name, member.headerOffset);
    }
    if (next === undefined && end > directory) {
      throw new ArchiveError(archive, "overlaps the directory", member.name, member.headerOffset);
    }
  }
}

/** Members whose size is out of proportion to what they are packed into. */
export function refuseBombs(archive: string, members: ReadonlyMap<string, Member>, archiveSize: number): void {
  let total = 0;
  for (const member of members.values()) {
    total += member.size;
    const isImpossible = member.method === 8 ? member.size > member.compressedSize * maximumDeflateRatio : member.method === 0 && !member.encrypted && member.size !== member.compressedSize;
    if (isImpossible) {
      throw new ArchiveError(archive, `claims to unpack to ${member.size} bytes from ${member.compressedSize}, which its method cannot do`, member.name, member.headerOffset);
    }
    if (member.size > harmlessMember && member.size > member.compressedSize * maximumMemberRatio) {
      throw new ArchiveError(archive, `unpacks to ${member.size} bytes from ${member.compressedSize}, as a zip bomb does`, member.name, member.headerOffset);
    }
  }
  if (total > harmlessTotal && total > archiveSize * maximumTotalRatio) {
    throw new ArchiveError(archive, `unpacks to ${total} bytes from ${archiveSize}, as a zip bomb does`);
  }
}
