/** Building a small CMake project: from the palette, as tasks, with a compiler that complains, and with an end before the end. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { suite, suiteTeardown, test } from "mocha";
import * as vscode from "vscode";
import { fileIn, until } from "./support.ts";

interface BuildReport {
  readonly outcome: string;
  readonly reason?: string;
  readonly explanation?: { readonly cause: string };
  readonly problems: readonly { readonly tool: string; readonly message: string }[];
  readonly products: readonly { readonly file: string; readonly verdict: string }[];
  readonly steps: readonly { readonly name: string; readonly line: string; readonly ending: unknown }[];
}

const build = (argument?: unknown): Thenable<BuildReport | undefined> => vscode.commands.executeCommand("abiding.build", argument);
const pids = fileIn("pids").fsPath;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie has ended; nobody has asked for its status yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** The processes of the build that hangs, once both are there. */
async function hanging(): Promise<readonly number[]> {
  return until("the build hangs", () => {
    try {
      return readFileSync(pids, "utf8").split(" ").map(Number);
    } catch {
      return undefined;
    }
  });
}

async function gone(processes: readonly number[]): Promise<void> {
  await until(`none of ${processes.join(", ")} is left`, () => !processes.some(isAlive), 2000);
  rmSync(pids);
}

/** Runs a task and answers with its exit status. */
async function statusOf(task: vscode.Task): Promise<number | undefined> {
  const ended = new Promise<number | undefined>((resolve) => {
    const subscription = vscode.tasks.onDidEndTaskProcess((event) => {
      if (event.execution.task.name === task.name) {
        subscription.dispose();
        resolve(event.exitCode);
      }
    });
  });
  await vscode.tasks.executeTask(task);
  return ended;
}

async function taskNamed(name: string): Promise<vscode.Task> {
  const tasks = await vscode.tasks.fetchTasks({ type: "abiding" });
  const task = tasks.find((one) => one.name === name);
  assert.ok(task !== undefined, tasks.map((one) => one.name).join());
  return task;
}

suite("workshop", () => {
  suiteTeardown(() => void vscode.commands.executeCommand("workbench.action.terminal.killAll"));

  test("the palette builds, examines what was built, and tells the command line", async () => {
    const report = await build();
    assert.equal(report?.outcome, "built", JSON.stringify(report));
    assert.deepEqual(report.steps.map((one) => [one.name, one.ending]), [["configure", { kind: "exited", code: 0 }], ["build", { kind: "exited", code: 0 }]]);
    assert.deepEqual(report.products.map((one) => one.file), [fileIn("build/libtiny.so").fsPath]);
    await vscode.commands.executeCommand("abiding.copyCommandLine");
    assert.equal(await vscode.env.clipboard.readText(), report.steps.at(-1)?.line);
  }).timeout(60_000);

  test("what the compiler says is in Problems, at its line, and goes with the mistake", async () => {
    const source = fileIn("tiny.cpp");
    const text = readFileSync(source.fsPath, "utf8");
    writeFileSync(source.fsPath, text.replace("a + b", "a + c"));
    const failed = build();
    const one = await until("the error", () => vscode.languages.getDiagnostics(source).find((other) => other.severity === vscode.DiagnosticSeverity.Error), 30_000);
    assert.equal(one.range.start.line, 1);
    assert.match(one.message, /.c. was not declared in this scope|use of undeclared identifier .c./);
    assert.equal(one.source, "gcc");
    assert.equal((await failed)?.outcome, "failed");
    writeFileSync(source.fsPath, `#include <torch/extension.h>\n${text}`);
    assert.equal((await build())?.explanation?.cause, "headers-missing");
    writeFileSync(source.fsPath, text);
    assert.equal((await build())?.outcome, "built");
    await until("the error goes", () => vscode.languages.getDiagnostics(source).length === 0);
  }).timeout(60_000);

  test("tasks are offered, and one of tasks.json runs with what it says", async () => {
    assert.deepEqual((await vscode.tasks.fetchTasks({ type: "abiding" })).map((one) => one.name).sort(), ["Benchmarks", "Smoke tests", "hang", "tiny"]);
    const tasks = { version: "2.0.0", tasks: [{ type: "abiding", task: "build", plan: "tiny", target: "tiny", onFindings: "build", label: "only the library" }, { type: "abiding", task: "smoke", arguments: ["tiny.adds"], label: "only one" }, { type: "abiding", task: "build", plan: "no such", label: "wrong" }] };
    await vscode.workspace.fs.writeFile(fileIn(".vscode/tasks.json"), Buffer.from(JSON.stringify(tasks)));
    const own = await until("the tasks of tasks.json", async () => (await vscode.tasks.fetchTasks({ type: "abiding" })).some((one) => one.name === "only one"));
    assert.ok(own);
    assert.equal(await statusOf(await taskNamed("only the library")), 0);
    assert.equal(await statusOf(await taskNamed("only one")), 0);
    assert.equal(await statusOf(await taskNamed("wrong")), 1);
  }).timeout(60_000);

  test("ending the task ends every process of the build within two seconds", async () => {
    const execution = await vscode.tasks.executeTask(await taskNamed("hang"));
    const processes = await hanging();
    assert.equal(processes.length, 2);
    assert.ok(processes.every(isAlive));
    execution.terminate();
    await gone(processes);
  });

  test("closing the terminal ends them too", async () => {
    await vscode.tasks.executeTask(await taskNamed("hang"));
    const processes = await hanging();
    const [terminal] = vscode.window.terminals.filter((one) => one.name.includes("hang") && one.exitStatus === undefined);
    assert.ok(terminal !== undefined, vscode.window.terminals.map((one) => one.name).join());
    terminal.dispose();
    await gone(processes);
  });

  test("and so does Cancel Running Work; nobody is told what he knows", async () => {
    const building = build({ plan: "hang" });
    const processes = await hanging();
    await vscode.commands.executeCommand("abiding.cancelWork");
    await gone(processes);
    assert.equal((await building)?.outcome, "cancelled");
  });

  test("the environment is shown beside the terminal's, without secrets", async () => {
    await vscode.commands.executeCommand("abiding.showBuildEnvironment");
    const tab = await until("the comparison", () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff && vscode.window.tabGroups.activeTabGroup.activeTab);
    assert.ok(tab.input instanceof vscode.TabInputTextDiff);
    const used = (await vscode.workspace.openTextDocument(tab.input.modified)).getText();
    assert.match(used, /^PATH=/m);
    assert.doesNotMatch(used, /^VSCODE_IPC/m);
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  });

  test("lenses stand at the project and at its library, and can be switched off", async () => {
    const { document } = await vscode.window.showTextDocument(fileIn("CMakeLists.txt"));
    const lenses = async (): Promise<string[]> => (await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri)).flatMap((one) => (one.command?.command.startsWith("abiding.") === true && one.command.command !== "abiding.showFindings" ? [`${one.range.start.line} ${one.command.title}`] : [])).sort();
    await until("the lenses", async () => (await lenses()).length === 4);
    assert.deepEqual(await lenses(), ["1 Benchmark", "1 Build", "1 Smoke tests", "4 Build tiny"]);
    const settings = vscode.workspace.getConfiguration("abiding", document.uri);
    await settings.update("codeLens.enable", false, vscode.ConfigurationTarget.Workspace);
    await until("no lens", async () => (await lenses()).length === 0);
    await settings.update("codeLens.enable", undefined, vscode.ConfigurationTarget.Workspace);
  });
});
