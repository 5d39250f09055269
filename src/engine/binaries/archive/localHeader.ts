import { ArchiveError } from "./errors.ts";
import { decodeName, safeName } from "./directory.ts";
import type { Member } from "./types.ts";

const fixedPart = 30;

/** Throws for a member that cannot be unpacked here. */
export function requireReadable(archive: string, member: Member): void {
  if (member.encrypted) {
    throw new ArchiveError(archive, "is encrypted", member.name, member.headerOffset);
  }
  if (member.method !== 0 && member.method !== 8) {
    throw new ArchiveError(archive, `is packed with method ${member.method}, which is not read here (only 0, stored, and 8, deflate)`, member.name, member.headerOffset);
  }
}

/** How many bytes of a member's local header must be at hand to find its data. */
export function localHeaderLength(member: Member, archiveSize: number): number {
  return Math.min(fixedPart + Buffer.byteLength(member.name) * 2, archiveSize - member.headerOffset);
}

/**
 * Where the packed bytes of a member begin: the local extra field differs from the directory's. A local name other than
 * the directory's is a trick that shows different readers different files.
 */
export function locateData(archive: string, archiveSize: number, member: Member, header: Uint8Array): number {
  const bytes = Buffer.from(header.buffer, header.byteOffset, header.byteLength);
  if (bytes.length < fixedPart || bytes.readUInt32LE(0) !== 0x04034b50) {
    throw new ArchiveError(archive, "has no local header where the directory says", member.name, member.headerOffset);
  }
  const nameLength = bytes.readUInt16LE(26);
  const name = fixedPart + nameLength > bytes.length ? undefined : decodeName(bytes, fixedPart, nameLength);
  if (name === undefined || safeName(name) !== member.name) {
    throw new ArchiveError(archive, "has another name in its local header than in the directory", member.name, member.headerOffset);
  }
  const start = member.headerOffset + fixedPart + nameLength + bytes.readUInt16LE(28);
  if (start + member.compressedSize > archiveSize) {
    throw new ArchiveError(archive, `would lie outside the archive by its local header: ${member.compressedSize} bytes from byte ${start}`, member.name, member.headerOffset);
  }
  return start;
}
