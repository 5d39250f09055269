import * as path from "node:path";
import * as vscode from "vscode";
import { gantry } from "../../workshop/project/index.ts";
import type { Bench } from "./bench.ts";
import type { BuildOrder } from "./building.ts";

/** Nothing native is here: the library that comes with Abiding can be built in its place, outside the workspace. */
export async function offerGantry(bench: Bench, root: string, build: (order: BuildOrder) => Promise<unknown>): Promise<unknown> {
  const yes = vscode.l10n.t("Build Gantry");
  const question = vscode.l10n.t("Abiding found nothing native in {0}. Gantry, the GPU memory library that comes with Abiding, can be built instead; the workspace is not touched.", bench.nameOf(root));
  if (await vscode.window.showInformationMessage(question, yes) !== yes) {
    return undefined;
  }
  const { extensionUri, globalStorageUri } = bench.host.context;
  const folder = await gantry({ from: path.join(extensionUri.fsPath, "native"), to: path.join(globalStorageUri.fsPath, "gantry") });
  return build({ root: folder });
}
