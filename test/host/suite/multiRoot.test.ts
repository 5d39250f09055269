/** Two projects in one window: each has its own findings. */
import assert from "node:assert/strict";
import { suite, test } from "mocha";
import { fileIn, finding, findings, open, until } from "./support.ts";
import * as vscode from "vscode";

suite("multi-root", () => {
  test("the skewed project has findings and the healthy one has none", async () => {
    const skewed = fileIn("CMakeLists.txt", "skewed-extension");
    await open(fileIn("CMakeLists.txt", "healthy-extension"));
    await open(skewed);
    await finding(skewed, "cxx-standard");
    await until("files that are not open", () => findings(fileIn("requirements.txt", "skewed-extension")).length > 0);
    const all = vscode.languages.getDiagnostics().filter(([, diagnostics]) => diagnostics.some((one) => one.source === "abiding"));
    assert.deepEqual(all.filter(([uri]) => uri.path.includes("healthy-extension")).map(([uri]) => uri.path), []);
  });

  test("a setting of one folder leaves the other as it is", async () => {
    const skewed = fileIn("requirements.txt", "skewed-extension");
    const healthy = fileIn("CMakeLists.txt", "healthy-extension");
    const torches = async (): Promise<(string | undefined)[]> => (await vscode.commands.executeCommand<{ torch?: { version: string } }[]>("abiding.checkWorkspace")).map((one) => one.torch?.version);
    const set = (uri: vscode.Uri, name: string, value: unknown): Thenable<void> => vscode.workspace.getConfiguration("abiding", uri).update(name, value, vscode.ConfigurationTarget.WorkspaceFolder);
    await set(skewed, "enable", false);
    await until("the folder is silent", () => vscode.languages.getDiagnostics().every(([, all]) => all.every((one) => one.source !== "abiding")));
    await set(healthy, "environment", "torch==2.5.1+cu121");
    await until("the other torch", async () => (await torches()).includes("2.5.1+cu121"));
    assert.deepEqual(await torches(), [undefined, "2.5.1+cu121"]);
    await set(skewed, "enable", undefined);
    await until("the folder speaks again", () => findings(skewed).length > 0);
    assert.deepEqual(await torches(), ["2.14.1+cu130", "2.5.1+cu121"]);
  });
});
