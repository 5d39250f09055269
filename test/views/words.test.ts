import assert from "node:assert/strict";
import test from "node:test";
import { age, duration, elapsed, fractionWords, plural, recordWords, shortCommit } from "../../src/views/words.ts";

test("a prediction is never worded as something that was tried", () => {
  assert.deepEqual((["no-conflict", "conflict", "unknown"] as const).map((outcome) => recordWords("predicted", outcome)), ["predicted no conflict", "predicted conflict", "prediction could not tell"]);
  // Records are read from files that anybody may have written.
  assert.equal(recordWords("predicted", "passed"), "prediction could not tell");
  assert.deepEqual((["passed", "failed", "unknown"] as const).map((outcome) => recordWords("smoke", outcome)), ["smoke tests passed", "smoke tests failed", "smoke tests could not be told"]);
});

test("seconds with three digits", () => {
  assert.deepEqual([2.5, 0.01234, 12.3456e-6, 5e-9, 0].map(duration), ["2.5 s", "12.3 ms", "12.3 µs", "5 ns", "0 ns"]);
});

test("how long something takes already", () => {
  assert.deepEqual([-5, 900, 4000, 125_000, 3_725_000].map(elapsed), ["0 s", "0 s", "4 s", "2 min 05 s", "1 h 02 min"]);
});

test("how long ago something was, or that a clock is ahead", () => {
  const now = new Date("2026-11-30T12:00:00Z");
  const words = ["2026-11-30T11:59:40Z", "2026-11-30T11:30:00Z", "2026-11-30T09:00:00+00:00", "2026-11-27T12:00:00Z", "2026-08-30T12:00:00Z", "2024-11-30T12:00:00Z", "2026-11-30T14:00:00Z", "soon"].map((when) => age(when, now));
  assert.deepEqual(words, ["just now", "30 minutes ago", "3 hours ago", "3 days ago", "3 months ago", "2 years ago", "in 2 hours", undefined]);
});

test("fractions say of what", () => {
  assert.deepEqual([fractionWords({ name: "a", fraction: 0.734, of: "copy" }), fractionWords({ name: "a", fraction: 0.0712, of: "roof" })], ["73 % of copy bandwidth", "7.1 % of the roofline"]);
});

test("hashes are cut, names are not", () => {
  assert.deepEqual(["0123456789abcdef0123456789abcdef01234567", "v1.2.0", "feature/long-name-of-a-branch"].map(shortCommit), ["012345678", "v1.2.0", "feature/long-name-of-a-branch"]);
});

test("plurals", () => {
  assert.deepEqual([plural(1, "row"), plural(1200, "row"), plural(2, "library", "libraries")], ["1 row", "1,200 rows", "2 libraries"]);
});
