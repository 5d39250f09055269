/** The commands of the workshop; each is refused in a workspace that is not trusted. */
import * as vscode from "vscode";
import { readHistory } from "../../workshop/benchmark/index.ts";
import type { BuildReport } from "../../workshop/build/types.ts";
import { commandLine } from "../../workshop/process/index.ts";
import type { BuildPlan, Project } from "../../workshop/project/types.ts";
import type { Bench, BuildEnding } from "./bench.ts";
import { historyMarkdown } from "./benchmarkMarkdown.ts";
import { planned } from "./building.ts";
import type { BuildOrder } from "./building.ts";
import { showEnvironment } from "./environment.ts";
import { offerGantry } from "./gantry.ts";
import { fetchLibtorchAsked, locateLibtorch } from "./libtorch.ts";
import { buildLibtorchAsked } from "./libtorchBuild.ts";
import { inProgress } from "./progress.ts";
import { addStamp } from "./stamping.ts";
import { buildTask } from "./tasks.ts";
import type { Testing } from "./testing.ts";
import { Refused, requireTrust } from "./trust.ts";

export type WorkshopCommand = "build" | "buildChoose" | "smoke" | "benchmark" | "showBenchmarkHistory" | "showBuildEnvironment" | "copyCommandLine" | "cancelWork" | "locateLibtorch" | "fetchLibtorch" | "buildLibtorch" | "addStamp";

type Run = (bench: Bench, testing: Testing, argument: unknown) => Promise<unknown>;

export const commands: Readonly<Record<WorkshopCommand, Run>> = {
  build: (bench, testing, argument) => build(bench, testing, objectOf(argument)),
  buildChoose: async (bench, testing, argument) => {
    const { root: given } = objectOf(argument);
    const root = await bench.chooseRoot(given);
    const project = root === undefined ? undefined : await bench.project(root);
    const plan = project === undefined || project.builds.length === 0 ? undefined : await choosePlan(project);
    if (root !== undefined && (plan !== undefined || project?.builds.length === 0)) {
      return build(bench, testing, { root, ...(plan === undefined ? {} : { plan: plan.id }) });
    }
    return undefined;
  },
  smoke: async (bench, testing, argument) => {
    const request = await requestFor(bench, testing, objectOf(argument).root, "smoke");
    return inProgress(bench, vscode.l10n.t("Running smoke tests"), (token) => testing.run(request, token));
  },
  benchmark: async (bench, testing, argument) => {
    const request = await requestFor(bench, testing, objectOf(argument).root, "benchmark");
    return inProgress(bench, vscode.l10n.t("Running benchmarks"), (token) => testing.measure(request, token));
  },
  showBenchmarkHistory: async (bench) => {
    const root = await bench.chooseRoot();
    if (root !== undefined) {
      const { runs } = await readHistory(root);
      if (runs.length === 0) {
        throw new Refused(vscode.l10n.t("nothing was measured in {0} yet.", bench.nameOf(root)));
      }
      await vscode.commands.executeCommand("markdown.showPreview", bench.documents.put(`${bench.nameOf(root)} history.md`, historyMarkdown(runs.toReversed(), bench.nameOf(root))));
    }
  },
  showBuildEnvironment: (bench) => showEnvironment(bench),
  copyCommandLine: async (bench) => {
    const { command } = bench.last;
    if (command === undefined) {
      throw new Refused(vscode.l10n.t("nothing has been run yet."));
    }
    const line = commandLine(command);
    await vscode.env.clipboard.writeText(line);
    vscode.window.setStatusBarMessage(vscode.l10n.t("Abiding: command line copied"), 3000);
    return line;
  },
  cancelWork: (bench) => cancelWork(bench),
  locateLibtorch: (bench, _testing, argument) => locateLibtorch(bench, objectOf(argument).root),
  fetchLibtorch: (bench, _testing, argument) => fetchLibtorchAsked(bench, objectOf(argument).root),
  buildLibtorch: (bench, _testing, argument) => buildLibtorchAsked(bench, objectOf(argument).root),
  addStamp: (bench, _testing, argument) => addStamp(bench, objectOf(argument)),
};

type BuildArgument = Partial<BuildOrder>;

/** Builds in a task of its own, so that its terminal, its problems and its ending are those of a task. Answers with the report. */
async function build(bench: Bench, testing: Testing, argument: BuildArgument): Promise<unknown> {
  requireTrust();
  const root = await bench.chooseRoot(argument.root);
  if (root === undefined) {
    return undefined;
  }
  const project = await bench.project(root);
  if (project.builds.length === 0 && project.problems.length === 0 && argument.plan === undefined) {
    return offerGantry(bench, root, (order) => build(bench, testing, order));
  }
  const plan = planned(project, argument, bench.nameOf(root));
  const rest: Omit<BuildOrder, "root" | "plan"> = {
    ...(argument.arguments === undefined ? {} : { arguments: argument.arguments }),
    ...(argument.target === undefined ? {} : { target: argument.target }),
    ...(argument.fresh === undefined ? {} : { fresh: argument.fresh }),
    ...(argument.onFindings === undefined ? {} : { onFindings: argument.onFindings }),
  };
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(root));
  const task = buildTask(bench, folder ?? vscode.TaskScope.Workspace, plan, folder === undefined ? { ...rest, root } : rest);
  const report = await inProgress(bench, vscode.l10n.t("Building {0}", plan.label), (token) => untilEnded(bench, task, { root, plan: plan.id, ...rest }, token));
  if (report?.outcome === "failed") {
    void offerProblems(report, plan.label);
  }
  if (report?.outcome === "built" && vscode.workspace.getConfiguration("abiding", vscode.Uri.file(root)).get<boolean>("smoke.afterBuild", false)) {
    await commands.smoke(bench, testing, { root });
  }
  return report;
}

