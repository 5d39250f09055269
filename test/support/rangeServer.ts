/** A web server of a test: serves bytes or files by ranges, in good and bad ways. */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createReadStream, statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

export interface Served {
  /** The content, or the path of a file that holds it. */
  readonly content: Uint8Array | string;
  readonly etag?: string;
  readonly type?: string;
}

export interface Seen {
  readonly path: string;
  readonly method: string;
  readonly range: string | undefined;
  readonly headers: IncomingMessage["headers"];
}

/** May answer a request itself; true says that it did. */
export type Trick = (request: IncomingMessage, response: ServerResponse, count: number) => boolean;

export class RangeServer {
  readonly seen: Seen[] = [];
  readonly files = new Map<string, Served>();
  /** Answers given at the same time, at most. */
  mostAtOnce = 0;
  bytesSent = 0;
  /** Milliseconds before each answer. */
  delay = 0;
  ignoresRanges = false;
  packs = false;
  trick: Trick = () => false;
  readonly #server: Server;
  #active = 0;

  private constructor() {
    this.#server = createServer((request, response) => { this.#arrive(request, response); });
  }

  static async start(): Promise<RangeServer> {
    const server = new RangeServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The address under which something is served from now on. */
  serve(path: string, served: Served): string {
    this.files.set(path, served);
    return `${this.origin}${path}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #arrive(request: IncomingMessage, response: ServerResponse): void {
    this.seen.push({ path: request.url ?? "", method: request.method ?? "", range: request.headers.range, headers: request.headers });
    this.#active += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#active);
    response.on("close", () => { this.#active -= 1; });
    const answer = (): void => {
      if (!this.trick(request, response, this.seen.length)) this.#answer(request, response);
    };
    if (this.delay === 0) answer();
    else {
      const timer = setTimeout(answer, this.delay);
      // Nobody waits for it any more, and it would keep the process of the test alive.
      response.on("close", () => clearTimeout(timer));
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const served = this.files.get(new URL(request.url ?? "", this.origin).pathname);
    if (served === undefined) {
      response.writeHead(404).end();
      return;
    }
    const size = typeof served.content === "string" ? statSync(served.content).size : served.content.length;
    const headers: Record<string, string> = { "content-type": served.type ?? "application/octet-stream", ...(served.etag === undefined ? {} : { etag: served.etag }) };
    const wanted = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const isCurrent = request.headers["if-range"] === undefined || request.headers["if-range"] === served.etag;
    if (wanted === null || this.ignoresRanges || !isCurrent) {
      if (this.packs && typeof served.content !== "string") {
        response.writeHead(200, { ...headers, "content-encoding": "gzip" }).end(gzipSync(served.content));
        return;
      }
      response.writeHead(200, { ...headers, "content-length": String(size) });
      this.#send(response, served.content, 0, size);
      return;
    }
    const start = Number(wanted[1]);
    const end = Math.min(size - 1, wanted[2] === "" ? size - 1 : Number(wanted[2]));
    if (start >= size) {
      response.writeHead(416, { "content-range": `bytes */${size}` }).end();
      return;
    }
    response.writeHead(206, { ...headers, ...(this.packs ? { "content-encoding": "gzip" } : {}), "content-range": `bytes ${start}-${end}/${size}`, "content-length": String(end + 1 - start) });
    this.#send(response, served.content, start, end + 1);
  }

  #send(response: ServerResponse, content: Uint8Array | string, start: number, end: number): void {
    if (typeof content !== "string") {
      this.bytesSent += end - start;
      response.end(content.subarray(start, end));
      return;
    }
    const stream = createReadStream(content, { start, end: end - 1 });
    stream.on("data", (piece) => { this.bytesSent += piece.length; });
    stream.on("error", () => { response.destroy(); });
    response.on("close", () => { stream.destroy(); });
    stream.pipe(response);
  }
}
