import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compare, defaultRepetitions, repetitionsFor } from "../../../src/workshop/benchmark/comparison.ts";
import { machineChanges } from "../../../src/workshop/benchmark/machineChanges.ts";
import { schedule } from "../../../src/workshop/benchmark/schedule.ts";
import { randomNumbers } from "../../../src/workshop/benchmark/statistics/random.ts";
import type { BenchmarkRun } from "../../../src/workshop/benchmark/types.ts";
import { machine, run } from "./support.ts";

const inTurns = { threshold: 0.03, interleaved: true, history: [] };
const apart = { threshold: 0.03, interleaved: false, history: [] };
/** Ten samples around a value, spread by about 1 %. */
const around = (value: number, seed = 1): number[] => {
  const random = randomNumbers(seed);
  return Array.from({ length: 10 }, () => value * (1 + 0.02 * (random() - 0.5)));
};
const verdicts = (before: BenchmarkRun, now: BenchmarkRun, options: Parameters<typeof compare>[1] = inTurns): Readonly<Record<string, string>> =>
  Object.fromEntries(compare([{ before, now }], options).map((one) => [one.name, one.verdict]));

describe("a comparison", () => {
  it("claims what is outside the noise, and has every figure with it", () => {
    const [one] = compare([{ before: run({ a: around(1) }), now: run({ a: around(1.1, 2) }) }], inTurns);
    assert.equal(one?.verdict, "regressed");
    assert.deepEqual(one.samples, [10, 10]);
    assert.ok(Math.abs((one.ratio ?? 0) - 1.1) < 0.01 && (one.interval?.[0] ?? 0) > 1.08 && (one.interval?.[1] ?? 2) < 1.12);
    assert.equal(one.effect, 1);
    assert.equal(one.p, 2 / 184_756);
    assert.match(one.reason ?? "", /^It takes 1\.\d{3} \(1\.\d{3} to 1\.\d{3}\) times what it took before\.$/);
    assert.deepEqual(verdicts(run({ a: around(1) }), run({ a: around(0.9, 2) })), { a: "improved" });
    assert.deepEqual(verdicts(run({ a: around(1) }), run({ a: around(1, 2) })), { a: "no-difference" });
  });

  it("never claims with three of each, and says how many would do", () => {
    const [one] = compare([{ before: run({ a: [1, 1.01, 1.02] }), now: run({ a: [2, 2.01, 2.02] }) }], inTurns);
    assert.equal(one?.verdict, "too-few");
    assert.equal(one.p, 0.1);
    assert.equal(one.reason, "With 3 and 3 repetitions the smallest p is 0.1, which is not under 0.05: 4 of each would be enough to tell.");
    assert.equal(repetitionsFor(1), 4);
    assert.equal(repetitionsFor(300), 8);
    assert.ok(repetitionsFor(4000) <= defaultRepetitions);
  });

  it("counts the other comparisons of the report: four of each are too few for two benchmarks", () => {
    const four = { a: [1, 1.01, 1.02, 1.03], b: [1, 1.01, 1.02, 1.03] };
    const twice = { a: [2, 2.01, 2.02, 2.03], b: [2, 2.01, 2.02, 2.03] };
    assert.deepEqual(verdicts(run({ a: four.a }), run({ a: twice.a })), { a: "regressed" });
    assert.deepEqual(verdicts(run(four), run(twice)), { a: "too-few", b: "too-few" });
  });

  it("corrects p for the other comparisons of the report: what one benchmark alone shows is chance among ten", () => {
    const [before, now] = [[1, 1.002, 1.004, 1.006, 1.008, 1.105], [1.1, 1.102, 1.104, 1.106, 1.108, 1.11]];
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`b${at}`, around(1).slice(0, 6)]));
    assert.deepEqual(verdicts(run({ a: before }), run({ a: now })), { a: "regressed" });
    const [one] = compare([{ before: run({ a: before, ...nine }), now: run({ a: now, ...nine }) }], inTurns);
    assert.equal(one?.verdict, "no-difference");
    assert.ok((one.p ?? 1) < 0.05 && (one.corrected ?? 0) > 0.05 && (one.interval?.[0] ?? 0) > 1, JSON.stringify(one));
  });

  it("does not claim what is real but too small to matter, or smaller than the spread of the repetitions", () => {
    const [small] = compare([{ before: run({ a: around(1) }), now: run({ a: around(1.02, 2) }) }], inTurns);
    assert.equal(small?.verdict, "no-difference");
    assert.ok((small.corrected ?? 1) < 0.05);
    assert.match(small.reason ?? "", /is smaller than the 3\.0 % that matter\.$/);
    assert.deepEqual(verdicts(run({ a: around(1) }), run({ a: around(1.02, 2) }), { ...inTurns, threshold: 0.005 }), { a: "regressed" });
    const wide = [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9];
    const [noisy] = compare([{ before: run({ a: wide }), now: run({ a: wide.map((one) => one + 0.44) }) }], inTurns);
    assert.equal(noisy?.verdict, "no-difference");
    assert.ok((noisy.corrected ?? 1) < 0.05 && (noisy.ratio ?? 0) > 1.3 && (noisy.threshold ?? 0) > 0.3);
    assert.match(noisy.reason ?? "", /within the spread of the repetitions/);
    const wild = [1, 1.2, 1.4, 1.8, 2, 2.2, 2.4, 3, 4, 5];
    assert.deepEqual(verdicts(run({ a: wild }), run({ a: wild.map((one) => one / 8) })), { a: "improved" }, "a spread of 100 % hides half the time, not an eighth of it");
    assert.deepEqual(verdicts(run({ a: wild.map((one) => one / 8) }), run({ a: wild })), { a: "regressed" });
  });

  it("does not claim what the test alone does not bear out", () => {
    const [one] = compare([{ before: run({ a: [1, 1.001, 1.002, 1.05] }), now: run({ a: [1.06, 1.061, 1.062, 1.049] }) }], inTurns);
    assert.equal(one?.p, 4 / 70);
    assert.ok((one.interval?.[0] ?? 0) > 1 && (one.ratio ?? 0) > 1 + (one.threshold ?? 1), JSON.stringify(one));
    assert.equal(one.verdict, "no-difference");
  });

  it("says nothing about the program when the machine is another one", () => {
    const now = run({ a: around(2, 2) }, { machine: { ...machine, governor: "powersave", cpu: "Other CPU" } });
    const [one] = compare([{ before: run({ a: around(1) }), now }], inTurns);
    assert.equal(one?.verdict, "machines-differ");
    assert.equal(one.reason, "The machine is not as it was (processor: Test CPU, now Other CPU; frequency governor: unknown, now powersave), so nothing is said about the program.");
  });

  it("tells benchmarks of one side, without a number, and counted by another clock", () => {
    const before = run({ gone: around(1), failed: around(1), clock: around(1) });
    const now = run({ fresh: around(1), failed: [], clock: around(2) });
    const withClock = { ...now, measurements: now.measurements.map((one) => (one.name === "clock" ? { ...one, clock: "cpu" as const } : one.name === "failed" ? { ...one, problem: "no GPU" } : one)) };
    const clocked = { ...before, measurements: before.measurements.map((one) => ({ ...one, clock: "real" as const })) };
    assert.deepEqual(verdicts(clocked, withClock), { fresh: "only-now", failed: "not-measured", clock: "machines-differ", gone: "only-before" });
    assert.deepEqual(verdicts(clocked, withClock, { ...inTurns, filter: /fresh/ }), { fresh: "only-now", failed: "not-measured", clock: "machines-differ" }, "what the filter left out is not missing");
  });

  it("does not claim between runs at different times what such runs differ by anyway", () => {
    const before = run({ a: around(1) }, { id: "5" });
    const now = run({ a: around(1.15, 2) }, { id: "6" });
    const history = [1, 1.1, 0.98, 1.12, 1].map((value, index) => run({ a: around(value, index + 3) }, { id: String(index + 1) }));
    assert.deepEqual(verdicts(before, now, { ...apart, history }), { a: "unclear" });
    assert.deepEqual(verdicts(before, now, { ...inTurns, history }), { a: "regressed" });
    const steady = [1, 1.002, 0.999, 1.001, 1].map((value, index) => run({ a: around(value, index + 3) }, { id: String(index + 1) }));
    assert.deepEqual(verdicts(before, now, { ...apart, history: steady }), { a: "regressed" });
    const [one] = compare([{ before, now }], { ...apart, history });
    assert.match(one?.reason ?? "", /^It takes 1\.1\d\d \(.+\) times what it took before, but how far runs at different times differ here can be 1\.\d{3} times, by the last 5 runs\./);
  });

  it("without such a history claims more than a tenth on a quiet machine, and nothing on a busy one", () => {
    const before = run({ a: around(1) });
    const busy = { warnings: ["The machine was busy."] };
    assert.deepEqual(verdicts(before, run({ a: around(1.08, 2) }), apart), { a: "unclear" });
    assert.deepEqual(verdicts(before, run({ a: around(1.15, 2) }), apart), { a: "regressed" });
    assert.deepEqual(verdicts(before, run({ a: around(3, 2) }, busy), apart), { a: "unclear" });
  });

  it("takes a step that all benchmarks made for the machine's, and one that a single benchmark made for the program's", () => {
    const names = Array.from({ length: 10 }, (_, index) => `b${index}`);
    const all = (factor: (index: number) => number, seed: number): BenchmarkRun => run(Object.fromEntries(names.map((name, index) => [name, around(factor(index), seed + index)])));
    assert.deepEqual(new Set(Object.values(verdicts(all(() => 1, 1), all(() => 1.2, 50), apart))), new Set(["unclear"]));
    const one = verdicts(all(() => 1, 1), all((index) => (index === 3 ? 1.2 : 1), 50), apart);
    assert.deepEqual(Object.entries(one).filter(([, verdict]) => verdict !== "no-difference"), [["b3", "regressed"]]);
  });

  it("cries wolf in at most one report of twenty on a drifting, jumping machine when both sides are measured in turns", () => {
    const random = randomNumbers(77);
    const gauss = (): number => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
    let claims = 0;
    const reports = 60;
    for (let report = 0; report < reports; report++) {
      const sides = { A: new Map<string, number[]>(), B: new Map<string, number[]>() };
      const states = ["all", "a", "b", "c", "d"].map(() => ({ drift: gauss(), jump: 0 }));
      for (const side of schedule(10, 2, report + 1).flat()) {
        for (const state of states) {
          state.drift = 0.9 * state.drift + 0.44 * gauss();
          state.jump = random() < 0.1 ? 4 - state.jump : state.jump;
        }
        ["a", "b", "c", "d"].forEach((name, index) => {
          const [all, own] = [states[0], states[index + 1]];
          const value = Math.exp(0.015 * ((all?.drift ?? 0) + (all?.jump ?? 0) + (own?.drift ?? 0) + (own?.jump ?? 0)) + 0.01 * gauss());
          sides[side].set(name, [...sides[side].get(name) ?? [], value]);
        });
      }
      const found = verdicts(run(Object.fromEntries(sides.B)), run(Object.fromEntries(sides.A)), inTurns);
      claims += Object.values(found).some((verdict) => verdict === "regressed" || verdict === "improved") ? 1 : 0;
    }
    assert.ok(claims <= reports / 20, `${claims} of ${reports} reports claim a difference`);
  });
});

