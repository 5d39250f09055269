/**
 * What builds, tests and measures, seen from VS Code: loaded when something of it is asked for, as a bundle of its own. Work
 * is done by the rooms of src/workshop; here it meets tasks, the Testing view, notifications and the status bar.
 */
import type * as vscode from "vscode";
import { endEverything } from "../../workshop/process/index.ts";
import { combinationCommand } from "../combinations/index.ts";
import type { CombinationCommand } from "../combinations/index.ts";
import { Panels } from "../panel/index.ts";
import { Bench } from "./bench.ts";
import type { WorkshopHost } from "./bench.ts";
import { commands } from "./commands.ts";
import type { WorkshopCommand } from "./commands.ts";
import { debugTest } from "./debugging.ts";
import { lensesOf } from "./lenses.ts";
import { provideTasks, resolveTask } from "./tasks.ts";
import { Testing } from "./testing.ts";
import { runTool } from "./tool.ts";
import { WorkStatus } from "./workStatus.ts";

export type { WorkshopHost } from "./bench.ts";
export type { CombinationCommand } from "../combinations/index.ts";
export type { WorkshopCommand } from "./commands.ts";

/** What the part that is always loaded reaches. */
export class OpenWorkshop {
  readonly #bench: Bench;
  readonly #status: WorkStatus;
  readonly #panels: Panels;
  readonly #controller: () => vscode.TestController;
  #tests: Testing | undefined;

  /** `controller`: of the Testing view, which appears with it. */
  constructor(host: WorkshopHost, controller: () => vscode.TestController) {
    this.#bench = new Bench(host);
    this.#status = new WorkStatus(this.#bench.works);
    this.#panels = new Panels(this.#bench);
    this.#controller = controller;
  }

  /** Shows the panel; `root`: of the project that is meant. */
  showPanel(root: string | undefined): void {
    this.#panels.show(root);
  }

  /** Takes over the page of a window that was loaded anew. */
  restorePanel(page: vscode.WebviewPanel): void {
    this.#panels.restore(page);
  }

  command(name: WorkshopCommand | CombinationCommand, argument: unknown): Promise<unknown> {
    return name in commands ? commands[name as WorkshopCommand](this.#bench, this.#testing, argument) : combinationCommand(name as CombinationCommand, this.#bench, argument);
  }

  /** Answers an agent that wants something run. */
  runTool(name: string, input: unknown, root: string | undefined, token: vscode.CancellationToken): Promise<string> {
    return runTool(this.#bench, name, input, root, token);
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

  get #testing(): Testing {
    this.#tests ??= new Testing(this.#bench, this.#controller());
    return this.#tests;
  }

  /** Ends all work and every process of it. */
  async end(): Promise<void> {
    this.#bench.works.cancelAll();
    await endEverything();
    this.#panels.dispose();
    this.#tests?.dispose();
    this.#status.dispose();
    this.#bench.dispose();
  }
}
