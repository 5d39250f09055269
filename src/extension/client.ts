/** The language client with its options. Imported dynamically: nothing else may import the client library's values. */
import * as os from "node:os";
import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State, TransportKind } from "vscode-languageclient/node";
import type { CloseHandlerResult, ErrorHandler, ErrorHandlerResult, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";
import type { InitializationOptions } from "../protocol/index.ts";
import { documentSelector } from "./documents.ts";

export interface ClientHooks {
  selected(): Readonly<Record<string, string>>;
  interpreters(): Readonly<Record<string, string>>;
  onRunning(running: boolean): void;
  /** The server stopped too often to be started again. */
  readonly onGivenUp: () => void;
}

/**
 * Ten times what a workspace as large as pytorch/pytorch needs. Without a bound Node lets garbage grow to several times
 * what is in use before it collects it, for no speed.
 */
const memoryArguments = ["--max-old-space-size=1024", "--max-semi-space-size=4"];

export function createClient(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, hooks: ClientHooks): LanguageClient {
  const module = context.asAbsolutePath("dist/server.js");
  const serverOptions: ServerOptions = {
    run: { module, transport: TransportKind.ipc, options: { execArgv: memoryArguments } },
    debug: { module, transport: TransportKind.ipc, options: { execArgv: ["--nolazy", "--inspect=6029", "--enable-source-maps"] } },
  };
  const clientOptions: LanguageClientOptions = {
    documentSelector,
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    diagnosticPullOptions: { onChange: true },
    initializationOptions: (): InitializationOptions => ({
      commands: ["abiding.openRuleDocumentation", "abiding.selectEnvironment", "abiding.showFindings"],
      selected: hooks.selected(),
      interpreters: hooks.interpreters(),
    }),
    errorHandler: new RestartPolicy(log, hooks.onGivenUp),
    middleware: {
      workspace: {
        configuration: async (params, token, next) => {
          const answers: unknown = await next(params, token);
          return Array.isArray(answers) ? answers.map((answer: unknown, index) => withVariables(answer, params.items[index]?.scopeUri)) : [];
        },
      },
    },
  };
  const client = new LanguageClient("abiding", "Abiding", serverOptions, clientOptions);
  client.onDidChangeState(({ newState }) => hooks.onRunning(newState === State.Running));
  return client;
}

/** VS Code leaves variables in settings to extensions; only the environment is a path. */
function withVariables(settings: unknown, scope: string | undefined): unknown {
  if (typeof settings !== "object" || settings === null || !("environment" in settings) || typeof settings.environment !== "string") {
    return settings;
  }
  const folder = scope === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(scope));
  const environment = settings.environment
    .replaceAll("${workspaceFolder}", folder?.uri.fsPath ?? "")
    .replaceAll("${userHome}", os.homedir())
    .replace(/\$\{env:(\w+)\}/g, (_, name: string) => process.env[name] ?? "");
  return { ...settings, environment };
}

const crashLimit = 4;
const crashWindow = 3 * 60_000;

/** Restarts a server that stopped, until it stops too often; then it says so once. */
class RestartPolicy implements ErrorHandler {
  readonly #log: vscode.LogOutputChannel;
  readonly #onGivenUp: () => void;
  #crashes: number[] = [];

  constructor(log: vscode.LogOutputChannel, onGivenUp: () => void) {
    this.#log = log;
    this.#onGivenUp = onGivenUp;
  }

  error(error: Error, _message: unknown, count: number | undefined): ErrorHandlerResult {
    this.#log.error(`The connection to the language server reported an error: ${error.message}`);
    return { action: count !== undefined && count <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true };
  }

  closed(): CloseHandlerResult {
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < crashWindow), now];
    if (this.#crashes.length <= crashLimit) {
      this.#log.warn("The language server stopped and is started again.");
      return { action: CloseAction.Restart, handled: true };
    }
    this.#log.error(`The language server stopped ${this.#crashes.length} times in three minutes and is not started again.`);
    this.#onGivenUp();
    return { action: CloseAction.DoNotRestart, handled: true };
  }
}
