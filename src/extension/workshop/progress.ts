import * as vscode from "vscode";
import type { Bench } from "./bench.ts";
import type { Work } from "./work.ts";

/** A notification with a way to cancel, and what is done now. `shown`: the work whose steps it tells; absent: what runs longest. */
export async function inProgress<T>(bench: Bench, title: string, job: (token: vscode.CancellationToken) => Promise<T>, shown?: Work): Promise<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Abiding: ${title}`, cancellable: true }, async (progress, token) => {
    const subscription = bench.works.onDidChange(() => {
      const work = shown ?? bench.works.running[0];
      if (work !== undefined) {
        progress.report({ message: work.fraction === undefined ? work.step : `${work.step} ${Math.floor(work.fraction * 100)} %` });
      }
    });
    try {
      return await job(token);
    } finally {
      subscription.dispose();
    }
  });
}
