/** The packaged extension, installed as a user installs it, and the user's first minute with it. */
import assert from "node:assert/strict";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { execa } from "execa";
import type { Browser, Page } from "playwright-core";
import { fileSource, openArchive } from "../../src/engine/binaries/archive/index.ts";
import type { Member } from "../../src/engine/binaries/archive/index.ts";
import { copySample, installExtension, launchBrowser, openWorkbench, packageExtension, startCodeServer, type CodeServer, type Workbench } from "../harness/index.ts";

const sample = copySample("skewed-extension");
const scratch = mkdtempSync(join(tmpdir(), "abiding-vsix-"));
let vsix: string;
let dataFolder: string | undefined;
let server: CodeServer | undefined;
let browser: Browser | undefined;
let workbench: Workbench;
let page: Page;

interface Report {
  readonly outcome: string;
  readonly results: readonly { readonly label: string; readonly outcome: string }[];
}

/** Why Gantry cannot be built here; false: it can. */
function tools(): string | false {
  const missing = ["cmake", "ninja", "c++"].filter((tool) => !(process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, tool))));
  return missing.length > 0 && `no ${missing.join(", no ")}`;
}

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

/** Bytes that a file takes in a zip archive: its content, and two headers with its name in each (APPNOTE 4.3.7 and 4.3.12). */
function taken({ name, compressedSize }: Member): number {
  return compressedSize + 30 + 46 + 2 * Buffer.byteLength(name);
}

test("the package stays small, and the sources of Gantry in it smaller", async () => {
  const archive = await openArchive(await fileSource(vsix));
  const sources = [...archive.members.values()].filter(({ name }) => name.startsWith("extension/native/")).reduce((sum, one) => sum + taken(one), 0);
  assert.ok(statSync(vsix).size - sources < 1.5 * 1024 * 1024, `${statSync(vsix).size} bytes, ${sources} of them sources`);
  assert.ok(sources > 0 && sources < 0.5 * 1024 * 1024, `${sources} bytes of sources`);
});

test("the installed package builds Gantry, and its smoke tests pass", { skip: tools() }, async () => {
  const [cli = ""] = globSync("extensions/abiding.abiding-*/dist/cli.js", { cwd: dataFolder ?? "" });
  const run = async (...words: readonly string[]): Promise<Report> => JSON.parse((await execa(process.execPath, [join(dataFolder ?? "", cli), ...words], { cwd: scratch, env: { XDG_CACHE_HOME: scratch } })).stdout) as Report;
  const { outcome } = await run("build", "--gantry", "--format", "json", "--target", "smoke_abi", "--target", "smoke_gather", "--", "-DGANTRY_BENCHMARKS=OFF", "-DGANTRY_PYTHON=OFF");
  assert.equal(outcome, "built");
  const { results } = await run("smoke", "--gantry", "--format", "json", "--test", "smoke_abi", "--test", "smoke_gather");
  assert.deepEqual(results.map(({ label, outcome: ending }) => [label, ending]), [["smoke_abi", "passed"], ["smoke_gather", "passed"]]);
});

test("opening a build file underlines what is wrong in it", async () => {
  await page.getByRole("treeitem", { name: "setup.py" }).dblclick();
  await page.locator(".editor-instance .squiggly-error").first().waitFor({ timeout: 30_000 });
  // VS Code asks for lenses only while the text has the focus.
  await page.locator(".codelens-decoration").filter({ hasText: /^\d+ errors? against torch 2\.14\.1/ }).waitFor();
});

test("Check Workspace shows all findings", async () => {
  await workbench.runCommand("Abiding: Check Workspace");
  await page.locator(".markers-panel .monaco-list-row").filter({ hasText: "RowwiseTorch.cmake" }).first().waitFor();
  await workbench.screenshot("vsix-first-minute");
});

