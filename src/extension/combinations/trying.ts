/** Trying cells: what would be tried is said first, then each cell tells how it goes. */
import * as vscode from "vscode";
import type { MakeSlurm, RunPlan, RunRequest } from "../../workshop/combinations/index.ts";
import type { CellEvent, CellStepName, RunReport } from "../../workshop/combinations/types.ts";
import type { Workshop } from "../../workshop/workshop.ts";
import type { Bench } from "../workshop/bench.ts";
import type { Outcome } from "../workshop/work.ts";
import { askWhile } from "./asking.ts";
import { editMatrix } from "./editMatrix.ts";
import { firstIndexOf } from "./records.ts";
import { settingsOf } from "./settings.ts";
import type { CombinationArgument } from "./settings.ts";
import { working } from "./working.ts";

/** The matrix of abiding.json, or the one torch that was named. */
export async function tryAsked(bench: Bench, argument: CombinationArgument): Promise<RunReport | undefined> {
  const root = await bench.chooseRoot(argument.root);
  if (root === undefined) {
    return undefined;
  }
  const settings = await settingsOf(root) ?? {};
  const request: RunRequest = { root, settings, ...(argument.torch === undefined ? {} : { torch: [argument.torch], ...await firstIndexOf(root, argument) }) };
  return working(bench, "combinations", vscode.l10n.t("Trying combinations of {0}", bench.nameOf(root)), root, async (work, workshop) => {
    const { planRun, runCombinations, somethingToTry } = await import("../../workshop/combinations/index.ts");
    workshop.activity.step(vscode.l10n.t("Reading package indexes"));
    const plan = await planRun(request, workshop);
    work.signal.throwIfAborted();
    // Said now: a plan from memory no longer knows why an index could not be read.
    somethingToTry(request, plan);
    workshop.activity.step(vscode.l10n.t("Waiting for an answer"));
    if (!(await agreed(plan, root, work.signal))) {
      throw new vscode.CancellationError();
    }
    try {
      const report = await runCombinations({ ...request, offline: true }, { workshop, tell: teller(bench, root, workshop), slurm: await slurmMaker(bench, root, workshop) });
      report.warnings.forEach((one) => workshop.activity.note(one));
      bench.works.tell({ kind: "combinations", root, ...headline(report), text: `${bench.nameOf(root)}: ${shortly(report)}`, command: { title: "", command: "abiding.openPanel", arguments: [vscode.Uri.file(root)] } });
      return report;
    } finally {
      bench.cells.clear(root);
    }
  });
}

interface Choice extends vscode.QuickPickItem {
  readonly answer?: "try" | "edit";
}

async function agreed({ cells, leftOut }: RunPlan, root: string, signal: AbortSignal): Promise<boolean> {
  const items: Choice[] = [
    { label: `$(play) ${cells.length === 1 ? vscode.l10n.t("Try it") : vscode.l10n.t("Try {0} cells", cells.length)}`, detail: vscode.l10n.t("Each in a scratch environment of its own, below .abiding/local: torch is installed there, the project is built from a copy, and its tests run."), answer: "try" },
    { label: `$(edit) ${vscode.l10n.t("Edit the matrix in abiding.json")}`, answer: "edit" },
    { label: `$(close) ${vscode.l10n.t("Cancel")}` },
    { label: vscode.l10n.t("What is tried"), kind: vscode.QuickPickItemKind.Separator },
    ...cells.map((one): Choice => ({ label: one.label, answer: "try" })),
    ...(leftOut.length === 0 ? [] : [{ label: vscode.l10n.t("Left out"), kind: vscode.QuickPickItemKind.Separator }]),
    ...leftOut.map((one): Choice => ({ label: one.label, detail: one.because })),
  ];
  const picked = await askWhile(signal, items, { title: cells.length === 1 ? vscode.l10n.t("Try 1 cell?") : vscode.l10n.t("Try {0} cells?", cells.length), matchOnDetail: true });
  if (picked?.answer === "edit") {
    await editMatrix(root, vscode.ViewColumn.Active);
  }
  return picked?.answer === "try";
}

/** What each cell does, for the panel; and in a few words for the status bar. */
function teller(bench: Bench, root: string, { activity }: Workshop): (event: CellEvent) => void {
  const words: Readonly<Record<CellStepName, string>> = { install: vscode.l10n.t("installing"), build: vscode.l10n.t("building"), load: vscode.l10n.t("loading"), smoke: vscode.l10n.t("testing"), benchmark: vscode.l10n.t("measuring") };
  const running = new Map<string, string>();
  return (event) => {
    bench.cells.tell(root, event);
    if (event.kind === "step") {
      running.set(event.cell.id, `${event.cell.label}: ${words[event.step]}`);
    } else if (event.kind === "ended") {
      running.delete(event.result.cell.id);
      activity.note(`${event.result.cell.label}: ${event.result.outcome}${event.result.reason === undefined ? "" : `. ${event.result.reason.message}`}`);
    }
    activity.step([...running.values()].join("; "));
  };
}

/** Jobs start the command line that came with the extension. VS Code's own program is no Node.js without more ado. */
async function slurmMaker(bench: Bench, root: string, workshop: Workshop): Promise<MakeSlurm> {
  const { slurmExecutor } = await import("../../workshop/combinations/executors/slurm/index.ts");
  const node = process.versions["electron"] === undefined ? process.execPath : "node";
  return (settings, folder) => slurmExecutor(settings, { folder, root, node, cli: bench.host.context.asAbsolutePath("dist/cli.js"), workshop });
}

function counted({ results }: RunReport): string {
  const passed = results.filter((one) => one.outcome === "passed").length;
  return results.length === 1 && passed === 1 ? vscode.l10n.t("The cell passed.") : vscode.l10n.t("{0} of {1} cells passed.", passed, results.length);
}

function shortly({ outcome, results }: RunReport): string {
  const bad = results.filter((one) => one.outcome !== "passed").length;
  return outcome === "passed" ? vscode.l10n.t("all combinations passed") : outcome === "cancelled" ? vscode.l10n.t("combinations cancelled") : vscode.l10n.t("{0} of {1} combinations did not pass", bad, results.length);
}

function headline(report: RunReport): Pick<Outcome, "ending" | "headline" | "rule" | "log"> {
  const bad = report.results.filter((one) => one.outcome === "failed" || one.outcome === "unknown");
  const first = bad.find((one) => one.reason?.rule !== undefined) ?? bad[0];
  const because = first === undefined ? [] : [`${first.cell.label}: ${first.reason?.message ?? first.outcome}`];
  const rule = first?.reason?.rule;
  const log = (first ?? report.results[0])?.steps.findLast((one) => one.log !== undefined)?.log;
  return {
    ending: report.outcome, headline: [counted(report), ...because].join(" "),
    ...(rule === undefined ? {} : { rule }), ...(log === undefined ? {} : { log }),
  };
}

