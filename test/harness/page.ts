import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { root } from "./locations.ts";

/** A page of the extension outside VS Code, in a window of its own, with an imitation of its host. */
export interface ExtensionPage {
  readonly page: Page;
  /** What the page told its host, in order. */
  told(): Promise<unknown[]>;
  /** What it keeps for when it is rebuilt. */
  state(): Promise<unknown>;
  /** Sends a message of the host. */
  send(message: unknown): Promise<void>;
}

/** Opens the bundle `dist/webview/<name>.js` under the rules that its host sets: nothing inline, nothing from elsewhere. */
export async function openExtensionPage(browser: Browser, name: string, options: { readonly title: string; readonly state?: unknown; /** Markup before the bundle's script. */ readonly body?: string }): Promise<ExtensionPage> {
  const context = await browser.newContext({ viewport: { width: 900, height: 700 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const bundle = (file: string): string => readFileSync(join(root, "dist", "webview", file), "utf8");
  await page.route("**/*", (route) => {
    const path = new URL(route.request().url()).pathname;
    if (path === "/") {
      return route.fulfill({
        contentType: "text/html",
        headers: { "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'" },
        body: `<!DOCTYPE html><html lang="en"><head><title>${options.title}</title><link rel="stylesheet" href="/${name}.css"></head><body>${options.body ?? ""}<script src="/${name}.js"></script></body></html>`,
      });
    }
    return path === `/${name}.js` || path === `/${name}.css` ? route.fulfill({ contentType: path.endsWith("js") ? "text/javascript" : "text/css", body: bundle(path.slice(1)) }) : route.abort();
  });
  await page.addInitScript((initial) => {
    const host: { told: unknown[]; state: unknown } = { told: [], state: initial };
    Object.assign(globalThis, {
      host,
      acquireVsCodeApi: () => ({
        postMessage: (message: unknown) => void host.told.push(message),
        getState: () => host.state,
        setState: (state: unknown) => {
          host.state = state;
        },
      }),
    });
  }, options.state);
  await page.goto("http://page.test/");
  return {
    page,
    told: () => page.evaluate(() => (globalThis as unknown as { host: { told: unknown[] } }).host.told),
    state: () => page.evaluate(() => (globalThis as unknown as { host: { state: unknown } }).host.state),
    // Messages are delivered later: this one has been when the page's own listener, which was there first, has seen it.
    send: (message) => page.evaluate((data) => new Promise<void>((resolve) => {
      const window = globalThis as unknown as { postMessage(data: unknown, origin: string): void; addEventListener(type: string, listener: () => void, options: { once: boolean }): void };
      window.addEventListener("message", () => resolve(), { once: true });
      window.postMessage(data, "*");
    }), message),
  };
}
