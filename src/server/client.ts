import type { InitializeParams } from "vscode-languageserver/node";
import type { ClientCommand, InitializationOptions } from "../protocol/index.ts";

/** What the client can do, read once. */
export interface ClientAbilities {
  readonly pullDiagnostics: boolean;
  readonly refreshDiagnostics: boolean;
  readonly refreshInlayHints: boolean;
  readonly refreshCodeLenses: boolean;
  readonly relatedInformation: boolean;
  readonly codeDescription: boolean;
  readonly diagnosticTags: boolean;
  readonly configuration: boolean;
  readonly configurationChanges: boolean;
  readonly watchFiles: boolean;
  readonly folderChanges: boolean;
  readonly showDocument: boolean;
  readonly commands: readonly ClientCommand[];
}

export function abilitiesOf(params: InitializeParams): ClientAbilities {
  const { textDocument, workspace, window } = params.capabilities;
  const pull = textDocument?.diagnostic;
  const push = textDocument?.publishDiagnostics;
  return {
    pullDiagnostics: pull !== undefined,
    refreshDiagnostics: workspace?.diagnostics?.refreshSupport === true,
    refreshInlayHints: workspace?.inlayHint?.refreshSupport === true,
    refreshCodeLenses: workspace?.codeLens?.refreshSupport === true,
    relatedInformation: (pull?.relatedInformation ?? push?.relatedInformation) === true,
    codeDescription: (pull?.codeDescriptionSupport ?? push?.codeDescriptionSupport) === true,
    diagnosticTags: (pull?.tagSupport ?? push?.tagSupport) !== undefined,
    configuration: workspace?.configuration === true,
    configurationChanges: workspace?.didChangeConfiguration?.dynamicRegistration === true,
    watchFiles: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    folderChanges: workspace?.workspaceFolders === true,
    showDocument: window?.showDocument?.support === true,
    commands: optionsOf(params).commands ?? [],
  };
}

/** The client's own options, as far as they have the promised shape. */
export function optionsOf(params: InitializeParams): InitializationOptions {
  const raw: unknown = params.initializationOptions;
  if (typeof raw !== "object" || raw === null) {
    return {};
  }
  const { commands, selected, interpreters, settings } = raw as Record<string, unknown>;
  return {
    ...(Array.isArray(commands) ? { commands: commands.filter((one): one is ClientCommand => typeof one === "string") } : {}),
    ...(isStrings(selected) ? { selected } : {}),
    ...(isStrings(interpreters) ? { interpreters } : {}),
    settings,
  };
}

function isStrings(value: unknown): value is Record<string, string> {
  return typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string");
}
