import * as fs from "node:fs";
import * as path from "node:path";
import { stateFolder, writeWhole } from "../process/index.ts";
import type { TestCase, TestOutcome, TestResult } from "./types.ts";

/** How a test ended when it ran the last time. */
export interface LastResult {
  readonly id: string;
  readonly plan: string;
  readonly label: string;
  readonly parent?: string;
  readonly kind: TestCase["kind"];
  readonly outcome: TestOutcome;
  readonly milliseconds: number;
  readonly at: string;
}

interface StateFile {
  readonly schema: 1;
  readonly results: readonly LastResult[];
}

const name = "smoke.json";

/** The results of earlier runs; none when there are none, or their file is damaged: the next run writes it anew. */
export async function readLastResults(root: string): Promise<ReadonlyMap<string, LastResult>> {
  const found = new Map<string, LastResult>();
  try {
    const state = JSON.parse(fs.readFileSync(path.join(await stateFolder(root), name), "utf8")) as Partial<StateFile>;
    if (state.schema === 1 && Array.isArray(state.results)) for (const one of state.results) if (isResult(one)) found.set(one.id, one);
  } catch {
    // Nothing that could be asked for is lost: a run makes results again.
  }
  return found;
}

/**
 * Lays the results of a run over the earlier ones and forgets tests that are gone. `present`: the tests of each plan that could
 * be listed; those of other plans stay.
 */
export async function keepResults(root: string, results: readonly TestResult[], kinds: ReadonlyMap<string, TestCase["kind"]>, present: ReadonlyMap<string, ReadonlySet<string>>, at: Date): Promise<void> {
  const kept = new Map<string, LastResult>();
  for (const [id, one] of await readLastResults(root)) {
    const known = present.get(one.plan);
    if (known === undefined || known.has(id) || (one.parent !== undefined && known.has(one.parent))) kept.set(id, one);
  }
  // Tests inside one that ran as a whole are those that it told of now.
  const whole = new Set(results.filter((one) => one.parent === undefined).map((one) => one.id));
  for (const [id, one] of kept) if (one.parent !== undefined && whole.has(one.parent) && known(present, one.plan, id) !== true && results.some((result) => result.parent === one.parent)) kept.delete(id);
  for (const { id, plan, label, parent, outcome, milliseconds } of results) {
    if (outcome === "cancelled") continue;
    kept.set(id, { id, plan, label, ...(parent === undefined ? {} : { parent }), kind: kinds.get(id) ?? "group", outcome, milliseconds, at: at.toISOString() });
  }
  const state: StateFile = { schema: 1, results: [...kept.values()] };
  await writeWhole(path.join(await stateFolder(root), name), `${JSON.stringify(state)}\n`);
}

function known(present: ReadonlyMap<string, ReadonlySet<string>>, plan: string, id: string): boolean | undefined {
  return present.get(plan)?.has(id);
}

function isResult(value: unknown): value is LastResult {
  const { id, plan, label, outcome, kind } = (value ?? {}) as Partial<Record<keyof LastResult, unknown>>;
  return typeof id === "string" && typeof plan === "string" && typeof label === "string" && typeof outcome === "string" && typeof kind === "string";
}