test("pointing at the flag tells what is wrong, naming both sides", async () => {
  await page.locator(".view-line").filter({ hasText: "cxx_flags += [" }).locator("span").filter({ hasText: "_GLIBCXX_USE_CXX11_ABI=0" }).last().hover();
  const hover = page.locator(".monaco-hover:visible").filter({ hasText: "libstdcxx-abi" }).first();
  await hover.waitFor();
  assert.match(await hover.innerText(), /2\.14\.1/);
  await page.keyboard.press("Escape");
});

test("a quick fix makes the squiggle go, and typing brings it back", async () => {
  const squiggles = page.locator(".editor-instance .squiggly-error");
  const line = page.locator(".view-line").filter({ hasText: "nvcc_flags = [" });
  const flag = line.locator("span").filter({ hasText: "-std=c++17" }).last();
  const before = await squiggles.count();
  assert.ok(before > 0);
  await flag.click();
  await page.keyboard.press("Control+.");
  await page.locator(".action-widget .monaco-list-row.action").filter({ hasText: "Raise it to C++20" }).waitFor();
  await page.keyboard.press("Enter");
  await line.filter({ hasText: "-std=c++20" }).waitFor();
  await squiggles.nth(before - 1).waitFor({ state: "detached" });
  await page.keyboard.press("Control+z");
  await line.filter({ hasText: "-std=c++17" }).waitFor();
  await squiggles.nth(before - 1).waitFor({ state: "attached" });
});

test("no notification appeared, which here would be drawn", async () => {
  assert.equal(await page.locator(".notification-list-item").count(), 0);
});

test("Show Log shows what the extension and its server did", async () => {
  await workbench.runCommand("Abiding: Show Log");
  await page.locator(".part.panel .view-line").filter({ hasText: "Against torch" }).first().waitFor();
  const log = server?.extensionLog("Abiding") ?? "";
  assert.match(log, /Checked .*skewed-extension\. Against torch 2\.14\.1\+cu130 \(catalogue\)\. Findings: \d+/);
  assert.doesNotMatch(log, /\[error\]/);
});

test("the panel is there again after the window was loaded anew, in the view in which it was", async () => {
  const view = page.frameLocator('iframe.webview[src*="extensionId=abiding.abiding"]').frameLocator('iframe#active-frame[title="Abiding"]');
  await workbench.runCommand("Abiding: Open Panel");
  await view.getByRole("tab", { name: "Benchmarks" }).press("Enter");
  await view.getByRole("tab", { name: "Benchmarks", selected: true }).waitFor();
  // VS Code keeps what a page keeps when its window is closed in good order.
  const loaded = page.waitForEvent("load", { timeout: 60_000 });
  await workbench.runCommand("Developer: Reload Window");
  await loaded;
  await view.getByRole("tab", { name: "Benchmarks", selected: true }).waitFor({ timeout: 60_000 });
  await view.getByRole("heading", { name: "skewed-extension", level: 1 }).waitFor();
});

test("a window can begin with the panel, and with the records of its project, as npm start does", async () => {
  const record = { schema: 1, combination: { project: { name: "rowwise", version: "0.4.0" }, torch: { version: "2.13.0+cpu" }, python: "3.11", cuda: null, platform: "linux-x86_64", gpu: null }, how: "smoke", outcome: "passed", when: "2026-11-30T10:00:00.000Z", by: "0.1.0" };
  mkdirSync(join(sample.path, ".abiding"), { recursive: true });
  writeFileSync(join(sample.path, ".abiding", "combinations.jsonl"), `${JSON.stringify(record)}\n`);
  const file = join(scratch, "panel.code-workspace");
  writeFileSync(file, JSON.stringify({ folders: [{ path: sample.path }], settings: { "abiding.panel.openOnStartup": "combinations" } }));
  assert.ok(browser !== undefined && server !== undefined);
  const window = await openWorkbench(browser, server, { workspace: file });
  await window.page.frameLocator("iframe.webview").frameLocator("iframe").getByRole("grid").getByText("2.13.0").waitFor({ timeout: 60_000 });
  await window.close();
});
