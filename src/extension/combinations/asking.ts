import * as vscode from "vscode";

/** A question in the middle of work: it goes away when the work is cancelled, and stays when the window loses the focus. */
export async function askWhile<T extends vscode.QuickPickItem>(signal: AbortSignal, items: readonly T[], options: vscode.QuickPickOptions): Promise<T | undefined> {
  const source = new vscode.CancellationTokenSource();
  const stop = (): void => source.cancel();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await vscode.window.showQuickPick(items, { ignoreFocusOut: true, ...options }, source.token);
  } finally {
    signal.removeEventListener("abort", stop);
    source.dispose();
  }
}
