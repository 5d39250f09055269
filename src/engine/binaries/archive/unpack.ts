import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { ArchiveError } from "./errors.ts";
import type { ByteSource, Member } from "./types.ts";

const firstPiece = 64 * 1024;
const largestPiece = 1024 * 1024;
const outputPiece = 64 * 1024;

/**
 * The packed bytes of a member. Pieces grow with what was already needed, so that little is fetched for a head and few
 * requests are made for a whole library.
 */
export async function* packedPieces(source: ByteSource, start: number, length: number): AsyncIterable<Uint8Array> {
  let done = 0;
  while (done < length) {
    const wanted = Math.min(length - done, largestPiece, Math.max(firstPiece, Math.floor(done / 4)));
    yield await source.read(start + done, wanted);
    done += wanted;
  }
}

/** Unpacks pieces and compares size and checksum at the end. Leaving the loop stops the reading of pieces. */
export async function* unpack(archive: string, member: Member, pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let size = 0;
  let checksum = 0;
  for await (const piece of member.method === 0 ? pieces : inflate(archive, member, pieces)) {
    size += piece.length;
    if (size > member.size) {
      throw tooLong(archive, member);
    }
    checksum = crc32(piece, checksum);
    yield piece;
  }
  checkEnd(archive, member, size, checksum);
}

/** The whole member from its packed bytes, at once. */
export function unpackSync(archive: string, member: Member, packed: Uint8Array): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = member.method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, member.size) });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") {
      throw tooLong(archive, member);
    }
    throw new ArchiveError(archive, `cannot be unpacked: ${reason(error)}`, member.name, member.headerOffset, error);
  }
  checkEnd(archive, member, bytes.length, crc32(bytes));
  return bytes;
}

function tooLong(archive: string, member: Member): ArchiveError {
  return new ArchiveError(archive, `unpacks to more than the ${member.size} bytes that the directory says`, member.name, member.headerOffset);
}

function checkEnd(archive: string, member: Member, size: number, checksum: number): void {
  if (size !== member.size) {
    throw new ArchiveError(archive, `unpacks to ${size} bytes, where the directory says ${member.size}`, member.name, member.headerOffset);
  }
  if (checksum !== member.crc32) {
    throw new ArchiveError(archive, `has other content than its checksum says (CRC-32 ${hex(checksum)} instead of ${hex(member.crc32)})`, member.name, member.headerOffset);
  }
}

/** A piece is asked for only when all output of those before was taken, so that a head costs no more than it needs. */
async function* inflate(archive: string, member: Member, pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const engine = createInflateRaw({ chunkSize: outputPiece });
  const waking = new Waking();
  const input = pieces[Symbol.asyncIterator]();
  let failure: Error | undefined;
  let isIdle = true;
  let hasEnded = false;
  engine.on("readable", () => { waking.signal(); });
  engine.on("end", () => { hasEnded = true; waking.signal(); });
  engine.on("error", (error) => { failure = error; waking.signal(); });
  try {
    while (true) {
      const piece = engine.read() as Uint8Array | null;
      if (failure !== undefined) {
        throw new ArchiveError(archive, `cannot be unpacked: ${failure.message}`, member.name, member.headerOffset, failure);
      }
      if (piece !== null) {
        yield piece;
      } else if (hasEnded) {
        return;
      } else if (isIdle) {
        isIdle = false;
        const next = await input.next();
        if (next.done === true) {
          engine.end();
        } else {
          engine.write(next.value, () => { isIdle = true; waking.signal(); });
        }
      } else {
        await waking.wait();
      }
    }
  } finally {
    engine.destroy();
    await input.return?.();
  }
}

/** Lets a loop sleep until something happened since it last woke. */
class Waking {
  #happened = false;
  #wake: (() => void) | undefined;

  signal(): void {
    this.#happened = true;
    this.#wake?.();
  }

  async wait(): Promise<void> {
    if (!this.#happened) {
      await new Promise<void>((resolve) => { this.#wake = resolve; });
    }
    this.#happened = false;
    this.#wake = undefined;
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function hex(value: number): string {
  return value.toString(16).padStart(8, "0");
}
