/** The packaged extension, installed as a user installs it, and the user's first minute with it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { copySample, installExtension, launchBrowser, openWorkbench, packageExtension, startCodeServer, type CodeServer, type Workbench } from "../harness/index.ts";

const sample = copySample("skewed-extension");
const scratch = mkdtempSync(join(tmpdir(), "abiding-vsix-"));
let vsix: string;
let dataFolder: string | undefined;
let server: CodeServer | undefined;
let browser: Browser | undefined;
let workbench: Workbench;
let page: Page;

before(async () => {
  vsix = await packageExtension(join(scratch, "abiding.vsix"));
  dataFolder = await installExtension(vsix);
  server = await startCodeServer({ driver: false, dataFolder });
  browser = await launchBrowser();
  workbench = await openWorkbench(browser, server, { workspace: sample.path });
  page = workbench.page;
});

after(async () => {
  await browser?.close();
  await server?.stop();
  for (const folder of [scratch, dataFolder ?? scratch]) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  sample.delete();
});

test("the package stays small", () => {
  assert.ok(statSync(vsix).size < 1.5 * 1024 * 1024, `${statSync(vsix).size} bytes`);
});

test("opening a build file underlines what is wrong in it", async () => {
  await page.getByRole("treeitem", { name: "setup.py" }).dblclick();
  await page.locator(".editor-instance .squiggly-error").first().waitFor({ timeout: 30_000 });
});

test("Check Workspace shows all findings", async () => {
  await workbench.runCommand("Abiding: Check Workspace");
  await page.locator(".markers-panel .monaco-list-row").filter({ hasText: "RowwiseTorch.cmake" }).first().waitFor();
  await workbench.screenshot("vsix-first-minute");
});

test("no notification appeared, which here would be drawn", async () => {
  assert.equal(await page.locator(".notification-list-item").count(), 0);
});

test("Show Log shows what the extension and its server did", async () => {
  await workbench.runCommand("Abiding: Show Log");
  await page.locator(".output-view-container, .part.panel .view-lines").first().waitFor();
  assert.doesNotMatch(server?.extensionLog("Abiding") ?? "", /\[error\]/);
});
