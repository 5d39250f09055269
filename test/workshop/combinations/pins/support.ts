import * as fs from "node:fs";
import * as path from "node:path";
import type { CombinationRecord } from "../../../../src/workshop/combinations/types.ts";

/** A record as the tests need it; see CombinationRecord. */
export function record(torch: string, outcome: CombinationRecord["outcome"], more: Partial<Omit<CombinationRecord, "combination">> & { readonly packages?: Readonly<Record<string, string>>; readonly index?: string; readonly gitVersion?: string; readonly python?: string } = {}): CombinationRecord {
  const { packages, index, gitVersion, python = "3.11", ...rest } = more;
  return {
    schema: 1,
    combination: {
      project: { name: "ops" }, python, platform: "linux-x86_64",
      torch: { version: torch, ...(index === undefined ? {} : { index }), ...(gitVersion === undefined ? {} : { gitVersion }) },
      ...(packages === undefined ? {} : { packages }),
    },
    how: "smoke", outcome, when: "2026-10-12T10:00:00.000Z", by: "1.2.3", ...rest,
  };
}

/** Writes files below a folder, and records where there are any. */
export function writeProject(folder: string, files: Readonly<Record<string, string>>, records: readonly CombinationRecord[] = []): void {
  const all = records.length === 0 ? files : { ...files, ".abiding/combinations.jsonl": records.map((one) => `${JSON.stringify(one)}\n`).join("") };
  for (const [name, text] of Object.entries(all)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
}
