/** The first things that a user does with the sample: look, type, fix, ask. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { suite, teardown, test } from "mocha";
import * as vscode from "vscode";
import { fileIn, finding, findings, open, places, positionOf, replace, ruleOf, until } from "./support.ts";

const torchModule = "cmake/RowwiseTorch.cmake";

async function hoverAt(document: vscode.TextDocument, text: string): Promise<string> {
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", document.uri, positionOf(document, text));
  return hovers.flatMap((hover) => hover.contents).map((content) => (typeof content === "string" ? content : content.value)).join("\n");
}

suite("diagnostics", () => {
  teardown(() => vscode.commands.executeCommand("workbench.action.files.revert"));

  test("every file with a skew has findings, also when it is not open", async () => {
    await open(fileIn("CMakeLists.txt"));
    const files = ["CMakeLists.txt", torchModule, "cmake/RowwiseCuda.cmake", "setup.py", "pyproject.toml", "requirements.txt", "csrc/quantize_kernel.cu"];
    for (const file of files) await until(`a finding in ${file}`, () => findings(fileIn(file)).length > 0);
    // Found by opened documents and by the workspace, and shown once.
    for (const file of files) assert.deepEqual(places(fileIn(file)), [...new Set(places(fileIn(file)))]);
  });

  test("a finding names both sides, and links its rule's page", async () => {
    const uri = fileIn(torchModule);
    await open(uri);
    const one = await finding(uri, "libstdcxx-abi");
    assert.match(one.message, /torch.*2\.14\.1/s);
    assert.equal(one.severity, vscode.DiagnosticSeverity.Error);
    assert.ok(typeof one.code === "object");
    assert.match(one.code.target.path, /docs\/rules\/libstdcxx-abi\.md$/);
    assert.doesNotMatch(one.message, /compatible/i);
  });

  test("findings follow what is typed, before it is saved", async () => {
    const uri = fileIn(torchModule);
    const editor = await open(uri);
    await finding(uri, "libstdcxx-abi");
    await replace(editor, "_GLIBCXX_USE_CXX11_ABI=0\"", "_GLIBCXX_USE_CXX11_ABI=1\"");
    await until("libstdcxx-abi goes", () => !findings(uri).some((one) => ruleOf(one) === "libstdcxx-abi"));
    await replace(editor, "_GLIBCXX_USE_CXX11_ABI=1\"", "_GLIBCXX_USE_CXX11_ABI=0\"");
    await finding(uri, "libstdcxx-abi");
  });

  test("the preferred quick fix makes the finding go", async () => {
    const uri = fileIn("CMakeLists.txt");
    const editor = await open(uri);
    const one = await finding(uri, "cxx-standard");
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", uri, one.range, vscode.CodeActionKind.QuickFix.value);
    const preferred = actions.find((action) => action.isPreferred === true);
    assert.ok(preferred?.edit !== undefined, `no preferred fix among ${JSON.stringify(actions.map((action) => action.title))}`);
    assert.ok(await vscode.workspace.applyEdit(preferred.edit));
    assert.match(editor.document.lineAt(5).text, /CMAKE_CXX_STANDARD 20/);
    await until("cxx-standard goes", () => !findings(uri).some((other) => ruleOf(other) === "cxx-standard"));
  });

  test("a suppression comment silences the line, and the quick fix writes it", async () => {
    const uri = fileIn("requirements.txt");
    await open(uri);
    const one = await finding(uri, "package-pair");
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", uri, one.range, vscode.CodeActionKind.QuickFix.value);
    const ignore = actions.find((action) => action.title === "Ignore package-pair here");
    assert.ok(ignore?.edit !== undefined, JSON.stringify(actions.map((action) => action.title)));
    assert.ok(await vscode.workspace.applyEdit(ignore.edit));
    await until("package-pair goes", () => findings(uri).length === 0);
  });

  test("a hover says what a flag amounts to, and what the other side has", async () => {
    const { document } = await open(fileIn(torchModule));
    const text = await until("a hover", async () => (await hoverAt(document, "-D_GLIBCXX_USE_CXX11_ABI=0")) || undefined);
    assert.match(text, /ABI/);
    assert.match(text, /2\.14\.1/);
  });

  test("an included module and a variable lead to where they are defined", async () => {
    const { document } = await open(fileIn("CMakeLists.txt"));
    const definitions = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>("vscode.executeDefinitionProvider", document.uri, positionOf(document, "RowwiseTorch"));
    assert.deepEqual(definitions.map((one) => ("targetUri" in one ? one.targetUri : one.uri).path), [fileIn(torchModule).path]);
  });

  test("a file that changes on disk is read again", async () => {
    await open(fileIn("CMakeLists.txt"));
    const uri = fileIn("pyproject.toml");
    await finding(uri, "build-isolation");
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    writeFileSync(uri.fsPath, text.replace('"torch"]', '"torch==2.14.1"]'));
    await until("build-isolation goes", () => findings(uri).length === 0);
    writeFileSync(uri.fsPath, text);
    await finding(uri, "build-isolation");
  });
});
