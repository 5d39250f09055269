/** Problems that a task's problem matcher found: their explanation in the menu of the light bulb. */
import * as vscode from "vscode";

/** What the tools of a build are called as sources of problems, by Abiding's matchers and by VS Code's own. */
const tools = /^(?:gcc|clang|nvcc|ptxas|nvlink|cmake)$/;

export function registerProblemActions(): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider({ scheme: "file" }, {
    provideCodeActions: ({ uri }, _range, { diagnostics }) => diagnostics.filter(({ source, severity }) => severity === vscode.DiagnosticSeverity.Error && tools.test(source ?? "")).map((diagnostic) => {
      const action = new vscode.CodeAction(vscode.l10n.t("Explain this error (Abiding)"), vscode.CodeActionKind.QuickFix);
      action.diagnostics = [diagnostic];
      action.command = { command: "abiding.explainError", title: action.title, arguments: [{ text: asPrinted(uri, diagnostic), source: vscode.l10n.t("the error of {0}", diagnostic.source ?? ""), root: vscode.Uri.joinPath(uri, "..").toString() }] };
      return action;
    }),
  }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] });
}

/** The line of the tool, from what its matcher took apart. */
function asPrinted({ fsPath }: vscode.Uri, { source, range, message }: vscode.Diagnostic): string {
  const { line, character } = range.start;
  switch (source) {
    case "cmake":
      return `CMake Error at ${fsPath}:${line + 1}:\n  ${message.replaceAll("\n", "\n  ")}`;
    case "nvcc":
      return `${fsPath}(${line + 1}): error: ${message}`;
    case "ptxas":
    case "nvlink":
      return `${source} error   : ${message}`;
    default:
      return `${fsPath}:${line + 1}:${character + 1}: error: ${message}`;
  }
}
