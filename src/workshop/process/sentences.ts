/** What the system's error codes mean, in words (errno(3); libuv's names for them). */
const meanings: Readonly<Record<string, string>> = {
  E2BIG: "the command line or its environment is longer than the system takes",
  EACCES: "permission was denied",
  EAGAIN: "the system has no room for another process",
  EBUSY: "it is in use",
  EDQUOT: "the disk quota is used up",
  EEXIST: "it exists already",
  EFBIG: "the file would be larger than allowed",
  EINVAL: "the system does not take this value",
  EIO: "the disk reported an input/output error",
  EISDIR: "it is a folder",
  ELOOP: "its symbolic links lead in a circle",
  EMFILE: "this process has too many files open",
  ENAMETOOLONG: "its name is too long",
  ENFILE: "the system has too many files open",
  ENOENT: "it does not exist",
  ENOMEM: "there is not enough memory",
  ENOSPC: "no space is left on the disk",
  ENOTDIR: "a part of its path is not a folder",
  ENOTEMPTY: "the folder is not empty",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only",
  ETXTBSY: "the program is being written or run right now",
  EXDEV: "it lies on another file system",
};

/** The system's code of an error, such as "ENOSPC". */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** "Could not write /a/b: no space is left on the disk (ENOSPC)." `doing`: what was tried, as "write /a/b". */
export function sentenceOf(error: unknown, doing: string): string {
  const code = codeOf(error);
  const meaning = code === undefined ? undefined : meanings[code];
  if (meaning !== undefined) return `Could not ${doing}: ${meaning} (${code}).`;
  return `Could not ${doing}: ${error instanceof Error ? error.message : String(error)}.`.replace(/\.\.$/, ".");
}
