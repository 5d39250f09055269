/** A language client without an editor: starts the real server as a process and speaks LSP over its stdio. */
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { createProtocolConnection, MessageType, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";
import type {
  ClientCapabilities, CodeAction, Diagnostic, DocumentDiagnosticReport, Hover, InitializeResult, Position, ProtocolConnection,
  PublishDiagnosticsParams, TextDocumentContentChangeEvent, WorkspaceDiagnosticReport,
} from "vscode-languageserver/node";
import type { Status } from "../../../src/protocol/index.ts";

const checkout = path.resolve(import.meta.dirname, "../../..");

/** No answer of the server takes this long, also on a busy machine. In milliseconds. */
const patience = 20_000;

export interface ClientOptions {
  readonly folders: readonly string[];
  /** Answers to `workspace/configuration`, by folder URI. */
  readonly settings?: (scope: string | undefined) => unknown;
  readonly initializationOptions?: unknown;
  /** False: a client that cannot be asked for settings, and sends them. */
  readonly configuration?: boolean;
  /** Names the first folder as older clients do. */
  readonly rootOnly?: boolean;
  /** Leaves out pull diagnostics, so that the server has to push. */
  readonly push?: boolean;
  /** Arguments of Node. Default: the server's own entry over stdio. */
  readonly command?: readonly string[];
}

/** A folder of files that lasts as long as the test. */
export function folderOf(files: Readonly<Record<string, string>>): { readonly root: string; write(name: string, text: string): string; path(name: string): string; remove(name?: string): void } {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "abiding-lsp-")));
  const write = (name: string, text: string): string => {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const [name, text] of Object.entries(files)) {
    write(name, text);
  }
  return { root, write, path: (name) => path.join(root, name), remove: (name = "") => rmSync(path.join(root, name), { recursive: true, force: true }) };
}

export function uriOf(file: string): string {
  return pathToFileURL(file).href;
}

