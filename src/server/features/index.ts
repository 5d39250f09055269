/**
 * One file per feature, each a function from a diagnosis and a document to LSP data; here they meet the connection.
 */
import { DocumentDiagnosticReportKind, ShowDocumentRequest } from "vscode-languageserver/node";
import type { DocumentDiagnosticReport } from "vscode-languageserver/node";
import type { Publisher } from "../publisher.ts";
import { rulePage } from "../rulePages.ts";
import type { Answer } from "../server.ts";
import type { Session } from "../session.ts";
import { uriOf } from "../uris.ts";
import { registerAgents } from "./agents.ts";
import { registerBinaries } from "./binary.ts";
import { registerBodies } from "./bodies.ts";
import { codeActions, showDocumentationCommand } from "./codeActions.ts";
import { codeLenses } from "./codeLens.ts";
import { definition } from "./definition.ts";
import { registerDemangle } from "./demangle.ts";
import { documentLinks } from "./documentLinks.ts";
import { documentSymbols } from "./documentSymbols.ts";
import { hover } from "./hover.ts";
import { inlayHints } from "./inlayHints.ts";
import { registerWorkshop } from "./workshop.ts";

export function registerFeatures(session: Session, publisher: Publisher, answer: Answer): void {
  const { connection, client } = session;
  const uri = (path: string): string => session.uri(path);

  const empty: DocumentDiagnosticReport = { kind: DocumentDiagnosticReportKind.Full, items: [] };
  connection.languages.diagnostics.on((params, token) =>
    answer("Checking a document", token, empty, () => publisher.document(params.textDocument.uri, params.previousResultId)));
  connection.languages.diagnostics.onWorkspace((params, token) =>
    answer("Checking the workspace", token, { items: [] }, async () => ({ items: await publisher.workspace(params.previousResultIds) })));

  connection.onCodeAction((params, token) => answer("Finding code actions", token, [], async () => {
    // Edits have to fit the text as it is.
    const view = await session.view(params.textDocument.uri, "current");
    return view === undefined ? [] : codeActions({
      path: view.path, document: view.document, range: params.range, context: params.context,
      findings: view.diagnosis.findings, clientCommands: client.commands, uri,
    });
  }));
  connection.onHover((params, token) => answer("Hover", token, null, async () => {
    const view = await session.view(params.textDocument.uri, "recent");
    return view === undefined ? null : hover(view.path, params.position, view.diagnosis);
  }));
  connection.languages.inlayHint.on((params, token) => answer("Inlay hints", token, [], async () => {
    const view = await session.view(params.textDocument.uri, "recent");
    if (view === undefined) {
      return [];
    }
    publisher.renewDecorations(view);
    return inlayHints(view.path, params.range, view.diagnosis, view.project.settings.inlayHints);
  }));
  connection.onCodeLens((params, token) => answer("Code lenses", token, [], async () => {
    const view = await session.view(params.textDocument.uri, "recent");
    if (view === undefined || !view.project.settings.codeLens) {
      return [];
    }
    publisher.renewDecorations(view);
    return codeLenses(view.path, view.diagnosis, client.commands, uri);
  }));
  connection.onDocumentLinks((params, token) => answer("Document links", token, [], async () => {
    const view = await session.view(params.textDocument.uri, "recent");
    return view === undefined ? [] : documentLinks(view.path, view.document, view.diagnosis, session);
  }));
  connection.onDefinition((params, token) => answer("Go to definition", token, null, async () => {
    const view = await session.view(params.textDocument.uri, "recent");
    return view === undefined ? null : definition(view.path, view.document, params.position, view.diagnosis, session);
  }));
  connection.onDocumentSymbol((params, token) => answer("Document symbols", token, [], async () => {
    const view = await session.view(params.textDocument.uri, "recent");
    return view === undefined ? [] : documentSymbols(view.path, view.document, view.diagnosis);
  }));
  registerAgents(session, answer);
  registerBinaries(session, answer);
  registerBodies(session, answer);
  registerDemangle(session, answer);
  registerWorkshop(session, answer);
  connection.onExecuteCommand(async ({ command, arguments: args }) => {
    const page = command === showDocumentationCommand ? rulePage(String(args?.[0])) : undefined;
    if (page !== undefined && client.showDocument) {
      await connection.sendRequest(ShowDocumentRequest.type, { uri: uriOf(page), takeFocus: true });
    }
  });
}
