import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ratioInterval } from "../../../src/workshop/benchmark/statistics/bootstrap.ts";
import { holm } from "../../../src/workshop/benchmark/statistics/holm.ts";
import { cliffsDelta, mannWhitney, smallestP } from "../../../src/workshop/benchmark/statistics/mannWhitney.ts";
import { randomNumbers } from "../../../src/workshop/benchmark/statistics/random.ts";
import { median, quantile, spread } from "../../../src/workshop/benchmark/statistics/samples.ts";

function near(actual: number, expected: number, relative: number): void {
  assert.ok(Math.abs(actual - expected) <= relative * Math.abs(expected), `${actual} instead of ${expected}`);
}

/** Values that come with no source were computed with SciPy 1.17.1 and NumPy 2.4.6. */
describe("Mann-Whitney", () => {
  it("counts all arrangements of few samples: scipy.stats.mannwhitneyu(method='exact')", () => {
    const first = [1.1, 2.3, 3.7, 4.2, 5.9];
    const second = [2.1, 4.9, 6.3, 7.7, 8.8, 9.1, 10.4];
    assert.equal(mannWhitney(first, second).u, 5);
    near(mannWhitney(first, second).p, 0.04797979797979798, 1e-12);
    assert.deepEqual(mannWhitney(second, first), { u: 30, p: mannWhitney(first, second).p, method: "exact" });
  });

  it("is exact with equal samples too: scipy.stats.permutation_test over all arrangements", () => {
    const { u, p, method } = mannWhitney([1, 2, 2, 3, 3, 3, 4, 5], [2, 3, 4, 4, 5, 5, 6, 6, 7]);
    assert.equal(u, 13.5);
    assert.equal(method, "exact");
    near(p, 0.02863019333607569, 1e-12);
  });

  it("takes the normal approximation with both corrections beyond 50 samples: method='asymptotic'", () => {
    const first = Array.from({ length: 30 }, (_, index) => (index * 7) % 20);
    const second = Array.from({ length: 30 }, (_, index) => 3 + ((index * 11) % 21));
    const { u, p, method } = mannWhitney(first, second);
    assert.equal(method, "normal");
    assert.equal(u, 322);
    near(p, 0.05913455782673546, 1e-5);
  });

  it("finds nothing in samples that are all the same, or absent", () => {
    assert.equal(mannWhitney([2, 2, 2], [2, 2, 2]).p, 1);
    assert.equal(mannWhitney(new Array<number>(40).fill(2), new Array<number>(40).fill(2)).p, 1);
    assert.equal(mannWhitney([], [1]).p, 1);
  });

  it("cannot give a p under 0.1 with three of each, and says what more of them can", () => {
    assert.equal(smallestP(3, 3), 0.1);
    assert.equal(mannWhitney([1, 2, 3], [4, 5, 6]).p, 0.1);
    assert.equal(smallestP(4, 4), 2 / 70);
    near(smallestP(10, 10), 2 / 184_756, 1e-12);
    assert.equal(smallestP(1, 1), 1);
  });

  it("has Cliff's delta for an effect", () => {
    const delta = (a: readonly number[], b: readonly number[]): number => cliffsDelta(mannWhitney(a, b).u, a.length, b.length);
    assert.equal(delta([1, 2, 3], [4, 5, 6]), 1);
    assert.equal(delta([4, 5, 6], [1, 2, 3]), -1);
    assert.equal(delta([1, 2, 3], [1, 2, 3]), 0);
    assert.equal(delta([1, 2], [1, 3]), 0.25);
  });
});

describe("other arithmetic", () => {
  it("corrects as R's p.adjust(method = 'holm')", () => {
    assert.deepEqual(holm([0.01, 0.02, 0.03, 0.04]), [0.04, 0.06, 0.06, 0.06]);
    assert.deepEqual(holm([0.5, 0.001, 0.2]), [0.5, 0.003, 0.4]);
    assert.deepEqual(holm([0.9, 0.8]), [1, 1]);
    assert.deepEqual(holm([]), []);
  });

  it("has quantiles as numpy.quantile", () => {
    const values = [1, 2, 4, 8, 16, 32];
    assert.equal(quantile(values, 0.25), 2.5);
    assert.equal(quantile(values, 0.975), 30);
    assert.equal(median([5, 1, 3]), 3);
    assert.equal(median([5, 1, 3, 4]), 3.5);
    assert.equal(spread([90, 100, 110, 100, 100]), 0);
    assert.equal(spread([80, 90, 100, 110, 120]), 0.2);
  });

  it("has numbers that the seed decides, spread evenly", () => {
    const [a, b] = [randomNumbers(9), randomNumbers(9)];
    const numbers = Array.from({ length: 10_000 }, a);
    assert.deepEqual(Array.from({ length: 3 }, b), numbers.slice(0, 3));
    assert.ok(numbers.every((one) => one >= 0 && one < 1));
    assert.ok(Math.abs(numbers.reduce((sum, one) => sum + one, 0) / 10_000 - 0.5) < 0.01);
  });

  it("has the bootstrap interval of a ratio of medians: scipy.stats.bootstrap(method='percentile'), and always the same", () => {
    const first = [10.1, 10.4, 9.8, 10.0, 10.2, 9.9, 10.6, 10.3, 9.7, 10.5];
    const second = first.map((one, index) => one * (1.1 + 0.01 * (index % 3)));
    const [low, high] = ratioInterval(first, second);
    near(low, 1.0672, 0.006);
    near(high, 1.1493, 0.006);
    assert.deepEqual(ratioInterval(first, second), [low, high]);
    assert.deepEqual(ratioInterval([2], [3]), [1.5, 1.5]);
  });
});