describe("the schedule", () => {
  it("turns every second pair around, and draws which side begins", () => {
    const order = schedule(10, 2, 5).map((pair) => pair.join("")).join(" ");
    assert.match(order, /^(?:(?:AB BA|BA AB) ?){5}$/);
    assert.equal(schedule(10, 2, 5).flat().join(""), schedule(10, 2, 5).flat().join(""));
    assert.ok(new Set(Array.from({ length: 20 }, (_, seed) => schedule(10, 2, seed + 1).flat().join(""))).size > 10);
    assert.deepEqual(schedule(2, 1, 5), [["A"], ["A"]]);
  });
});

describe("two machines", () => {
  it("differ in what moves measurements, not in a little memory or load", () => {
    assert.deepEqual(machineChanges(machine, { ...machine, memoryBytes: machine.memoryBytes * 1.01, load: [9, 9] }), []);
    assert.deepEqual(machineChanges(machine, { ...machine, memoryBytes: 2 * machine.memoryBytes, cpuLimit: 2, smt: true, turbo: false, virtual: "virtual machine", gpus: [{ name: "H100", driver: "580.1" }] }), [
      "limit of the control group: none, now 2 cores", "turbo: unknown, now off", "simultaneous multithreading: unknown, now on", "memory: 14.9 GiB, now 29.8 GiB",
      "virtual machine: none, now virtual machine", "GPUs: none, now H100, driver 580.1",
    ]);
  });
});
