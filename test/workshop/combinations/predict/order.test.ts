import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Verdict } from "../../../../src/engine/model/index.ts";
import { Spending } from "../../../../src/engine/binaries/remote/index.ts";
import { nextToAsk } from "../../../../src/workshop/combinations/predict/order.ts";
import type { Standing } from "../../../../src/workshop/combinations/predict/order.ts";
import { Purse } from "../../../../src/workshop/combinations/predict/purse.ts";
import { oneForEachTorch, wantedOf } from "../../../../src/workshop/combinations/predict/torches.ts";
import type { KnownWheel } from "../../../../src/workshop/combinations/types.ts";

/** The places in the order in which they are read, when every answer comes before the next question. */
function orderOf(truth: readonly Verdict[]): readonly number[] {
  const row: Standing[] = truth.map(() => undefined);
  const asked: number[] = [];
  for (let next = nextToAsk(row); next !== undefined; next = nextToAsk(row)) {
    asked.push(next);
    row[next] = truth[next];
  }
  return asked;
}

describe("the order of predictions", () => {
  it("is both ends, then where something broke, then the longest gaps; each once", () => {
    const truth: Verdict[] = [...Array<Verdict>(5).fill("conflict"), ...Array<Verdict>(12).fill("no-conflict")];
    const order = orderOf(truth);
    // Of 17 torches six tell where it broke: between the fourth and the fifth place.
    assert.deepEqual(order.slice(0, 6), [0, 16, 8, 4, 6, 5]);
    assert.deepEqual([...order].sort((a, b) => a - b), truth.map((_, index) => index));
  });

  it("does not ask again for what is underway, and ends", () => {
    assert.deepEqual([nextToAsk([]), nextToAsk(["asked"]), nextToAsk([undefined]), nextToAsk(["asked", undefined]), nextToAsk(["asked", undefined, "asked"]), nextToAsk(["conflict", "asked", "no-conflict"])], [undefined, undefined, 0, 1, 1, undefined]);
  });
});

describe("the purse of one torch", () => {
  it("spends out of what all may, and remembers that the budget was in the way", () => {
    const all = new Spending(100);
    const [one, other] = [new Purse(all), new Purse(all)];
    const reserved = one.reserve("a", 60);
    reserved.spend(50);
    assert.throws(() => other.reserve("b", 50), /budget/);
    reserved.release();
    assert.deepEqual([one.spent, one.wasRefused, other.spent, other.wasRefused, all.spent, other.left], [50, false, 0, true, 50, 50]);
  });
});

function wheel(version: string): KnownWheel {
  return { package: "torch", version, file: `torch-${version}.whl`, url: "https://example.invalid/t.whl", index: "https://example.invalid", python: "cp311", abi: "cp311", platforms: ["manylinux_2_28_x86_64"], firstSeen: "", lastSeen: "", listed: true };
}

describe("the wheel of a torch", () => {
  const builds = ["2.14.1+cu130", "2.14.1+cu126", "2.14.1+cpu", "2.13.0+cpu"].map(wheel);
  const chosen = (cudaMajor: number | undefined, variant?: string): readonly string[] => oneForEachTorch(builds, { indexes: [], ...(variant === undefined ? {} : { variant }) }, cudaMajor === undefined ? {} : { cudaMajor }).map((one) => one.version);

  it("is the build that the files are for", () => {
    assert.deepEqual([chosen(13), chosen(12), chosen(undefined)], [["2.14.1+cu130", "2.13.0+cpu"], ["2.14.1+cu126", "2.13.0+cpu"], ["2.14.1+cpu", "2.13.0+cpu"]]);
    // With a variant that was asked for, the indexes' order decides.
    assert.deepEqual(chosen(12, "cu130"), ["2.14.1+cu130", "2.13.0+cpu"]);
  });

  it("is asked for as abiding.json says where that leaves no choice", () => {
    assert.deepEqual(wantedOf(undefined), { indexes: [] });
    assert.deepEqual(wantedOf({ indexes: ["https://example.invalid"], matrix: { cuda: ["cu130"], python: ["3.11", "3.12"] } }), { indexes: ["https://example.invalid"], variant: "cu130" });
  });
});
