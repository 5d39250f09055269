/** What the panel's header and the terminal say of work that failed: what explains it, and a guess as a guess. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BuildReport } from "../../../src/workshop/build/types.ts";
import type { SmokeReport, TestResult } from "../../../src/workshop/smoke/types.ts";
import type { FailureExplanation } from "../../../src/workshop/workshop.ts";
import "../binary/stage.ts";

const { explanationLine, headlineOfBuild, headlineOfSmoke } = await import("../../../src/extension/workshop/headlines.ts");

const guess: FailureExplanation = { cause: "library-not-linked", rule: "missing-library", confidence: "possible", headline: "Possible (others explain it as well): a.o needs c10::f().", message: "Possible (others explain it as well): a.o needs c10::f().", fix: "What would settle it: the link line." };
const sure: FailureExplanation = { cause: "torch-drift", rule: "torch-symbols", headline: "Another torch.", message: "Another torch." };

test("a build that failed says its guess after what it saw", () => {
  const report = { schema: 1, root: "/w", plan: { id: "p", label: "p", kind: "cmake" }, outcome: "failed", reason: "cmake ended with status 2.", against: [], before: [], elsewhere: 0, steps: [], problems: [], products: [], notChecked: [] } satisfies BuildReport;
  assert.deepEqual(headlineOfBuild({ ...report, explanation: guess }), { ending: "failed", headline: "cmake ended with status 2. Possible (others explain it as well): a.o needs c10::f().", rule: "missing-library" });
  assert.deepEqual(headlineOfBuild(report), { ending: "failed", headline: "cmake ended with status 2." });
  assert.equal(explanationLine(guess), "missing-library: Possible (others explain it as well): a.o needs c10::f(). What would settle it: the link line.");
});

test("of tests that failed the one that is surely explained is told, then one with a guess, after its own words", () => {
  const failed = (label: string, explanation?: FailureExplanation): TestResult => ({ id: label, label, plan: "t", outcome: "failed", milliseconds: 1, output: "", messages: [], reason: `${label} ended with 1.`, ...(explanation === undefined ? {} : { explanation }) });
  const told = (...results: readonly TestResult[]): unknown => headlineOfSmoke({ outcome: "failed", results, problems: [] } as unknown as SmokeReport, "3 failed");
  assert.deepEqual(told(failed("a"), failed("b", guess), failed("c", sure)), { ending: "failed", headline: "3 failed. c: Another torch.", rule: "torch-symbols" });
  assert.deepEqual(told(failed("a"), failed("b", guess)), { ending: "failed", headline: "3 failed. b: b ended with 1. Possible (others explain it as well): a.o needs c10::f().", rule: "missing-library" });
  assert.deepEqual(told(failed("a")), { ending: "failed", headline: "3 failed. a: a ended with 1." });
});
