import assert from "node:assert/strict";
import type { Page } from "playwright-core";

const rows = ".terminal-wrapper.active .xterm-rows > div";

/** How often a link is looked for: providers answer late on a busy machine, and a terminal that lays itself out anew moves its rows. */
const attempts = 20;

/** The text under the pointer that is underlined, when it points at these words of the last row that holds `rowText`; "" where none is. */
async function underlined(page: Page, words: string, rowText: string): Promise<string> {
  const row = page.locator(rows).filter({ hasText: rowText }).last();
  await row.waitFor();
  const place = await row.evaluate((element, part) => {
    const { document } = globalThis as unknown as { document: { createRange(): { setStart(node: unknown, at: number): void; setEnd(node: unknown, at: number): void; getBoundingClientRect(): { x: number; y: number; width: number; height: number } } } };
    const spans = [...(element as unknown as { children: Iterable<{ textContent: string; firstChild: unknown }> }).children];
    let at = spans.map((one) => one.textContent).join("").indexOf(part) + 1;
    for (const span of spans) {
      if (at < span.textContent.length) {
        const range = document.createRange();
        range.setStart(span.firstChild, at);
        range.setEnd(span.firstChild, at + 1);
        const box = range.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      }
      at -= span.textContent.length;
    }
    return undefined;
  }, words);
  if (place === undefined) return "";
  // The terminal asks anew only when the pointer comes from another row, and notices it only in another cell.
  await page.mouse.move(place.x, place.y + 60);
  await page.mouse.move(place.x - 20, place.y);
  await page.mouse.move(place.x, place.y, { steps: 3 });
  const text = (): Promise<string> => page.evaluate((selector) => {
    const window = globalThis as unknown as { document: { querySelectorAll(selector: string): Iterable<{ textContent: string }> }; getComputedStyle(element: unknown): { textDecorationLine: string } };
    return [...window.document.querySelectorAll(`${selector} span`)].filter((one) => window.getComputedStyle(one).textDecorationLine === "underline").map((one) => one.textContent).join("");
  }, rows);
  for (let looks = 0; looks < 10; looks += 1) {
    const found = await text();
    if (found !== "") return found;
    await page.waitForTimeout(100);
  }
  return "";
}

/** Points at words in the active terminal until they are a link; answers with its text. */
export async function terminalLink(page: Page, words: string, rowText = words): Promise<string> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const found = await underlined(page, words, rowText);
    if (found !== "") return found;
  }
  return assert.fail(`"${words}" did not become a link.`);
}

/** Whether words are a link; for what is none, asked after another word has become one. */
export async function isTerminalLink(page: Page, words: string): Promise<boolean> {
  return await underlined(page, words, words) !== "";
}

/** Follows the link at these words. */
export async function followTerminalLink(page: Page, words: string, rowText = words): Promise<void> {
  await terminalLink(page, words, rowText);
  await page.keyboard.down("Control");
  await page.mouse.down();
  await page.mouse.up();
  await page.keyboard.up("Control");
}
