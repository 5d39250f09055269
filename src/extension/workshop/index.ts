/**
 * What builds, tests and measures, seen from VS Code: loaded when something of it is asked for, as a bundle of its own. Work
 * is done by the rooms of src/workshop; here it meets tasks, the Testing view, notifications and the status bar.
 */
import type * as vscode from "vscode";
import { endEverything } from "../../workshop/process/index.ts";
import { Bench } from "./bench.ts";
import type { WorkshopHost } from "./bench.ts";
import { commands } from "./commands.ts";
import type { WorkshopCommand } from "./commands.ts";
import { debugTest } from "./debugging.ts";
import { lensesOf } from "./lenses.ts";
import { provideTasks, resolveTask } from "./tasks.ts";
import { Testing } from "./testing.ts";
import { WorkStatus } from "./workStatus.ts";

export type { WorkshopHost } from "./bench.ts";
export type { WorkshopCommand } from "./commands.ts";

/** What the part that is always loaded reaches. */
export class OpenWorkshop {
  readonly #bench: Bench;
  readonly #testing: Testing;
  readonly #status: WorkStatus;

  constructor(host: WorkshopHost, controller: vscode.TestController) {
    this.#bench = new Bench(host);
    this.#status = new WorkStatus(this.#bench.works);
    this.#testing = new Testing(this.#bench, controller);
  }

  command(name: WorkshopCommand, argument: unknown): Promise<unknown> {
    return commands[name](this.#bench, this.#testing, argument);
  }

  tasks(): Promise<vscode.Task[]> {
    return provideTasks(this.#bench);
  }

  resolveTask(task: vscode.Task): vscode.Task | undefined {
    return resolveTask(this.#bench, task);
  }

  lenses(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
    return lensesOf(this.#bench, document, token);
  }

  listTests(): Promise<void> {
    return this.#testing.resolve();
  }

  refreshTests(token: vscode.CancellationToken): Promise<void> {
    return this.#testing.refresh(token);
  }

  async runTests(what: "smoke" | "benchmark" | "debug", request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    if (what === "smoke") {
      await this.#testing.run(request, token);
    } else if (what === "benchmark") {
      await this.#testing.measure(request, token);
    } else {
      await debugTest(this.#bench, this.#testing.tree, request, token);
    }
  }

  /** Ends all work and every process of it. */
  async end(): Promise<void> {
    this.#bench.works.cancelAll();
    await endEverything();
    this.#testing.dispose();
    this.#status.dispose();
    this.#bench.dispose();
  }
}
