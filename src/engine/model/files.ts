/** Why a file has no text to read. */
export type ReadProblem = "missing" | "unreadable" | "binary" | "too-large" | "not-a-file";

export type ReadResult =
  | { readonly ok: true; readonly text: string; /** Bytes that are not UTF-8 were replaced. */ readonly lossy: boolean }
  | { readonly ok: false; readonly problem: ReadProblem; readonly message: string };

export interface FileStatus {
  readonly kind: "file" | "directory" | "other";
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
}

/**
 * Read access to files, synchronous and never throwing. Editors lay unsaved texts over the disk.
 * Paths are absolute.
 */
export interface Files {
  /** The whole text without a byte order mark. Refuses files above `maximumTextSize` and files with NUL bytes. */
  readText(path: string): ReadResult;
  /** Up to `length` bytes from `offset`; undefined when the file cannot be read. */
  readBytes(path: string, offset: number, length: number): Uint8Array | undefined;
  /** Follows links. undefined when there is nothing. */
  status(path: string): FileStatus | undefined;
  /** Names in a directory, sorted; empty when it cannot be listed. */
  list(path: string): readonly string[];
  /** Names with their kinds, sorted by name; links are not followed. Empty when it cannot be listed. */
  entries(path: string): readonly DirectoryEntry[];
  /** The path with links resolved, or undefined. */
  realPath(path: string): string | undefined;
}

/** 8 MiB: larger "build files" are data. */
export const maximumTextSize = 8 * 1024 * 1024;
