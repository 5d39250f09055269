/** A bisect that really installs, builds and tests, with pip, a compiler and the nightlies of a local index. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { it } from "node:test";
import { EngineDiagnostician } from "../../../../src/cli/workshop/diagnostician.ts";
import { bisect, readSettings, resumeCombinations, triesOf } from "../../../../src/workshop/combinations/index.ts";
import type { BisectBy } from "../../../../src/workshop/combinations/types.ts";
import { writeNightlyExtension } from "../../../support/nightlyTorch.ts";
import { index as nightlies, onlyIndex, project, python } from "../cells/support.ts";
import { projectFolder, recordsOf, workshopIn } from "../predict/support.ts";

it("finds the planted day by symbols alone, by real builds and by real smoke tests, each with two runs", async () => {
  const index = await nightlies({ days: 8, since: { removed: "20261005" } });
  try {
    const root = project(path.join(projectFolder(), "project"), index.nightly());
    writeNightlyExtension(path.join(root, "nightly_ops", `_C.cpython-${python.replace(".", "")}-x86_64-linux-gnu.so`), ["removed"]);
    const { workshop: plain } = workshopIn(root, onlyIndex(index, root));
    const workshop = { ...plain, diagnostician: new EngineDiagnostician({ environment: plain.environment }, undefined, () => undefined) };
    const { settings } = readSettings(root);
    const found = async (by: BisectBy): Promise<readonly unknown[]> => {
      const report = await bisect({ root, files: [], good: "20261001", bad: "20261008", by, wanted: { indexes: [index.nightly()] }, settings, budget: 3e8, offline: false, record: true, restart: false, cacheFolder: path.join(root, ".cache") }, workshop, triesOf(root, settings, workshop));
      return [report.outcome, report.lastGood?.day, report.firstBad?.day, report.steps.filter((one) => one.by !== "fits").map((one) => one.verdict)];
    };
    assert.deepEqual(await found("fits"), ["found", "20261004", "20261005", []]);
    assert.deepEqual(await found("build"), ["found", "20261004", "20261005", ["bad", "good"]]);
    assert.deepEqual(await found("smoke"), ["found", "20261004", "20261005", ["bad", "good"]]);
    // Of each of those that tried: results and logs, under the name that the records have for the run.
    const runs = fs.readdirSync(path.join(root, ".abiding", "local", "combinations"));
    assert.deepEqual(runs.toSorted(), [...new Set(recordsOf(root).flatMap((one) => one.run ?? []))].toSorted());
    assert.deepEqual(runs.map((run) => fs.readdirSync(path.join(root, ".abiding", "local", "combinations", run))), [["cells"], ["cells"]]);
    await assert.rejects(resumeCombinations({ root, settings }, "last", { workshop, tell: () => undefined }), /has no run that could be gone on with/);
    const smoke = recordsOf(root).filter((record) => record.how === "smoke");
    assert.deepEqual(smoke.map((record) => [record.outcome, record.combination.torch.version]), [["passed", index.version("20261004")]]);
    const last = recordsOf(root).at(-1);
    assert.deepEqual([last?.how, last?.outcome, last?.combination.torch.version], ["built", "failed", index.version("20261005")]);
    assert.match(last?.reason?.message ?? "", /^The build failed/);
  } finally {
    await index.stop();
  }
});
