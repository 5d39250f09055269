/** Building, testing and measuring as a user does it: palette, Testing view, notifications and questions of a real VS Code. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import type { SmokeReport } from "../../src/workshop/smoke/types.ts";
import { openBridge, type Bridge } from "../harness/index.ts";
import { root } from "../harness/locations.ts";
import { nativeProject, skewedProject } from "../harness/nativeProject.ts";

const workItem = '[id="abiding.abiding.abiding.work"]';

/** The status bar item of what runs or ran last, once it says that. */
async function saying(page: Page, text: string | RegExp): Promise<string> {
  const item = page.locator(workItem).filter({ hasText: text });
  await item.waitFor({ timeout: 40_000 });
  return item.innerText();
}

async function run(bridge: Bridge, command: string): Promise<void> {
  await bridge.inHost((vscode, id) => void vscode.commands.executeCommand(id), command);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function until<T>(what: string, limit: number, get: () => T | undefined | false): Promise<T> {
  for (const end = Date.now() + limit; ; ) {
    const value = get();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`Waited ${limit / 1000} s in vain: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("a project with tests that end in every way", () => {
  const project = nativeProject();
  const pids = join(project.path, "pids");
  let bridge: Bridge;
  let page: Page;

  before(async () => {
    bridge = await openBridge({ workspace: project.path, size: { width: 1400, height: 900 }, settings: { "terminal.integrated.gpuAcceleration": "off" } });
    page = bridge.workbench.page;
  });
  after(async () => {
    await bridge.close();
    project.delete();
  });

  /** The rows of the Testing view as a screen reader has them: "tiny.adds (Passed, in 3ms)". */
  async function rows(): Promise<string[]> {
    const all = await page.locator(".test-explorer .monaco-list-row").all();
    return Promise.all(all.map(async (row) => (await row.getAttribute("aria-label")) ?? ""));
  }

  const hanging = (): Promise<readonly number[]> => until("the build hangs", 20_000, () => existsSync(pids) && readFileSync(pids, "utf8").split(" ").map(Number));

  test("before anything was asked for, nothing is shown and nothing runs", async () => {
    assert.equal(await page.locator(workItem).isVisible(), false);
    assert.equal(existsSync(join(project.path, ".abiding")), false);
    assert.equal(existsSync(join(project.path, "build")), false);
  });

  test("the palette builds, and the terminal shows the command lines and what came of them", async () => {
    await bridge.workbench.runCommand("Abiding: Build Native Library");
    assert.match(await saying(page, "tiny: built"), /tiny: built/);
    const terminal = page.locator(".terminal-wrapper .xterm-rows");
    await terminal.filter({ hasText: "Built: tiny." }).waitFor();
    assert.match(await terminal.innerText(), /cmake\s--build/);
    await bridge.workbench.screenshot("ui-workshop-build");
  });

  test("the Testing view lists the tests, and runs all of them, each with its own outcome", async () => {
    await run(bridge, "workbench.view.testing.focus");
    await page.locator(".test-explorer .monaco-list-row").filter({ hasText: "CTest in build" }).waitFor();
    await run(bridge, "testing.collapseAll");
    await page.locator(".test-explorer .monaco-list-row").filter({ hasText: "CTest in build" }).click();
    await page.keyboard.press("ArrowRight");
    await page.locator(".test-explorer .monaco-list-row").filter({ hasText: "tiny.adds" }).waitFor();
    // In the order of their lines.
    assert.deepEqual((await rows()).map((row) => row.replace(/ \(.*/s, "")), ["CTest in build", "tiny.adds", "tiny.differs", "tiny.crashes", "tiny.hangs", "tiny.skips", "tiny.missing", "benchmarks"]);
    await run(bridge, "testing.runAll");
    assert.match(await saying(page, "did not pass"), /tiny: 4 of 6 tests did not pass/);
    const outcomes = async (): Promise<Record<string, string>> => Object.fromEntries((await rows()).flatMap((row) => {
      const [, name, state] = /^(tiny\.\w+) \((\w[\w ]*)/.exec(row) ?? [];
      return name === undefined || state === undefined ? [] : [[name, state]];
    }));
    const expected = { "tiny.adds": "Passed", "tiny.crashes": "Errored", "tiny.differs": "Failed", "tiny.hangs": "Errored", "tiny.missing": "Errored", "tiny.skips": "Skipped" };
    for (const end = Date.now() + 5000; JSON.stringify(await outcomes()) !== JSON.stringify(expected) && Date.now() < end; ) await page.waitForTimeout(100);
    assert.deepEqual(await outcomes(), expected);
    await bridge.workbench.screenshot("ui-workshop-testing");
  });

  test("the command line answers the same for the same project", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, "dist", "cli.js"), "smoke", project.path, "--format", "json"], { maxBuffer: 1 << 26 }).catch((error: unknown) => error as { stdout: string });
    const report = JSON.parse(stdout) as SmokeReport;
    assert.deepEqual(report.results.map((one) => [one.label, one.outcome]).sort(), [
      ["tiny.adds", "passed"], ["tiny.crashes", "crashed"], ["tiny.differs", "failed"], ["tiny.hangs", "timed-out"], ["tiny.missing", "missing-executable"], ["tiny.skips", "skipped"],
    ]);
    // Told by the view: by its states above, and by the counts, which tell apart what they call errored.
    await page.locator(workItem).hover();
    await page.locator(".monaco-hover:visible").filter({ hasText: "1 passed, 1 failed, 1 crashed, 1 timed out, 1 without their program, 1 skipped" }).waitFor();
    await page.keyboard.press("Escape");
  });

  test("one test is run, and then those that failed", async () => {
    const row = page.locator(".test-explorer .monaco-list-row").filter({ hasText: "tiny.adds" });
    await row.hover();
    await row.getByRole("button", { name: "Run Test" }).first().click();
    await saying(page, "tiny: 1 passed");
    await run(bridge, "testing.reRunFailTests");
    await saying(page, "tiny: 4 of 4 tests did not pass");
  });

  test("benchmarks have a profile of their own, and their result a page", async () => {
    await bridge.workbench.runCommand("Abiding: Run Benchmarks");
    await saying(page, "tiny: measured");
    await page.locator(".tabs-container .tab").filter({ hasText: "tiny benchmarks.md" }).waitFor();
    await bridge.workbench.screenshot("ui-workshop-benchmarks");
  });

  test("Cancel in the notification ends a build that hangs, with all that it started", async () => {
    const tasks = bridge.inHost((vscode) => vscode.commands.executeCommand("abiding.build", { plan: "hang" }).then((report) => (report as { outcome: string } | undefined)?.outcome ?? null), null);
    const processes = await hanging();
    // Toasts are not drawn while VS Code is driven; the notification centre has the same buttons.
    await page.locator('[id="status.notifications"]').click();
    const notification = page.locator(".notifications-center .notification-list-item").filter({ hasText: "Building hang" });
    await notification.waitFor();
    await notification.getByRole("button", { name: "Cancel" }).click();
    await until("none is left", 2000, () => !processes.some(isAlive));
    await tasks;
    rmSync(pids);
    await page.keyboard.press("Escape");
  });

  test("closing the window ends it too", async () => {
    await run(bridge, "abiding.build");
    await bridge.inHost((vscode) => void vscode.commands.executeCommand("abiding.build", { plan: "hang" }), null);
    const processes = await hanging();
    assert.ok(processes.every(isAlive));
    await bridge.workbench.close();
    // The server notices that the window is gone after a second of grace, and VS Code gives an extension five to end.
    await until("none is left", 10_000, () => !processes.some(isAlive));
  });
});

describe("a project whose build would be skewed", () => {
  const project = skewedProject();
  const built = join(project.path, "built");
  let bridge: Bridge;
  let page: Page;

  before(async () => {
    bridge = await openBridge({ workspace: project.path });
    page = bridge.workbench.page;
  });
  after(async () => {
    await bridge.close();
    project.delete();
  });

  const question = (): ReturnType<Page["locator"]> => page.locator(".quick-input-widget").filter({ hasText: "This build would be skewed" });
  const choose = async (label: string): Promise<void> => {
    await question().waitFor({ timeout: 20_000 });
    await question().locator(".monaco-list-row").filter({ hasText: label }).first().click();
  };

  test("what was found is named before anything is built, and Cancel builds nothing", async () => {
    await bridge.workbench.runCommand("Abiding: Build Native Library");
    await question().waitFor({ timeout: 20_000 });
    assert.match(await question().innerText(), /This build would be skewed: \d+ findings/);
    await question().locator(".monaco-list-row").filter({ hasText: "libstdcxx-abi" }).first().waitFor();
    await bridge.workbench.screenshot("ui-workshop-question");
    await choose("Cancel");
    await saying(page, "not built");
    assert.equal(existsSync(built), false);
  });

  test("Build anyway builds", async () => {
    await bridge.workbench.runCommand("Abiding: Build Native Library");
    await choose("Build anyway");
    await saying(page, "skewed-extension: built");
    assert.equal(existsSync(built), true);
    rmSync(built);
  });

  test("Apply fix and build mends and saves the files, and then builds", async () => {
    assert.match(readFileSync(join(project.path, "setup.py"), "utf8"), /_GLIBCXX_USE_CXX11_ABI=0/);
    await bridge.workbench.runCommand("Abiding: Build Native Library");
    await choose("Apply fix and build");
    await until("it is built", 20_000, () => existsSync(built));
    for (const file of ["setup.py", "cmake/RowwiseTorch.cmake"]) assert.doesNotMatch(readFileSync(join(project.path, file), "utf8"), /_GLIBCXX_USE_CXX11_ABI=0/);
    assert.deepEqual(await bridge.inHost((vscode) => vscode.workspace.textDocuments.filter((one) => one.isDirty).map((one) => one.uri.path), null), []);
  });
});
