/** Building a project: the decision before it, the work, and what is said afterwards. */
import * as path from "node:path";
import * as vscode from "vscode";
import { build, interpreterFor } from "../../workshop/build/index.ts";
import type { BuildReport, BuildRequest } from "../../workshop/build/types.ts";
import type { BuildPlan, Project } from "../../workshop/project/types.ts";
import type { Workshop } from "../../workshop/workshop.ts";
import { recordReport } from "../combinations/recording.ts";
import type { Bench } from "./bench.ts";
import { decide } from "./decision.ts";
import type { Finding } from "./decision.ts";
import { explanationLine, headlineOfBuild } from "./headlines.ts";
import { Refused, requireTrust } from "./trust.ts";
import type { Screen } from "./screen.ts";
import { Work } from "./work.ts";

export interface BuildOrder {
  readonly root: string;
  /** Id of a plan; absent: the first. */
  readonly plan?: string;
  /** Beside those of the plan. */
  readonly arguments?: readonly string[];
  /** A CMake target; absent: those of the plan. */
  readonly target?: string;
  readonly fresh?: boolean;
  /** What happens when the build would carry a skew. Default "ask". */
  readonly onFindings?: "ask" | "build" | "stop";
}

/** Builds; what happens is written to `screen`. Answers with the status that the task ends with. */
export async function runBuild(bench: Bench, order: BuildOrder, screen: Screen, token?: vscode.CancellationToken): Promise<{ readonly report: BuildReport; readonly status: number }> {
  requireTrust();
  const project = await bench.project(order.root);
  const plan = planned(project, order, bench.nameOf(order.root));
  const work = new Work("build", vscode.l10n.t("Building {0}", bench.nameOf(order.root)), order.root);
  return bench.works.do(work, [token], async () => {
    const workshop = bench.workshop(work, screen);
    const onFindings = order.onFindings ?? "ask";
    const request: BuildRequest = {
      root: order.root, plan, parts: project.parts, against: [], fresh: order.fresh === true, ...(order.arguments === undefined ? {} : { arguments: order.arguments }),
      stopOn: onFindings === "build" ? "never" : "error",
      ...(onFindings === "ask" ? { decide: (before: readonly Finding[]) => decide(before, order.root, work.signal, screen) } : {}),
    };
    if (plan.kind === "python" && plan.mode === "editable") {
      await askToInstall(workshop, request, bench.nameOf(order.root));
    }
    noteUnsaved(order.root, screen);
    const report = await build(request, workshop);
    summarise(report, screen);
    await recordReport(order.root, { kind: "build", report }, workshop, screen);
    tell(bench, report);
    bench.built.fire(order.root);
    return { report, status: statusOf(report) };
  });
}

/** The plan that is meant, with the target that was asked for. */
export function planned(project: Project, order: Pick<BuildOrder, "plan" | "target">, name: string): BuildPlan {
  const [first] = project.builds;
  if (first === undefined) {
    const [problem] = project.problems;
    throw new Refused(problem === undefined ? vscode.l10n.t("nothing was found to build in {0}: no CMake project, no setup.py or pyproject.toml with extension modules, and no abiding.json that says how.", name) : problem.message);
  }
  const cmake = order.target === undefined ? undefined : project.builds.find((one) => one.kind === "cmake");
  const plan = order.plan === undefined ? cmake ?? first : project.builds.find((one) => one.id === order.plan);
  if (plan === undefined) {
    throw new Refused(vscode.l10n.t("{0} has no build called {1}; it has {2}.", name, order.plan ?? "", project.builds.map((one) => one.id).join(", ")));
  }
  return plan.kind === "cmake" && order.target !== undefined ? { ...plan, targets: [order.target] } : plan;
}

