/** The editor for binaries inside a real VS Code, in Restricted Mode: it only reads. */
import assert from "node:assert/strict";
import { suite, test } from "mocha";
import * as vscode from "vscode";
import { fileIn, finding, until } from "./support.ts";

const binary = fileIn("rowwise/_C.so");

function tabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

function customTab(uri: vscode.Uri): vscode.Tab | undefined {
  return tabs().find((tab) => tab.input instanceof vscode.TabInputCustom && tab.input.viewType === "abiding.binary" && tab.input.uri.toString() === uri.toString());
}

suite("binaries", () => {
  test("opening a shared library opens the editor for it, and not its bytes", async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    await vscode.commands.executeCommand("vscode.open", binary);
    await until("the editor", () => customTab(binary));
    assert.equal(vscode.window.activeTextEditor, undefined);
  });

  test("versioned names and wheels have the same editor", async () => {
    const versioned = fileIn("rowwise/libops.so.1.2");
    const wheel = fileIn("dist/rowwise-1.0-py3-none-any.whl");
    await vscode.workspace.fs.copy(binary, versioned);
    await vscode.workspace.fs.writeFile(wheel, Buffer.from("no wheel"));
    for (const uri of [versioned, wheel]) {
      await vscode.commands.executeCommand("vscode.open", uri);
      await until(`the editor of ${uri.path}`, () => customTab(uri));
    }
    await vscode.workspace.fs.delete(versioned);
    await vscode.workspace.fs.delete(fileIn("dist"), { recursive: true });
  });

  test("the command opens the editor, or uses the one that is open", async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await vscode.commands.executeCommand("abiding.wouldThisLoad", binary, "torch==2.5.1+cu121");
    await until("the editor", () => customTab(binary));
    assert.equal(tabs().length, 1);
    // Once more: the editor that is there is used.
    await vscode.commands.executeCommand("abiding.wouldThisLoad", binary, "torch==2.14.1+cu130");
    assert.equal(tabs().length, 1);
  });

  test("a problem in a shared library leads to its editor", async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    // No build file makes it, so there is no line to report it at.
    const plugin = fileIn("rowwise/plugin.so");
    await vscode.workspace.fs.copy(binary, plugin);
    await vscode.window.showTextDocument(fileIn("setup.py"));
    const found = await finding(plugin, "torch-symbols");
    // As the Problems panel does it.
    await vscode.commands.executeCommand("vscode.open", plugin, { selection: found.range, preview: true });
    await until("the editor", () => customTab(plugin)?.isActive);
  });
});
