import assert from "node:assert/strict";
import { test } from "node:test";
import { contradict, followFrom } from "../../../src/engine/rules/conditions.ts";

const location = { path: "/p", range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } };

/** "A" holds, "!A" is the branch on which it does not. */
function together(...texts: readonly string[]): boolean {
  return !contradict(texts.map((one) => ({ text: one.replace(/^!/, ""), id: one, branch: one.startsWith("!") ? 1 : 0, location })));
}

test("names decide the formulas that they stand in", () => {
  assert.equal(together("A", "!A and not B", "!B"), false);
  assert.equal(together("A", "!A and not B", "B"), true);
  assert.equal(together("A", "A and not B"), true);
  assert.equal(together("!A", "A or B", "!B"), false);
  assert.equal(together("not A", "A"), false);
  assert.equal(together("!NOT A", "A"), true);
  assert.equal(together("A", "NOT (A OR B)"), false);
});

test("what is not understood stays undecided", () => {
  assert.equal(together("A", '!A STREQUAL "x"', "B EQUAL 1"), true);
  assert.equal(together("A", "!A and", "(", "!)"), true);
  assert.equal(together("A", `!${"A and ".repeat(100)}A`), true);
});

test("what follows from the conditions of a target", () => {
  const conditions = (...texts: readonly string[]) => texts.map((one) => ({ text: one.replace(/^!/, ""), id: one.replace(/^!/, ""), branch: one.startsWith("!") ? 1 : 0, location }));
  assert.equal(followFrom(conditions("A OR B"), conditions("B")), true);
  assert.equal(followFrom(conditions("A OR B"), conditions("C")), false);
  assert.equal(followFrom(conditions("A AND B"), conditions("B")), false);
  assert.equal(followFrom(conditions("X STREQUAL y"), conditions("X STREQUAL y")), true);
  assert.equal(followFrom(conditions("!A OR B"), conditions("B")), false);
  assert.equal(followFrom([], conditions("B")), true);
});
