/** The language server ends, by accident and on demand; the extension goes on. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { suite, test } from "mocha";
import * as vscode from "vscode";
import { fileIn, finding, findings, open, replace, ruleOf, until } from "./support.ts";

/** Process ids of the language servers that this extension host has started. */
function servers(): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === process.pid && command?.includes("dist/server.js") === true ? [Number(pid)] : [];
  });
}

const uri = fileIn("CMakeLists.txt");

/** A finding that goes and comes back shows that somebody answers. */
async function assertAlive(): Promise<void> {
  const editor = await open(uri);
  await finding(uri, "cxx-standard");
  await replace(editor, "CMAKE_CXX_STANDARD 17", "CMAKE_CXX_STANDARD 20");
  await until("cxx-standard goes", () => !findings(uri).some((one) => ruleOf(one) === "cxx-standard"));
  await replace(editor, "CMAKE_CXX_STANDARD 20", "CMAKE_CXX_STANDARD 17");
  await finding(uri, "cxx-standard");
}

suite("server life", () => {
  test("no server is started for a file that is no build file", async () => {
    await open(fileIn("README.md"));
    await open(fileIn("rowwise/__init__.py"));
    // A start would take well under this.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.deepEqual(servers(), []);
  });

  test("one server is started for the workspace", async () => {
    await assertAlive();
    assert.equal(servers().length, 1);
  });

  test("a server that is killed comes back", async () => {
    const [before] = servers();
    assert.ok(before !== undefined);
    process.kill(before, "SIGKILL");
    await until("another server", () => servers().some((pid) => pid !== before));
    await assertAlive();
  });

  test("Restart Server replaces it", async () => {
    const [before] = servers();
    await vscode.commands.executeCommand("abiding.restartServer");
    await until("the old server ends", () => !servers().includes(before ?? 0));
    await assertAlive();
    assert.equal(servers().length, 1);
  });
});
