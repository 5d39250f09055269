/** Restricted Mode: nothing is executed, and static reading works all the same. */
import assert from "node:assert/strict";
import { suite, test } from "mocha";
import * as vscode from "vscode";
import { fileIn, finding, open } from "./support.ts";

suite("restricted mode", () => {
  test("the workspace is not trusted, and findings appear", async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    const uri = fileIn("cmake/RowwiseTorch.cmake");
    await open(uri);
    await finding(uri, "libstdcxx-abi");
  });
});
