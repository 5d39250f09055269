/** What an agent asks to be run: work like any other, in the status bar and in the panel, and refused where nothing may run. */
import * as vscode from "vscode";
import { callTool, workshopContext } from "../../tools/index.ts";
import type { Bench } from "./bench.ts";
import { BatchedScreen } from "./screen.ts";
import { localRoots } from "./testing.ts";
import { Work } from "./work.ts";

/** Answers with JSON. Throws for a model to read. */
export async function runTool(bench: Bench, name: string, input: unknown, root: string | undefined, token: vscode.CancellationToken): Promise<string> {
  if (root === undefined) {
    throw new Error("No folder is open, so that there is no project to try.");
  }
  const work = new Work("combinations", vscode.l10n.t("Trying combinations of {0}", bench.nameOf(root)), root);
  const screen = new BatchedScreen((text) => bench.host.log.info(text.trimEnd()));
  try {
    return await bench.works.do(work, [token], async () => {
      const result = await callTool(name, input, workshopContext(root, bench.workshop(work, screen), vscode.workspace.isTrusted ? localRoots() : []));
      if (result?.ok !== true) {
        throw new Error(result?.message ?? `There is no tool "${name}".`);
      }
      return JSON.stringify(result.json);
    });
  } finally {
    screen.end();
  }
}