/**
 * Runs the task of a build until it ends. VS Code may run the same task as its provider made it and not this one, so what it
 * came to is heard of, not handed over. undefined: it was cancelled before there was a report.
 */
async function untilEnded(bench: Bench, task: vscode.Task, order: BuildOrder, token: vscode.CancellationToken): Promise<BuildReport | undefined> {
  const subscriptions: vscode.Disposable[] = [];
  try {
    const ended = new Promise<BuildEnding>((resolve) => {
      subscriptions.push(bench.buildEnded.event((ending) => {
        if (ending.root === order.root && ending.plan === order.plan && ending.target === order.target) {
          resolve(ending);
        }
      }));
    });
    const execution = await vscode.tasks.executeTask(task);
    subscriptions.push(token.onCancellationRequested(() => execution.terminate()));
    const gone = new Promise<undefined>((resolve) => {
      subscriptions.push(vscode.tasks.onDidEndTask((event) => {
        if (event.execution === execution) {
          // A task that was ended before its terminal opened has nothing to say; any other says it when all its processes have ended.
          setTimeout(() => resolve(undefined), 10_000);
        }
      }));
    });
    const ending = await Promise.race([ended, gone]);
    if (ending?.error !== undefined) {
      throw ending.error;
    }
    return ending?.report;
  } finally {
    subscriptions.forEach((one) => void one.dispose());
  }
}

async function offerProblems({ reason, explanation, steps }: BuildReport, plan: string): Promise<void> {
  const show = vscode.l10n.t("Show Problems");
  const explain = vscode.l10n.t("Explain");
  const log = explanation === undefined ? undefined : steps.findLast((one) => one.log !== undefined)?.log;
  const message = [reason ?? vscode.l10n.t("Building {0} failed.", plan), ...(explanation === undefined ? [] : [explanation.headline])].map((one) => (/[.!?…]$/.test(one) ? one : `${one}.`)).join(" ");
  const chosen = await vscode.window.showErrorMessage(`Abiding: ${message}`, ...(log === undefined ? [show] : [explain, show]));
  if (chosen === show) {
    await vscode.commands.executeCommand("workbench.actions.view.problems");
  } else if (chosen === explain && log !== undefined) {
    await vscode.commands.executeCommand("abiding.explainError", vscode.Uri.file(log));
  }
}

async function choosePlan(project: Project): Promise<BuildPlan | undefined> {
  const items = project.builds.map((plan) => ({ label: plan.label, description: plan.kind, detail: plan.shownBy.path, plan }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Build what?"), matchOnDescription: true, matchOnDetail: true }))?.plan;
}

async function cancelWork(bench: Bench): Promise<void> {
  const { running } = bench.works;
  const [first, ...others] = running;
  if (first === undefined) {
    vscode.window.setStatusBarMessage(vscode.l10n.t("Abiding: nothing is running"), 3000);
  } else if (others.length === 0) {
    first.cancel();
  } else {
    const picked = await vscode.window.showQuickPick(running.map((work) => ({ label: work.title, description: work.step, work })), { title: vscode.l10n.t("Cancel what?"), canPickMany: true });
    picked?.forEach(({ work }) => work.cancel());
  }
}

/** Everything of one project, or of all. */
async function requestFor(bench: Bench, testing: Testing, root: string | undefined, what: "smoke" | "benchmark"): Promise<vscode.TestRunRequest> {
  requireTrust();
  if (testing.tree.roots.length === 0 || (root !== undefined && !testing.tree.roots.includes(root))) {
    await testing.resolve();
  }
  const roots = root === undefined ? testing.tree.roots : [root];
  const plans = roots.flatMap((one) => (what === "smoke" ? testing.tree.project(one)?.smoke : testing.tree.project(one)?.benchmarks)?.map((plan) => testing.tree.itemOf(one, plan.id)) ?? []);
  const include = plans.filter((one) => one !== undefined);
  if (include.length === 0) {
    const names = roots.map((one) => bench.nameOf(one)).join(", ");
    throw new Refused(what === "smoke" ? vscode.l10n.t("nothing was found to test in {0}.", names) : vscode.l10n.t("nothing was found to measure in {0}.", names));
  }
  return new vscode.TestRunRequest(include);
}

function objectOf(argument: unknown): BuildArgument {
  // The palette gives nothing, a tree or an editor title gives a resource.
  if (typeof argument !== "object" || argument === null || argument instanceof vscode.Uri) {
    return {};
  }
  return argument;
}
