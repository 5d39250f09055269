import assert from "node:assert/strict";
import * as path from "node:path";
import { loadCatalogue } from "../../../../../src/engine/catalogue/index.ts";
import { explain } from "../../../../../src/engine/diagnosis/explain/index.ts";
import type { CauseName } from "../../../../../src/engine/diagnosis/explain/index.ts";
import { openEnvironment } from "../../../../../src/engine/diagnosis/index.ts";
import { NodeFiles } from "../../../../../src/engine/files/index.ts";
import type { FitEnvironment } from "../../../../../src/engine/fit/index.ts";
import type { ExplainVerdict } from "../../../../../src/engine/model/index.ts";

export const catalogue = loadCatalogue();

/** All verdicts of a text, each of which says what would settle it unless it is certain. */
export async function verdictsOf(text: string, environment?: FitEnvironment): Promise<readonly ExplainVerdict[]> {
  const { verdicts } = await explain(text, { catalogue, ...(environment === undefined ? {} : { environment }) });
  for (const { cause, confidence, needs } of verdicts) assert.ok(confidence === "certain" || needs.length > 0, `${cause} is ${confidence} and does not say what would settle it: ${text}`);
  return verdicts;
}

/** The verdict of a text that has one. */
export async function verdictOf(text: string, environment?: FitEnvironment): Promise<ExplainVerdict> {
  const verdicts = await verdictsOf(text, environment);
  const [first] = verdicts;
  assert.equal(verdicts.length, 1, `${text}\n${verdicts.map((one) => `${one.cause}: ${one.headline}`).join("\n")}`);
  assert.ok(first !== undefined);
  return first;
}

/** Asserts the verdict of a text: its cause, its confidence, and what its headline says. */
export async function says(text: string, cause: CauseName, confidence: ExplainVerdict["confidence"], headline: RegExp, environment?: FitEnvironment): Promise<ExplainVerdict> {
  const verdict = await verdictOf(text, environment);
  assert.deepEqual({ cause: verdict.cause, confidence: verdict.confidence }, { cause, confidence }, `${text}\n${verdict.headline}`);
  assert.match(verdict.headline, headline);
  return verdict;
}

export async function silent(text: string): Promise<void> {
  assert.deepEqual((await verdictsOf(text)).map((one) => `${one.cause}: ${one.words}`), [], text);
}

/** A release of torch as the catalogue knows it. */
export async function release(spec: string): Promise<FitEnvironment> {
  const opened = await openEnvironment(spec, { root: path.resolve("/"), files: new NodeFiles(), catalogue, environment: {} });
  assert.ok(opened.ok, opened.ok ? "" : opened.message);
  return opened.environment;
}
