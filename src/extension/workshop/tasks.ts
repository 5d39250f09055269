/** Tasks of type `abiding`: offered for each project, and definable in tasks.json. */
import * as vscode from "vscode";
import type { BuildPlan } from "../../workshop/project/types.ts";
import type { Bench } from "./bench.ts";
import { isCancellation } from "./cancellation.ts";
import { runBuild } from "./building.ts";
import type { BuildOrder } from "./building.ts";
import { measureInTerminal } from "./measuring.ts";
import type { Screen } from "./screen.ts";
import { smokeInTerminal } from "./smokeInTerminal.ts";
import { presentation, WorkTerminal } from "./workTerminal.ts";

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
  task.presentationOptions = presentation;
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
