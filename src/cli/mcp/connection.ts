import type { Readable, Writable } from "node:stream";

/** One line of JSON may not be longer: a log that is handed over whole fits, an endless line does not. */
const longestLine = 300 * 1024 * 1024;

/** Patience with answers that are under way when the client goes. In milliseconds. */
const lastMoment = 1000;

type Message = Readonly<Record<string, unknown>>;

/** JSON-RPC 2.0, section 5.1. */
const parseError = -32700;
const invalidRequest = -32600;

/** What is wrong with a request; becomes a JSON-RPC error. */
export class ProtocolError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface Handlers {
  /** The result of a request, which is not sent once the signal is aborted. Throws ProtocolError. */
  request(method: string, params: Message, signal: AbortSignal): Promise<object>;
  notification(method: string, params: Message): void;
  /** A defect: what was thrown while a request was answered. */
  failed(error: unknown): void;
}

/**
 * JSON-RPC 2.0 as the stdio transport of the Model Context Protocol frames it: one message a line, UTF-8, requests and
 * notifications of the client and what is answered to them, and requests of ours to it.
 */
export class Connection {
  readonly #output: Writable;
  readonly #handlers: Handlers;
  readonly #running = new Map<string | number, { readonly stop: AbortController; readonly done: Promise<void> }>();
  readonly #asked = new Map<number, (message: Message) => void>();
  #lastAsked = 0;

  constructor(output: Writable, handlers: Handlers) {
    this.#output = output;
    this.#handlers = handlers;
  }

  /** Resolves when the input has ended and nothing is being answered any more: what takes longer than a moment then is cancelled. */
  async listen(input: Readable): Promise<void> {
    try {
      await this.#read(input);
    } catch (error) {
      // Whoever destroyed it wants an end.
      if (!input.destroyed) {
        throw error;
      }
    }
    for (const waiting of this.#asked.values()) {
      waiting({});
    }
    const running = [...this.#running.values()];
    const timer = setTimeout(() => this.cancel(), lastMoment);
    await Promise.all(running.map((one) => one.done));
    clearTimeout(timer);
  }

  /** Everything that is being answered; none of it is answered then. */
  cancel(): void {
    for (const { stop } of this.#running.values()) {
      stop.abort();
    }
  }

  async #read(input: Readable): Promise<void> {
    let parts: Buffer[] = [];
    let size = 0;
    for await (const chunk of input as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        parts.push(chunk.subarray(from, end));
        this.#line(size > longestLine ? undefined : Buffer.concat(parts).toString("utf8"));
        [parts, size, from] = [[], 0, end + 1];
      }
      size += chunk.length - from;
      if (size <= longestLine) {
        parts.push(chunk.subarray(from));
      } else {
        parts = [];
      }
    }
    if (size > 0) {
      this.#line(size > longestLine ? undefined : Buffer.concat(parts).toString("utf8"));
    }
  }

  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  /** Asks the client; undefined: it refuses, or does not answer in time. */
  async ask(method: string, patience: number): Promise<unknown> {
    this.#lastAsked += 1;
    const id = this.#lastAsked;
    const answer = new Promise<unknown>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), patience);
      this.#asked.set(id, (message) => {
        clearTimeout(timer);
        resolve(message["result"]);
      });
    });
    this.#send({ id, method });
    return answer.finally(() => this.#asked.delete(id));
  }

  #send(message: object): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #line(line: string | undefined): void {
    if (line?.trim() === "") {
      return;
    }
    let message: unknown;
    try {
      message = line === undefined ? undefined : JSON.parse(line);
    } catch {
      message = undefined;
    }
    if (message === undefined) {
      this.#refuse(undefined, new ProtocolError(parseError, line === undefined ? "The message is too long." : "The message is no JSON."));
    } else if (!isMessage(message)) {
      // A batch among them, which the protocol had in one revision only (2025-03-26).
      this.#refuse(undefined, new ProtocolError(invalidRequest, Array.isArray(message) ? "Batches are not supported." : "The message is no JSON-RPC 2.0 object."));
    } else {
      this.#message(message);
    }
  }

  #message(message: Message): void {
    const { id, method, params = {} } = message;
    const isId = typeof id === "string" || typeof id === "number";
    if (typeof method !== "string") {
      this.#answered(message);
    } else if (!isObject(params) || (Object.hasOwn(message, "id") && !isId)) {
      this.#refuse(isId ? id : undefined, new ProtocolError(invalidRequest, isObject(params) ? "The id must be a string or a number." : "The parameters must be an object."));
    } else if (isId && this.#running.has(id)) {
      this.#refuse(id, new ProtocolError(invalidRequest, "A request with this id is being answered already."));
    } else if (isId) {
      const stop = new AbortController();
      const done = this.#answer(id, method, params, stop.signal).finally(() => this.#running.delete(id));
      this.#running.set(id, { stop, done });
    } else if (method === "notifications/cancelled") {
      const { requestId } = params;
      this.#running.get(requestId as string | number)?.stop.abort();
    } else {
      this.#handlers.notification(method, params);
    }
  }

  /** A response of the client, or nothing that JSON-RPC knows. */
  #answered(message: Message): void {
    const waiting = typeof message["id"] === "number" ? this.#asked.get(message["id"]) : undefined;
    if (waiting !== undefined) {
      waiting(message);
    } else if (!Object.hasOwn(message, "result") && !Object.hasOwn(message, "error")) {
      this.#refuse(undefined, new ProtocolError(invalidRequest, "The message has no method."));
    }
  }

  async #answer(id: string | number, method: string, params: Message, signal: AbortSignal): Promise<void> {
    try {
      const result = await this.#handlers.request(method, params, signal);
      if (!signal.aborted) {
        this.#send({ id, result });
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#refuse(id, error);
      }
    }
  }

  #refuse(id: string | number | undefined, error: unknown): void {
    const known = error instanceof ProtocolError ? error : undefined;
    if (known === undefined) {
      this.#handlers.failed(error);
    }
    // Of a message whose id could not be read there is none: null, as in JSON-RPC, is no id of this protocol.
    this.#send({ ...(id === undefined ? {} : { id }), error: known === undefined ? { code: -32603, message: "Abiding failed; its standard error says how." } : { code: known.code, message: known.message, ...(known.data === undefined ? {} : { data: known.data }) } });
  }
}

function isMessage(value: unknown): value is Message {
  return isObject(value) && value["jsonrpc"] === "2.0";
}

export function isObject(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
