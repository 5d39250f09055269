import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Notifications, Requests, Status } from "../protocol/index.ts";
import type { EnvironmentChoices } from "./environmentChoices.ts";
import { Interpreters } from "./interpreters.ts";

export type ServerState = "stopped" | "starting" | "running" | "failed";

/** Owns the language client: starts it once, restarts it on demand, and hands on what the server tells. */
export class Server implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #log: vscode.LogOutputChannel;
  readonly #choices: EnvironmentChoices;
  readonly #interpreters: Interpreters;
  readonly #statusChanged = new vscode.EventEmitter<Status>();
  readonly #stateChanged = new vscode.EventEmitter<ServerState>();
  readonly #answeredInPart = new vscode.EventEmitter<Notifications["abiding/binaryProgress"]>();
  #client: LanguageClient | undefined;
  #starting: Promise<LanguageClient> | undefined;
  #restarting: Promise<void> | undefined;
  #state: ServerState = "stopped";

  readonly onDidChangeStatus = this.#statusChanged.event;
  readonly onDidChangeState = this.#stateChanged.event;
  /** A question that takes long goes on. */
  readonly onDidAnswerInPart = this.#answeredInPart.event;

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, choices: EnvironmentChoices) {
    this.#context = context;
    this.#log = log;
    this.#choices = choices;
    this.#interpreters = new Interpreters(log, (folder, interpreter) => {
      this.#notify("abiding/interpreterChanged", { folder, ...(interpreter === undefined ? {} : { interpreter }) });
    });
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Starts the server when it does not run yet; one start is shared by all who ask. */
  start(): Promise<LanguageClient> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      this.#setState("failed");
      throw error;
    });
    return this.#starting;
  }

  /** For events that no user is waiting for: a failure is logged, not shown. */
  startQuietly(): void {
    this.start().catch((error: unknown) => this.#log.error(`The language server did not start: ${String(error)}`));
  }

  /** Stops and starts again; calls while that is under way share it. */
  restart(): Promise<void> {
    this.#restarting ??= this.#restart().finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  /** Asks the server, starting it first when needed. */
  async request<M extends keyof Requests>(method: M, params: Requests[M]["params"], token?: vscode.CancellationToken): Promise<Requests[M]["result"]> {
    const client = await this.start();
    // A token that is not there would be sent as a parameter.
    return token === undefined ? client.sendRequest<Requests[M]["result"]>(method, params) : client.sendRequest<Requests[M]["result"]>(method, params, token);
  }

  dispose(): void {
    this.#interpreters.dispose();
    this.#statusChanged.dispose();
    this.#stateChanged.dispose();
    this.#answeredInPart.dispose();
    void this.#client?.dispose().catch(() => undefined);
  }

  async #start(): Promise<LanguageClient> {
    this.#setState("starting");
    // The client is the heaviest module of the extension; whoever opens no build file does not pay for it.
    const { createClient } = await import("./client.ts");
    const client = createClient(this.#context, this.#log, {
      selected: () => this.#choices.all,
      interpreters: () => this.#interpreters.known,
      onRunning: (running) => this.#setState(running ? "running" : "stopped"),
      onGivenUp: () => void this.#reportCrash(),
    });
    this.#client = client;
    const status: keyof Notifications = "abiding/statusChanged";
    client.onNotification(status, (params: Status) => this.#statusChanged.fire(params));
    const progress: keyof Notifications = "abiding/binaryProgress";
    client.onNotification(progress, (params: Notifications[typeof progress]) => this.#answeredInPart.fire(params));
    await client.start();
    this.#interpreters.watch();
    return client;
  }

  async #restart(): Promise<void> {
    const previous = this.#client;
    await this.#starting?.catch(() => undefined);
    this.#client = undefined;
    this.#starting = undefined;
    // A server that hangs or is gone must not stand in the way of its successor.
    await previous?.dispose(2000).catch((error: unknown) => this.#log.warn(`The old server did not stop cleanly: ${String(error)}`));
    await this.start();
  }

  #notify<M extends keyof Notifications>(method: M, params: Notifications[M]): void {
    if (this.#state === "running") {
      this.#client?.sendNotification(method, params).catch((error: unknown) => this.#log.debug(`${method} was not sent: ${String(error)}`));
    }
  }

  #setState(state: ServerState): void {
    if (state !== this.#state) {
      this.#state = state;
      this.#stateChanged.fire(state);
    }
  }

  async #reportCrash(): Promise<void> {
    this.#setState("failed");
    const restart = vscode.l10n.t("Restart");
    const showLog = vscode.l10n.t("Show Log");
    const chosen = await vscode.window.showErrorMessage(vscode.l10n.t("The Abiding language server keeps stopping and was not started again."), restart, showLog);
    if (chosen === restart) {
      await this.restart();
    } else if (chosen === showLog) {
      this.#log.show();
    }
  }
}
