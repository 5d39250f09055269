import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** Sets a page up: only its bundle, `dist/webview/<name>.js` and `.css`, may run, and nothing is loaded from anywhere else. `first`: what it shows at first. */
export function setPage(webview: vscode.Webview, extension: vscode.Uri, name: string, title: string, first?: string): void {
  const folder = vscode.Uri.joinPath(extension, "dist", "webview");
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  const resource = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
  const nonce = randomBytes(16).toString("base64url");
  webview.html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${resource(`${name}.css`)}">
</head>
<body${first === undefined ? "" : ` data-first="${escaped(first)}"`}>
<script nonce="${nonce}" src="${resource(`${name}.js`)}"></script>
</body>
</html>`;
}

/** File names may hold markup. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
