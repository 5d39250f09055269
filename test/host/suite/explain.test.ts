/** Error texts explained inside VS Code, in a workspace that is not trusted: names in words, the command and its sources, tools of agents. */
import assert from "node:assert/strict";
import { suite, test } from "mocha";
import * as vscode from "vscode";
import { fileIn, open, positionOf, until } from "./support.ts";

interface Report {
  readonly against: { readonly torch: string | null } | null;
  readonly verdicts: readonly { readonly cause: string; readonly words: string }[];
}

const error = "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory";
const explain = (argument?: unknown): Thenable<Report | undefined> => vscode.commands.executeCommand("abiding.explainError", argument);
const causes = (report: Report | undefined): readonly string[] | undefined => report?.verdicts.map((one) => one.cause);

async function hovers(document: vscode.TextDocument, name: string): Promise<string> {
  const all = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", document.uri, positionOf(document, name).translate(0, 4));
  return all.flatMap((hover) => hover.contents.map((one) => (typeof one === "string" ? one : one.value))).join("\n");
}

/** Explains what stands in an editor, or in a part of it. */
async function explained(text: string, language: string, selection?: readonly [number, number]): Promise<Report | undefined> {
  const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: text, language }));
  editor.selection = selection === undefined ? new vscode.Selection(0, 0, editor.document.lineCount, 0) : new vscode.Selection(selection[0], 0, selection[1], 0);
  return explain();
}

