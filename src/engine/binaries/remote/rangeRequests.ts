import { ByteSourceError } from "../archive/index.ts";
import type { Address } from "./address.ts";
import { exchange, Interrupted } from "./exchange.ts";
import type { RemoteOptions, Spending } from "./options.ts";

/** A file that a server sends only as a whole is taken whole up to this size, within the budget. */
const largestWhole = 64 * 1024 * 1024;

/** What a server says of a resource. */
export interface Resource {
  readonly size: number;
  /** Changes with the content, as far as the server tells. */
  readonly identity: string;
  /** What If-Range may hold: a strong ETag, else the date of the last change. */
  readonly validator: string | undefined;
  readonly etag: string | undefined;
}

/**
 * Learns size and identity by asking for the first byte: servers answer HEAD and negative ranges differently or not at
 * all. A server that ignores ranges sends the whole file; a small one is taken, of a large one the sending is stopped.
 */
export async function probe(address: Address, route: { url: string | undefined }, spending: Spending, options: RemoteOptions): Promise<{ readonly resource: Resource; readonly whole?: Uint8Array }> {
  return exchange({
    address,
    route,
    headers: () => ({ range: "bytes=0-0" }),
    use: async (response, alive) => {
      if (response.status === 416) {
        if (contentRange(response)?.size !== 0) {
          throw new ByteSourceError("refused", `${address.shown}: the server refuses to send the first byte (416).`);
        }
        return { resource: resourceOf(response, 0), whole: new Uint8Array(0) };
      }
      refusePacked(address, response);
      if (response.status !== 206) {
        const whole = await readWhole(address, response, spending, alive);
        options.progress?.(whole.length, address.shown);
        return { resource: resourceOf(response, whole.length), whole };
      }
      const range = contentRange(response);
      if (range?.size === undefined || range.start !== 0) {
        throw new ByteSourceError("refused", `${address.shown}: the server does not say how large the file is.`);
      }
      const reserved = spending.reserve(address.shown, 1);
      reserved.spend(1);
      reserved.release();
      await response.arrayBuffer();
      return { resource: resourceOf(response, range.size) };
    },
  }, options);
}

/** Reads the answer to a range request into `target` from `at` on. The range begins at byte `offset` of the resource. */
export async function fillFrom(response: Response, address: Address, resource: Resource, target: Uint8Array, offset: number, at: number, received: (count: number) => void): Promise<void> {
  if (response.status === 416) {
    throw changed(address, `the server no longer has byte ${offset}`);
  }
  const etag = response.headers.get("etag") ?? undefined;
  if (etag !== undefined && resource.etag !== undefined && etag !== resource.etag) {
    throw changed(address, `its ETag was ${resource.etag} and is ${etag}`);
  }
  refusePacked(address, response);
  if (response.status !== 206) {
    // With If-Range, the whole file is the answer for one that was replaced.
    const length = response.headers.get("content-length");
    throw resource.validator !== undefined && (length === null || Number(length) !== resource.size)
      ? changed(address, "the server answers with another whole file")
      : new ByteSourceError("no-ranges", `${address.shown}: the server stopped sending parts of the file and sends all of it.`);
  }
  const range = contentRange(response);
  if (range === undefined || range.start !== offset) {
    throw new ByteSourceError("refused", `${address.shown}: the server sent another part of the file than asked for (Content-Range ${response.headers.get("content-range") ?? "missing"}, asked for byte ${offset}).`);
  }
  if (range.size !== undefined && range.size !== resource.size) {
    throw changed(address, `it had ${resource.size} bytes and has ${range.size}`);
  }
  let filled = at;
  for await (const piece of bodyOf(response)) {
    const part = piece.subarray(0, target.length - filled);
    target.set(part, filled);
    filled += part.length;
    received(part.length);
    if (filled === target.length) {
      return;
    }
  }
  throw new Interrupted();
}

async function readWhole(address: Address, response: Response, spending: Spending, alive: () => void): Promise<Uint8Array> {
  const header = response.headers.get("content-length");
  const length = header === null ? undefined : Number(header);
  const limit = Math.min(largestWhole, spending.left);
  if (length !== undefined && !(length <= limit)) {
    throw new ByteSourceError("no-ranges", `${address.shown}: the server sends only whole files, and this one would cost ${length} bytes (up to ${limit} are taken). Download it and name the file.`);
  }
  const bytes = await readBody(response, limit, alive, spending, address);
  if (length !== undefined && bytes.length < length) {
    throw new Interrupted();
  }
  return bytes;
}

/** The whole body of an answer, up to `limit` bytes. Throws ByteSourceError above it. */
export async function readBody(response: Response, limit: number, alive: () => void, spending: Spending, address: Address): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  const reserved = spending.reserve(address.shown, 0);
  for await (const piece of bodyOf(response)) {
    total += piece.length;
    reserved.spend(piece.length);
    alive();
    if (total > limit) {
      throw new ByteSourceError("no-ranges", `${address.shown}: the server sends more than the ${limit} bytes that are taken of a whole file. Download it and name the file.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces, total);
}

async function* bodyOf(response: Response): AsyncIterable<Uint8Array> {
  if (response.body !== null) {
    for await (const piece of response.body) {
      yield piece;
    }
  }
}

/** Ranges of a packed form are no ranges of the file. */
function refusePacked(address: Address, response: Response): void {
  const encoding = response.headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new ByteSourceError("refused", `${address.shown}: the server sends the file packed (Content-Encoding: ${encoding}) although it was asked not to, so its parts cannot be read.`);
  }
}

function resourceOf(response: Response, size: number): Resource {
  const etag = response.headers.get("etag") ?? undefined;
  const modified = response.headers.get("last-modified") ?? undefined;
  // A weak ETag does not promise the same bytes (RFC 9110, 13.1.5).
  const strong = etag?.startsWith("W/") === false ? etag : undefined;
  return { size, etag, identity: `${etag ?? modified ?? "unknown"}-${size}`, validator: strong ?? modified };
}

/** Content-Range: "bytes 0-0/123" or "bytes *\/123". */
function contentRange(response: Response): { readonly start: number | undefined; readonly size: number | undefined } | undefined {
  const match = /^bytes\s+(?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(response.headers.get("content-range")?.trim() ?? "");
  if (match === null) {
    return undefined;
  }
  const [, start, size] = match;
  return { start: start === undefined ? undefined : Number(start), size: size === undefined || size === "*" ? undefined : Number(size) };
}

function changed(address: Address, how: string): ByteSourceError {
  return new ByteSourceError("changed", `${address.shown} changed while it was read: ${how}.`);
}
