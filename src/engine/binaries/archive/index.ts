/**
 * Zip archives (wheels) read by ranges: the directory first, then only the members, or the heads of members, that are
 * asked for. An archive may be hostile; what it says is checked, and what is wrong is said with entry and offset.
 */
export { readDirectory } from "./directory.ts";
export { ArchiveError, BudgetExceededError, ByteSourceError } from "./errors.ts";
export { checkRange, fileSource } from "./fileSource.ts";
export { localHeaderLength, locateData, requireReadable } from "./localHeader.ts";
export { MemberFiles } from "./memberFiles.ts";
export { memberImage, memberPath } from "./memberImage.ts";
export { memberTail } from "./memberTail.ts";
export type { MemberTail } from "./memberTail.ts";
export { openArchive } from "./openArchive.ts";
export { SparseFiles } from "./sparseFiles.ts";
export { Spool } from "./spool.ts";
export type { Archive, ByteSource, Member } from "./types.ts";
export { unpackSync } from "./unpack.ts";
