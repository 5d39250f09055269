import * as path from "node:path";
import * as vscode from "vscode";
import type { Examination } from "../../workshop/workshop.ts";
import type { Screen } from "./screen.ts";

export type Finding = Examination["findings"][number];

type Answer = "build" | "check-again" | "cancel";

interface Choice extends vscode.QuickPickItem {
  readonly answer?: Answer | "fix" | "show";
  readonly finding?: Finding;
}

const icons = { error: "$(error)", warning: "$(warning)", info: "$(info)", hint: "$(info)" } as const;

/** What a build that would be skewed waits for: its user mends it, goes on, looks, or leaves. What is no error is only told. */
export async function decide(before: readonly Finding[], root: string, signal: AbortSignal, screen: Screen): Promise<Answer> {
  for (const { rule, severity, message, location } of before) {
    screen.note(`${severity}: ${message} (${rule}, ${path.relative(root, location.path)}:${location.range.start.line + 1})`);
  }
  if (!before.some((one) => one.severity === "error")) {
    return "build";
  }
  const choice = await ask(before, root, signal);
  switch (choice?.answer) {
    case "fix":
      return await applyFixes(before) ? "check-again" : "cancel";
    case "show":
      await vscode.commands.executeCommand("workbench.actions.view.problems");
      return "cancel";
    case "build":
    case "check-again":
    case "cancel":
      return choice.answer;
    case undefined:
      if (choice?.finding !== undefined) {
        await reveal(choice.finding);
      }
      return "cancel";
  }
}

function ask(before: readonly Finding[], root: string, signal: AbortSignal): Promise<Choice | undefined> {
  const picker = vscode.window.createQuickPick<Choice>();
  const [first] = before;
  const mendable = before.filter((one) => fixOf(one) !== undefined);
  picker.title = before.length === 1 ? vscode.l10n.t("This build would be skewed: 1 finding") : vscode.l10n.t("This build would be skewed: {0} findings", before.length);
  picker.placeholder = first?.message ?? "";
  picker.ignoreFocusOut = true;
  picker.matchOnDetail = true;
  const fixes = mendable.flatMap((one) => fixOf(one)?.title ?? []);
  picker.items = [
    ...(mendable.length === 0 ? [] : [{ label: `$(wand) ${vscode.l10n.t("Apply fix and build")}`, detail: shortened(fixes.join("; ")), answer: "fix" as const }]),
    { label: `$(play) ${vscode.l10n.t("Build anyway")}`, answer: "build" },
    { label: `$(list-unordered) ${vscode.l10n.t("Show findings")}`, description: vscode.l10n.t("does not build"), answer: "show" },
    { label: `$(close) ${vscode.l10n.t("Cancel")}`, answer: "cancel" },
    { label: vscode.l10n.t("Found before the build"), kind: vscode.QuickPickItemKind.Separator },
    ...before.map((finding): Choice => ({
      label: `${icons[finding.severity]} ${finding.rule}`,
      description: `${path.relative(root, finding.location.path)}:${finding.location.range.start.line + 1}`,
      detail: finding.message,
      finding,
    })),
  ];
  return new Promise((resolve) => {
    const stop = (): void => picker.hide();
    signal.addEventListener("abort", stop, { once: true });
    picker.onDidAccept(() => {
      resolve(picker.selectedItems[0]);
      picker.hide();
    });
    picker.onDidHide(() => {
      signal.removeEventListener("abort", stop);
      resolve(undefined);
      picker.dispose();
    });
    picker.show();
  });
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}\u2026` : text;
}

/** The one that "fix all" would apply, or the only one that there is. */
function fixOf(finding: Finding): Finding["fixes"][number] | undefined {
  return finding.fixes.find((one) => one.preferred) ?? (finding.fixes.length === 1 ? finding.fixes[0] : undefined);
}

/** Applies them and saves: the build reads what is on the disk. Edits that touch what another one changes are left out. */
async function applyFixes(findings: readonly Finding[]): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  const taken: { readonly path: string; readonly range: vscode.Range }[] = [];
  const touched = new Set<string>();
  for (const finding of findings) {
    const edits = (fixOf(finding)?.edits ?? []).map(({ location, newText }) => ({ path: location.path, range: rangeOf(location.range), newText }));
    if (edits.some((one) => taken.some((other) => other.path === one.path && other.range.intersection(one.range) !== undefined))) {
      continue;
    }
    for (const one of edits) {
      taken.push(one);
      touched.add(one.path);
      edit.replace(vscode.Uri.file(one.path), one.range, one.newText);
    }
  }
  if (touched.size === 0 || !(await vscode.workspace.applyEdit(edit))) {
    void vscode.window.showErrorMessage(vscode.l10n.t("Abiding could not apply the fix; nothing was built."));
    return false;
  }
  for (const document of vscode.workspace.textDocuments) {
    if (touched.has(document.uri.fsPath) && document.isDirty && !(await document.save())) {
      void vscode.window.showErrorMessage(vscode.l10n.t("Abiding could not save {0}; nothing was built.", document.uri.fsPath));
      return false;
    }
  }
  return true;
}

async function reveal({ location }: Finding): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.file(location.path), { selection: rangeOf(location.range) });
}

export function rangeOf({ start, end }: Finding["location"]["range"]): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
