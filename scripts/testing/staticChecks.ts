import { join } from "node:path";
import { execa } from "execa";
import { root } from "../../test/harness/locations.ts";
import { tail } from "../lib/step.ts";
import type { Tally } from "./tally.ts";

/** Runs scripts of `scripts/` as tests, side by side: each passes or fails by its exit code. */
export async function runScripts(names: readonly string[]): Promise<Tally> {
  const results = await Promise.all(names.map(async (name) => ({ name, result: await execa(process.execPath, [join(root, "scripts", `${name}.ts`)], { cwd: root, all: true, reject: false, stdin: "ignore" }) })));
  const failed = results.filter(({ result }) => result.failed);
  for (const { name, result } of failed) process.stdout.write(`  FAILED: npm run ${name}\n${tail(result.all).replace(/^/gm, "    ")}\n`);
  return { passed: names.length - failed.length, failed: failed.length, skipped: 0 };
}
