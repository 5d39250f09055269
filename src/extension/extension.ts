/**
 * The VS Code host: thin. It starts the language server when the first build file is looked at and shows what it says;
 * all knowledge is in the server.
 */
import * as vscode from "vscode";
import { BinaryEditor } from "./binary/index.ts";
import { registerCommands } from "./commands/index.ts";
import { startsServer } from "./documents.ts";
import { EnvironmentChoices } from "./environmentChoices.ts";
import { Explaining } from "./explain/index.ts";
import { registerTools } from "./languageModelTools.ts";
import { Server } from "./server.ts";
import { StatusBar } from "./statusBar.ts";
import { looksNative } from "./workshop/native.ts";
import { WorkshopDoor } from "./workshop/registration.ts";

let workshop: WorkshopDoor | undefined;

/** Registers what is cheap; nothing is shown and nothing runs before a build file is open or a command is called. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Abiding", { log: true });
  const choices = new EnvironmentChoices(context.workspaceState);
  const server = new Server(context, log, choices);
  const { editor: binaries, registration } = BinaryEditor.register(context, server);
  workshop = new WorkshopDoor({ context, log, server, binaries });
  const explaining = new Explaining({ context, log, server, binaries });
  context.subscriptions.push(log, server, registration, new StatusBar(server), workshop, explaining, registerTools({ context, server, workshop }), ...registerCommands({ context, log, server, choices, binaries, workshop, explaining }));

  const consider = (document: vscode.TextDocument): void => {
    if (startsServer(document)) {
      server.startQuietly();
    }
  };
  context.subscriptions.push(vscode.workspace.onDidOpenTextDocument(consider));
  vscode.workspace.textDocuments.forEach(consider);
  if (vscode.workspace.getConfiguration("abiding").get("panel.openOnStartup", "off") !== "off") {
    void openPanelOfProject();
  }
}

/** A window without a project has nothing that the panel could show. */
async function openPanelOfProject(): Promise<void> {
  if (await looksNative(vscode.workspace.workspaceFolders ?? [])) {
    await vscode.commands.executeCommand("abiding.openPanel");
  }
}

/** The window closes: what was started ends with it. VS Code waits five seconds for this. */
export async function deactivate(): Promise<void> {
  await workshop?.end();
}
