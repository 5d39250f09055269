/** What agents in the editor may ask: the tools of the manifest, which are those of `abiding mcp` with the same answers. */
import * as vscode from "vscode";
import { activeFile } from "./activeFile.ts";
import type { Server } from "./server.ts";
import type { WorkshopDoor } from "./workshop/registration.ts";

export interface ToolHost {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly workshop: WorkshopDoor;
}

type Input = Readonly<Record<string, unknown>>;

const prefix = "abiding_";

/** The one that runs code of the project. */
const running = "combinations_run";

export function registerTools(host: ToolHost): vscode.Disposable {
  // Editors that are made of VS Code leave its models out, and sometimes their interface.
  const registerTool = (vscode as Partial<typeof vscode>).lm?.registerTool;
  const { contributes } = host.context.extension.packageJSON as { contributes: { languageModelTools: readonly { name: string; displayName: string }[] } };
  return vscode.Disposable.from(...registerTool === undefined ? [] : contributes.languageModelTools.map(({ name, displayName }) => registerTool<Input>(name, {
    prepareInvocation: ({ input }) => preparation(name.slice(prefix.length), displayName, input),
    invoke: async ({ input }, token) => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(await answer(host, name.slice(prefix.length), input, token))]),
  })));
}

/** Whoever reads only is not asked; the network and the project's own code are for the user to say. */
function preparation(name: string, title: string, input: Input): vscode.PreparedToolInvocation {
  const invocationMessage = `Abiding: ${title}`;
  const torches = Array.isArray(input["torch"]) && input["torch"].length > 0 ? input["torch"].join(", ") : vscode.l10n.t("those of the project's matrix");
  if (name === running) {
    return { invocationMessage, confirmationMessages: { title, message: vscode.l10n.t("Installs torch ({0}) into environments of their own below .abiding/local, builds the project with each, and runs its code and tests. It downloads gigabytes.", torches) } };
  }
  if (name === "combinations_predict" && input["offline"] !== true) {
    return { invocationMessage, confirmationMessages: { title, message: vscode.l10n.t("Reads package indexes and parts of wheels ({0}) from the network. Nothing is installed or run.", torches) } };
  }
  const addresses = [input["file"], input["against"]].flat().filter((one) => typeof one === "string" && /^(?:index:)?https?:/i.test(one.trim()));
  return addresses.length === 0 ? { invocationMessage } : { invocationMessage, confirmationMessages: { title, message: vscode.l10n.t("Reads parts of {0} from the network, usually a few MB. Nothing is installed or run.", addresses.join(", ")) } };
}

/** Throws for a model to read: what to ask or do instead. */
async function answer({ server, workshop }: ToolHost, name: string, input: Input, token: vscode.CancellationToken): Promise<string> {
  const file = activeFile();
  const root = (file === undefined ? undefined : vscode.workspace.getWorkspaceFolder(file))?.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  if (name === running) {
    return (await workshop.open()).runTool(name, input, root?.fsPath, token);
  }
  const reply = await server.request("abiding/tool", { name, input, ...(root === undefined ? {} : { root: root.toString() }) }, token);
  if (reply === null) {
    throw new Error("Abiding failed; its log in the Output view says how.");
  }
  if (reply.failed) {
    throw new Error(reply.text);
  }
  return reply.text;
}
