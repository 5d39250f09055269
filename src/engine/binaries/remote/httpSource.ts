import { ByteSourceError, checkRange } from "../archive/index.ts";
import type { ByteSource } from "../archive/index.ts";
import { parseAddress } from "./address.ts";
import type { Address } from "./address.ts";
import { exchange } from "./exchange.ts";
import { spendingOf } from "./options.ts";
import type { RemoteOptions, Spending } from "./options.ts";
import { fillFrom, probe } from "./rangeRequests.ts";
import type { Resource } from "./rangeRequests.ts";
import { RangeStore } from "./rangeStore.ts";
import type { CachedResource } from "./rangeCache.ts";

/** Requests below this length are lengthened to it: a next read is often close by. */
const smallestRequest = 16 * 1024;
/** A gap of up to this length between two wanted ranges is fetched with them. */
const largestGap = 16 * 1024;
const heldInMemory = 32 * 1024 * 1024;
/** Longer ranges are handed over without being kept. */
const largestKept = 8 * 1024 * 1024;

/**
 * A resource of a web server, read by HTTP ranges (RFC 9110, section 14). Reads that come at the same time or lie close
 * together share requests. Throws ByteSourceError: "no-ranges" when the server sends only whole files and this one is too
 * large for that, "changed" when the resource is replaced while it is read, BudgetExceededError before a step that would
 * cost too much. With `#sha256=` in the address, ranges of the cache serve without asking the server first.
 */
export async function httpSource(url: string, options: RemoteOptions = {}): Promise<ByteSource> {
  const address = parseAddress(url);
  const spending = spendingOf(options);
  const known = address.sha256 === undefined ? undefined : await options.cache?.find(`sha256:${address.sha256}`);
  if (known !== undefined) {
    return new HttpSource(address, { size: known.size, identity: `sha256:${address.sha256 ?? ""}`, validator: undefined, etag: undefined }, { route: { url: undefined }, spending, options, cached: known }, false);
  }
  const route = { url: undefined };
  const { resource, whole } = await probe(address, route, spending, options);
  const identity = address.sha256 === undefined ? resource.identity : `sha256:${address.sha256}`;
  // Without a validator nobody can tell whether kept ranges still hold.
  const cached = address.sha256 !== undefined ? await options.cache?.open(identity, resource.size) : resource.validator === undefined ? undefined : await options.cache?.open(`${address.url}\n${resource.identity}`, resource.size);
  const source = new HttpSource(address, { ...resource, identity }, { route, spending, options, cached }, true);
  if (whole !== undefined) {
    source.keepWhole(whole);
  }
  return source;
}

interface Wanted {
  readonly offset: number;
  readonly end: number;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

interface Means {
  readonly route: { url: string | undefined };
  readonly spending: Spending;
  readonly options: RemoteOptions;
  readonly cached: CachedResource | undefined;
}

class HttpSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly identity: string;
  readonly #address: Address;
  readonly #means: Means;
  #resource: Resource;
  readonly #store = new RangeStore(heldInMemory);
  /** Of a server that sends only whole files. */
  #whole: Uint8Array | undefined;
  #confirmed: Promise<void> | undefined;
  #bytesRead = 0;
  #waiting: Wanted[] = [];
  readonly #inFlight = new Set<{ readonly offset: number; readonly end: number; readonly done: Promise<unknown> }>();

