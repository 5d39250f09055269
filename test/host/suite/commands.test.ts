/** Commands, settings, and what stands in the editor beside squiggles. */
import assert from "node:assert/strict";
import { suite, test } from "mocha";
import * as vscode from "vscode";
import { fileIn, finding, findings, open, positionOf, ruleOf, until } from "./support.ts";

const setup = fileIn("setup.py");
const goes = (rule: string): Promise<true> => until(`${rule} goes`, () => !findings(setup).some((one) => ruleOf(one) === rule));

suite("commands", () => {
  test("nothing is said before a build file is looked at", () => {
    assert.deepEqual(vscode.languages.getDiagnostics().filter(([, all]) => all.some((one) => one.source === "abiding")), []);
  });

  test("every command of the manifest is registered", async () => {
    await open(setup);
    await finding(setup, "libstdcxx-abi");
    const { contributes } = vscode.extensions.getExtension("abiding.abiding")?.packageJSON as { contributes: { commands: { command: string }[] } };
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(contributes.commands.map((one) => one.command).filter((one) => !registered.has(one)), []);
  });

  test("checking the workspace answers with the status of each folder", async () => {
    const statuses = await vscode.commands.executeCommand<{ torch?: { version: string; abi?: number }; findings: { error: number } }[]>("abiding.checkWorkspace");
    assert.deepEqual(statuses.map((one) => [one.torch?.version, one.torch?.abi]), [["2.14.1+cu130", 1]]);
    assert.ok((statuses[0]?.findings.error ?? 0) > 0);
  });

  test("the report names the findings", async () => {
    await vscode.commands.executeCommand("abiding.copyReport");
    const text = await vscode.env.clipboard.readText();
    assert.match(text, /^## Abiding: skewed-extension\n/);
    assert.match(text, /- \*\*error\*\* setup\.py:5 `libstdcxx-abi`: /);
  });

  test("another torch can be selected, and the choice can be undone", async () => {
    await open(setup);
    await vscode.commands.executeCommand("abiding.selectEnvironment", "torch==2.5.1+cu121");
    await goes("libstdcxx-abi");
    await vscode.commands.executeCommand("abiding.selectEnvironment", "");
    await finding(setup, "libstdcxx-abi");
  });

  test("a choice outlives the server", async () => {
    const torches = async (): Promise<unknown> => (await vscode.commands.executeCommand<{ torch?: { version: string } }[]>("abiding.checkWorkspace")).map((one) => one.torch?.version);
    await vscode.commands.executeCommand("abiding.selectEnvironment", "torch==2.5.1+cu121");
    await vscode.commands.executeCommand("abiding.restartServer");
    assert.deepEqual(await torches(), ["2.5.1+cu121"]);
    await vscode.commands.executeCommand("abiding.selectEnvironment", "");
    assert.deepEqual(await torches(), ["2.14.1+cu130"]);
  });

  test("variables in the setting for the environment are replaced", async () => {
    const settings = vscode.workspace.getConfiguration("abiding", setup);
    const problems = async (): Promise<string> => (await vscode.commands.executeCommand<{ problems: string[] }[]>("abiding.checkWorkspace")).flatMap((one) => one.problems).join();
    await settings.update("environment", "${workspaceFolder}/no-such-environment", vscode.ConfigurationTarget.Workspace);
    await until("the problem with its path", async () => (await problems()).startsWith(`${fileIn("no-such-environment").fsPath} does not exist`));
    await settings.update("environment", undefined, vscode.ConfigurationTarget.Workspace);
    await until("no problem", async () => (await problems()) === "");
  });

  test("the page of a rule is shown", async () => {
    await vscode.commands.executeCommand("abiding.openRuleDocumentation", "cxx-standard");
    await until("its tab", () => vscode.window.tabGroups.all.some((group) => group.tabs.some((tab) => tab.label.includes("cxx-standard.md"))));
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  });

  test("settings take effect without a reload", async () => {
    const settings = vscode.workspace.getConfiguration("abiding", setup);
    await settings.update("rules", { "libstdcxx-abi": "off" }, vscode.ConfigurationTarget.Workspace);
    await goes("libstdcxx-abi");
    await settings.update("rules", undefined, vscode.ConfigurationTarget.Workspace);
    await finding(setup, "libstdcxx-abi");
  });

  test("a build file that others create is reported, and forgotten with its folder", async () => {
    const file = fileIn("extra/setup.py");
    const text = 'from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension\nsetup(ext_modules=[CppExtension("extra", ["../csrc/ops.cpp"], extra_compile_args=["-D_GLIBCXX_USE_CXX11_ABI=0"])])\n';
    await vscode.workspace.fs.writeFile(file, Buffer.from(text));
    await finding(file, "libstdcxx-abi");
    await vscode.workspace.fs.delete(fileIn("extra"), { recursive: true });
    await until("nothing is said about the deleted file", () => findings(file).length === 0);
  });

  test("a target tells its ABI and standard, and how many findings it has", async () => {
    const { document } = await open(fileIn("CMakeLists.txt"));
    const { line } = positionOf(document, "add_library(rowwise_ops");
    const end = document.positionAt(document.getText().indexOf(")", document.offsetAt(new vscode.Position(line, 0)))).line;
    const everything = new vscode.Range(0, 0, document.lineCount, 0);
    const hint = await until("an inlay hint at the target", async () => (await vscode.commands.executeCommand<vscode.InlayHint[]>("vscode.executeInlayHintProvider", document.uri, everything)).find((one) => one.position.line === end));
    assert.equal(typeof hint.label === "string" ? hint.label : hint.label.map((part) => part.value).join(""), "ABI 0 for C++ only · C++17, CUDA C++14");
    const lens = await until("a lens at the target", async () => (await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri)).find((one) => one.range.start.line === line));
    assert.match(lens.command?.title ?? "", /^\d+ errors?.* against torch 2\.14\.1/);
    assert.equal(lens.command?.command, "abiding.showFindings");
  });

  test("fix all is a source action, so that it can run on save", async () => {
    const { document } = await open(fileIn("CMakeLists.txt"));
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", document.uri, new vscode.Range(0, 0, document.lineCount, 0), "source.fixAll.abiding");
    assert.deepEqual(actions.map((one) => one.kind?.value), ["source.fixAll.abiding"]);
  });

  test("each finding is shown once, also for open documents", async () => {
    await open(setup);
    await finding(setup, "libstdcxx-abi");
    const shown = findings(setup).map((one) => `${one.range.start.line}:${one.range.start.character} ${ruleOf(one)} ${one.message}`);
    assert.deepEqual(shown, [...new Set(shown)]);
  });
});
