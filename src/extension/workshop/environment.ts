import * as path from "node:path";
import * as vscode from "vscode";
import { shown, terminalEnvironment } from "../../workshop/process/index.ts";
import type { Variables } from "../../workshop/process/types.ts";
import type { Bench } from "./bench.ts";
import { requireTrust } from "./trust.ts";

/** VS Code's own variables, which its terminals do not have either (`sanitizeProcessEnvironment` in src/vs/base/common/processes.ts). */
const editorsOwn = [/^ELECTRON_/, /^VSCODE_(?!(?:PORTABLE|SHELL_LOGIN|ENV_REPLACE|ENV_APPEND|ENV_PREPEND)).+$/, /^SNAP(?:|_.*)$/, /^GDK_PIXBUF_/];

/** The environment that work starts from: the extension host's, as a terminal would inherit it. */
export function baseEnvironment(): Variables {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined || editorsOwn.some((one) => one.test(name)) ? [] : [[name, value]])));
}

/** One variable a line, sorted. Secrets are not shown. */
function environmentText(variables: Variables): string {
  const lines = Object.entries(variables).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => {
    const text = shown(name, value);
    return `${name}=${text.includes("\n") ? JSON.stringify(text) : text}`;
  });
  return `${lines.join("\n")}\n`;
}

/** Shows the environment that was used last, or that work would start from, beside that of a terminal. */
export async function showEnvironment(bench: Bench): Promise<void> {
  requireTrust();
  const last = bench.last.command;
  const terminal = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t("Abiding: asking the shell for a terminal's environment"), cancellable: true },
    async (_, token) => {
      const controller = new AbortController();
      const subscription = token.onCancellationRequested(() => controller.abort());
      const answer = await terminalEnvironment(baseEnvironment(), controller.signal);
      subscription.dispose();
      return token.isCancellationRequested ? undefined : answer;
    },
  );
  if (terminal === undefined) {
    return;
  }
  if ("problem" in terminal) {
    throw new Error(terminal.problem);
  }
  const left = bench.documents.put("terminal.env", environmentText(terminal.environment));
  const right = bench.documents.put("build.env", environmentText(last?.environment ?? baseEnvironment()));
  const what = last === undefined ? vscode.l10n.t("what work starts from") : path.basename(last.file);
  await vscode.commands.executeCommand("vscode.diff", left, right, vscode.l10n.t("Environment: terminal ↔ {0}", what));
}
