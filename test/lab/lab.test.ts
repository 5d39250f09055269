/** The part of the lab that is built and loaded in less than a minute, under the torch of the tier. `npm run bench -- lab` runs all of it. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { resultsFolder } from "../harness/locations.ts";
import { experiments, isFine, runLab, torchAt } from "./index.ts";
import { record } from "./record.ts";

const prefix = process.env["ABIDING_TEST_TORCH"];
if (prefix === undefined || prefix === "") throw new Error("ABIDING_TEST_TORCH names no environment; `npm test -- --tier lab` prepares one.");

const chosen = experiments.filter((one) => one.inCi ?? true);
const outcome = await runLab(chosen, [await torchAt(prefix)]);
mkdirSync(resultsFolder, { recursive: true });
writeFileSync(join(resultsFolder, "lab.json"), record(outcome));

describe("the lab", () => {
  it("builds every experiment", () => {
    assert.deepEqual(outcome.unmade.map((one) => `${one.experiment.id}: ${one.text}`), []);
  });

  it("has at least 120 experiments", () => {
    assert.ok(outcome.observations.length >= 120, `${outcome.observations.length}`);
  });

  for (const { experiment, torch, comparison } of outcome.observations) {
    it(`${experiment.id} under ${torch.name}: ${experiment.about}`, () => {
      assert.ok(isFine(comparison.judgement), `${comparison.judgement}: ${comparison.why}`);
    });
  }
});
