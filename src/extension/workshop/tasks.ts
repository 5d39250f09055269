/** Tasks of type `abiding`: offered for each project, and definable in tasks.json. */
import * as vscode from "vscode";
import type { BuildPlan } from "../../workshop/project/types.ts";
import type { Bench } from "./bench.ts";
import { isCancellation } from "./cancellation.ts";
import { runBuild } from "./building.ts";
import type { BuildOrder } from "./building.ts";
import { measureInTerminal } from "./measuring.ts";
import { BatchedScreen } from "./screen.ts";
import type { Screen } from "./screen.ts";
import { smokeInTerminal } from "./smokeInTerminal.ts";

export const taskType = "abiding";

/** As `taskDefinitions` of package.json describes it. */
export interface AbidingTask extends vscode.TaskDefinition {
  readonly task: "build" | "smoke" | "benchmark";
  readonly plan?: string;
  readonly arguments?: readonly string[];
  readonly target?: string;
  readonly fresh?: boolean;
  readonly onFindings?: BuildOrder["onFindings"];
  /** The project; absent: the folder that the task belongs to. */
  readonly folder?: string;
}

const matchers = ["$abiding-gcc", "$abiding-clang", "$abiding-nvcc", "$abiding-ptxas", "$abiding-ptxas-kernel", "$abiding-nvlink", "$abiding-cmake"];

/** Writes to the screen until it is done or cancelled, and answers with its exit status. */
type Job = (screen: Screen, token: vscode.CancellationToken) => Promise<number>;

export async function provideTasks(bench: Bench): Promise<vscode.Task[]> {
  const tasks: vscode.Task[] = [];
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    if (folder.uri.scheme !== "file") {
      continue;
    }
    const project = await bench.project(folder.uri.fsPath);
    tasks.push(
      ...project.builds.map((plan) => buildTask(bench, folder, plan)),
      ...(project.smoke.length === 0 ? [] : [taskOf(bench, { type: taskType, task: "smoke" }, folder, vscode.l10n.t("Smoke tests"))]),
      ...(project.benchmarks.length === 0 ? [] : [taskOf(bench, { type: taskType, task: "benchmark" }, folder, vscode.l10n.t("Benchmarks"))]),
    );
  }
  return tasks;
}

/** The task of a plan, as the list of tasks has it. */
export function buildTask(bench: Bench, scope: vscode.WorkspaceFolder | vscode.TaskScope.Workspace, plan: Pick<BuildPlan, "id" | "label">, order: Omit<BuildOrder, "root" | "plan"> & { readonly root?: string } = {}): vscode.Task {
  const { root, ...rest } = order;
  return taskOf(bench, { type: taskType, task: "build", plan: plan.id, ...rest, ...(root === undefined ? {} : { folder: root }) }, scope, plan.label);
}

/** VS Code knows a task of tasks.json only by its definition; what it runs is put to it here. */
export function resolveTask(bench: Bench, task: vscode.Task): vscode.Task | undefined {
  const definition = task.definition as Partial<AbidingTask>;
  const known = definition.task === "build" || definition.task === "smoke" || definition.task === "benchmark";
  return known ? taskOf(bench, task.definition as AbidingTask, task.scope, task.name) : undefined;
}

function taskOf(bench: Bench, definition: AbidingTask, scope: vscode.Task["scope"], name: string): vscode.Task {
  const execution = new vscode.CustomExecution((resolved) => Promise.resolve(new WorkTerminal((screen, token) => perform(bench, resolved as AbidingTask, scope, screen, token))));
  const task = new vscode.Task(definition, scope ?? vscode.TaskScope.Workspace, name, "Abiding", execution, definition.task === "build" ? matchers : []);
  task.group = definition.task === "build" ? vscode.TaskGroup.Build : definition.task === "smoke" ? vscode.TaskGroup.Test : undefined;
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: false, panel: vscode.TaskPanelKind.Dedicated, clear: true, showReuseMessage: false };
  return task;
}

async function perform(bench: Bench, task: AbidingTask, scope: vscode.Task["scope"], screen: Screen, token: vscode.CancellationToken): Promise<number> {
  const root = rootOf(task, scope);
  const common = { root, ...(task.plan === undefined ? {} : { plan: task.plan }), ...(task.arguments === undefined ? {} : { arguments: task.arguments }) };
  switch (task.task) {
    case "build": {
      const more = { ...(task.target === undefined ? {} : { target: task.target }), ...(task.fresh === undefined ? {} : { fresh: task.fresh }), ...(task.onFindings === undefined ? {} : { onFindings: task.onFindings }) };
      const ending = { root, ...(task.plan === undefined ? {} : { plan: task.plan }), ...(task.target === undefined ? {} : { target: task.target }) };
      try {
        const { report, status } = await runBuild(bench, { ...common, ...more }, screen, token);
        bench.buildEnded.fire({ ...ending, report });
        return status;
      } catch (error) {
        bench.buildEnded.fire(token.isCancellationRequested || isCancellation(error) ? ending : { ...ending, error: error instanceof Error ? error : new Error(String(error)) });
        throw error;
      }
    }
    case "smoke":
      return smokeInTerminal(bench, common, screen, token);
    case "benchmark":
      return measureInTerminal(bench, common, screen, token);
  }
}

function rootOf(task: AbidingTask, scope: vscode.Task["scope"]): string {
  if (task.folder !== undefined) {
    return task.folder;
  }
  const folder = typeof scope === "object" ? scope : vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    throw new Error(vscode.l10n.t("no folder is open."));
  }
  return folder.uri.fsPath;
}

/** The terminal of a task. Closing it, ending the task and Ctrl-C all cancel the work. */
class WorkTerminal implements vscode.Pseudoterminal {
  readonly #job: Job;
  readonly #written = new vscode.EventEmitter<string>();
  readonly #closed = new vscode.EventEmitter<number>();
  readonly #cancel = new vscode.CancellationTokenSource();

  readonly onDidWrite = this.#written.event;
  readonly onDidClose = this.#closed.event;

  constructor(job: Job) {
    this.#job = job;
  }

  open(): void {
    void this.#do();
  }

  close(): void {
    this.#cancel.cancel();
  }

  handleInput(data: string): void {
    if (data.includes("\u0003")) {
      this.#cancel.cancel();
    }
  }

  async #do(): Promise<void> {
    const screen = new BatchedScreen((text) => this.#written.fire(text));
    let status = 1;
    try {
      status = await this.#job(screen, this.#cancel.token);
    } catch (error) {
      screen.note(this.#cancel.token.isCancellationRequested || isCancellation(error) ? vscode.l10n.t("Cancelled.") : vscode.l10n.t("Abiding could not do that: {0}", error instanceof Error ? error.message : String(error)));
    }
    screen.end();
    this.#closed.fire(status);
  }
}
