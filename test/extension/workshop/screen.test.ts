/** What reaches a terminal: line ends that it needs, sentences on lines of their own, and never more than it can draw. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BatchedScreen } from "../../../src/extension/workshop/screen.ts";

function screen(): { readonly screen: BatchedScreen; readonly text: () => string } {
  let written = "";
  const one = new BatchedScreen((text) => {
    written += text;
  });
  return { screen: one, text: () => written };
}

test("colours stay, line feeds get their carriage return, also where a chunk ends between the two", () => {
  const { screen: one, text } = screen();
  one.output("\u001B[31mred\u001B[0m\nnext\r\nlast\r");
  one.output("\nend");
  one.end();
  assert.equal(text().replaceAll("\r\r\n", "\r\n"), "\u001B[31mred\u001B[0m\r\nnext\r\nlast\r\nend");
});

test("a sentence begins on a line of its own and steers nothing", () => {
  const { screen: one, text } = screen();
  one.output("half a line");
  one.note("evil \u001B[2J name\nsecond line");
  one.note("another");
  one.end();
  assert.equal(text(), "half a line\r\n\u001B[2m* evil \uFFFD[2J name\r\n  second line\u001B[0m\r\n\u001B[2m* another\u001B[0m\r\n");
});

test("a flood keeps its begin and its end, and says how much is missing", () => {
  const { screen: one, text } = screen();
  one.output("first\n");
  for (let index = 0; index < 10_000; index += 1) {
    one.output(`${"x".repeat(1000)}\n`);
  }
  one.output("last\n");
  one.end();
  const shown = text();
  assert.ok(shown.length < 200_000, String(shown.length));
  assert.match(shown, /^first\r\n/);
  assert.match(shown, /last\r\n$/);
  const [, leftOut] = /(\d+) characters came too fast to be shown; the log has them\./.exec(shown) ?? [];
  const gap = /\u001B\[0m\r\n\u001B\[2m\* \d+ characters came too fast to be shown; the log has them\.\u001B\[0m\r\n/.exec(shown)?.[0].length ?? 0;
  assert.equal(shown.length - gap + Number(leftOut), "first\r\n".length + 10_000 * 1002 + "last\r\n".length);
});

test("text comes in batches", async () => {
  const batches: string[] = [];
  const one = new BatchedScreen((text) => batches.push(text));
  for (let index = 0; index < 100; index += 1) {
    one.output("x");
  }
  assert.deepEqual(batches, []);
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.deepEqual(batches, ["x".repeat(100)]);
  one.end();
  assert.equal(batches.length, 1);
});
