/** The commands: one small function each, registered in one table. */
import * as vscode from "vscode";
import { activeFile } from "../activeFile.ts";
import type { BinaryEditor } from "../binary/index.ts";
import type { EnvironmentChoices } from "../environmentChoices.ts";
import type { Explaining } from "../explain/index.ts";
import type { Server } from "../server.ts";
import type { CombinationCommand, WorkshopCommand } from "../workshop/index.ts";
import type { WorkshopDoor } from "../workshop/registration.ts";
import { checkWorkspace } from "./checkWorkspace.ts";
import { copyReport } from "./copyReport.ts";
import { openRuleDocumentation } from "./openRuleDocumentation.ts";
import { selectEnvironment } from "./selectEnvironment.ts";
import { showFindings } from "./showFindings.ts";
import { wouldThisLoad } from "./wouldThisLoad.ts";

export interface Commands {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly server: Server;
  readonly choices: EnvironmentChoices;
  readonly binaries: BinaryEditor;
  readonly workshop: WorkshopDoor;
  readonly explaining: Explaining;
}

const table: Readonly<Record<string, (host: Commands, ...args: readonly unknown[]) => unknown>> = {
  "abiding.selectEnvironment": selectEnvironment,
  "abiding.checkWorkspace": checkWorkspace,
  "abiding.copyReport": copyReport,
  "abiding.showLog": ({ log }) => log.show(),
  "abiding.restartServer": ({ server }) => server.restart(),
  "abiding.openRuleDocumentation": openRuleDocumentation,
  "abiding.wouldThisLoad": wouldThisLoad,
  "abiding.explainError": ({ explaining }, argument) => explaining.command(argument),
  "abiding.explainTerminalSelection": ({ explaining }) => explaining.terminalSelection(),
  "abiding.showFindings": (_, ...args) => showFindings(...args),
  "abiding.openPanel": ({ workshop }, argument) => workshop.showPanel(argument),
  "abiding.build": inWorkshop("build"),
  "abiding.buildChoose": inWorkshop("buildChoose"),
  "abiding.smoke": inWorkshop("smoke"),
  "abiding.benchmark": inWorkshop("benchmark"),
  "abiding.showBenchmarkHistory": inWorkshop("showBenchmarkHistory"),
  "abiding.showBuildEnvironment": inWorkshop("showBuildEnvironment"),
  "abiding.copyCommandLine": inWorkshop("copyCommandLine"),
  "abiding.cancelWork": inWorkshop("cancelWork"),
  "abiding.locateLibtorch": inWorkshop("locateLibtorch"),
  "abiding.fetchLibtorch": inWorkshop("fetchLibtorch"),
  "abiding.buildLibtorch": inWorkshop("buildLibtorch"),
  "abiding.addStamp": inWorkshop("addStamp"),
  "abiding.combinations.run": inWorkshop("combinationsRun"),
  "abiding.combinations.predict": inWorkshop("combinationsPredict"),
  "abiding.combinations.bisect": inWorkshop("combinationsBisect"),
  "abiding.combinations.rollPins": inWorkshop("combinationsRollPins"),
  "abiding.combinations.publish": inWorkshop("combinationsPublish"),
  "abiding.combinations.refreshIndexes": inWorkshop("combinationsRefreshIndexes"),
  "abiding.combinations.cancel": inWorkshop("combinationsCancel"),
};

/** What runs something of the project. */
function inWorkshop(name: WorkshopCommand | CombinationCommand): (host: Commands, ...args: readonly unknown[]) => unknown {
  return ({ workshop }, argument) => workshop.command(name, argument);
}

export function registerCommands(host: Commands): vscode.Disposable[] {
  return Object.entries(table).map(([id, run]) => vscode.commands.registerCommand(id, async (...args: unknown[]) => {
    try {
      return await run(host, ...args);
    } catch (error) {
      // The user asked for it and gets one message; details are in the log.
      host.log.error(`${id} failed: ${error instanceof Error ? error.stack ?? error.message : String(error)}`);
      const showLog = vscode.l10n.t("Show Log");
      const chosen = await vscode.window.showErrorMessage(vscode.l10n.t("Abiding could not do that: {0}", error instanceof Error ? error.message : String(error)), showLog);
      if (chosen === showLog) {
        host.log.show();
      }
      return undefined;
    }
  }));
}

/** The file that the user looks at names the project. */
export function activeProject(): { readonly uri?: string } {
  const uri = activeFile();
  return uri === undefined ? {} : { uri: uri.toString() };
}
