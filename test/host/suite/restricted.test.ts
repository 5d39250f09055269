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
});
