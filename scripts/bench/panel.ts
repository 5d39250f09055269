/**
 * The panel's page in Chromium with a matrix of 24,000 cells: from the message with its data, and from the begin of loading, to
 * the first paint with cells; a step of scrolling, and a key, to the paint with the rows that it leads to.
 *
 *   npm run bench -- panel [--runs N] [--steps N]
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { launchBrowser, openExtensionPage } from "../../test/harness/index.ts";
import { root } from "../../test/harness/locations.ts";
import { manyRecords, panelState } from "../../test/support/panelState.ts";
import { report } from "./lib/report.ts";

const { values: options } = parseArgs({ options: { runs: { type: "string", default: "10" }, steps: { type: "string", default: "60" } } });
await execa(process.execPath, [join(root, "scripts", "build.ts")], { stdio: ["ignore", "inherit", "inherit"] });

const state = panelState({ combinations: { records: manyRecords(400, 60), latest: [], known: [], problems: [], file: "" } });

/** What is used of a browser: this file is checked without its types. */
interface Box {
  scrollTop: number;
  readonly lastElementChild: unknown;
  querySelectorAll(selector: string): { readonly length: number };
  querySelector(selector: string): { focus(): void } | null;
  dispatchEvent(event: unknown): void;
}
interface Page {
  readonly document: { querySelector(selector: string): Box | null; readonly activeElement: { dispatchEvent(event: unknown): void } };
  readonly performance: { now(): number };
  requestAnimationFrame(work: () => void): void;
  dispatchEvent(event: unknown): void;
  readonly MessageEvent: new (type: string, init: unknown) => unknown;
  readonly KeyboardEvent: new (type: string, init: unknown) => unknown;
}

const browser = await launchBrowser();
const first: number[] = [];
const loaded: number[] = [];
const scrolled: number[] = [];
const keyed: number[] = [];
const made: number[] = [];
try {
  for (let run = 0; run < Number(options.runs); run++) {
    const { page } = await openExtensionPage(browser, "panel", { title: "Abiding", state: { tab: "combinations" } });
    const times = await page.evaluate(async ({ data, steps }) => {
      const window = globalThis as unknown as Page;
      const { document, performance, MessageEvent, KeyboardEvent } = window;
      // The second frame begins when the first has been painted.
      const painted = (): Promise<number> => new Promise((resolve) => window.requestAnimationFrame(() => window.requestAnimationFrame(() => resolve(performance.now()))));
      // Handing the data into the page is the test's way and not VS Code's; before this line it has happened.
      const scripted = performance.now();
      window.dispatchEvent(new MessageEvent("message", { data }));
      const shown = await painted();
      const grid = document.querySelector(".grid");
      if (grid === null || grid.querySelectorAll("[role=gridcell]").length === 0) throw new Error("There are no cells.");
      const cells = grid.querySelectorAll("[role=gridcell]").length;
      const scrolls: number[] = [];
      for (let step = 0; step < steps; step++) {
        const begin = performance.now();
        grid.scrollTop += 480;
        scrolls.push(await painted() - begin);
      }
      grid.querySelector("[data-active]")?.focus();
      const keys: number[] = [];
      for (let step = 0; step < steps; step++) {
        const begin = performance.now();
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: step % 2 === 0 ? "PageDown" : "ArrowRight", bubbles: true }));
        keys.push(await painted() - begin);
      }
      return { first: shown - scripted, cells, scrolls, keys };
    }, { data: { type: "state", state }, steps: Number(options.steps) });
    first.push(times.first);
    made.push(times.cells);
    scrolled.push(...times.scrolls);
    keyed.push(...times.keys);
    loaded.push(await page.evaluate(() => (globalThis as unknown as { performance: { getEntriesByType(type: string): readonly { readonly domContentLoadedEventEnd: number }[] } }).performance.getEntriesByType("navigation")[0]?.domContentLoadedEventEnd ?? Number.NaN));
    await page.context().close();
  }
} finally {
  await browser.close();
}
report("panel", [
  { what: "loading page and bundle", unit: "ms", values: loaded },
  { what: "24,000 cells, message to first paint", unit: "ms", values: first, atMost: 200 },
  { what: "cells in the document", unit: "count", values: made, atMost: 700, exact: true },
  { what: "a step of scrolling to its paint", unit: "ms", values: scrolled, quantile: 0.95, atMost: 50 },
  { what: "a key to its paint", unit: "ms", values: keyed, quantile: 0.95, atMost: 50 },
]);
