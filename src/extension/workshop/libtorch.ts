import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { fetchLibtorch, locate } from "../../workshop/libtorch/index.ts";
import type { LibtorchReport } from "../../workshop/libtorch/types.ts";
import type { Bench } from "./bench.ts";
import { headlineOfLibtorch } from "./headlines.ts";
import { inProgress } from "./progress.ts";
import { BatchedScreen } from "./screen.ts";
import { Refused, requireTrust } from "./trust.ts";
import { Work } from "./work.ts";

/** Which libtorch a CMake project would find, and why; the argument for CMake can be copied. */
export async function locateLibtorch(bench: Bench, given?: string): Promise<void> {
  requireTrust();
  const root = await bench.chooseRoot(given);
  if (root === undefined) {
    return;
  }
  const report = await working(bench, vscode.l10n.t("Looking for libtorch"), root, async (work, screen) => {
    const workshop = bench.workshop(work, screen);
    const interpreter = await bench.interpreter(root, workshop);
    return locate({ root, wanted: {}, prefixes: [], ...(interpreter === undefined ? {} : { interpreter }) }, workshop);
  });
  const items = report.candidates.map((one): vscode.QuickPickItem & { readonly argument?: string } => ({
    label: `${one.folder === report.chosen?.folder ? "$(check) " : one.refused === undefined ? "" : "$(circle-slash) "}${one.version ?? path.basename(one.folder)}`,
    description: `${one.because}${one.cuda === undefined ? "" : one.cuda === null ? `, ${vscode.l10n.t("without CUDA")}` : `, CUDA ${one.cuda}`}${one.abi === undefined ? "" : `, ABI ${one.abi}`}`,
    detail: one.refused === undefined ? one.folder : `${one.folder}: ${one.refused}`,
    ...(one.refused !== undefined || one.torchDir === undefined ? {} : { argument: `-DTorch_DIR=${one.torchDir}` }),
  }));
  if (items.length === 0) {
    throw new Refused(report.reason ?? vscode.l10n.t("no libtorch was found."));
  }
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("libtorch for {0}", bench.nameOf(root)), placeHolder: vscode.l10n.t("Picking one copies its CMake argument"), matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true });
  if (picked?.argument !== undefined) {
    await copied(picked.argument);
  } else if (picked !== undefined) {
    throw new Refused(picked.detail ?? "");
  }
}

/** Downloads a libtorch into a new folder inside the one that the user names; the network is used for nothing else. */
export async function fetchLibtorchAsked(bench: Bench, given?: string): Promise<void> {
  requireTrust();
  const root = await bench.chooseRoot(given);
  const asked = root === undefined ? undefined : await askWhat(bench);
  if (root === undefined || asked === undefined) {
    return;
  }
  const settings = vscode.workspace.getConfiguration("abiding", vscode.Uri.file(root));
  const index = settings.get<string>("libtorch.index", "");
  const report = await working(bench, vscode.l10n.t("Fetching libtorch {0}", asked.version), root, (work, screen) => fetchLibtorch({
    root, wanted: { version: asked.version, variant: asked.variant }, from: asked.from, prefix: asked.prefix, ...(index === "" ? {} : { index }),
  }, bench.workshop(work, screen)));
  if (report.outcome === "cancelled") {
    return;
  }
  if (report.cmakeArgument === undefined) {
    throw new Refused(report.reason ?? vscode.l10n.t("libtorch could not be fetched."));
  }
  await offerArgument(report, report.cmakeArgument, asked.prefix);
}

/** What came of it, for the status bar and the panel. */
export function tellLibtorch(bench: Bench, root: string, report: LibtorchReport): void {
  const log = report.steps?.findLast((one) => one.log !== undefined)?.log;
  const words = { found: vscode.l10n.t("libtorch found"), "not-found": vscode.l10n.t("no libtorch found"), failed: vscode.l10n.t("libtorch failed"), cancelled: vscode.l10n.t("libtorch cancelled") };
  bench.works.tell({ kind: "libtorch", root, ...headlineOfLibtorch(report), text: `${bench.nameOf(root)}: ${words[report.outcome]}`, ...(log === undefined ? {} : { log }), command: "abiding.showLog" });
}

/** Says where a libtorch is and what to mind of it. */
export async function offerArgument({ chosen, warnings }: LibtorchReport, argument: string, prefix: string): Promise<void> {
  const copy = vscode.l10n.t("Copy CMake Argument");
  const message = [vscode.l10n.t("Abiding: libtorch {0} is in {1}.", chosen?.version ?? "", chosen?.folder ?? prefix), ...warnings].join(" ");
  if (await vscode.window.showInformationMessage(message, copy) === copy) {
    await copied(argument);
  }
}

interface Asked {
  readonly version: string;
  readonly variant: string;
  readonly from: "libtorch" | "wheel";
  readonly prefix: string;
}

async function askWhat(bench: Bench): Promise<Asked | undefined> {
  const releases = await bench.host.server.request("abiding/releases", {});
  const version = await vscode.window.showQuickPick(releases.map((one) => ({ label: one })), { title: vscode.l10n.t("Which release of torch?") });
  const variant = version === undefined ? undefined : await vscode.window.showInputBox({ title: vscode.l10n.t("Which build of {0}?", version.label), value: "cpu", prompt: vscode.l10n.t("cpu, or a CUDA version such as cu130"), validateInput: (text) => (/^(?:cpu|cu\d+|rocm[\d.]+|xpu)$/.test(text) ? undefined : vscode.l10n.t("For example cpu, cu126 or cu130.")) });
  const from = variant === undefined ? undefined : await vscode.window.showQuickPick([
    { label: vscode.l10n.t("The libtorch archive"), detail: vscode.l10n.t("C++ only"), from: "libtorch" as const },
    { label: vscode.l10n.t("The torch wheel, used as libtorch"), detail: vscode.l10n.t("What Python programs load as well"), from: "wheel" as const },
  ], { title: vscode.l10n.t("From which file?") });
  const folder = from === undefined ? undefined : await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, canSelectMany: false, defaultUri: vscode.Uri.file(os.homedir()), openLabel: vscode.l10n.t("Put it here"), title: vscode.l10n.t("In which folder shall libtorch-{0}-{1} be made?", version?.label ?? "", variant ?? "") });
  const [parent] = folder ?? [];
  return version === undefined || variant === undefined || from === undefined || parent === undefined ? undefined : { version: version.label, variant, from: from.from, prefix: path.join(parent.fsPath, `libtorch-${version.label}-${variant}`) };
}

async function working(bench: Bench, title: string, root: string, job: (work: Work, screen: BatchedScreen) => LibtorchReport | Promise<LibtorchReport>): Promise<LibtorchReport> {
  const work = new Work("libtorch", title, root);
  const screen = new BatchedScreen((text) => bench.host.log.info(text.trimEnd()));
  try {
    return await inProgress(bench, title, (token) => bench.works.do(work, [token], async () => {
      const report = await job(work, screen);
      tellLibtorch(bench, root, report);
      return report;
    }));
  } finally {
    screen.end();
  }
}

async function copied(argument: string): Promise<void> {
  await vscode.env.clipboard.writeText(argument);
  vscode.window.setStatusBarMessage(vscode.l10n.t("Abiding: {0} copied", argument), 5000);
}
