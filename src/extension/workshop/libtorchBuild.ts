/** Building libtorch from a checkout of PyTorch: what it needs is asked for, and it runs as a task of its own. */
import { existsSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { buildLibtorch } from "../../workshop/libtorch/index.ts";
import type { BuildLibtorchRequest, LibtorchReport } from "../../workshop/libtorch/types.ts";
import type { Bench } from "./bench.ts";
import { offerArgument, tellLibtorch } from "./libtorch.ts";
import { inProgress } from "./progress.ts";
import { taskType } from "./tasks.ts";
import { Refused, requireTrust } from "./trust.ts";
import { Work } from "./work.ts";
import { presentation, WorkTerminal } from "./workTerminal.ts";

/** Builds a libtorch from the checkout that the user names, into new folders inside another one that he names. */
export async function buildLibtorchAsked(bench: Bench, given?: string): Promise<LibtorchReport | undefined> {
  requireTrust();
  const root = await bench.chooseRoot(given);
  const request = root === undefined ? undefined : await askWhat(bench, root);
  if (request === undefined) {
    return undefined;
  }
  const report = await inProgress(bench, vscode.l10n.t("Building libtorch from {0}", request.source), (token) => inTask(bench, request, token));
  if (report === undefined || report.outcome === "cancelled") {
    return report;
  }
  if (report.cmakeArgument === undefined) {
    throw new Refused(report.reason ?? vscode.l10n.t("libtorch could not be built."));
  }
  void offerArgument(report, report.cmakeArgument, request.prefix);
  return report;
}

/** undefined: it was cancelled before there was a report. */
async function inTask(bench: Bench, request: BuildLibtorchRequest, token: vscode.CancellationToken): Promise<LibtorchReport | undefined> {
  const title = vscode.l10n.t("libtorch from {0}", path.basename(request.source));
  let report: LibtorchReport | undefined;
  const terminal = new WorkTerminal(async (screen, ended) => {
    const work = new Work("libtorch", title, request.root);
    report = await bench.works.do(work, [token, ended], async () => {
      const made = await buildLibtorch(request, bench.workshop(work, screen));
      tellLibtorch(bench, request.root, made);
      return made;
    });
    report.warnings.forEach((one) => screen.note(one));
    screen.note(report.reason ?? report.cmakeArgument ?? "");
    return report.outcome === "found" ? 0 : 1;
  });
  const { source, prefix } = request;
  const task = new vscode.Task({ type: taskType, task: "libtorch", source, prefix }, vscode.TaskScope.Workspace, title, "Abiding", new vscode.CustomExecution(() => Promise.resolve(terminal)));
  task.presentationOptions = presentation;
  const subscriptions: vscode.Disposable[] = [];
  const ended = new Promise<void>((resolve) => {
    subscriptions.push(vscode.tasks.onDidEndTask(({ execution }) => {
      if (execution.task.definition["prefix"] === prefix) {
        resolve();
      }
    }));
  });
  try {
    await vscode.tasks.executeTask(task);
    await ended;
    return report;
  } finally {
    subscriptions.forEach((one) => void one.dispose());
  }
}

async function askWhat(bench: Bench, root: string): Promise<BuildLibtorchRequest | undefined> {
  const source = await askFolder(vscode.l10n.t("Where is the checkout of PyTorch?"), vscode.l10n.t("Build this"));
  const linkage = source === undefined ? undefined : await vscode.window.showQuickPick([
    { label: vscode.l10n.t("Shared libraries"), linkage: "shared" as const },
    { label: vscode.l10n.t("Static libraries"), linkage: "static" as const },
  ], { title: vscode.l10n.t("Which kind of libtorch?") });
  const cache = linkage === undefined ? undefined : await askCache(bench, root);
  const name = `libtorch-${linkage?.linkage ?? ""}`;
  const parent = cache === undefined ? undefined : await askFolder(vscode.l10n.t("In which folder shall {0} and {0}-build be made?", name), vscode.l10n.t("Build it here"));
  return source === undefined || linkage === undefined || cache === undefined || parent === undefined ? undefined : {
    root, source, linkage: linkage.linkage, prefix: path.join(parent, name), buildFolder: path.join(parent, `${name}-build`), arguments: [],
    ...(cache === "" ? {} : { cache }),
  };
}

/** The CMakeCache.txt whose compilers and options count; empty: none. It is asked for where the project has one. */
async function askCache(bench: Bench, root: string): Promise<string | undefined> {
  const { builds } = await bench.project(root);
  const caches = builds.flatMap((plan) => (plan.kind === "cmake" ? [path.join(plan.folder, "CMakeCache.txt")] : [])).filter((file) => existsSync(file));
  if (caches.length === 0) {
    return "";
  }
  const picked = await vscode.window.showQuickPick([
    ...[...new Set(caches)].map((cache) => ({ label: vscode.l10n.t("Those of {0}", path.relative(root, path.dirname(cache)) || path.dirname(cache)), detail: cache, cache })),
    { label: vscode.l10n.t("None: CMake decides"), cache: "" },
  ], { title: vscode.l10n.t("Whose compilers and options?") });
  return picked?.cache;
}

async function askFolder(title: string, openLabel: string): Promise<string | undefined> {
  const [picked] = await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, canSelectMany: false, defaultUri: vscode.Uri.file(os.homedir()), openLabel, title }) ?? [];
  return picked?.fsPath;
}
