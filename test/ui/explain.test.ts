/** Explaining errors as a user meets it: a link in a real terminal, the page beside it, a log's menu, a name under the pointer. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame, FrameLocator, Locator, Page } from "playwright-core";
import { accessibilityProblems, copySample, followTerminalLink, openBridge, terminalLink, type Bridge } from "../harness/index.ts";

const sample = copySample("skewed-extension");
const library = join(sample.path, "rowwise", "_C.so");
let bridge: Bridge;
let page: Page;
let view: FrameLocator;

const heading = (text: string | RegExp): Locator => view.locator("h1").filter({ hasText: text });
const clipboard = (): Promise<string> => bridge.inHost((vscode) => vscode.env.clipboard.readText(), null);
const closeAll = (): Promise<unknown> => bridge.inHost((vscode) => vscode.commands.executeCommand("workbench.action.closeAllEditors"), null);

async function frame(): Promise<Frame> {
  const found = await (await view.locator("body").elementHandle())?.ownerFrame();
  return found ?? assert.fail("The page has no frame.");
}

before(async () => {
  const source = "namespace c10 { void warn(int); } extern \"C\" void* PyInit__C() { c10::warn(1); return nullptr; }";
  execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", library], { input: source });
  writeFileSync(join(sample.path, "run.log"), "collected 3 items\r\nImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory\r\nundefined symbol: _ZN3c104cuda9SetDeviceEa\r\n1 failed in 0.12s\r\n");
  bridge = await openBridge({ workspace: sample.path, settings: { "terminal.integrated.gpuAcceleration": "off", "terminal.integrated.defaultProfile.linux": "bash" } });
  page = bridge.workbench.page;
  page.setDefaultTimeout(30_000);
  view = page.frameLocator('iframe.webview[src*="extensionId=abiding.abiding"]').frameLocator('iframe#active-frame[title="Explanation"]');
});

after(async () => {
  await bridge.close();
  sample.delete();
});

test("the error of a command in a terminal is a link to its explanation, settled by the file that it names", async () => {
  await bridge.inHost((vscode) => {
    const terminal = vscode.window.createTerminal("shell");
    terminal.show();
    return new Promise<void>((resolve) => {
      const listener = vscode.window.onDidChangeTerminalShellIntegration((event) => {
        if (event.terminal === terminal) {
          listener.dispose();
          event.shellIntegration.executeCommand("python3 -c 'import ctypes; ctypes.CDLL(\"rowwise/_C.so\", 2)'");
          resolve();
        }
      });
    });
  }, null);
  await terminalLink(page, "undefined symbol");
  await bridge.workbench.screenshot("ui-explain-link");
  await followTerminalLink(page, "undefined symbol");
  await heading("c10::warn(int)").or(heading("_C.so")).waitFor();
  await view.getByRole("button", { name: "Show in Binary View" }).waitFor();
  assert.match(await view.locator("figure").first().innerText(), /rowwise\/_C\.so: undefined symbol: _ZN3c104warnEi/);
  assert.match(await view.locator("footer").innerText(), /Read: the output of python3 -c .*torch 2\.14\.1/);
  await bridge.workbench.screenshot("ui-explain-terminal");
  assert.deepEqual(await accessibilityProblems(await frame()), []);
});

test("from the explanation to the rule, to the file, and back to the terminal with Escape", async () => {
  await view.getByRole("button", { name: /^Open Rule / }).first().click();
  await page.locator(".tab").filter({ hasText: /\.md/ }).waitFor();
  await page.locator(".tab").filter({ hasText: "Explanation" }).click();
  await view.getByRole("button", { name: "Show in Binary View" }).click();
  await page.locator(".tab").filter({ hasText: "_C.so" }).waitFor();
  await page.locator(".tab").filter({ hasText: "Explanation" }).click();
  await view.locator("h1").click();
  await page.keyboard.press("Escape");
  await page.locator(".tab").filter({ hasText: "Explanation" }).waitFor({ state: "detached" });
  await page.locator(".terminal-wrapper.active .xterm.focus").waitFor();
  await closeAll();
});

test("what is selected in a terminal is explained, and the clipboard is as it was", async () => {
  await bridge.inHost(async (vscode) => {
    await vscode.env.clipboard.writeText("mine");
    vscode.window.activeTerminal?.show();
    await vscode.commands.executeCommand("workbench.action.terminal.selectAll");
    await vscode.commands.executeCommand("abiding.explainTerminalSelection");
  }, null);
  await heading("_C.so").waitFor();
  assert.match(await view.locator("footer").innerText(), /Read: the selection in the terminal shell/);
  assert.equal(await clipboard(), "mine");
  await closeAll();
});

test("a name that stands alone is said in words", async () => {
  await bridge.inHost((vscode) => vscode.window.activeTerminal?.shellIntegration?.executeCommand("clear; nm -D --undefined-only rowwise/_C.so | grep warn"), null);
  await followTerminalLink(page, "_ZN3c104warnEi", "U _ZN3c104warnEi");
  await heading("c10::warn(int)").waitFor();
  await view.getByText("No recorded release of torch exports it.").waitFor();
  await closeAll();
});

test("the menu of a log explains what is selected there, and its fix is copied", async () => {
  await bridge.inHost(async (vscode, path) => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
    editor.selection = new vscode.Selection(1, 0, 2, 0);
    await vscode.env.clipboard.writeText("");
  }, join(sample.path, "run.log"));
  await page.locator(".view-line").filter({ hasText: "libcudart" }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Explain Error" }).hover();
  await page.keyboard.press("Enter");
  await heading("libcudart.so.11.0").waitFor();
  await bridge.workbench.screenshot("ui-explain-log");
  const copy = view.getByRole("button", { name: "Copy Fix" });
  if (await copy.count() > 0) {
    const fix = await copy.first().getAttribute("title");
    await copy.first().click();
    await view.getByRole("status").filter({ hasText: "Copied" }).waitFor();
    assert.equal(await clipboard(), fix);
  }
  await view.getByRole("button", { name: /^Line/ }).first().click();
  await page.locator(".editor-group-container.active .tab.active").filter({ hasText: "run.log" }).waitFor();
});

test("a name under the cursor is said in words, with its life in torch", async () => {
  await bridge.inHost(async (vscode, path) => {
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path), { viewColumn: vscode.ViewColumn.One });
    editor.selection = new vscode.Selection(2, 30, 2, 30);
    await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
    await vscode.commands.executeCommand("editor.action.showHover");
  }, join(sample.path, "run.log"));
  const hover = page.locator(".monaco-hover:visible").filter({ hasText: /SetDevice\(signed\schar\)/ }).first();
  await hover.waitFor();
  assert.match(await hover.innerText(), /Exported by torch 2\.3\.0 to 2\.7\.1/);
  await bridge.workbench.screenshot("ui-explain-hover");
  await page.keyboard.press("Escape");
});

test("the command offers the clipboard and the terminal where nothing is selected", async () => {
  await closeAll();
  await bridge.inHost((vscode) => vscode.env.clipboard.writeText("RuntimeError: CUDA error: no kernel image is available for execution on the device"), null);
  await bridge.workbench.runCommand("Abiding: Explain Error");
  const rows = page.locator(".quick-input-list .monaco-list-row");
  await rows.filter({ hasText: "The clipboard" }).waitFor();
  await rows.filter({ hasText: "The output of clear; nm" }).waitFor();
  await bridge.workbench.screenshot("ui-explain-choice");
  await rows.filter({ hasText: "The clipboard" }).click();
  await heading(/GPU|kernel/).waitFor();
});

for (const [theme, kind] of [["Default Light Modern", "vscode-light"], ["Default High Contrast", "vscode-high-contrast"], ["Default High Contrast Light", "vscode-high-contrast-light"]] as const) {
  test(`${theme}: axe finds nothing to complain about`, async () => {
    await bridge.inHost((vscode, name) => vscode.workspace.getConfiguration("workbench").update("colorTheme", name, vscode.ConfigurationTarget.Global), theme);
    await view.locator(`body.${kind}`).waitFor();
    assert.deepEqual(await accessibilityProblems(await frame()), []);
    await bridge.workbench.screenshot(`ui-explain-${kind.slice("vscode-".length)}`);
  });
}

test("nothing was announced that nobody asked for, and nothing left this machine", async () => {
  assert.equal(await page.locator(".notification-list-item").count(), 0);
  assert.deepEqual(bridge.workbench.foreignRequests.filter((url) => new URL(url).hostname !== "open-vsx.org"), []);
});
