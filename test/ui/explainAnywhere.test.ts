/** Explaining where no project is: a terminal too narrow for the error and without shell integration, a log, and nothing that nobody asked for. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { followTerminalLink, isTerminalLink, openBridge, terminalLink, type Bridge } from "../harness/index.ts";

const folder = mkdtempSync(join(tmpdir(), "abiding-anywhere-"));
const log = join(folder, "run.log");
let bridge: Bridge;
let page: Page;

before(async () => {
  writeFileSync(log, "npm warn deprecated inflight@1.0.6\r\nexport _ZSH_VERSION=5.9\r\nImportError: /opt/rowwise/rowwise/_C.so: undefined symbol: _ZN3c104cuda9SetDeviceEa\r\n");
  bridge = await openBridge({ workspace: folder, settings: { "terminal.integrated.gpuAcceleration": "off", "terminal.integrated.defaultProfile.linux": "bash", "terminal.integrated.shellIntegration.enabled": false } });
  page = bridge.workbench.page;
  page.setDefaultTimeout(30_000);
});

after(async () => {
  await bridge.close();
  rmSync(folder, { recursive: true, force: true });
});

test("an error that is wrapped in a narrow terminal is a link, from its first row to its last", async () => {
  await page.setViewportSize({ width: 420, height: 800 });
  await bridge.inHost((vscode, cwd) => {
    const terminal = vscode.window.createTerminal({ name: "narrow", cwd });
    terminal.show();
    terminal.sendText("PS1='$ '; clear; cat run.log");
  }, folder);
  await terminalLink(page, "undef");
  await bridge.workbench.screenshot("ui-explain-narrow");
  assert.equal(await isTerminalLink(page, "_ZSH"), false);
  await followTerminalLink(page, "Ea");
  await page.setViewportSize({ width: 1280, height: 800 });
  const view = page.frameLocator('iframe.webview[src*="extensionId=abiding.abiding"]').frameLocator('iframe#active-frame[title="Explanation"]');
  await view.locator("h1").filter({ hasText: "_C.so" }).waitFor();
  assert.match(await view.locator("footer").innerText(), /Read: a line in the terminal narrow, without what stands around it\. Compared with no environment\./);
});

test("a name in a log is said in words", async () => {
  await bridge.inHost(async (vscode, path) => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path), { viewColumn: vscode.ViewColumn.One });
    editor.selection = new vscode.Selection(2, 65, 2, 65);
    await vscode.commands.executeCommand("editor.action.showHover");
  }, log);
  await page.locator(".monaco-hover:visible").filter({ hasText: /SetDevice\(signed\schar\)/ }).first().waitFor();
});

test("nothing else appeared", async () => {
  assert.equal(await page.locator(".notification-list-item").count(), 0);
  assert.deepEqual(await page.locator('[id="abiding.abiding.abiding.status"]').filter({ visible: true }).allInnerTexts(), []);
});

test("from the menu of a terminal only what that terminal printed is explained, not what is selected elsewhere", async () => {
  await bridge.inHost(async (vscode) => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: "RuntimeError: CUDA error: no kernel image is available for execution on the device\n" }));
    editor.selection = new vscode.Selection(0, 0, 1, 0);
    vscode.window.activeTerminal?.show();
  }, null);
  await page.locator(".terminal-wrapper.active .xterm-screen").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Explain Error" }).hover();
  await page.keyboard.press("Enter");
  await bridge.inHost((vscode) => vscode.commands.executeCommand("notifications.showList"), null);
  await page.locator(".notification-list-item").filter({ hasText: "what this terminal printed is not known" }).waitFor();
  assert.equal(await page.locator(".tab").filter({ hasText: "Explanation" }).count(), 0);
});
