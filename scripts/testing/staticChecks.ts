import { join } from "node:path";
import { execa } from "execa";
import { root } from "../../test/harness/locations.ts";
import { tail } from "../lib/step.ts";
import type { Tally } from "./tally.ts";

/** Runs scripts of `scripts/` as tests: each passes or fails by its exit code. */
export async function runScripts(names: readonly string[]): Promise<Tally> {
  let failed = 0;
  for (const name of names) {
    const result = await execa(process.execPath, [join(root, "scripts", `${name}.ts`)], { cwd: root, all: true, reject: false, stdin: "ignore" });
    if (!result.failed) continue;
    failed += 1;
    process.stdout.write(`  FAILED: npm run ${name}\n${tail(result.all).replace(/^/gm, "    ")}\n`);
  }
  return { passed: names.length - failed, failed, skipped: 0 };
}
