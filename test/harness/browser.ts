import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import type { CodeServer } from "./codeServer.ts";
import { browserPath, resultsFolder } from "./locations.ts";

export interface Workbench {
  readonly page: Page;
  /** Lines that the extension host wrote to its console; only with the smoke test driver. */
  readonly console: readonly string[];
  /** Requests that left this machine, or tried to. */
  readonly foreignRequests: readonly string[];
  /** Settles with the code that an extension test module ended with. */
  readonly testsEnded: Promise<number>;
  /** Runs a command from the palette by its title, as a user does; waits until an extension has registered it. */
  runCommand(title: string): Promise<void>;
  /** Writes `test/results/<name>.png`. */
  screenshot(name: string): Promise<string>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Absolute path of a folder, or of a `.code-workspace` file. */
  readonly workspace: string;
  /** Absolute path of an extension to load from its folder. */
  readonly extension?: string;
  /** Absolute path of a CommonJS module with `run()`, loaded into the extension host. */
  readonly tests?: string;
  readonly size?: { readonly width: number; readonly height: number };
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = browserPath();
  if (executablePath === undefined) throw new Error("No Chromium was found; set ABIDING_TEST_BROWSER to one.");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"] });
}

/** Opens VS Code in a browser context of its own: workspace state lives in the browser. */
export async function openWorkbench(browser: Browser, server: CodeServer, options: OpenOptions): Promise<Workbench> {
  const context = await browser.newContext({ viewport: options.size ?? { width: 1280, height: 800 }, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  const console: string[] = [];
  const foreignRequests: string[] = [];
  let end: (code: number) => void = () => undefined;
  const testsEnded = new Promise<number>((resolve) => (end = resolve));
  await page.exposeFunction("codeAutomationLog", (_type: string, values: unknown[]) => void console.push(values.map(String).join(" ")));
  await page.exposeFunction("codeAutomationExit", (code: number) => end(code));
  page.on("request", (request) => {
    const host = new URL(request.url()).hostname;
    // Resources of webviews have this name; a service worker answers them, nothing is sent.
    if (host !== "" && host !== "127.0.0.1" && !host.endsWith(".vscode-resource.vscode-cdn.net")) foreignRequests.push(request.url());
  });
  await page.goto(workbenchUrl(server, options));
  await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
  if (options.workspace.endsWith(".code-workspace")) await waitForFolders(page);
  return {
    page,
    console,
    foreignRequests,
    testsEnded,
    runCommand: (title) => runCommand(page, title),
    async screenshot(name) {
      mkdirSync(resultsFolder, { recursive: true });
      const path = join(resultsFolder, `${name}.png`);
      await page.screenshot({ path });
      return path;
    },
    close: () => context.close(),
  };
}

/** While another window of its server starts, VS Code in a browser may take the file of a workspace for an empty one; loaded anew, it reads it. */
async function waitForFolders(page: Page): Promise<void> {
  const folders = page.locator(".explorer-folders-view .monaco-list-row").first();
  for (let attempt = 1; !(await folders.waitFor({ timeout: 15_000 }).then(() => true, () => false)); attempt += 1) {
    if (attempt === 4) throw new Error("VS Code shows no folder of the workspace.");
    await page.reload();
  }
}

/** The server is started for tests only with a payload that says what to load; paths in it are remote URIs. */
function workbenchUrl(server: CodeServer, options: OpenOptions): string {
  const remote = (path: string): string => `vscode-remote://remote${path}`;
  const payload: [string, string][] = [["skipWelcome", "true"], ["skipReleaseNotes", "true"]];
  if (options.extension !== undefined) payload.push(["extensionDevelopmentPath", remote(options.extension)], ["enableProposedApi", ""]);
  if (options.tests !== undefined) payload.push(["extensionTestsPath", remote(options.tests)]);
  const url = new URL(server.url);
  url.searchParams.set(options.workspace.endsWith(".code-workspace") ? "workspace" : "folder", options.workspace);
  if (options.extension !== undefined || options.tests !== undefined) url.searchParams.set("payload", JSON.stringify(payload));
  return url.href;
}

async function runCommand(page: Page, title: string): Promise<void> {
  const row = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first();
  for (const end = Date.now() + 30_000; ; ) {
    await page.keyboard.press("F1");
    await page.locator(".quick-input-widget input").first().fill(`>${title}`);
    // An open palette does not notice commands that are registered later, so it is opened anew.
    const found = await row.waitFor({ timeout: 1000 }).then(() => true, () => false);
    if (found) return row.click();
    await page.keyboard.press("Escape");
    if (Date.now() > end) throw new Error(`The command palette has no command "${title}".`);
  }
}