export class LspClient {
  readonly process: ChildProcessWithoutNullStreams;
  readonly connection: ProtocolConnection;
  readonly log: string[] = [];
  /** What the log shows by default: messages of the level Info. */
  readonly news: string[] = [];
  readonly published: PublishDiagnosticsParams[] = [];
  readonly statuses: Status[] = [];
  /** Documents that the server had shown. */
  readonly shown: string[] = [];
  /** Requests that the server sent. */
  readonly requests: string[] = [];
  readonly #versions = new Map<string, number>();
  #waiting: (() => void)[] = [];
  result: InitializeResult | undefined;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.process = child;
    this.connection = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  }

  /** Starts a server and says `initialize` and `initialized`. */
  static async start(options: ClientOptions): Promise<LspClient> {
    const main = process.env.ABIDING_TEST_SERVER ?? path.join(checkout, "src/server/main.ts");
    const environment = { ...process.env };
    delete environment.VIRTUAL_ENV;
    delete environment.CONDA_PREFIX;
    const client = new LspClient(spawn(process.execPath, options.command ?? [main, "--stdio"], { env: environment }));
    client.process.stderr.setEncoding("utf8").on("data", (text: string) => client.log.push(text));
    const { connection } = client;
    const wake = (): void => client.#waiting.splice(0).forEach((one) => one());
    connection.onNotification("window/logMessage", ({ message, type }: { message: string; type: number }) => {
      client.log.push(message);
      if (type === MessageType.Info) {
        client.news.push(message);
      }
      wake();
    });
    connection.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) => {
      client.published.push(params);
      wake();
    });
    connection.onNotification("abiding/statusChanged", (status: Status) => {
      client.statuses.push(status);
      wake();
    });
    for (const method of ["workspace/diagnostic/refresh", "workspace/inlayHint/refresh", "workspace/codeLens/refresh", "client/registerCapability"]) {
      connection.onRequest(method, () => {
        client.requests.push(method);
        wake();
        return null;
      });
    }
    connection.onRequest("window/showDocument", ({ uri }: { uri: string }) => {
      client.shown.push(uri);
      return { success: true };
    });
    connection.onRequest("workspace/configuration", ({ items }: { items: { scopeUri?: string }[] }) => items.map((item) => options.settings?.(item.scopeUri) ?? null));
    connection.listen();
    const died = new Promise<never>((_, reject) => client.process.once("exit", (code) => reject(new Error(`The server ended with code ${code}:\n${client.log.join("")}`))));
    died.catch(() => undefined);
    client.result = await Promise.race([died, connection.sendRequest<InitializeResult>("initialize", {
      processId: process.pid,
      rootUri: options.rootOnly === true ? uriOf(options.folders[0] ?? "") : null,
      workspaceFolders: options.rootOnly === true ? null : options.folders.map((folder) => ({ uri: uriOf(folder), name: path.basename(folder) })),
      capabilities: capabilities(options),
      initializationOptions: options.initializationOptions,
    })]);
    await connection.sendNotification("initialized", {});
    return client;
  }

  async stop(): Promise<void> {
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    await new Promise((resolve) => (this.process.exitCode === null ? this.process.once("exit", resolve) : resolve(undefined)));
    this.connection.dispose();
  }

  async open(file: string, text: string, languageId = "cmake"): Promise<void> {
    this.#versions.set(file, 1);
    await this.connection.sendNotification("textDocument/didOpen", { textDocument: { uri: uriOf(file), languageId, version: 1, text } });
  }

  async change(file: string, ...contentChanges: TextDocumentContentChangeEvent[]): Promise<void> {
    const version = (this.#versions.get(file) ?? 0) + 1;
    this.#versions.set(file, version);
    await this.connection.sendNotification("textDocument/didChange", { textDocument: { uri: uriOf(file), version }, contentChanges });
  }

  async close(file: string): Promise<void> {
    await this.connection.sendNotification("textDocument/didClose", { textDocument: { uri: uriOf(file) } });
  }

  pull(file: string, previousResultId?: string): Promise<DocumentDiagnosticReport> {
    return this.connection.sendRequest("textDocument/diagnostic", { textDocument: { uri: uriOf(file) }, identifier: "abiding", ...(previousResultId === undefined ? {} : { previousResultId }) });
  }

  /** The diagnostics of a document as `rule line`. */
  async codes(file: string): Promise<string[]> {
    const report = await this.pull(file);
    return report.kind === "full" ? report.items.map((one) => `${String(one.code)} ${one.range.start.line + 1}`) : ["unchanged"];
  }

  pullWorkspace(previousResultIds: readonly { readonly uri: string; readonly value: string }[] = []): Promise<WorkspaceDiagnosticReport> {
    return this.connection.sendRequest("workspace/diagnostic", { identifier: "abiding", previousResultIds });
  }

  hover(file: string, position: Position): Promise<Hover | null> {
    return this.connection.sendRequest("textDocument/hover", { textDocument: { uri: uriOf(file) }, position });
  }

  async actions(file: string, diagnostic: Diagnostic, only?: readonly string[]): Promise<CodeAction[]> {
    return this.connection.sendRequest("textDocument/codeAction", { textDocument: { uri: uriOf(file) }, range: diagnostic.range, context: { diagnostics: [diagnostic], ...(only === undefined ? {} : { only }) } });
  }

  /** Any request about a document. */
  ask<T>(method: string, file: string, more: object = {}): Promise<T> {
    return this.connection.sendRequest<T>(method, { textDocument: { uri: uriOf(file) }, ...more });
  }

  /** Resolves when a message of the server makes `condition` true; fails when none does for long. */
  async until(condition: () => boolean): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#waiting.splice(0).forEach((one) => one());
    }, patience);
    try {
      while (!condition()) {
        if (isLate) {
          throw new Error(`Waited ${patience / 1000} s in vain for ${String(condition)}. The log:\n${this.log.slice(-20).join("\n")}`);
        }
        await new Promise<void>((resolve) => void this.#waiting.push(resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

function capabilities({ push = false, configuration = true }: ClientOptions): ClientCapabilities {
  return {
    workspace: {
      configuration, workspaceFolders: true, didChangeConfiguration: { dynamicRegistration: true }, didChangeWatchedFiles: { dynamicRegistration: true },
      ...(push ? {} : { diagnostics: { refreshSupport: true } }), inlayHint: { refreshSupport: true }, codeLens: { refreshSupport: true },
    },
    window: { showDocument: { support: true } },
    textDocument: {
      publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true, tagSupport: { valueSet: [1, 2] } },
      ...(push ? {} : { diagnostic: { relatedInformation: true, codeDescriptionSupport: true, tagSupport: { valueSet: [1, 2] } } }),
    },
  };
}
