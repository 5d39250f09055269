import * as path from "node:path";
import { maximumTextSize } from "../model/index.ts";
import type { DirectoryEntry, Files, FileStatus, ReadResult } from "../model/index.ts";

interface Overlay {
  readonly text: string;
  readonly modified: number;
}

/** An editor's unsaved texts over other files; a text may belong to a file that does not exist yet. */
export class OverlayFiles implements Files {
  readonly #base: Files;
  readonly #texts = new Map<string, Overlay>();
  /** Folders that exist only because of overlays, with the names in them. */
  readonly #folders = new Map<string, Map<string, number>>();

  constructor(base: Files) {
    this.#base = base;
  }

  /** Lays `text` over `file` until `remove`. */
  set(file: string, text: string): void {
    const isNew = !this.#texts.has(file);
    const content = text.startsWith("\uFEFF") ? text.slice(1) : text;
    const below = this.#base.readText(file);
    // A document that is open and unchanged is no newer than its file: products of the file are still up to date.
    const saved = below.ok && below.text === content ? this.#base.status(file)?.modified : undefined;
    this.#texts.set(file, { text: content, modified: saved ?? Date.now() });
    if (isNew) {
      this.#countNames(file, 1);
    }
  }

  /** Shows the file below again. */
  remove(file: string): void {
    if (this.#texts.delete(file)) {
      this.#countNames(file, -1);
    }
  }

  readText(file: string): ReadResult {
    const overlay = this.#texts.get(file);
    if (overlay === undefined) {
      return this.#base.readText(file);
    }
    if (overlay.text.length > maximumTextSize) {
      return { ok: false, problem: "too-large", message: `${file} is too large: text above ${maximumTextSize / (1024 * 1024)} MiB is not read.` };
    }
    if (overlay.text.includes("\0")) {
      return { ok: false, problem: "binary", message: `${file} holds NUL characters.` };
    }
    return { ok: true, text: overlay.text, lossy: false };
  }

  readBytes(file: string, offset: number, length: number): Uint8Array | undefined {
    const overlay = this.#texts.get(file);
    return overlay === undefined
      ? this.#base.readBytes(file, offset, length)
      : new TextEncoder().encode(overlay.text).subarray(offset, offset + length);
  }

  status(file: string): FileStatus | undefined {
    const overlay = this.#texts.get(file);
    if (overlay !== undefined) {
      return { kind: "file", size: Buffer.byteLength(overlay.text), modified: overlay.modified };
    }
    return this.#base.status(file) ?? (this.#folders.has(file) ? { kind: "directory", size: 0, modified: 0 } : undefined);
  }

  list(folder: string): readonly string[] {
    const below = this.#base.list(folder);
    const added = this.#folders.get(folder);
    return added === undefined ? below : [...new Set([...below, ...added.keys()])].sort();
  }

  entries(folder: string): readonly DirectoryEntry[] {
    const below = this.#base.entries(folder);
    const added = this.#folders.get(folder);
    if (added === undefined) {
      return below;
    }
    const known = new Set(below.map((entry) => entry.name));
    const onlyHere = [...added.keys()]
      .filter((name) => !known.has(name))
      .map((name) => ({ name, kind: this.#texts.has(path.join(folder, name)) ? ("file" as const) : ("directory" as const) }));
    return [...below, ...onlyHere].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  realPath(file: string): string | undefined {
    return this.#base.realPath(file) ?? (this.#texts.has(file) || this.#folders.has(file) ? file : undefined);
  }

  #countNames(file: string, change: 1 | -1): void {
    let child = file;
    let folder = path.dirname(file);
    while (folder !== child) {
      const names = this.#folders.get(folder) ?? new Map<string, number>();
      const name = path.basename(child);
      const count = (names.get(name) ?? 0) + change;
      if (count > 0) {
        names.set(name, count);
      } else {
        names.delete(name);
      }
      if (names.size > 0) {
        this.#folders.set(folder, names);
      } else {
        this.#folders.delete(folder);
      }
      child = folder;
      folder = path.dirname(child);
    }
  }
}
