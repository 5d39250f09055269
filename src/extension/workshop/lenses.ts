import * as path from "node:path";
import * as vscode from "vscode";
import type { Project } from "../../workshop/project/types.ts";
import type { Bench } from "./bench.ts";
import { rangeOf } from "./decision.ts";

/** "Build | Smoke tests | Benchmark" where a build file says what the project is, "Build" at each library that matters. */
export async function lensesOf(bench: Bench, document: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  if (folder === undefined || !vscode.workspace.getConfiguration("abiding", document.uri).get<boolean>("codeLens.enable", true)) {
    return [];
  }
  const root = folder.uri.fsPath;
  const project = await bench.project(root);
  if (project.builds.length === 0 || token.isCancellationRequested) {
    return [];
  }
  const lenses: vscode.CodeLens[] = [];
  const place = placeOf(document, root, project);
  if (place !== undefined) {
    lenses.push(lens(place.range, vscode.l10n.t("Build"), "abiding.build", { root, plan: place.plan }));
    if (project.smoke.length > 0) {
      lenses.push(lens(place.range, vscode.l10n.t("Smoke tests"), "abiding.smoke", { root }));
    }
    if (project.benchmarks.length > 0) {
      lenses.push(lens(place.range, vscode.l10n.t("Benchmark"), "abiding.benchmark", { root }));
    }
  }
  if (document.languageId === "cmake" && project.builds.some((one) => one.kind === "cmake")) {
    const libraries = await bench.host.server.request("abiding/libraries", { uri: document.uri.toString() }, token);
    for (const { name, builder, range } of libraries) {
      if (builder === "cmake") {
        lenses.push(lens(rangeOf(range), vscode.l10n.t("Build {0}", name), "abiding.build", { root, target: name }));
      }
    }
  }
  return lenses;
}

/** The call that makes a build file that of a project, and the plan that it stands for. */
function placeOf(document: vscode.TextDocument, root: string, { builds }: Project): { readonly range: vscode.Range; readonly plan: string } | undefined {
  const file = document.uri.fsPath;
  const shown = builds.find((one) => one.shownBy.path === file);
  const name = path.basename(file);
  const plan = name === "CMakeLists.txt"
    ? builds.find((one) => one.kind === "cmake" && path.resolve(root, one.source) === path.dirname(file))
    : name === "setup.py" ? builds.find((one) => one.kind === "python" && path.resolve(root, one.source) === path.dirname(file)) : undefined;
  const call = name === "CMakeLists.txt" ? /^[ \t]*project[ \t]*\(/im : name === "setup.py" ? /^[ \t]*(?:\w+\.)?setup[ \t]*\(/m : undefined;
  const match = call?.exec(document.getText());
  if (match !== null && match !== undefined && (plan ?? shown) !== undefined) {
    const line = document.positionAt(match.index).line;
    return { range: document.lineAt(line).range, plan: (plan ?? shown)?.id ?? "" };
  }
  return shown === undefined ? undefined : { range: rangeOf(shown.shownBy.range), plan: shown.id };
}

function lens(range: vscode.Range, title: string, command: string, argument: Readonly<Record<string, string>>): vscode.CodeLens {
  return new vscode.CodeLens(range, { title, command, arguments: [argument] });
}
