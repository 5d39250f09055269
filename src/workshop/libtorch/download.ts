import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { ByteSourceError } from "../../engine/binaries/archive/index.ts";
import { exchange, Interrupted } from "../../engine/binaries/remote/index.ts";
import type { Address, RemoteOptions } from "../../engine/binaries/remote/index.ts";
import { makeFolder, sentenceOf } from "../process/index.ts";
import { CannotDo } from "../workshop.ts";
import type { Activity } from "../workshop.ts";
import { contentFile, keyOf } from "./store.ts";
import { requireSpace, sizeText } from "./space.ts";

export interface Downloaded {
  readonly file: string;
  readonly sha256: string;
  /** That came over the network in this run. */
  readonly bytes: number;
}

/**
 * Downloads a file into the store, under its SHA-256. What came before a connection broke, a cancel or a kill stays in a part,
 * with what the server said to know the file again by; the next run goes on from there, if the file is still the same one (RFC
 * 9110, 13.1.5 If-Range). Throws ByteSourceError and CannotDo.
 */
export async function download(address: Address, expected: string | undefined, store: string, activity: Activity, options: RemoteOptions): Promise<Downloaded> {
  const part = await Part.open(path.join(store, "parts", keyOf([address.url])), address, expected, activity);
  try {
    await exchange({
      address,
      headers: () => part.headers(),
      use: async (response, alive) => part.take(response, alive),
    }, { ...options, signal: activity.signal });
    const sha256 = await part.finish();
    if (expected !== undefined && sha256 !== expected) {
      part.drop();
      throw new ByteSourceError("changed", `${address.shown} has the SHA-256 ${sha256}; ${expected} is expected. What was downloaded is discarded.`);
    }
    const file = contentFile(store, sha256);
    await makeFolder(path.dirname(file));
    part.moveTo(file);
    return { file, sha256, bytes: part.received };
  } finally {
    await part.close();
  }
}

interface PartState {
  /** Shown form of the address, for people who look. */
  readonly url: string;
  /** A strong ETag, else the time of the last change. */
  readonly validator?: string;
  readonly size?: number;
}

class Part {
  readonly #file: string;
  readonly #address: Address;
  readonly #activity: Activity;
  readonly #handle: fs.promises.FileHandle;
  #hash: Hash;
  #length: number;
  #state: PartState;
  /** Bytes that came in this run. */
  received = 0;

  private constructor(file: string, address: Address, activity: Activity, handle: fs.promises.FileHandle, before: { readonly hash: Hash; readonly length: number; readonly state: PartState }) {
    this.#file = file;
    this.#address = address;
    this.#activity = activity;
    this.#handle = handle;
    this.#hash = before.hash;
    this.#length = before.length;
    this.#state = before.state;
  }

  static async open(stem: string, address: Address, expected: string | undefined, activity: Activity): Promise<Part> {
    const file = `${stem}.part`;
    try {
      await makeFolder(path.dirname(file));
      const state = readState(`${stem}.json`);
      const handle = await fs.promises.open(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644);
      // Without a validator or a checksum nobody could tell whether the rest belongs to the same file.
      const mayGoOn = state !== undefined && (state.validator !== undefined || expected !== undefined);
      const before = mayGoOn ? await hashed(handle) : { hash: createHash("sha256"), length: 0 };
      if (before.length > 0) {
        activity.note(`${sizeText(before.length)} of ${address.shown} are here from an earlier run.`);
      }
      return new Part(file, address, activity, handle, { ...before, state: state ?? { url: address.shown } });
    } catch (error) {
      throw new CannotDo(sentenceOf(error, `write ${file}`), { cause: error });
    }
  }

