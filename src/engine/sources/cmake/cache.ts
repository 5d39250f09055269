import type { Files, ReadResult } from "../../model/index.ts";
import { parseCMake } from "./parser.ts";
import type { SourceFile } from "./syntax.ts";

/**
 * Parsed files, kept between readings. An entry is used again only for the very same text, so it can never be stale;
 * one cache serves any number of projects.
 */
export class CMakeFileCache {
  readonly #files = new Map<string, SourceFile>();

  parse(path: string, text: string): SourceFile {
    const kept = this.#files.get(path);
    if (kept?.text === text) return kept;
    const parsed = parseCMake(path, text);
    this.#files.set(path, parsed);
    return parsed;
  }

  read(files: Files, path: string): { readonly ok: true; readonly file: SourceFile } | Extract<ReadResult, { ok: false }> {
    const read = files.readText(path);
    return read.ok ? { ok: true, file: this.parse(path, read.text) } : read;
  }

  /** Drops files that are gone. */
  forget(path: string): void {
    this.#files.delete(path);
  }
}
