import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, it } from "node:test";
import { firstIndexOf } from "../../../src/extension/combinations/records.ts";
import { argumentOf } from "../../../src/extension/combinations/settings.ts";
import { panelRecords, readCombinations } from "../../../src/workshop/combinations/index.ts";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-like-"));
after(() => fs.rmSync(root, { recursive: true, force: true }));

it("a torch is looked for first where the newest of its cell's records that says it has it from", async () => {
  const record = (day: number, version: string, index?: string): string => JSON.stringify({
    schema: 1, combination: { project: { name: "ops" }, torch: { version, ...(index === undefined ? {} : { index }) }, python: "3.12", cuda: null, platform: "linux-x86_64", gpu: null },
    how: "smoke", outcome: "passed", when: `2026-11-0${day}T10:00:00.000Z`, by: "0.1.0",
  });
  const file = path.join(root, ".abiding/combinations.jsonl");
  fs.mkdirSync(path.dirname(file));
  fs.writeFileSync(file, [
    record(1, "2.14.1", "https://old.invalid/simple"), record(2, "2.14.1", "https://wheels.invalid/simple"), record(3, "2.14.1", "../wheels"), record(4, "2.14.1"), record(5, "2.15.0", "https://other.invalid/simple"),
  ].map((line) => `${line}\n`).join(""));
  const records = panelRecords(await readCombinations(file));
  const like = records.map((one) => one.id);
  assert.equal(like.length, 5);
  assert.deepEqual(await firstIndexOf(root, argumentOf({ root, torch: "2.14.1", like })), { firstIndex: "https://wheels.invalid/simple" });
  assert.deepEqual(await firstIndexOf(root, { torch: "2.15.0", like }), { firstIndex: "https://other.invalid/simple" });
  const oldest = records.filter((one) => one.index === "https://old.invalid/simple").map((one) => one.id);
  assert.deepEqual(await firstIndexOf(root, { torch: "2.14.1", like: oldest }), { firstIndex: "https://old.invalid/simple" });
  for (const none of [{ torch: "2.16.0", like }, { torch: "2.14.1", like: [] }, { torch: "2.14.1" }, { like }, { torch: "2.14.1", like: ["no such"] }]) assert.deepEqual(await firstIndexOf(root, none), {});
});
