/** A server that keeps stopping is given up with one message, and comes back when the user asks. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { suite, test } from "mocha";
import * as vscode from "vscode";
import { fileIn, finding, open, until } from "./support.ts";

/** Restarts within three minutes that are forgiven. */
const forgiven = 4;

function servers(): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === process.pid && command?.includes("dist/server.js") === true ? [Number(pid)] : [];
  });
}

suite("crashes", () => {
  test("the fifth crash is the last, until Restart Server", async () => {
    await open(fileIn("setup.py"));
    await finding(fileIn("setup.py"), "libstdcxx-abi");
    let [current] = servers();
    for (let crash = 1; crash <= forgiven; crash += 1) {
      const before = current;
      assert.ok(before !== undefined);
      process.kill(before, "SIGKILL");
      current = await until(`a server after crash ${crash}`, () => servers().find((pid) => pid !== before));
      // A crash during the handshake would be another story.
      await until("it answers", () => vscode.commands.executeCommand("abiding.checkWorkspace"));
    }
    assert.ok(current !== undefined);
    process.kill(current, "SIGKILL");
    await until("no server", () => servers().length === 0);
    // It stays down: a restart would take well under this.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.deepEqual(servers(), []);
    await vscode.commands.executeCommand("abiding.restartServer");
    await open(fileIn("CMakeLists.txt"));
    await finding(fileIn("CMakeLists.txt"), "cxx-standard");
    assert.equal(servers().length, 1);
  }).timeout(60_000);
});