suite("explain", () => {
  test("a mangled name is said in words in a document that is no file, with its life in torch", async () => {
    const document = await vscode.workspace.openTextDocument({ content: "x undefined symbol: _ZN3c104cuda9SetDeviceEa\n", language: "plaintext" });
    const text = await hovers(document, "_ZN3c104cuda9SetDeviceEa");
    assert.match(text, /c10::cuda::SetDevice\(signed char\)/);
    assert.match(text, /2\.3\.0.*2\.7\.1/);
    assert.equal(await hovers(document, "undefined symbol"), "");
  });

  test("in any file, unless the setting says no", async () => {
    await vscode.workspace.fs.writeFile(fileIn("run.log"), Buffer.from("\u001B[31m_ZN7rowwise3sumEi\u001B[0m\n"));
    const { document } = await open(fileIn("run.log"));
    assert.match(await hovers(document, "_ZN7rowwise3sumEi"), /rowwise::sum\(int\)/);
    await vscode.workspace.getConfiguration("abiding").update("hover.symbols", false, vscode.ConfigurationTarget.Workspace);
    assert.equal(await hovers(document, "_ZN7rowwise3sumEi"), "");
    await vscode.workspace.getConfiguration("abiding").update("hover.symbols", undefined, vscode.ConfigurationTarget.Workspace);
  });

  test("the selection is explained, and settled by the torch of the project", async () => {
    const report = await explained(`collected 3 items\n${error}\n1 failed\n`, "log", [1, 2]);
    assert.deepEqual([causes(report), report?.against?.torch], [["cuda-runtime-missing"], "2.14.1+cu130"]);
    await until("its page", () => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label === "Explanation")));
  });

  test("nothing that fails is explained as nothing", async () => {
    assert.deepEqual(causes(await explained("3 passed in 0.31s\n", "log")), []);
  });

  test("a text of others, a file of the explorer, the message of a test and the output of a cell are explained as well", async () => {
    await vscode.workspace.fs.writeFile(fileIn("failed.log"), Buffer.from(`${error}\n`));
    const controller = vscode.tests.createTestController("other", "Other");
    const item = controller.createTestItem("t", "imports", fileIn("setup.py"));
    const [name, message] = ["ImportError", error.slice("ImportError: ".length)];
    const output = { output_type: "error", ename: name, evalue: message, traceback: ["\u001B[0;31m----\u001B[0m", `\u001B[0;31m${name}\u001B[0m: ${message}`] };
    const cell = { cell_type: "code", execution_count: 1, metadata: {}, source: ["import rowwise"], outputs: [output] };
    await vscode.workspace.fs.writeFile(fileIn("try.ipynb"), Buffer.from(JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] })));
    const notebook = await vscode.workspace.openNotebookDocument(fileIn("try.ipynb"));
    for (const [what, argument] of Object.entries({ text: { text: error }, file: fileIn("failed.log"), test: { test: item, message: new vscode.TestMessage(error) }, cell: notebook.cellAt(0) })) {
      assert.deepEqual(causes(await explain(argument)), ["cuda-runtime-missing"], what);
    }
    controller.dispose();
  });

  test("of a file that is too large for an editor its end is explained", async () => {
    const line = "2026-11-30 10:00:00 INFO step 12345 loss 0.123\n";
    await vscode.workspace.fs.writeFile(fileIn("huge.log"), Buffer.concat([Buffer.alloc(51 << 20, line), Buffer.from(`\n${error}\n`)]));
    assert.deepEqual(causes(await explain(fileIn("huge.log"))), ["cuda-runtime-missing"]);
    await vscode.workspace.fs.delete(fileIn("huge.log"));
  });

  test("a problem that a task's matcher found is explained from its menu", async () => {
    const problems = vscode.languages.createDiagnosticCollection("others");
    const uri = fileIn("csrc/ops.cpp");
    const problem = new vscode.Diagnostic(new vscode.Range(2, 4, 2, 9), "'TORCH_LIBRARY_NONE' was not declared in this scope", vscode.DiagnosticSeverity.Error);
    problem.source = "gcc";
    problems.set(uri, [problem]);
    await open(uri);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", uri, problem.range);
    const action = actions.find((one) => one.command?.command === "abiding.explainError");
    assert.equal((action?.command?.arguments?.[0] as { text: string }).text, `${uri.fsPath}:3:5: error: 'TORCH_LIBRARY_NONE' was not declared in this scope`);
    problems.dispose();
  });

  test("agents have the tools of the manifest, and answers in JSON", async () => {
    const { contributes } = vscode.extensions.getExtension("abiding.abiding")?.packageJSON as { contributes: { languageModelTools: { name: string; when?: string }[] } };
    const known = new Set(vscode.lm.tools.map((one) => one.name));
    assert.deepEqual(contributes.languageModelTools.filter((one) => one.when === undefined && !known.has(one.name)), []);
    const ask = async (name: string, input: object): Promise<unknown> => {
      const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
      return JSON.parse((content[0] as vscode.LanguageModelTextPart).value);
    };
    assert.deepEqual(causes(await ask("abiding_explain", { text: error }) as Report), ["cuda-runtime-missing"]);
    assert.equal(((await ask("abiding_check", {})) as { findings: { rule: string }[] }).findings.some((one) => one.rule === "libstdcxx-abi"), true);
    assert.equal(((await ask("abiding_fits", { file: fileIn("rowwise/_C.so").fsPath, against: "torch==2.14.1+cu130" })) as { verdict: string }).verdict, "conflict");
    await assert.rejects(ask("abiding_fits", { file: "no-such.so" }), /no-such\.so/);
  });

  test("nothing is run for an agent in a workspace that is not trusted", async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    assert.equal(vscode.lm.tools.some((one) => one.name === "abiding_explain"), true);
    await vscode.workspace.fs.writeFile(fileIn("abiding.json"), Buffer.from(JSON.stringify({ build: { command: ["touch", "was-run"] } })));
    await assert.rejects(async () => vscode.lm.invokeTool("abiding_combinations_run", { input: { torch: ["2.8.0"] }, toolInvocationToken: undefined }));
    await assert.rejects(async () => vscode.workspace.fs.stat(fileIn("was-run")));
    await assert.rejects(async () => vscode.workspace.fs.stat(fileIn(".abiding")));
  });
});
