/** Where an error text is taken from: what is selected, a cell's output, the clipboard, a terminal, a test's message. */
import { open } from "node:fs/promises";
import * as vscode from "vscode";
import { activeFile } from "../activeFile.ts";
import type { Question } from "./question.ts";
import type { TerminalOutputs } from "./terminals.ts";

/** What a command was called with; undefined: nothing that says which text is meant. */
export async function questionFrom(argument: unknown, outputs: TerminalOutputs): Promise<Question | undefined> {
  if (argument instanceof vscode.Uri) {
    return ofDocument(argument);
  }
  if (typeof argument !== "object" || argument === null) {
    return undefined;
  }
  if ("text" in argument && typeof argument.text === "string") {
    const { source, root, against } = argument as Readonly<Record<string, unknown>>;
    return {
      text: argument.text, source: typeof source === "string" ? source : vscode.l10n.t("the text given"),
      ...(typeof root === "string" ? { root } : activeRoot()), ...(typeof against === "string" ? { against } : {}),
    };
  }
  if ("message" in argument && "test" in argument) {
    return ofTest(argument as { readonly test: vscode.TestItem; readonly message: vscode.TestMessage });
  }
  if ("outputs" in argument && "notebook" in argument) {
    return ofCell(argument as vscode.NotebookCell);
  }
  const terminal = vscode.window.terminals.find((one) => one === argument);
  if (terminal === undefined) {
    return undefined;
  }
  const own = outputs.of(terminal);
  if (own === undefined) {
    throw new Error(vscode.l10n.t("what this terminal printed is not known: that takes shell integration, and a command that was run while Abiding was active. Select the error in the terminal and explain the selection."));
  }
  return own;
}

/** What is selected in the editor that the user looks at. */
export function selected(): Question | undefined {
  const editor = vscode.window.activeTextEditor;
  const selections = editor?.selections.filter((one) => !one.isEmpty) ?? [];
  const [first] = selections;
  if (editor === undefined || first === undefined) {
    return undefined;
  }
  const { document } = editor;
  return {
    text: selections.map((one) => document.getText(one)).join("\n"), source: vscode.l10n.t("the selection in {0}", nameOf(document.uri)), ...rootOf(document.uri),
    ...(selections.length === 1 ? { place: { uri: document.uri, line: first.start.line } } : {}),
  };
}

/** What else may be meant, the likeliest first. */
export async function candidates(outputs: TerminalOutputs): Promise<readonly Question[]> {
  const editor = vscode.window.activeTextEditor;
  const notebook = vscode.window.activeNotebookEditor;
  const cell = notebook === undefined || notebook.selections.length === 0 ? undefined : notebook.notebook.cellAt(notebook.selections[0]?.start ?? 0);
  const clipboard = await vscode.env.clipboard.readText();
  const all = [
    cell === undefined ? undefined : ofCell(cell),
    editor !== undefined && isLog(editor.document) ? whole(editor.document) : undefined,
    outputs.last(vscode.window.activeTerminal),
    { text: clipboard, source: vscode.l10n.t("the clipboard"), ...activeRoot() },
  ];
  return all.filter((one) => one !== undefined).filter(({ text }) => /\S/.test(text));
}

/** Of the document with the address: what is selected there, or all of it. */
async function ofDocument(uri: vscode.Uri): Promise<Question> {
  const question = vscode.window.activeTextEditor?.document.uri.toString() === uri.toString() ? selected() : undefined;
  return question ?? await endOf(uri) ?? whole(await vscode.workspace.openTextDocument(uri));
}

/** Documents above this size VS Code keeps from extensions ("Files above 50MB cannot be synchronized with extensions"). */
const largestDocument = 50 << 20;

/** What is read of a larger file: a log ends with what it failed of. */
const mostRead = 32 << 20;

