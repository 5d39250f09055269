import { ByteSourceError } from "../archive/index.ts";
import type { Address } from "./address.ts";
import { withConnection } from "./connections.ts";
import type { RemoteOptions } from "./options.ts";

const defaultSilence = 30_000;
const defaultRetries = 4;
const defaultBackOff = 500;
/** A server that asks for more patience than this is asked again by a person. */
const longestWait = 60_000;
const maximumRedirects = 5;
/** Progress allows further attempts, but not for ever. */
const maximumAttempts = 50;
const retried = new Set([408, 425, 429, 500, 502, 503, 504]);

/** One request, to be sent as often as it takes. */
export interface Exchange<T> {
  readonly address: Address;
  /** Asked anew for each attempt: what is at hand need not be asked for again. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Reads the answer; `alive` says that a byte came. Throws ByteSourceError for what no further attempt would change. */
  readonly use: (response: Response, alive: () => void, url: string) => Promise<T>;
  /** Each attempt begins at the beginning, so that what came before it broke off is no progress. */
  readonly startsOver?: boolean;
  /** Where redirects of earlier requests led; kept up to date. */
  readonly route?: { url: string | undefined };
}

/** What `use` throws when an answer breaks off; the next attempt goes on from there. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/**
 * Sends a request: follows redirects with its Range header, waits and tries again where the server is busy or the
 * connection breaks, and gives up on silence. Throws ByteSourceError.
 */
export async function exchange<T>(request: Exchange<T>, options: RemoteOptions): Promise<T> {
  const { address } = request;
  const retries = options.retries ?? defaultRetries;
  let fruitless = 0;
  for (let attempt = 0; ; attempt += 1) {
    requireWanted(address, options.signal);
    const outcome = await withConnection(address.origin, async () => attemptOnce(request, options));
    if (outcome.kind === "done") {
      return outcome.value;
    }
    fruitless = outcome.progress ? 0 : fruitless + 1;
    if (fruitless > retries || attempt >= maximumAttempts) {
      throw new ByteSourceError(outcome.problem, `${address.shown} could not be read: ${outcome.reason}${fruitless > 1 ? ` (${fruitless} attempts)` : ""}.`, outcome.cause);
    }
    const patience = (options.backOff ?? defaultBackOff) * 2 ** fruitless * (0.5 + Math.random() / 2);
    const wait = Math.max(outcome.retryAfter ?? 0, patience);
    if (wait > longestWait) {
      throw new ByteSourceError("refused", `${address.shown}: ${outcome.reason}, and asks to wait ${Math.ceil(wait / 1000)} seconds.`);
    }
    await pause(wait, options.signal);
  }
}

type Outcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "again"; readonly reason: string; readonly problem: "unreadable" | "timeout" | "refused"; readonly progress: boolean; readonly retryAfter?: number; readonly cause?: unknown };

async function attemptOnce<T>(request: Exchange<T>, options: RemoteOptions): Promise<Outcome<T>> {
  const { address } = request;
  const silence = options.silence ?? defaultSilence;
  const controller = new AbortController();
  const cancel = (): void => { controller.abort(); };
  options.signal?.addEventListener("abort", cancel, { once: true });
  let isSilent = false;
  let progress = false;
  const timer = setTimeout(() => { isSilent = true; controller.abort(); }, silence);
  try {
    const { response, url } = await follow(request, options.authorization, controller.signal);
    timer.refresh();
    if (retried.has(response.status)) {
      const retryAfter = waitOf(response.headers.get("retry-after"));
      return { kind: "again", reason: `the server answers ${response.status} ${response.statusText}`.trimEnd(), problem: "refused", progress, ...(retryAfter === undefined ? {} : { retryAfter }) };
    }
    refuseStatus(address, response);
    return { kind: "done", value: await request.use(response, () => { progress = request.startsOver !== true; timer.refresh(); }, url) };
  } catch (error) {
    if (error instanceof ByteSourceError) {
      throw error;
    }
    requireWanted(address, options.signal);
    if (isSilent) {
      return { kind: "again", reason: `the server was silent for ${silence / 1000} seconds`, problem: "timeout", progress };
    }
    return { kind: "again", reason: reasonOf(error), problem: "unreadable", progress, cause: error };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", cancel);
    // Whatever was not read of the answer is not wanted: this closes the connection.
    controller.abort();
  }
}

