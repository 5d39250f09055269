import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { ArchiveError, ByteSourceError } from "./errors.ts";
import type { Archive, Member } from "./types.ts";

const prefix = "abiding-spool-";
/** Older folders belong to runs that were killed: none takes a day. */
const stale = 24 * 60 * 60 * 1000;

export interface SpoolOptions {
  readonly signal?: AbortSignal;
  /** Called as bytes are unpacked: how many of a member are done. */
  readonly progress?: (done: number, member: Member) => void;
}

/**
 * Unpacks members that are too large to be held in memory into a folder of their own below the system's temporary
 * folder, from where they are read by ranges. `dispose` removes the folder; so does the end of the process.
 */
export class Spool {
  readonly #options: SpoolOptions;
  #folder: string | undefined;
  #count = 0;
  readonly #atExit = (): void => { this.dispose(); };

  constructor(options: SpoolOptions = {}) {
    this.#options = options;
  }

  /** The file that holds the unpacked member. Throws ByteSourceError, and ArchiveError, also when there is no room for it. */
  async unpack(archive: Archive, member: Member): Promise<string> {
    const { signal, progress } = this.#options;
    const name = archive.source.name;
    const file = await attempt(name, member, async () => {
      const target = path.join(this.#open(), String(this.#count));
      this.#count += 1;
      return { target, handle: await fs.promises.open(target, "wx", 0o600) };
    });
    let done = 0;
    try {
      for await (const piece of archive.stream(member)) {
        if (signal?.aborted === true) {
          throw new ByteSourceError("cancelled", `Unpacking ${name} was cancelled.`);
        }
        await attempt(name, member, async () => writeAll(file.handle, piece));
        done += piece.length;
        progress?.(done, member);
      }
    } finally {
      await file.handle.close();
    }
    return file.target;
  }

  dispose(): void {
    process.removeListener("exit", this.#atExit);
    if (this.#folder !== undefined) {
      fs.rmSync(this.#folder, { recursive: true, force: true });
      this.#folder = undefined;
    }
  }

  #open(): string {
    if (this.#folder === undefined) {
      removeStale();
      // Nothing is awaited between making the folder and remembering it: whatever ends the process finds it.
      this.#folder = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
      process.once("exit", this.#atExit);
    }
    return this.#folder;
  }
}

/** A disk may be full, a temporary folder missing: that is said of the member that needed it. */
async function attempt<T>(archive: string, member: Member, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArchiveError(archive, `could not be unpacked: ${member.size} bytes are needed in the temporary folder ${os.tmpdir()}, which the variable TMPDIR sets (${reason})`, member.name, undefined, error);
  }
}

/** A disk that fills up takes a part. */
async function writeAll(handle: fs.promises.FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length;) {
    at += (await handle.write(piece, at, piece.length - at)).bytesWritten;
  }
}

/** Folders that runs left behind when they were killed. Those of other users stay. */
function removeStale(): void {
  try {
    for (const name of fs.readdirSync(os.tmpdir()).filter((one) => one.startsWith(prefix))) {
      const folder = path.join(os.tmpdir(), name);
      const status = fs.lstatSync(folder, { throwIfNoEntry: false });
      if (status?.isDirectory() === true && Date.now() - status.mtimeMs > stale && status.uid === process.getuid?.()) {
        fs.rmSync(folder, { recursive: true, force: true });
      }
    }
  } catch {
    // Tidying up is no reason to fail.
  }
}
