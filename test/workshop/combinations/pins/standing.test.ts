import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { panelRecords, pinStanding } from "../../../../src/workshop/combinations/index.ts";
import type { PinStanding } from "../../../../src/workshop/combinations/index.ts";
import type { CombinationRecord, IndexKnowledge, KnownWheel } from "../../../../src/workshop/combinations/types.ts";
import { record } from "./support.ts";

const now = new Date("2026-10-13T12:00:00.000Z");

function knownOf(versions: readonly string[]): IndexKnowledge {
  const wheels = versions.map((version): KnownWheel => {
    const file = `torch-${version}-cp311-cp311-manylinux_2_28_x86_64.whl`;
    const day = /dev(\d{8})/.exec(version)?.[1];
    return { package: "torch", version, file, url: `https://example.org/${file}`, index: "https://example.org", python: "cp311", abi: "cp311", platforms: ["manylinux_2_28_x86_64"], firstSeen: "", lastSeen: "", listed: true, ...(day === undefined ? {} : { day }) };
  });
  return { wheels, indexes: [], problems: [] };
}

function standing(torch: string, versions: readonly string[], records: readonly CombinationRecord[] = []): PinStanding {
  return pinStanding(torch, knownOf(versions), { indexes: [], platform: "linux-x86_64" }, panelRecords({ records: records.map((one, at) => ({ ...one, id: String(at) })) }, now), now);
}

describe("pinStanding", () => {
  it("counts nightlies of a nightly and releases of a release", () => {
    const versions = ["2.14.0", "2.15.0rc1", "2.15.0", "2.16.0.dev20261001+cpu", "2.16.0.dev20261003+cpu", "2.16.0.dev20261003+cu130"];
    assert.equal(standing("2.14.0", versions).sentence, "torch 2.14.0 is pinned; 1 newer release is known, and it is not recorded as working.");
    assert.equal(standing("2.16.0.dev20261001", versions).sentence, "The pin torch 2.16.0.dev20261001 is 12 days old; 1 newer nightly is known, and it is not recorded as working.");
    assert.equal(standing("2.16.0.dev20261003+cu130", versions).sentence, "The pin torch 2.16.0.dev20261003+cu130 is 10 days old; no newer nightly is known.");
    assert.equal(standing("2.16.0.dev20991231", versions).days, undefined);
  });

  it("believes the newest test of each machine; one failure counts, and a prediction is none", () => {
    const versions = ["2.13.0", "2.14.0", "2.14.1", "2.15.0", "2.16.0"];
    const said = standing("2.13.0", versions, [
      record("2.13.0", "passed"),
      record("2.14.0", "failed", { when: "2026-10-01T00:00:00.000Z" }), record("2.14.0", "passed", { when: "2026-10-02T00:00:00.000Z" }),
      record("2.14.1+cu130", "passed"), record("2.14.1+cu130", "failed", { python: "3.12", reason: { message: "It does not load.", rule: "torch-symbols" } }),
      record("2.15.0", "no-conflict", { how: "predicted" }), record("2.15.0", "failed", { how: "built", reason: { message: "It does not compile." } }),
      record("2.16.0", "unknown"), record("2.16.0", "conflict", { how: "predicted" }),
    ]);
    assert.deepEqual([said.own, said.newer, said.working, said.firstFailing?.torch, said.firstFailing?.reason?.rule, said.predictedConflict, said.predictedNoConflict], ["passed", 4, ["2.14.0"], "2.14.1", "torch-symbols", ["2.16.0"], []]);
    assert.equal(said.sentence, "torch 2.13.0 is pinned; 4 newer releases are known, and 1 of them is recorded as working, the newest is 2.14.0. The first that fails is 2.14.1 (smoke tests failed). It does not load. Predicted, and not tested: 1 with one.");
  });
});