  constructor(address: Address, resource: Resource, means: Means, isConfirmed: boolean) {
    this.name = address.shown;
    this.size = resource.size;
    this.identity = resource.identity;
    this.#address = address;
    this.#resource = resource;
    this.#means = means;
    this.#confirmed = isConfirmed ? Promise.resolve() : undefined;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** Takes over the whole content, as it was sent. */
  keepWhole(bytes: Uint8Array): void {
    this.#whole = bytes;
    this.#bytesRead += bytes.length;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    checkRange(this, offset, length);
    const end = offset + length;
    if (length === 0) {
      return new Uint8Array(0);
    }
    if (this.#whole !== undefined) {
      return this.#whole.subarray(offset, end);
    }
    if (length > largestKept) {
      return this.#store.read(offset, length) ?? this.#request(offset, end);
    }
    // Each round brings at least one missing part, or finds it brought by somebody else.
    for (let round = 0; round < 1000; round += 1) {
      const held = this.#store.read(offset, length);
      if (held !== undefined) {
        return held;
      }
      const gap = this.#store.missing(offset, end) ?? { offset, end };
      const underway = [...this.#inFlight].find((one) => one.offset < gap.end && one.end > gap.offset);
      if (underway !== undefined) {
        await underway.done.catch(() => undefined);
        continue;
      }
      const kept = await this.#means.cached?.read(gap.offset, gap.end);
      if (kept !== undefined) {
        this.#store.put(kept.offset, kept.bytes);
        continue;
      }
      const bytes = await this.#request(gap.offset, gap.end);
      if (gap.offset === offset && gap.end === end) {
        return bytes.subarray(0, length);
      }
    }
    throw new ByteSourceError("unreadable", `${this.name} could not be read: more is wanted at once than can be held.`);
  }

  /** The wanted range, fetched together with what else is wanted in this moment. */
  async #request(offset: number, end: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ offset, end, resolve, reject });
      if (this.#waiting.length === 1) {
        setImmediate(() => { this.#send(); });
      }
    });
  }

  #send(): void {
    const waiting = this.#waiting.sort((a, b) => a.offset - b.offset);
    this.#waiting = [];
    for (let first = 0; first < waiting.length;) {
      const group = [waiting[first]].filter((one) => one !== undefined);
      let end = group[0]?.end ?? 0;
      for (first += 1; first < waiting.length; first += 1) {
        const next = waiting[first];
        if (next === undefined || next.offset > end + largestGap) {
          break;
        }
        group.push(next);
        end = Math.max(end, next.end);
      }
      void this.#serve(group, end);
    }
  }

  async #serve(group: readonly Wanted[], wantedEnd: number): Promise<void> {
    const offset = group[0]?.offset ?? 0;
    const end = this.#lengthened(offset, wantedEnd);
    const done = this.#fetch(offset, end);
    const flight = { offset, end, done };
    this.#inFlight.add(flight);
    try {
      const bytes = await done;
      if (bytes.length <= largestKept) {
        this.#store.put(offset, bytes);
      }
      for (const one of group) {
        one.resolve(bytes.subarray(one.offset - offset, one.end - offset));
      }
    } catch (error) {
      for (const one of group) {
        one.reject(error);
      }
    } finally {
      this.#inFlight.delete(flight);
    }
  }

  /** Small requests cost a round trip all the same; a lengthened one ends where something begins that is at hand. */
  #lengthened(offset: number, end: number): number {
    const longer = Math.min(this.size, Math.max(end, offset + smallestRequest));
    const gap = longer - offset > this.#means.spending.left ? undefined : this.#store.missing(end, longer);
    return gap?.offset === end ? gap.end : end;
  }

  async #fetch(offset: number, end: number): Promise<Uint8Array> {
    const { route, spending, options, cached } = this.#means;
    await (this.#confirmed ??= this.#confirm());
    const reserved = spending.reserve(this.name, end - offset);
    const bytes = new Uint8Array(end - offset);
    let filled = 0;
    try {
      await exchange<void>({
        address: this.#address,
        route,
        headers: () => ({
          range: `bytes=${offset + filled}-${end - 1}`,
          ...(this.#resource.validator === undefined ? {} : { "if-range": this.#resource.validator }),
        }),
        use: async (response, alive) => {
          await fillFrom(response, this.#address, this.#resource, bytes, offset + filled, filled, (count) => {
            filled += count;
            this.#bytesRead += count;
            reserved.spend(count);
            alive();
            options.progress?.(this.#bytesRead, this.name);
          });
        },
      }, options);
      return bytes;
    } finally {
      reserved.release();
      // What came before an interruption is kept for the next time.
      if (filled > 0) {
        await cached?.put(offset, bytes.subarray(0, filled));
      }
    }
  }

  /** Opened from the cache alone: before the first request, learns whether it is still that file and how to notice a change. */
  async #confirm(): Promise<void> {
    const { resource } = await probe(this.#address, this.#means.route, this.#means.spending, this.#means.options);
    if (resource.size !== this.size) {
      throw new ByteSourceError("changed", `${this.name} is no longer the file that its checksum names: it has ${resource.size} bytes instead of ${this.size}.`);
    }
    this.#resource = { ...resource, identity: this.identity };
  }
}

/**
 * Does work on a resource of a web server, and starts over once when it is replaced meanwhile. Throws what `httpSource`,
 * its reads and `work` throw.
 */
export async function readRemote<T>(url: string, options: RemoteOptions, work: (source: ByteSource) => Promise<T>): Promise<T> {
  try {
    return await work(await httpSource(url, options));
  } catch (error) {
    if (!(error instanceof ByteSourceError) || error.problem !== "changed") {
      throw error;
    }
    return work(await httpSource(url, options));
  }
}
