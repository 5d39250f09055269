/** The report of a binary for an issue: as long as people read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { binaryMarkdown } from "../../../src/server/features/binaryMarkdown.ts";
import { fits, view } from "../../support/binary-view.ts";

function symbolLines(count: number): string[] {
  const missing = Array.from({ length: count }, (_, index) => ({ symbol: `f${index}`, demangled: `f${index}`, binding: "global" as const, kind: "drift" as const, because: "Nobody exports it." }));
  return binaryMarkdown(view([], { fits: fits({ missing }) })).split("\n").filter((line) => /^(?:Missing symbols|- `f\d|- and )/.test(line));
}

test("twenty missing symbols are listed, and how many more there are", () => {
  const twenty = symbolLines(20);
  assert.equal(twenty[0], "Missing symbols: 20");
  assert.equal(twenty.length, 21);
  assert.equal(twenty.at(-1), "- `f19` (`f19`): Nobody exports it.");
  const more = symbolLines(21);
  assert.deepEqual([more[0], ...more.slice(20)], ["Missing symbols: 21", "- `f19` (`f19`): Nobody exports it.", "- and 1 more"]);
});
