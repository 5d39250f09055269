/**
 * `npm test`: puts in place what the tiers need, runs them, and ends with one line of totals.
 *
 *   npm test                        everything
 *   npm test -- --tier unit         one tier (may be given several times)
 *   npm test -- --prepare           only what needs installing
 *   npm test -- test/a/b.test.ts    these files
 */
import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { progress, secondsSince } from "./lib/step.ts";
import type { Prerequisite } from "./prerequisites/prerequisite.ts";
import { runNodeTests } from "./testing/nodeTests.ts";
import { runScripts } from "./testing/staticChecks.ts";
import { add, describe, nothing, type Tally } from "./testing/tally.ts";
import { tiers, type Tier } from "./testing/tiers.ts";

type Prepared = { readonly ready: true } | { readonly ready: false; readonly reason: string };

const { values, positionals } = parseArgs({ options: { tier: { type: "string", multiple: true }, prepare: { type: "boolean" } }, allowPositionals: true });

const preparations = new Map<Prerequisite, Promise<Prepared>>();

/** Starts a preparation once; the tiers that need it wait for the same one. */
function prepare(prerequisite: Prerequisite): Promise<Prepared> {
  let running = preparations.get(prerequisite);
  if (running === undefined) {
    const start = performance.now();
    running = prerequisite.prepare().then(
      (what): Prepared => {
        progress("prepare", `${prerequisite.name}: ${what} (${secondsSince(start)})`);
        return { ready: true };
      },
      (error: unknown): Prepared => {
        const reason = error instanceof Error ? error.message : String(error);
        progress("prepare", `${prerequisite.name}: not to be had`);
        return { ready: false, reason: `${prerequisite.name}: ${reason}` };
      },
    );
    preparations.set(prerequisite, running);
  }
  return running;
}

async function runTier(tier: Tier, built: boolean): Promise<Tally> {
  const prepared = await Promise.all(tier.needs.map(prepare));
  const wanted = await Promise.all((tier.wants ?? []).map(prepare));
  const missing = prepared.flatMap((one) => (one.ready ? [] : [one.reason]));
  if (tier.usesBundles && !built) missing.push("the bundles in dist/, and `npm run build` failed");
  if (missing.length > 0) {
    process.stdout.write(`${tier.name}: skipped, because it needs\n${missing.join("\n").replace(/^/gm, "    ")}\n`);
    return { ...nothing, skipped: 1 };
  }
  for (const one of wanted) if (!one.ready) process.stdout.write(`${tier.name}: runs without ${one.reason}\n`);
  const start = performance.now();
  progress(tier.name, "running");
  const tally = await tier.run();
  process.stdout.write(`${tier.name}: ${describe(tally)} (${secondsSince(start)})\n`);
  if (tally.passed + tally.failed + tally.skipped > 0) return tally;
  process.stdout.write(`  FAILED: the tier ${tier.name} has no tests\n`);
  return { ...nothing, failed: 1 };
}

function chosenTiers(): readonly Tier[] {
  const names = values.tier;
  if (names === undefined) return tiers;
  const unknown = names.find((name) => !tiers.some((tier) => tier.name === name));
  if (unknown !== undefined) {
    process.stderr.write(`There is no tier "${unknown}"; the tiers are ${tiers.map((tier) => tier.name).join(", ")}.\n`);
    process.exit(2);
  }
  return tiers.filter((tier) => names.includes(tier.name));
}

async function main(): Promise<Tally> {
  if (positionals.length > 0) return runNodeTests({ files: positionals.map((file) => resolve(file)), concurrency: 1, timeout: 10 * 60_000 });
  const chosen = chosenTiers();
  // All at once: they wait for the network while the first tiers compute.
  const preparing = [...new Set(chosen.flatMap((tier) => [...tier.needs, ...(tier.wants ?? [])]))].map(prepare);
  let total = nothing;
  if (values.prepare === true) {
    const missing = (await Promise.all(preparing)).flatMap((one) => (one.ready ? [] : [one.reason]));
    if (missing.length > 0) process.stdout.write(`${missing.join("\n")}\n`);
    process.exit(missing.length > 0 ? 1 : 0);
  }
  progress("build", "dist/");
  total = add(total, await runScripts(["build"]));
  const built = total.failed === 0;
  for (const tier of chosen) total = add(total, await runTier(tier, built));
  return total;
}

const total = await main();
process.stdout.write(`\n${describe(total)}\n`);
process.exitCode = total.failed > 0 ? 1 : 0;
