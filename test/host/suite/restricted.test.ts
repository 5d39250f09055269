/** Restricted Mode: nothing is executed, and static reading works all the same. */
import assert from "node:assert/strict";
import { suite, test } from "mocha";
import * as vscode from "vscode";
import { fileIn, finding, findings, open, until } from "./support.ts";

const torches = async (): Promise<(string | undefined)[]> => (await vscode.commands.executeCommand<{ torch?: { version: string } }[]>("abiding.checkWorkspace")).map((one) => one.torch?.version);

suite("restricted mode", () => {
  test("the workspace is not trusted, and findings appear", async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    const uri = fileIn("cmake/RowwiseTorch.cmake");
    await open(uri);
    await finding(uri, "libstdcxx-abi");
  });

  test("the workspace's own settings may silence rules, and not say which environment is read", async () => {
    const own = { "abiding.environment": "torch==2.5.1+cu121", "abiding.rules": { "package-pair": "off" } };
    await vscode.workspace.fs.writeFile(fileIn(".vscode/settings.json"), Buffer.from(JSON.stringify(own)));
    await until("the other setting counts", () => findings(fileIn("requirements.txt")).length === 0);
    assert.deepEqual(await torches(), ["2.14.1+cu130"]);
  });

  test("nothing of the project is built, tested or measured, whoever asks", async () => {
    const marker = fileIn("was-run");
    const configuration = { build: { command: ["touch", "was-run"] }, smoke: { command: ["touch", "was-run"] }, benchmarks: { command: ["touch", "was-run"], prints: "google-benchmark" } };
    await vscode.workspace.fs.writeFile(fileIn("abiding.json"), Buffer.from(JSON.stringify(configuration)));
    for (const command of ["build", "buildChoose", "smoke", "benchmark", "showBuildEnvironment", "addStamp", "locateLibtorch"]) {
      let isAnswered = false;
      const answered = vscode.commands.executeCommand(`abiding.${command}`).then(() => {
        isAnswered = true;
      });
      // The refusal is a message, and the command ends when it is closed.
      await until(`${command} is refused`, async () => {
        await vscode.commands.executeCommand("notifications.clearAll");
        return isAnswered;
      });
      await answered;
    }
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", (await open(fileIn("CMakeLists.txt"))).document.uri);
    assert.deepEqual(lenses.filter((one) => one.command?.command === "abiding.build"), []);
    await assert.rejects(async () => vscode.workspace.fs.stat(marker));
  });
});
