import * as vscode from "vscode";

interface LspRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** Behind the code lens: the findings of a target, peeked at in place. Arguments come from the server in LSP shapes. */
export async function showFindings(...args: readonly unknown[]): Promise<void> {
  const [uri, position, locations] = args as [string, LspRange["start"], readonly { readonly uri: string; readonly range: LspRange }[]];
  await vscode.commands.executeCommand(
    "editor.action.peekLocations",
    vscode.Uri.parse(uri),
    new vscode.Position(position.line, position.character),
    locations.map((one) => new vscode.Location(vscode.Uri.parse(one.uri), new vscode.Range(one.range.start.line, one.range.start.character, one.range.end.line, one.range.end.character))),
    "peek",
  );
}
