import * as path from "node:path";
import type { DirectoryEntry, Files, FileStatus, ReadResult } from "../../src/engine/model/index.ts";
import { decodeText } from "../../src/engine/files/decode.ts";
import { maximumTextSize } from "../../src/engine/model/index.ts";

/** Files that exist only in a test. Keys are absolute paths. */
export class MemoryFiles implements Files {
  readonly #contents = new Map<string, Uint8Array>();
  readonly #links: ReadonlyMap<string, string>;

  constructor(contents: Readonly<Record<string, string | Uint8Array>> = {}, links: Readonly<Record<string, string>> = {}) {
    for (const [file, content] of Object.entries(contents)) {
      this.write(file, content);
    }
    this.#links = new Map(Object.entries(links));
  }

  write(file: string, content: string | Uint8Array): void {
    this.#contents.set(path.normalize(file), typeof content === "string" ? new TextEncoder().encode(content) : content);
  }

  delete(file: string): void {
    this.#contents.delete(file);
  }

  readText(file: string): ReadResult {
    const status = this.status(file);
    const bytes = this.#contents.get(this.#resolve(file));
    if (bytes === undefined) {
      return status === undefined
        ? { ok: false, problem: "missing", message: `${file} does not exist.` }
        : { ok: false, problem: "not-a-file", message: `${file} is not a regular file.` };
    }
    return bytes.length > maximumTextSize ? { ok: false, problem: "too-large", message: `${file} is too large.` } : decodeText(file, bytes);
  }

  readBytes(file: string, offset: number, length: number): Uint8Array | undefined {
    return this.#contents.get(this.#resolve(file))?.subarray(offset, offset + length);
  }

  status(file: string): FileStatus | undefined {
    const real = this.#resolve(file);
    const bytes = this.#contents.get(real);
    if (bytes !== undefined) {
      return { kind: "file", size: bytes.length, modified: 1 };
    }
    const prefix = real.endsWith("/") ? real : `${real}/`;
    return [...this.#contents.keys()].some((key) => key.startsWith(prefix)) ? { kind: "directory", size: 0, modified: 1 } : undefined;
  }

  list(folder: string): readonly string[] {
    const real = this.#resolve(folder);
    const prefix = real.endsWith("/") ? real : `${real}/`;
    const names = new Set<string>();
    for (const key of [...this.#contents.keys(), ...this.#links.keys()]) {
      if (key.startsWith(prefix)) {
        names.add(key.slice(prefix.length).split("/", 1)[0] ?? "");
      }
    }
    return [...names].sort();
  }

  entries(folder: string): readonly DirectoryEntry[] {
    return this.list(folder).map((name) => {
      const child = path.join(folder, name);
      const kind = this.#links.has(child) ? "link" : this.status(child)?.kind;
      return { name, kind: kind ?? "other" };
    });
  }

  realPath(file: string): string | undefined {
    return this.status(file) === undefined ? undefined : this.#resolve(file);
  }

  #resolve(file: string): string {
    let current = path.normalize(file);
    for (let hops = 0; hops < 40; hops += 1) {
      const link = [...this.#links].find(([from]) => current === from || current.startsWith(`${from}/`));
      if (link === undefined) {
        return current;
      }
      current = path.resolve(path.dirname(link[0]), link[1]) + current.slice(link[0].length);
    }
    return current;
  }
}
