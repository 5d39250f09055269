/** What a user sees: the page of a real VS Code with the sample open, driven by mouse and keyboard. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { copySample, openBridge, type Bridge } from "../harness/index.ts";

const sample = copySample("skewed-extension");
const statusItem = '[id="abiding.abiding.abiding.status"]';
let bridge: Bridge;
let page: Page;

async function show(file: string): Promise<void> {
  await bridge.inHost(async (vscode, path) => {
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
  }, join(sample.path, file));
}

before(async () => {
  bridge = await openBridge({ workspace: sample.path });
  page = bridge.workbench.page;
});

after(async () => {
  await bridge.close();
  sample.delete();
});

test("errors are underlined, and the status bar says against which torch", async () => {
  await show("cmake/RowwiseTorch.cmake");
  await page.locator(".editor-instance .squiggly-error").first().waitFor();
  await page.locator(statusItem).filter({ hasText: "torch 2.14.1" }).waitFor();
  assert.match(await page.locator(statusItem).innerText(), /torch 2\.14\.1\S* ABI 1/);
});

test("pointing at the flag tells what is wrong, naming both sides", async () => {
  await page.locator(".view-line").filter({ hasText: "set(ROWWISE_ABI_FLAG" }).locator("span").filter({ hasText: "_GLIBCXX_USE_CXX11_ABI=0" }).last().hover();
  const hover = page.locator(".monaco-hover:visible").filter({ hasText: "libstdcxx-abi" }).first();
  await hover.waitFor();
  const text = await hover.innerText();
  assert.match(text, /2\.14\.1/);
  assert.match(text, /_GLIBCXX_USE_CXX11_ABI/);
  await bridge.workbench.screenshot("ui-hover");
  await page.keyboard.press("Escape");
});

test("the Problems panel lists every file of the project", async () => {
  await bridge.inHost((vscode) => vscode.commands.executeCommand("workbench.actions.view.problems"), null);
  const panel = page.locator(".markers-panel");
  await panel.locator(".monaco-list-row").first().waitFor();
  await bridge.workbench.screenshot("ui-problems");
  // Only rows in sight are in the page.
  await page.locator(".part.panel").getByRole("button", { name: "Collapse All" }).click();
  for (const file of ["CMakeLists.txt", "RowwiseTorch.cmake", "RowwiseCuda.cmake", "setup.py"]) await panel.locator(".monaco-list-row").filter({ hasText: file }).first().waitFor();
});

test("the light bulb's menu fixes the standard from the keyboard", async () => {
  await show("CMakeLists.txt");
  await page.locator(".editor-instance .squiggly-error").first().waitFor();
  await bridge.inHost((vscode) => {
    const editor = vscode.window.activeTextEditor;
    const position = new vscode.Position(5, 24);
    if (editor !== undefined) editor.selection = new vscode.Selection(position, position);
  }, null);
  await bridge.inHost((vscode) => vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup"), null);
  await page.keyboard.press("Control+.");
  await page.locator(".action-widget .monaco-list-row.action").first().waitFor();
  await bridge.workbench.screenshot("ui-quick-fix");
  await page.keyboard.press("Enter");
  await page.locator(".view-line").filter({ hasText: "CMAKE_CXX_STANDARD 20" }).waitFor();
  await bridge.inHost((vscode) => vscode.commands.executeCommand("workbench.action.files.revert"), null);
});

test("the tooltip of the status bar item is the control panel", async () => {
  await page.locator(statusItem).hover();
  const tooltip = page.locator(".monaco-hover:visible").filter({ hasText: "Restart server" }).first();
  await tooltip.waitFor();
  assert.match(await tooltip.innerText(), /skewed-extension/);
  await bridge.workbench.screenshot("ui-status");
});

test("a project that is switched off has no item in the status bar, and gets it back", async () => {
  const enable = (value: boolean | null): Promise<void> => bridge.inHost(async (vscode, on) => {
    await vscode.workspace.getConfiguration("abiding").update("enable", on ?? undefined, vscode.ConfigurationTarget.Workspace);
  }, value);
  await enable(false);
  await page.locator(statusItem).waitFor({ state: "hidden" });
  await page.locator(".markers-panel .monaco-list-row").first().waitFor({ state: "hidden" });
  await enable(null);
  await page.locator(statusItem).filter({ hasText: "torch 2.14.1" }).waitFor();
  await page.locator(".markers-panel .monaco-list-row").first().waitFor();
});

test("nothing was opened or announced that nobody asked for, and nothing left this machine", async () => {
  assert.equal(await page.locator(".notification-list-item").count(), 0);
  // The marketplace is asked by VS Code itself.
  assert.deepEqual(bridge.workbench.foreignRequests.filter((url) => new URL(url).hostname !== "open-vsx.org"), []);
});
