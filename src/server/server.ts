import { ErrorCodes, ResponseError, LSPErrorCodes, TextDocumentSyncKind } from "vscode-languageserver/node";
import type { CancellationToken, Connection, Disposable, InitializeParams, InitializeResult } from "vscode-languageserver/node";
import { registerFeatures } from "./features/index.ts";
import { fixAllKind, showDocumentationCommand } from "./features/codeActions.ts";
import { registerMessages } from "./messages.ts";
import { Publisher } from "./publisher.ts";
import { Session } from "./session.ts";
import { watchWorkspace } from "./watching.ts";

export interface ServerOptions {
  /** Environment variables that lead to environments (VIRTUAL_ENV, CONDA_PREFIX, PATH). */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Serves a connection until it ends. Nothing is read from disk before the client has said `initialized`. */
export function startServer(connection: Connection, options: ServerOptions = {}): void {
  let isInitialized = false;
  connection.onInitialize((params): InitializeResult => {
    if (isInitialized) {
      throw new ResponseError(ErrorCodes.InvalidRequest, "The server is initialized already.");
    }
    isInitialized = true;
    const session = new Session(connection, params, options.environment ?? process.env);
    const publisher = new Publisher(session);
    const answer = answering(connection, session);
    synchronise(session, publisher);
    watchWorkspace(session, publisher);
    registerFeatures(session, publisher, answer);
    registerMessages(session, publisher, answer);
    return { capabilities: capabilities(params), serverInfo: { name: "Abiding" } };
  });
  connection.listen();
}

/** Runs one request: after the messages that are already here, no longer than it is wanted, and never failing the connection. */
export type Answer = <T>(what: string, token: CancellationToken, otherwise: T, work: () => T | Promise<T>) => Promise<T>;

function answering(connection: Connection, session: Session): Answer {
  return async (what, token, otherwise, work) => {
    await session.ready;
    // Lets later edits and cancellations in: a burst of key strokes is diagnosed once, not for each stroke.
    await new Promise((resolve) => setImmediate(resolve));
    const cancelled = new ResponseError(LSPErrorCodes.RequestCancelled, `${what} was cancelled.`);
    if (token.isCancellationRequested) {
      throw cancelled;
    }
    let listener: Disposable | undefined;
    try {
      // Who cancels is answered at once. The diagnosis goes on: the next request wants it.
      return await Promise.race([work(), new Promise<never>((_, reject) => {
        listener = token.onCancellationRequested(() => reject(cancelled));
      })]);
    } catch (error) {
      // What was asked for cannot be done, and the client is to say why.
      if (error instanceof ResponseError) {
        throw error;
      }
      connection.console.error(`${what} failed: ${error instanceof Error ? error.stack ?? error.message : String(error)}`);
      return otherwise;
    } finally {
      listener?.dispose();
    }
  };
}

function synchronise(session: Session, publisher: Publisher): void {
  session.documents.onDidChangeContent(({ document }) => {
    session.documentChanged(document);
    publisher.schedulePush();
  });
  session.documents.onDidClose(({ document }) => {
    session.documentClosed(document);
    publisher.schedulePush();
  });
  session.documents.listen(session.connection);
}

function capabilities(params: InitializeParams): InitializeResult["capabilities"] {
  const clientShowsPages = (params.initializationOptions as { commands?: unknown } | undefined)?.commands !== undefined;
  return {
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
    diagnosticProvider: { identifier: "abiding", interFileDependencies: true, workspaceDiagnostics: true },
    codeActionProvider: { codeActionKinds: ["quickfix", fixAllKind] },
    hoverProvider: true,
    inlayHintProvider: true,
    codeLensProvider: {},
    documentLinkProvider: {},
    definitionProvider: true,
    documentSymbolProvider: true,
    workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
    // A client with a command of its own would see two with the same purpose.
    ...(clientShowsPages ? {} : { executeCommandProvider: { commands: [showDocumentationCommand] } }),
  };
}