/** An environment belongs to its user: it is named before anything is installed into it. */
async function askToInstall(workshop: Workshop, request: BuildRequest, name: string): Promise<void> {
  const examination = await workshop.diagnostician.check(request.root, request.against, workshop.activity.signal);
  const where = interpreterFor(request, examination, workshop) ?? vscode.l10n.t("the Python on PATH");
  const install = vscode.l10n.t("Install into {0}", where);
  const picked = await vscode.window.showQuickPick([
    { label: install, detail: vscode.l10n.t("Adds {0} to that environment as an editable installation. Nothing else in it is changed.", name) },
    { label: vscode.l10n.t("Cancel") },
  ], { title: vscode.l10n.t("{0} installs into an environment", request.plan.label), ignoreFocusOut: true });
  if (picked?.label !== install) {
    throw new vscode.CancellationError();
  }
}

/** Whoever switched off saving before tasks should know what is built. */
function noteUnsaved(root: string, screen: Screen): void {
  const unsaved = vscode.workspace.textDocuments.filter((one) => one.isDirty && one.uri.scheme === "file" && !path.relative(root, one.uri.fsPath).startsWith(".."));
  for (const document of unsaved) {
    screen.note(vscode.l10n.t("{0} has changes that are not saved: the build reads what is on the disk.", path.relative(root, document.uri.fsPath)));
  }
}

function statusOf(report: BuildReport): number {
  if (report.outcome === "built") {
    return 0;
  }
  const ending = report.steps.at(-1)?.ending;
  return report.outcome === "failed" && ending?.kind === "exited" && ending.code !== 0 ? ending.code : 1;
}

function summarise(report: BuildReport, screen: Screen): void {
  for (const product of report.products) {
    const says = product.loaderSays === undefined ? "" : ` ${product.loaderSays}`;
    const stamp = product.stamp === undefined ? "" : ` ${vscode.l10n.t("It carries an ABI stamp.")}`;
    screen.note(`${path.relative(report.root, product.file)}: ${product.headline}${says}${stamp}`);
  }
  const words = { built: vscode.l10n.t("Built: {0}.", report.plan.label), failed: vscode.l10n.t("Failed: {0}.", report.plan.label), stopped: vscode.l10n.t("Not built: {0}.", report.plan.label), cancelled: vscode.l10n.t("Cancelled: {0}.", report.plan.label) };
  screen.note(report.reason === undefined ? words[report.outcome] : `${words[report.outcome]} ${report.reason}`);
  if (report.explanation !== undefined) {
    screen.note(explanationLine(report.explanation));
  }
}

function tell(bench: Bench, report: BuildReport): void {
  const conflicts = report.products.filter((one) => one.verdict === "conflict");
  const good = report.outcome === "built" && conflicts.length === 0;
  const words = { built: conflicts.length === 0 ? vscode.l10n.t("built") : vscode.l10n.t("built, would not load"), failed: vscode.l10n.t("build failed"), stopped: vscode.l10n.t("not built"), cancelled: vscode.l10n.t("build cancelled") };
  const log = report.steps.findLast((one) => one.log !== undefined)?.log;
  bench.works.tell({ kind: "build", root: report.root, ...headlineOfBuild(report), text: `${bench.nameOf(report.root)}: ${words[report.outcome]}`, ...(log === undefined ? {} : { log }), command: good ? "workbench.action.terminal.focus" : "workbench.actions.view.problems" });
  void showConflicts(bench, report, conflicts).catch((error: unknown) => bench.host.log.error(`The verdict could not be shown: ${String(error)}`));
}

async function showConflicts(bench: Bench, report: BuildReport, conflicts: BuildReport["products"]): Promise<void> {
  const [first] = conflicts;
  if (first === undefined) {
    return;
  }
  const show = vscode.l10n.t("Show");
  const name = path.relative(report.root, first.file);
  const message = conflicts.length === 1 ? vscode.l10n.t("Abiding: {0} was built. {1}", name, first.headline) : vscode.l10n.t("Abiding: {0} and {1} more were built. {2}", name, conflicts.length - 1, first.headline);
  if (await vscode.window.showWarningMessage(message, show) === show) {
    await bench.host.binaries.show(vscode.Uri.file(first.file), undefined);
  }
}