/** Sends the request along redirects. A remembered end of them that no longer works is forgotten. */
async function follow<T>(request: Exchange<T>, authorizationOf: RemoteOptions["authorization"], signal: AbortSignal): Promise<{ readonly response: Response; readonly url: string }> {
  const { address, route } = request;
  let url = route?.url ?? address.url;
  // With a Range header, fetch asks for the unpacked form by itself (Fetch standard, HTTP-network-or-cache fetch).
  const headers = request.headers();
  const authorization = address.authorization ?? authorizationOf?.(address.url);
  for (let hops = 0; hops <= maximumRedirects; hops += 1) {
    const isOwn = new URL(url).origin === address.origin;
    const response = await fetch(url, { headers: { ...headers, ...(isOwn && authorization !== undefined ? { authorization } : {}) }, redirect: "manual", signal });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      url = nextHop(address, url, location);
    } else if ([401, 403, 404, 410].includes(response.status) && route?.url !== undefined && url === route.url && url !== address.url) {
      // Addresses that a server hands out for a while expire.
      await response.body?.cancel();
      route.url = undefined;
      url = address.url;
    } else {
      if (route !== undefined && response.ok) {
        route.url = url;
      }
      return { response, url };
    }
  }
  throw new ByteSourceError("refused", `${address.shown} leads through more than ${maximumRedirects} redirects.`);
}

function nextHop(address: Address, from: string, location: string): string {
  const next = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (next === undefined || (next.protocol !== "https:" && next.protocol !== "http:")) {
    throw new ByteSourceError("refused", `${address.shown} redirects to what is no http or https address.`);
  }
  if (from.startsWith("https:") && next.protocol === "http:") {
    throw new ByteSourceError("refused", `${address.shown} redirects from https to unprotected http, at ${next.origin}.`);
  }
  next.username = "";
  next.password = "";
  return next.href;
}

function refuseStatus(address: Address, response: Response): void {
  const { status } = response;
  if (response.ok || status === 416) {
    return;
  }
  const answer = `${status} ${response.statusText}`.trimEnd();
  if (status === 404 || status === 410) {
    throw new ByteSourceError("missing", `${address.shown} is not there: the server answers ${answer}.`);
  }
  throw new ByteSourceError("refused", `${address.shown} is refused: the server answers ${answer}${status === 401 ? "; an address names a user as in https://user:password@example.org" : ""}.`);
}

function requireWanted(address: Address, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new ByteSourceError("cancelled", `Reading ${address.shown} was cancelled.`);
  }
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Milliseconds of Retry-After: seconds, or a date. */
function waitOf(header: string | null): number | undefined {
  if (header === null) {
    return undefined;
  }
  const wait = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait) && wait > 0 ? wait : undefined;
}

/** What Node.js and its HTTP client (undici) call it, in words. Sources: Node.js, "Common system errors"; undici, "Errors". */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing answers there", ENOTFOUND: "no server of that name is known", EAI_AGAIN: "the server's name could not be looked up",
  ECONNRESET: "the connection broke", EPIPE: "the connection broke", UND_ERR_SOCKET: "the connection broke", ETIMEDOUT: "no connection came about in time", UND_ERR_CONNECT_TIMEOUT: "no connection came about in time",
  EHOSTUNREACH: "the network does not reach it", ENETUNREACH: "the network does not reach it",
};

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Interrupted) {
    return "the answer broke off";
  }
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const said = code === undefined ? undefined : words[code];
  return said === undefined ? code ?? (cause instanceof Error ? cause.message : String(cause)) : `${said} (${code})`;
}
