/**
 * Reading files of combination records: 10,000 as the panel reads them, a million as the command line streams them, with the
 * memory that it takes.
 *
 *   npm run bench -- records [--runs N] [--many N]
 */
import { createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { panelRecords, Problems, readCombinations, streamCombinations } from "../../src/workshop/combinations/index.ts";
import type { CombinationRecord } from "../../src/workshop/combinations/types.ts";
import { report } from "./lib/report.ts";

const { values: options } = parseArgs({ options: { runs: { type: "string", default: "10" }, many: { type: "string", default: "1000000" } } });
const many = Number(options.many);
const scratch = mkdtempSync(join(tmpdir(), "abiding-records-"));

function record(index: number): CombinationRecord {
  const day = new Date(Date.UTC(2026, 10, 30) - (index % 400) * 86_400_000).toISOString();
  return {
    schema: 1,
    combination: { project: { name: "ops", version: `1.${index % 60}.0`, commit: (index * 2654435761 % 2 ** 32).toString(16).padStart(40, "0") }, torch: { version: `2.15.0.dev${day.slice(0, 10).replaceAll("-", "")}+cu130`, gitVersion: "cf30153c4c131c8164ee7798e5022d810682e2cb" }, python: "3.12", cuda: "13.0", compiler: "gcc 12.2.0", platform: "linux-x86_64", gpu: null },
    how: "smoke", outcome: index % 7 === 0 ? "failed" : "passed", when: new Date(Date.UTC(2026, 10, 30) - index * 1000).toISOString(), by: "0.1.0",
  };
}

async function write(count: number): Promise<string> {
  const file = join(scratch, `${count}.jsonl`);
  const stream = createWriteStream(file);
  for (let index = 0; index < count; index++) {
    if (!stream.write(`${JSON.stringify(record(index))}\n`)) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "finish");
  return file;
}

try {
  const small = await write(10_000);
  const read: number[] = [];
  const handed: number[] = [];
  for (let run = 0; run < Number(options.runs); run++) {
    const started = performance.now();
    const answer = await readCombinations(small);
    read.push(performance.now() - started);
    const shown = panelRecords(answer);
    handed.push(performance.now() - started);
    if (shown.length !== 10_000) throw new Error(`${shown.length} records of 10,000: ${answer.problems.join(" ")}`);
  }
  const large = await write(many);
  const before = process.memoryUsage().rss;
  let peak = before;
  let seen = 0;
  const started = performance.now();
  for await (const records of streamCombinations(large, new Problems(large))) {
    seen += records.length;
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  const took = performance.now() - started;
  if (seen !== many) throw new Error(`${seen} records of ${many}.`);
  report("records", [
    { what: "10,000 records read and checked", unit: "ms", values: read },
    { what: "the same, ready for the panel", unit: "ms", values: handed, atMost: 500 },
    { what: `${many.toLocaleString("en")} records streamed`, unit: "ms", values: [took], atMost: 30_000 },
    { what: "memory beyond the begin", unit: "MB", values: [(peak - before) / 1e6], atMost: 400 },
    { what: "the file", unit: "MB", values: [statSync(large).size / 1e6] },
  ]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