  headers(): Readonly<Record<string, string>> {
    // With a Range header, fetch asks for the file as it is, not packed for the way.
    return { range: `bytes=${this.#length}-`, ...(this.#length > 0 && this.#state.validator !== undefined ? { "if-range": this.#state.validator } : {}) };
  }

  /** Takes an answer. Throws Interrupted when it ends early: the next attempt goes on. */
  async take(response: Response, alive: () => void): Promise<void> {
    const address = this.#address.shown;
    if (response.status === 416) {
      if (rangeOf(response)?.size === this.#length && this.#length > 0) {
        return;
      }
      await this.#restart();
      throw new Interrupted();
    }
    const encoding = response.headers.get("content-encoding")?.toLowerCase();
    if (encoding !== undefined && encoding !== "identity") {
      throw new ByteSourceError("refused", `${address}: the server sends the file packed (Content-Encoding: ${encoding}) although it was asked not to.`);
    }
    const range = response.status === 206 ? rangeOf(response) : undefined;
    const now = validatorOf(response);
    if (response.status === 206) {
      const isOther = this.#length > 0 && ((now !== undefined && this.#state.validator !== undefined && now !== this.#state.validator) || (range?.size !== undefined && this.#state.size !== undefined && range.size !== this.#state.size));
      if (isOther) {
        this.#activity.note(`${address} was replaced since the first part of it came; it is downloaded anew.`);
        await this.#restart();
        throw new Interrupted();
      }
      if (range?.start !== this.#length) {
        throw new ByteSourceError("refused", `${address}: the server sent another part of the file than asked for (Content-Range ${response.headers.get("content-range") ?? "missing"}, asked for byte ${this.#length}).`);
      }
    } else if (this.#length > 0) {
      this.#activity.note(`The server sends ${address} from its beginning: it sends no parts, or the file was replaced.`);
      await this.#restart();
    }
    const size = range?.size ?? lengthOf(response);
    this.#remember({ url: address, ...(now === undefined ? {} : { validator: now }), ...(size === undefined ? {} : { size }) });
    if (size !== undefined) {
      await requireSpace(path.dirname(this.#file), size - this.#length, `The download of ${address}`).catch((error: unknown) => {
        throw new ByteSourceError("refused", error instanceof Error ? error.message : String(error), error);
      });
    }
    await this.#write(response, size, alive);
  }

  async #write(response: Response, size: number | undefined, alive: () => void): Promise<void> {
    const address = this.#address.shown;
    for await (const piece of bodyOf(response)) {
      alive();
      if (size !== undefined && this.#length + piece.length > size) {
        throw new ByteSourceError("refused", `${address}: the server sends more than the ${size} bytes that it announced.`);
      }
      try {
        for (let at = 0; at < piece.length;) {
          at += (await this.#handle.write(piece, at, piece.length - at, this.#length + at)).bytesWritten;
        }
      } catch (error) {
        throw new ByteSourceError("refused", `${sentenceOf(error, `write ${this.#file}`)} ${sizeText(this.#length)} of ${address} are kept for the next attempt.`, error);
      }
      this.#hash.update(piece);
      this.#length += piece.length;
      this.received += piece.length;
      if (size !== undefined && size > 0) {
        this.#activity.progress(this.#length / size);
      }
    }
    if (size !== undefined && this.#length < size) {
      throw new Interrupted();
    }
  }

  /** The SHA-256 of the whole. */
  async finish(): Promise<string> {
    // What an older run left behind the end.
    await this.#handle.truncate(this.#length);
    await this.#handle.sync();
    return this.#hash.digest("hex");
  }

  moveTo(file: string): void {
    fs.renameSync(this.#file, file);
    fs.rmSync(this.#stateFile, { force: true });
  }

  drop(): void {
    fs.rmSync(this.#file, { force: true });
    fs.rmSync(this.#stateFile, { force: true });
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  get #stateFile(): string {
    return this.#file.replace(/\.part$/, ".json");
  }

  async #restart(): Promise<void> {
    await this.#handle.truncate(0);
    this.#hash = createHash("sha256");
    this.#length = 0;
    this.#state = { url: this.#address.shown };
  }

  /** Before the first byte is written: a part without its state is never gone on with. */
  #remember(state: PartState): void {
    this.#state = { ...state, ...(state.validator === undefined && this.#length > 0 && this.#state.validator !== undefined ? { validator: this.#state.validator } : {}) };
    try {
      if (this.#length === 0) {
        fs.ftruncateSync(this.#handle.fd, 0);
      }
      fs.writeFileSync(this.#stateFile, JSON.stringify(this.#state));
    } catch (error) {
      throw new ByteSourceError("refused", sentenceOf(error, `write ${this.#stateFile}`), error);
    }
  }
}

async function hashed(handle: fs.promises.FileHandle): Promise<{ readonly hash: Hash; readonly length: number }> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(1024 * 1024);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, length);
    if (bytesRead === 0) {
      return { hash, length };
    }
    hash.update(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
}

/** The SHA-256 of a file; undefined when it is not there. */
export async function sha256Of(file: string): Promise<string | undefined> {
  const handle = await fs.promises.open(file).catch(() => undefined);
  if (handle === undefined) {
    return undefined;
  }
  try {
    return (await hashed(handle)).hash.digest("hex");
  } finally {
    await handle.close();
  }
}

function readState(file: string): PartState | undefined {
  try {
    const read: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    if (typeof read !== "object" || read === null || !("url" in read) || typeof read.url !== "string") {
      return undefined;
    }
    return { url: read.url, ...("validator" in read && typeof read.validator === "string" ? { validator: read.validator } : {}), ...("size" in read && typeof read.size === "number" ? { size: read.size } : {}) };
  } catch {
    return undefined;
  }
}

function validatorOf(response: Response): string | undefined {
  const etag = response.headers.get("etag");
  // A weak ETag does not promise the same bytes (RFC 9110, 13.1.5).
  return etag?.startsWith("W/") === false ? etag : (response.headers.get("last-modified") ?? undefined);
}

function lengthOf(response: Response): number | undefined {
  const header = response.headers.get("content-length");
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}

function rangeOf(response: Response): { readonly start: number | undefined; readonly size: number | undefined } | undefined {
  const [whole, start, size] = /^bytes\s+(?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(response.headers.get("content-range")?.trim() ?? "") ?? [];
  return whole === undefined ? undefined : { start: start === undefined ? undefined : Number(start), size: size === undefined || size === "*" ? undefined : Number(size) };
}

async function* bodyOf(response: Response): AsyncIterable<Uint8Array> {
  if (response.body !== null) {
    for await (const piece of response.body) {
      yield piece;
    }
  }
}
