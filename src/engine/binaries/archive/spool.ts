import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { ArchiveError } from "./errors.ts";
import type { Archive, Member } from "./types.ts";

/**
 * Unpacks members that are too large to be held in memory into a folder of their own below the system's temporary
 * folder, from where they are read by ranges. `dispose` removes the folder.
 */
export class Spool {
  #folder: string | undefined;
  #count = 0;

  /** The file that holds the unpacked member. Throws ArchiveError, ByteSourceError, and ArchiveError when the disk is full. */
  async unpack(archive: Archive, member: Member): Promise<string> {
    this.#folder ??= await fs.promises.mkdtemp(path.join(os.tmpdir(), "abiding-"));
    const target = path.join(this.#folder, String(this.#count));
    this.#count += 1;
    const handle = await fs.promises.open(target, "wx");
    try {
      for await (const piece of archive.stream(member)) {
        await write(handle, piece, archive, member);
      }
    } finally {
      await handle.close();
    }
    return target;
  }

  dispose(): void {
    if (this.#folder !== undefined) {
      fs.rmSync(this.#folder, { recursive: true, force: true });
      this.#folder = undefined;
    }
  }
}

async function write(handle: fs.promises.FileHandle, piece: Uint8Array, archive: Archive, member: Member): Promise<void> {
  try {
    await handle.write(piece);
  } catch (error) {
    throw new ArchiveError(archive.source.name, `could not be unpacked into the temporary folder: ${error instanceof Error ? error.message : String(error)}`, member.name, undefined, error);
  }
}
