import { createHash, randomUUID } from "node:crypto";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { userCacheFolder } from "./cacheFolder.ts";

const defaultLimit = 256 * 1024 * 1024;
/** Of one resource no more is kept: directory, texts and tables of a torch wheel are 5 MB. */
const largestResource = 48 * 1024 * 1024;
const maximumPieces = 4096;
const checksumSize = 32;
const aboutFile = "resource.json";
/** Bytes written after which the size of the whole cache is looked at again. */
const evictionStep = 16 * 1024 * 1024;

/**
 * Ranges of remote files, kept in a folder by what identifies the content: a checksum, or address and ETag. Each piece is
 * written whole or not at all and carries a checksum: a damaged one counts as missing. Bounded in size; what was unused
 * longest goes first. A cache that cannot be written is no error.
 */
export class RangeCache {
  readonly #folder: string;
  readonly #limit: number;
  #written = evictionStep;

  /** `folder` is the program's cache folder; the ranges have a folder of their own in it. */
  constructor(folder: string = userCacheFolder(), limit: number = defaultLimit) {
    this.#folder = path.join(folder, "ranges");
    this.#limit = limit;
  }

  /** What is kept under a key, when its size is known. */
  async find(key: string): Promise<CachedResource | undefined> {
    const folder = this.#place(key);
    const about = await fs.readFile(path.join(folder, aboutFile), "utf8").catch(() => undefined);
    const size = about === undefined ? undefined : sizeOf(about, key);
    return size === undefined ? undefined : this.#resource(folder, size);
  }

  /** A place to keep ranges of a resource of `size` bytes, with those that are there already. */
  async open(key: string, size: number): Promise<CachedResource | undefined> {
    const found = await this.find(key);
    if (found?.size === size) {
      return found;
    }
    const folder = this.#place(key);
    try {
      await fs.rm(folder, { recursive: true, force: true });
      await fs.mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(path.join(folder, aboutFile), Buffer.from(JSON.stringify({ key, size })));
      return await this.#resource(folder, size);
    } catch {
      return undefined;
    }
  }

  async #resource(folder: string, size: number): Promise<CachedResource> {
    await fs.utimes(folder, new Date(), new Date()).catch(() => undefined);
    const names = await fs.readdir(folder).catch(() => []);
    return new CachedResource(folder, size, names, async (bytes) => this.#account(bytes, folder));
  }

  async #account(bytes: number, inUse: string): Promise<void> {
    this.#written += bytes;
    if (this.#written < evictionStep) {
      return;
    }
    this.#written = 0;
    const resources = await Promise.all((await fs.readdir(this.#folder).catch(() => [])).map(async (name) => usage(path.join(this.#folder, name))));
    let total = resources.reduce((sum, one) => sum + one.size, 0);
    for (const one of resources.sort((a, b) => a.used - b.used)) {
      if (total <= this.#limit) {
        break;
      }
      if (one.folder !== inUse) {
        await fs.rm(one.folder, { recursive: true, force: true }).catch(() => undefined);
        total -= one.size;
      }
    }
  }

  #place(key: string): string {
    return path.join(this.#folder, createHash("sha256").update(key).digest("hex").slice(0, 40));
  }
}

/** The kept ranges of one resource. */
export class CachedResource {
  readonly size: number;
  readonly #folder: string;
  readonly #account: (bytes: number) => Promise<void>;
  readonly #pieces = new Map<string, { readonly offset: number; readonly length: number }>();
  #held = 0;

  constructor(folder: string, size: number, names: readonly string[], account: (bytes: number) => Promise<void>) {
    this.#folder = folder;
    this.size = size;
    this.#account = account;
    for (const name of names) {
      const match = /^(\d{1,15})-(\d{1,9})$/.exec(name);
      const piece = { offset: Number(match?.[1]), length: Number(match?.[2]) };
      if (match !== null && piece.offset + piece.length <= size && this.#pieces.size < maximumPieces) {
        this.#pieces.set(name, piece);
        this.#held += piece.length;
      }
    }
  }

  /** A kept piece that holds the first byte of a range; undefined when none does, or it is damaged. */
  async read(offset: number, end: number): Promise<{ readonly offset: number; readonly bytes: Uint8Array } | undefined> {
    for (const [name, piece] of this.#pieces) {
      if (piece.offset <= offset && piece.offset + piece.length > offset && end > offset) {
        const bytes = await this.#load(name, piece.length);
        if (bytes !== undefined) {
          return { offset: piece.offset, bytes };
        }
      }
    }
    return undefined;
  }

  async put(offset: number, bytes: Uint8Array): Promise<void> {
    const name = `${offset}-${bytes.length}`;
    if (this.#held + bytes.length > largestResource || this.#pieces.size >= maximumPieces || this.#pieces.has(name)) {
      return;
    }
    try {
      await writeWhole(path.join(this.#folder, name), Buffer.concat([checksum(bytes), bytes]));
      this.#pieces.set(name, { offset, length: bytes.length });
      this.#held += bytes.length;
      await this.#account(bytes.length);
    } catch {
      // The next run fetches it again.
    }
  }

  async #load(name: string, length: number): Promise<Uint8Array | undefined> {
    const file = path.join(this.#folder, name);
    const stored = await fs.readFile(file).catch(() => undefined);
    const bytes = stored?.subarray(checksumSize);
    if (stored !== undefined && bytes?.length === length && checksum(bytes).equals(stored.subarray(0, checksumSize))) {
      return bytes;
    }
    this.#pieces.delete(name);
    this.#held -= length;
    await fs.rm(file, { force: true }).catch(() => undefined);
    return undefined;
  }
}

function checksum(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Readers see the old content or the new one, never a part. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await fs.writeFile(draft, bytes, { mode: 0o600 });
    await fs.rename(draft, file);
  } catch (error) {
    await fs.rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

function sizeOf(about: string, key: string): number | undefined {
  try {
    const value: unknown = JSON.parse(about);
    return typeof value === "object" && value !== null && "key" in value && value.key === key && "size" in value && Number.isSafeInteger(value.size) && Number(value.size) >= 0 ? Number(value.size) : undefined;
  } catch {
    return undefined;
  }
}

async function usage(folder: string): Promise<{ readonly folder: string; readonly size: number; readonly used: number }> {
  const names = await fs.readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map(async (name) => (await fs.stat(path.join(folder, name)).catch(() => undefined))?.size ?? 0));
  const used = (await fs.stat(folder).catch(() => undefined))?.mtimeMs ?? 0;
  return { folder, size: sizes.reduce((sum, one) => sum + one, 0), used };
}