/** Of a file that is too large for an editor to hand over, its end; undefined: of any other. */
async function endOf(uri: vscode.Uri): Promise<Question | undefined> {
  const { size } = await vscode.workspace.fs.stat(uri);
  if (uri.scheme !== "file" || size <= largestDocument) {
    return undefined;
  }
  const file = await open(uri.fsPath);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostRead), 0, mostRead, size - mostRead);
    const end = buffer.toString("utf8", 0, bytesRead);
    return { text: end.slice(end.indexOf("\n") + 1), source: vscode.l10n.t("the last {0} MB of {1}", mostRead >> 20, nameOf(uri)), ...rootOf(uri) };
  } finally {
    await file.close();
  }
}

function whole(document: vscode.TextDocument): Question {
  return { text: document.getText(), source: nameOf(document.uri), ...rootOf(document.uri), place: { uri: document.uri, line: 0 } };
}

function isLog({ uri, languageId }: vscode.TextDocument): boolean {
  return uri.scheme === "output" || /^(?:log|plaintext|ansi)$/i.test(languageId) || /\.(?:log|out|err)$/.test(uri.path);
}

function ofTest({ test, message }: { readonly test: vscode.TestItem; readonly message: vscode.TestMessage }): Question {
  const text = typeof message.message === "string" ? message.message : message.message.value;
  return { text, source: vscode.l10n.t("the message of {0}", test.label), ...(test.uri === undefined ? activeRoot() : rootOf(test.uri)) };
}

/** What a cell printed to its standard error, and the exception that ended it. */
function ofCell(cell: vscode.NotebookCell): Question | undefined {
  const parts = cell.outputs.flatMap(({ items }) => items.flatMap(({ mime, data }) => {
    const text = new TextDecoder().decode(data);
    return mime === "application/vnd.code.notebook.error" ? [exceptionText(text)] : /^application\/vnd\.code\.notebook\.std(?:err|out)$/.test(mime) ? [text] : [];
  }));
  return parts.length === 0 ? undefined : { text: parts.join("\n"), source: vscode.l10n.t("the output of cell {0} of {1}", cell.index + 1, nameOf(cell.notebook.uri)), ...rootOf(cell.notebook.uri) };
}

/** The item holds the exception as JSON (vscode.NotebookCellOutputItem.error). */
function exceptionText(json: string): string {
  try {
    const { name, message, stack } = JSON.parse(json) as { readonly name?: string; readonly message?: string; readonly stack?: string };
    const last = `${name ?? ""}: ${message ?? ""}`;
    return stack?.includes(message ?? "") === true ? stack : `${stack ?? ""}\n${last}`;
  } catch {
    return json;
  }
}

/** What is selected in the active terminal. VS Code tells nobody, but copies it; the clipboard is put back. */
export async function selectedInTerminal(): Promise<Question | undefined> {
  const terminal = vscode.window.activeTerminal;
  if (terminal === undefined) {
    return undefined;
  }
  const before = await vscode.env.clipboard.readText();
  await vscode.env.clipboard.writeText("");
  try {
    await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
    const text = await vscode.env.clipboard.readText();
    return /\S/.test(text) ? { text, source: vscode.l10n.t("the selection in the terminal {0}", terminal.name), ...terminalRoot(terminal), goBack: () => terminal.show() } : undefined;
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
}

/** Where the shell of a terminal is. */
export function terminalRoot(terminal: vscode.Terminal): Pick<Question, "root"> {
  const cwd = terminal.shellIntegration?.cwd;
  return cwd === undefined ? activeRoot() : { root: cwd.toString() };
}

function activeRoot(): Pick<Question, "root"> {
  const uri = activeFile() ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  return uri === undefined ? {} : rootOf(uri);
}

/** The folder of a file counts where it belongs to no workspace; what has no folder belongs to the first. */
function rootOf(uri: vscode.Uri): Pick<Question, "root"> {
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri ?? (uri.scheme === "file" ? vscode.Uri.joinPath(uri, "..") : vscode.workspace.workspaceFolders?.[0]?.uri);
  return folder === undefined ? {} : { root: folder.toString() };
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}
