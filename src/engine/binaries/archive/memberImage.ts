import * as path from "node:path";
import type { Files } from "../../model/index.ts";
import { SparseFiles } from "./sparseFiles.ts";
import type { Archive, Member } from "./types.ts";

const defaultLimit = 64 * 1024 * 1024;

/** One member as a file: what `describeBinary(path, files)` reads. */
export interface MemberImage {
  /** Below the path of the archive. */
  readonly path: string;
  readonly files: Files;
  /** Bytes at hand, from the first one on. */
  readonly available: number;
  readonly isWhole: boolean;
}

/**
 * Fetches a member of an archive, to be read as a file; of one above `limit` unpacked bytes (64 MB unless said
 * otherwise) only its first `limit` bytes. Throws ArchiveError and ByteSourceError.
 */
export async function memberImage(archive: Archive, member: Member, limit: number = defaultLimit): Promise<MemberImage> {
  const bytes = await archive.head(member, limit);
  const files = new SparseFiles(archive.source.name, archive.members);
  files.put(member.name, bytes);
  return { path: memberPath(archive.source.name, member), files, available: bytes.length, isWhole: bytes.length === member.size };
}

/** The path under which a member is read and reported: below the archive's path, or its address, which stays as it is. */
export function memberPath(archive: string, member: Member): string {
  return /^https?:\/\//i.test(archive) ? `${archive}/${member.name}` : path.join(archive, ...member.name.split("/"));
}
