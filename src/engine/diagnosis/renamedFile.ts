import type { Files } from "../model/index.ts";

/** A view in which the content of `actual` stands at `shown`, and nothing else. */
export function renamedFile(shown: string, actual: string, files: Files): Files {
  const at = (file: string): string | undefined => (file === shown ? actual : undefined);
  return {
    readText: (file) => (at(file) === undefined ? { ok: false, problem: "missing", message: `${file} does not exist.` } : files.readText(actual)),
    readBytes: (file, offset, length) => (at(file) === undefined ? undefined : files.readBytes(actual, offset, length)),
    status: (file) => (at(file) === undefined ? undefined : files.status(actual)),
    list: () => [],
    entries: () => [],
    realPath: (file) => (at(file) === undefined ? undefined : shown),
  };
}
