import assert from "node:assert/strict";
import { test } from "node:test";
import { endedCellLine, planText, runText } from "../../../../src/cli/reporters/combinationsRunText.ts";
import type { CellResult, RunReport } from "../../../../src/workshop/combinations/types.ts";

const layout = { workingDirectory: "/work", colours: false };
const cell = { id: "torch-2.15.0-py3.11-1a2b3c4d", label: "torch 2.15.0, Python 3.11", torch: "2.15.0", packages: {}, index: "https://pypi.org/simple" };
const passed: CellResult = {
  schema: 1, cell: { ...cell, label: "torch 2.14.1, Python 3.11" }, outcome: "passed", started: "2026-11-30T10:00:00Z", milliseconds: 119_600,
  steps: [{ name: "install", outcome: "passed", milliseconds: 59_700 }, { name: "smoke", outcome: "passed", milliseconds: 1234, counts: { passed: 5, failed: 0, skipped: 7 } }],
  records: [{ schema: 1, combination: { project: { name: "p" }, torch: { version: "2.14.1" }, platform: "linux-x86_64" }, how: "smoke", outcome: "passed", when: "2026-11-30T10:00:00Z", by: "1" }],
};
const failed: CellResult = {
  schema: 1, cell, outcome: "failed", started: "2026-11-30T10:00:00Z", milliseconds: 9_500, records: [],
  steps: [{ name: "install", outcome: "passed", milliseconds: 8000 }, { name: "load", outcome: "failed", milliseconds: 1500, log: "/work/p/.abiding/local/x/logs/load.log" }],
  reason: { message: "_C.so does not load: it needs c10::f(), which torch 2.15.0 no longer exports.", rule: "torch-symbols" },
};

test("the report of a run names what did not pass with its reason, rule and log, and how to go on", () => {
  const report: RunReport = {
    schema: 1, root: "/work/p", run: "2026-11-30T10-00-00Z", outcome: "cancelled", executor: "local", results: [passed, failed], leftOut: [{ label: "torch 2.13.0, Python 3.14", because: "No wheel." }],
    records: "/work/p/.abiding/combinations.jsonl", warnings: ["The index did not answer."],
  };
  assert.equal(runText(report, layout), `/work/p
run 2026-11-30T10-00-00Z

passed torch 2.14.1, Python 3.11 (2 min 0 s)
  install passed in 1 min 0 s, smoke passed (5 passed, 7 skipped) in 1.2 s

failed torch 2.15.0, Python 3.11 (10 s)
  install passed in 8.0 s, load failed in 1.5 s
    _C.so does not load: it needs c10::f(), which torch 2.15.0 no longer exports. [torch-symbols,
    docs/rules/torch-symbols.md]
    log: p/.abiding/local/x/logs/load.log

left out torch 2.13.0, Python 3.14: No wheel.

! The index did not answer.

1 passed, 1 failed, 1 left out
abiding combinations run --resume 2026-11-30T10-00-00Z goes on with it.
recorded in p/.abiding/combinations.jsonl
`);
});

test("a cell that has ended is a line, and no text of a project reaches the terminal as a command", () => {
  assert.equal(endedCellLine(passed, true, false), "passed    torch 2.14.1, Python 3.11 (before)\n");
  assert.equal(endedCellLine({ ...failed, outcome: "unknown", reason: { message: "\u001b[2J gone" } }, false, false), "not told  torch 2.15.0, Python 3.11 (10 s). \\x1b[2J gone\n");
});

test("a plan shows what --only takes", () => {
  assert.equal(planText({ cells: [cell], wheels: new Map(), leftOut: [], warnings: [] }, layout), `torch 2.15.0, Python 3.11
  torch-2.15.0-py3.11-1a2b3c4d, from https://pypi.org/simple

1 cell; nothing was tried.
`);
});
