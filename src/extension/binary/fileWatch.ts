import * as vscode from "vscode";

/** A linker writes for a while; in milliseconds. */
const calm = 500;

/** Tells when a file was written anew and is at rest again; the file may lie outside every folder of the workspace. */
export function watchFile(uri: vscode.Uri, changed: () => void): vscode.Disposable {
  const name = uri.path.slice(uri.path.lastIndexOf("/") + 1);
  // In a pattern these have a meaning.
  const pattern = new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), name.replace(/[[\]{}*?,!]/g, "?"));
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (event: vscode.Uri): void => {
    if (event.path === uri.path) {
      clearTimeout(timer);
      timer = setTimeout(changed, calm);
    }
  };
  return vscode.Disposable.from(watcher, watcher.onDidChange(wait), watcher.onDidCreate(wait), watcher.onDidDelete(wait), { dispose: () => clearTimeout(timer) });
}
