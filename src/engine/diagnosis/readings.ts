import * as path from "node:path";
import type { EvaluationContext, Files, Gap, Reading, Requirement } from "../model/index.ts";

/** One remembered reading and what it was made from. */
interface Entry {
  readonly reading: Reading;
  readonly files: ReadonlySet<string>;
}

/**
 * Readings by what was read and under which circumstances. A reading is dropped when one of its files
 * changes, so that a key stroke re-reads what depends on that file and nothing else.
 */
export class ReadingCache {
  readonly #entries = new Map<string, Entry>();
  readonly #byFile = new Map<string, Set<string>>();

  /** The reading of `key`, made by `read` when it is not known or a file of it changed. A reader that throws costs only its own file. */
  get(key: string, subject: string, read: () => Reading): Reading {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      return known.reading;
    }
    const reading = readSafely(subject, read);
    const files = new Set([subject, ...reading.files]);
    this.#entries.set(key, { reading, files });
    for (const file of files) {
      let keys = this.#byFile.get(file);
      if (keys === undefined) {
        keys = new Set();
        this.#byFile.set(file, keys);
      }
      keys.add(key);
    }
    return reading;
  }

  /** Forgets every reading that a file went into. */
  invalidate(file: string): void {
    for (const key of this.#byFile.get(file) ?? []) {
      const entry = this.#entries.get(key);
      this.#entries.delete(key);
      for (const other of entry?.files ?? []) {
        if (other !== file) {
          this.#byFile.get(other)?.delete(key);
        }
      }
    }
    this.#byFile.delete(file);
  }

  clear(): void {
    this.#entries.clear();
    this.#byFile.clear();
  }
}

function readSafely(subject: string, read: () => Reading): Reading {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const gap: Gap = { kind: "file", path: subject, message: `${path.basename(subject)} was not read: the reader failed (${reason}). Please report this.` };
    return { targets: [], observations: [], requirements: [], gaps: [gap], files: [subject] };
  }
}

/** Text that is equal for circumstances under which every reading is equal. */
export function contextKey(context: EvaluationContext): string {
  const { cacheVariables, ...rest } = context;
  return JSON.stringify([rest, [...(cacheVariables ?? [])]]);
}

/** Text files read at most once per change. */
export function textOf(files: Files, file: string): string | undefined {
  const read = files.readText(file);
  return read.ok ? read.text : undefined;
}

/** A build file that could not be read, as a reading. */
export function unreadable(file: string, message: string): Reading {
  return { targets: [], observations: [], requirements: [], gaps: [{ kind: "file", path: file, message }], files: [file] };
}

/** Several readings as one. */
export function joinReadings(readings: readonly Reading[]): Reading {
  const requirements: Requirement[] = readings.flatMap((reading) => reading.requirements);
  return {
    targets: readings.flatMap((reading) => reading.targets),
    observations: readings.flatMap((reading) => reading.observations),
    requirements,
    gaps: readings.flatMap((reading) => reading.gaps),
    files: [...new Set(readings.flatMap((reading) => reading.files))],
  };
}
