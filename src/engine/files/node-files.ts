import * as fs from "node:fs";
import { maximumTextSize } from "../model/index.ts";
import type { DirectoryEntry, Files, FileStatus, ReadProblem, ReadResult } from "../model/index.ts";
import { decodeText } from "./decode.ts";

/** A single range is bounded, so that a corrupt length in a hostile file cannot ask for all memory. */
const maximumRange = 256 * 1024 * 1024;

/** One call of the system instead of one for every folder; elsewhere it would also change how names are written. */
const realPath = process.platform === "linux" ? fs.realpathSync.native : fs.realpathSync;

/** Files of this machine. */
export class NodeFiles implements Files {
  readText(path: string): ReadResult {
    const status = this.status(path);
    if (status === undefined) {
      return failure("missing", `${path} does not exist or cannot be reached.`);
    }
    // Opening a pipe or a device could block for ever.
    if (status.kind !== "file") {
      return failure("not-a-file", `${path} is not a regular file.`);
    }
    if (status.size > maximumTextSize) {
      return tooLarge(path, status.size);
    }
    try {
      const bytes = fs.readFileSync(path);
      return bytes.length > maximumTextSize ? tooLarge(path, bytes.length) : decodeText(path, bytes);
    } catch (error) {
      return failure("unreadable", `${path} cannot be read: ${describe(error)}.`);
    }
  }

  readBytes(path: string, offset: number, length: number): Uint8Array | undefined {
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
      return undefined;
    }
    const status = this.status(path);
    if (status?.kind !== "file") {
      return undefined;
    }
    const wanted = Math.max(0, Math.min(length, status.size - offset, maximumRange));
    let descriptor: number | undefined;
    try {
      descriptor = fs.openSync(path, "r");
      const buffer = new Uint8Array(wanted);
      let filled = 0;
      while (filled < wanted) {
        const count = fs.readSync(descriptor, buffer, filled, wanted - filled, offset + filled);
        if (count === 0) {
          break;
        }
        filled += count;
      }
      return buffer.subarray(0, filled);
    } catch {
      return undefined;
    } finally {
      if (descriptor !== undefined) {
        fs.closeSync(descriptor);
      }
    }
  }

  status(path: string): FileStatus | undefined {
    try {
      const found = fs.statSync(path, { throwIfNoEntry: false });
      if (found === undefined) {
        return undefined;
      }
      const kind = found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
      return { kind, size: found.size, modified: found.mtimeMs };
    } catch {
      return undefined;
    }
  }

  list(path: string): readonly string[] {
    try {
      return fs.readdirSync(path).sort();
    } catch {
      return [];
    }
  }

  entries(path: string): readonly DirectoryEntry[] {
    try {
      return fs
        .readdirSync(path, { withFileTypes: true })
        .map((entry) => ({
          name: entry.name,
          kind: entry.isFile() ? ("file" as const) : entry.isDirectory() ? ("directory" as const) : entry.isSymbolicLink() ? ("link" as const) : ("other" as const),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    } catch {
      return [];
    }
  }

  realPath(path: string): string | undefined {
    try {
      return realPath(path);
    } catch {
      return undefined;
    }
  }
}

function failure(problem: ReadProblem, message: string): ReadResult {
  return { ok: false, problem, message };
}

function tooLarge(path: string, size: number): ReadResult {
  const mebibytes = (size / (1024 * 1024)).toFixed(1);
  return failure("too-large", `${path} is ${mebibytes} MiB; text above ${maximumTextSize / (1024 * 1024)} MiB is not read.`);
}

function describe(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
