import { fileURLToPath } from "node:url";
import { declarations } from "../../tools/declarations.ts";
import type { ToolDeclaration } from "../../tools/declarations.ts";
import { callTool } from "../../tools/index.ts";
import type { ToolContext } from "../../tools/index.ts";
import { isObject, ProtocolError } from "./connection.ts";
import type { Connection, Handlers } from "./connection.ts";

/** The revision whose requests carry their version themselves (modelcontextprotocol.io/specification/2026-07-28). */
const modern = "2026-07-28";
/** Revisions that begin with a handshake, the newest first. */
const legacy = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const supported = [modern, ...legacy];

const invalidParams = -32602;
const methodNotFound = -32601;
const unsupportedVersion = -32022;

const meta = { version: "io.modelcontextprotocol/protocolVersion", capabilities: "io.modelcontextprotocol/clientCapabilities", server: "io.modelcontextprotocol/serverInfo" } as const;

/** The declarations do not change while the server runs. */
const caching = { ttlMs: 3_600_000, cacheScope: "public" } as const;

/** How long the client may take to say which folders it works in. In milliseconds. */
const patience = 3000;

const instructions = "Finds out why PyTorch C++/CUDA extensions fail to build, import or run. Start with explain and the whole error output; settle what it asks for with fits; check a project's build files before building. Only combinations_run runs anything of a project.";

export interface ServerOptions {
  readonly version: string;
  /** What a tool is given for one question. `root`: the folder that the client works in; undefined: it did not say. */
  readonly contextOf: (root: string | undefined, signal: AbortSignal, tell: (what: string) => void) => ToolContext;
  /** The root that was named when the server was started: the client is not asked then. */
  readonly hasRoot: boolean;
  readonly failed: (error: unknown) => void;
}

/** Serves the tools by the Model Context Protocol, to clients of both its eras. */
export class McpServer implements Handlers {
  readonly #options: ServerOptions;
  readonly #connection: () => Connection;
  readonly #info: { readonly name: string; readonly title: string; readonly version: string };
  #root: Promise<string | undefined> = Promise.resolve(undefined);
  #hasRoots = false;

  constructor(options: ServerOptions, connection: () => Connection) {
    this.#options = options;
    this.#connection = connection;
    this.#info = { name: "abiding", title: "Abiding", version: options.version };
  }

  async request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<object> {
    if (method === "initialize") {
      return this.#initialize(params);
    }
    const isModern = isModernRequest(params);
    if (isModern || method === "server/discover") {
      requireModern(params);
    }
    const result = await this.#resultOf(method, params, isModern, signal);
    return isModern ? { resultType: "complete", ...result, _meta: { [meta.server]: this.#info } } : result;
  }

  notification(method: string): void {
    if (this.#hasRoots && (method === "notifications/initialized" || method === "notifications/roots/list_changed")) {
      this.#root = this.#askRoot();
    }
  }

  failed(error: unknown): void {
    this.#options.failed(error);
  }

  /** Answers with the version that was asked for, else with the newest that has a handshake (2025-11-25, basic/lifecycle). */
  #initialize({ protocolVersion, capabilities }: Readonly<Record<string, unknown>>): object {
    if (typeof protocolVersion !== "string") {
      throw new ProtocolError(invalidParams, "The protocolVersion is missing.");
    }
    this.#hasRoots = !this.#options.hasRoot && isObject(capabilities) && isObject(capabilities["roots"]);
    return { protocolVersion: legacy.includes(protocolVersion) ? protocolVersion : legacy[0], capabilities: { tools: {} }, serverInfo: this.#info, instructions };
  }

  async #resultOf(method: string, params: Readonly<Record<string, unknown>>, isModern: boolean, signal: AbortSignal): Promise<object> {
    switch (method) {
      case "server/discover":
        return { supportedVersions: supported, capabilities: { tools: {} }, instructions, ...caching };
      case "ping":
        return {};
      case "tools/list":
        return { tools: declarations.map((one) => toolOf(one)), ...(isModern ? caching : {}) };
      case "tools/call":
        return this.#call(params, signal);
      default:
        throw new ProtocolError(methodNotFound, `There is no method "${method.slice(0, 100)}".`);
    }
  }

  async #call(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<object> {
    const { name, arguments: input } = params;
    if (typeof name !== "string") {
      throw new ProtocolError(invalidParams, "The name of the tool is missing.");
    }
    const done = new AbortController();
    const root = await this.#root;
    const result = await callTool(name, input, this.#options.contextOf(root, signal, this.#teller(params, AbortSignal.any([signal, done.signal])))).finally(() => done.abort());
    if (result === undefined) {
      throw new ProtocolError(invalidParams, `There is no tool "${name.slice(0, 100)}"; there are ${declarations.map((one) => one.name).join(", ")}.`);
    }
    return result.ok
      ? { content: [{ type: "text", text: JSON.stringify(result.json) }], structuredContent: result.json }
      : { content: [{ type: "text", text: result.message }], isError: true };
  }

  /** Progress goes to whoever named a token for it, and no faster than it can be read. */
  #teller(params: Readonly<Record<string, unknown>>, signal: AbortSignal): (what: string) => void {
    const token = isObject(params["_meta"]) ? params["_meta"]["progressToken"] : undefined;
    if (typeof token !== "string" && typeof token !== "number") {
      return () => undefined;
    }
    let [progress, last] = [0, 0];
    return (message) => {
      const now = performance.now();
      if (!signal.aborted && (progress === 0 || now - last > 250)) {
        progress += 1;
        last = now;
        this.#connection().notify("notifications/progress", { progressToken: token, progress, message });
      }
    };
  }

  async #askRoot(): Promise<string | undefined> {
    const answer = await this.#connection().ask("roots/list", patience);
    const roots: unknown = isObject(answer) ? answer["roots"] : undefined;
    for (const one of Array.isArray(roots) ? (roots as readonly unknown[]) : []) {
      const uri = isObject(one) ? one["uri"] : undefined;
      if (typeof uri === "string" && uri.startsWith("file:")) {
        try {
          return fileURLToPath(uri);
        } catch {
          // An address that names no file here.
        }
      }
    }
    return undefined;
  }
}

function toolOf({ name, title, description, input, output, runs }: ToolDeclaration): object {
  return {
    name, title, description, inputSchema: input, outputSchema: output,
    annotations: { title, readOnlyHint: !runs, destructiveHint: false, idempotentHint: !runs, openWorldHint: runs || name === "combinations_predict" },
  };
}

function metaOf(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isObject(params["_meta"]) ? params["_meta"] : {};
}

function isModernRequest(params: Readonly<Record<string, unknown>>): boolean {
  return metaOf(params)[meta.version] !== undefined;
}

/** Both members are required of a modern request (2026-07-28, basic). */
function requireModern(params: Readonly<Record<string, unknown>>): void {
  const { [meta.version]: version, [meta.capabilities]: capabilities } = metaOf(params);
  if (typeof version !== "string" || !isObject(capabilities)) {
    throw new ProtocolError(invalidParams, `_meta needs ${meta.version} and ${meta.capabilities}.`);
  }
  if (version !== modern) {
    throw new ProtocolError(unsupportedVersion, "Unsupported protocol version", { supported, requested: version });
  }
}
