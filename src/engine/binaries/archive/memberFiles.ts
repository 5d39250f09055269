import * as path from "node:path";
import { decodeText } from "../../files/decode.ts";
import { maximumTextSize } from "../../model/index.ts";
import type { DirectoryEntry, Files, FileStatus, ReadResult } from "../../model/index.ts";

/** The members of an archive as files below its own path: "/x/torch.whl/torch/version.py". */
export abstract class MemberFiles implements Files {
  readonly #root: string;
  readonly #sizes: ReadonlyMap<string, { readonly size: number }>;
  readonly #folders: Folders;

  /** `members` by name, with slashes. */
  constructor(root: string, members: ReadonlyMap<string, { readonly size: number }>) {
    this.#root = root;
    this.#sizes = members;
    this.#folders = foldersOf(members);
  }

  /** What is at hand of a member, from its first byte on; undefined when nothing is. */
  protected abstract bytesOf(name: string): Uint8Array | undefined;

  readText(file: string): ReadResult {
    const size = this.#size(file);
    if (size === undefined) {
      return { ok: false, problem: "missing", message: `${file} does not exist.` };
    }
    if (size > maximumTextSize) {
      return { ok: false, problem: "too-large", message: `${file} is too large to be read as text.` };
    }
    const bytes = this.bytesOf(this.#name(file) ?? "");
    return bytes === undefined || bytes.length < size ? { ok: false, problem: "unreadable", message: `${file} was not unpacked.` } : decodeText(file, bytes);
  }

  readBytes(file: string, offset: number, length: number): Uint8Array | undefined {
    const size = this.#size(file);
    if (size === undefined || offset < 0 || length < 0) {
      return undefined;
    }
    const bytes = this.bytesOf(this.#name(file) ?? "");
    // Beyond the part that is at hand nothing is known: that is no end of the file.
    return bytes === undefined || (offset >= bytes.length && offset < size) ? undefined : bytes.subarray(offset, offset + length);
  }

  status(file: string): FileStatus | undefined {
    const size = this.#size(file);
    if (size !== undefined) {
      return { kind: "file", size, modified: 0 };
    }
    return this.#folders.has(this.#name(file) ?? "") ? { kind: "directory", size: 0, modified: 0 } : undefined;
  }

  list(folder: string): readonly string[] {
    return [...(this.#folders.get(this.#name(folder) ?? "") ?? [])].sort();
  }

  entries(folder: string): readonly DirectoryEntry[] {
    return this.list(folder).map((name) => ({ name, kind: this.#size(path.join(folder, name)) === undefined ? "directory" : "file" }));
  }

  realPath(file: string): string | undefined {
    return this.status(file) === undefined ? undefined : file;
  }

  #name(file: string): string | undefined {
    const relative = path.relative(this.#root, file).split(path.sep).join("/");
    return relative === "" ? "." : relative.startsWith("..") ? undefined : relative;
  }

  #size(file: string): number | undefined {
    const name = this.#name(file);
    return name === undefined ? undefined : this.#sizes.get(name)?.size;
  }
}

type Folders = ReadonlyMap<string, ReadonlySet<string>>;

/** Views of single members share what their archive has in common: a wheel may have thousands of libraries. */
const known = new WeakMap<ReadonlyMap<string, unknown>, Folders>();

/** The names in each folder. */
function foldersOf(members: ReadonlyMap<string, unknown>): Folders {
  const before = known.get(members);
  if (before !== undefined) {
    return before;
  }
  const folders = new Map<string, Set<string>>();
  for (const name of members.keys()) {
    for (let child = name; child !== "."; child = path.posix.dirname(child)) {
      const folder = path.posix.dirname(child);
      const names = folders.get(folder);
      if (names !== undefined) {
        names.add(path.posix.basename(child));
        // Its own folders are listed already.
        break;
      }
      folders.set(folder, new Set([path.posix.basename(child)]));
    }
  }
  known.set(members, folders);
  return folders;
}
