/** The editor for binaries as a user meets it in VS Code: the explorer, the page, other torches, changes on disk, themes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame, FrameLocator, Page } from "playwright-core";
import { accessibilityProblems, openBridge, type Bridge } from "../harness/index.ts";
import { compileBinary, skewedBinary } from "../harness/skewedBinary.ts";

const sample = skewedBinary();
const binary = join(sample.path, "rowwise", "_C.so");
let bridge: Bridge;
let page: Page;
let view: FrameLocator;

const headline = (text: string): Promise<void> => view.locator(".verdict .headline").filter({ hasText: text }).waitFor();
const clipboard = (): Promise<string> => bridge.inHost((vscode) => vscode.env.clipboard.readText(), null);

/** Waits for what a message to the host brings about. */
async function clipboardHas(pattern: RegExp): Promise<string> {
  for (const end = Date.now() + 10_000; ; ) {
    const text = await clipboard();
    if (pattern.test(text)) return text;
    if (Date.now() > end) assert.match(text, pattern);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function frame(): Promise<Frame> {
  const found = await (await view.locator("body").elementHandle())?.ownerFrame();
  return found ?? assert.fail("The page has no frame.");
}

before(async () => {
  bridge = await openBridge({ workspace: sample.path });
  page = bridge.workbench.page;
  page.setDefaultTimeout(15_000);
  view = page.frameLocator('iframe.webview[src*="extensionId=abiding.abiding"]').frameLocator('iframe#active-frame[title="_C.so"]');
});

after(async () => {
  await bridge.close();
  sample.delete();
});

test("a click in the explorer shows the verdict for the torch of the project, with the loader's words", async () => {
  await page.getByRole("treeitem", { name: "rowwise", exact: true }).click();
  await page.getByRole("treeitem", { name: "_C.so" }).dblclick();
  await headline("Would not work with torch 2.14.1+cu130.");
  assert.equal(await view.locator(".loader pre").innerText(), `${binary}: undefined symbol: _ZN3c104warnEi`);
  assert.match(await view.getByRole("listbox", { name: "Another torch version" }).innerText(), /exports that name with other parameters: c10::warn\(c10::Warning const&\) in libc10\.so/);
  await bridge.workbench.screenshot("ui-binary");
});

test("search, demangle and copy work from the keyboard", async () => {
  await view.locator("h1").click();
  await page.keyboard.press("Control+f");
  await page.keyboard.type("c10 warn");
  assert.deepEqual(await view.locator(".symbols .symbol").allInnerTexts(), ["c10::warn(int)"]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.deepEqual(await view.locator(".symbols .symbol").allInnerTexts(), ["_ZN3c104warnEi"]);
  await view.locator(".symbols").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Control+c");
  assert.equal(await clipboardHas(/warn/), "_ZN3c104warnEi");
  await view.getByRole("button", { name: "Copy Report" }).press("Enter");
  assert.match(await clipboardHas(/^## Abiding/), /\*\*Would not work with torch 2\.14\.1\+cu130\.\*\*/);
  await view.getByRole("searchbox").fill("");
  await view.getByRole("button", { name: "Demangle", exact: true }).click();
});

test("a rule of a finding leads to its page", async () => {
  await view.getByRole("button", { name: "torch-symbols" }).click();
  await page.locator(".tab").filter({ hasText: "torch-symbols.md" }).waitFor();
  await page.locator(".tab").filter({ hasText: "_C.so" }).click();
  await headline("Would not work with torch 2.14.1+cu130.");
});

test("Would This Load? in the explorer asks for another torch, and the editor goes back to the selected one", async () => {
  await page.getByRole("treeitem", { name: "_C.so" }).click({ button: "right" });
  // A menu takes no clicks in the moment after it has opened.
  await page.getByRole("menuitem", { name: "Would This Load?" }).hover();
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "A release of torch..." }).click();
  await page.locator(".quick-input-widget input").first().fill("torch==2.5.1");
  await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "torch==2.5.1" }).first().click();
  await headline("Would not work with torch 2.5.1");
  // This torch has the old std::string.
  assert.equal(await view.getByRole("listbox", { name: "std::string" }).count(), 0);
  await view.getByRole("button", { name: "Compare with Selected Environment" }).click();
  await headline("Would not work with torch 2.14.1+cu130.");
});

test("another selected environment, and another content of the file, are shown without asking", async () => {
  await bridge.inHost((vscode) => vscode.commands.executeCommand("abiding.selectEnvironment", "torch==2.5.1+cu121"), null);
  await headline("torch 2.5.1+cu121");
  await bridge.inHost((vscode) => vscode.commands.executeCommand("abiding.selectEnvironment", ""), null);
  await headline("torch 2.14.1+cu130");
  compileBinary(join(sample.path, "rowwise"), 1);
  await headline("No conflict with torch 2.14.1+cu130 found in what was checked.");
  compileBinary(join(sample.path, "rowwise"), 0);
  await headline("Would not work with torch 2.14.1+cu130.");
});

test("what was searched for is there again after the tab was hidden", async () => {
  await view.getByRole("searchbox").fill("warn");
  await page.locator(".tab").filter({ hasText: "torch-symbols.md" }).click();
  await view.locator("h1").waitFor({ state: "detached" });
  await page.locator(".tab").filter({ hasText: "_C.so" }).click();
  await headline("Would not work with torch 2.14.1+cu130.");
  assert.equal(await view.getByRole("searchbox").inputValue(), "warn");
  await view.getByRole("searchbox").fill("");
});

for (const [theme, kind] of [["Default Dark Modern", "vscode-dark"], ["Default Light Modern", "vscode-light"], ["Default High Contrast", "vscode-high-contrast"], ["Default High Contrast Light", "vscode-high-contrast-light"]] as const) {
  test(`${theme}: axe finds nothing to complain about`, async () => {
    await bridge.inHost((vscode, name) => vscode.workspace.getConfiguration("workbench").update("colorTheme", name, vscode.ConfigurationTarget.Global), theme);
    await view.locator(`body.${kind}`).waitFor();
    await view.locator(".symbols").focus();
    await page.keyboard.press("ArrowDown");
    await view.locator(".detail code").first().waitFor();
    assert.deepEqual(await accessibilityProblems(await frame()), []);
    await bridge.workbench.screenshot(`ui-binary-${kind.slice("vscode-".length)}`);
    await view.locator("h1").scrollIntoViewIfNeeded();
    await bridge.workbench.screenshot(`ui-binary-${kind.slice("vscode-".length)}-top`);
  });
}

test("nothing was announced that nobody asked for, and nothing left this machine", async () => {
  assert.equal(await page.locator(".notification-list-item").count(), 0);
  assert.deepEqual(bridge.workbench.foreignRequests.filter((url) => new URL(url).hostname !== "open-vsx.org"), []);
});
