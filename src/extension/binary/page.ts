import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** Sets the page up: only the bundle beside it may run, and nothing is loaded from anywhere else. */
export function setPage(webview: vscode.Webview, extension: vscode.Uri, title: string): void {
  const folder = vscode.Uri.joinPath(extension, "dist", "webview");
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  const resource = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
  const nonce = randomBytes(16).toString("base64url");
  webview.html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${resource("binary.css")}">
</head>
<body>
<script nonce="${nonce}" src="${resource("binary.js")}"></script>
</body>
</html>`;
}

/** File names may hold markup. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
