import assert from "node:assert/strict";
import { it } from "node:test";
import { slowdown } from "../../../../src/workshop/combinations/bisect/slower.ts";
import { run } from "../../benchmark/support.ts";

const steady = [1, 1.01, 0.99, 1, 1.02, 0.98, 1, 1.01, 0.99, 1];
const times = (factor: number): readonly number[] => steady.map((one) => one * factor);

it("a torch is slower by the benchmark that lost most, as far as that is more than noise", () => {
  const good = run({ copy: steady, sum: steady });
  const now = run({ copy: times(3), sum: times(2) });
  assert.deepEqual(slowdown([good], [now], []), { log: Math.log(3), because: "copy takes 3.00 times as long as with the good torch." });
  assert.deepEqual(slowdown([good], [run({ copy: times(1.01), sum: times(0.5) })], []), { log: 0 });
});

it("a difference that the room calls unclear counts when it is half as much again", () => {
  const busy = { warnings: ["The machine was busy."] };
  const good = run({ copy: steady }, busy);
  assert.deepEqual(slowdown([good], [run({ copy: times(1.3) }, busy)], []), { log: 0 });
  assert.deepEqual(slowdown([good], [run({ copy: times(2) }, busy)], []), { log: Math.log(2), because: "copy takes 2.00 times as long as with the good torch." });
});

it("nothing is said where there is nothing to compare", () => {
  assert.equal(slowdown([run({ copy: steady })], [run({ other: steady })], []), undefined);
  assert.equal(slowdown([], [run({ copy: steady })], []), undefined);
});
