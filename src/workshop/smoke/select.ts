import { CannotDo } from "../workshop.ts";
import { grouped } from "./groups.ts";
import type { LastResult } from "./lastResults.ts";
import type { SmokeRequest, TestCase } from "./types.ts";

/** What did not pass, or never ran: what `failed` runs again. */
const good: ReadonlySet<string> = new Set(["passed", "skipped"]);

/** A plan's part of what was asked for. */
export interface Selection {
  /** Every test of the plan that there is. */
  readonly all: boolean;
  /** Ids, outermost first: no id whose parent is chosen as a whole. */
  readonly ids: ReadonlySet<string>;
}

/**
 * What a request chooses of the tests that are known, by plan. A name that means nothing is an error: a run of nothing would
 * look like success. Throws CannotDo.
 */
export function select(tests: readonly TestCase[], request: SmokeRequest, last: ReadonlyMap<string, LastResult>): ReadonlyMap<string, Selection> {
  const children = grouped(tests, ({ parent }) => (parent === undefined ? [] : [parent]));
  const named = request.only.length === 0 ? undefined : matching(tests, request.only, "--test");
  const left = request.except.length === 0 ? new Set<string>() : withInside(matching(tests, request.except, "--except"), children);
  const labels = request.labels ?? [];
  const wanted = named === undefined ? undefined : withInside(named, children);
  const isLeaf = (test: TestCase): boolean => test.kind !== "group" || test.unlisted !== undefined;
  const chosen = new Set<string>();
  const whole = (test: TestCase): boolean =>
    (wanted === undefined || wanted.has(test.id)) && !left.has(test.id)
    && (labels.length === 0 || test.labels.some((label) => labels.includes(label)))
    && (!request.failed || failedBefore(test, last));
  for (const test of tests) if (isLeaf(test) && whole(test)) chosen.add(test.id);
  if (labels.length > 0 && chosen.size === 0 && tests.some(isLeaf) && named === undefined) {
    const known = [...new Set(tests.flatMap((test) => test.labels))].sort();
    throw new CannotDo(`No test has the label ${labels.join(" or ")}. ${known.length === 0 ? "There are no labels." : `There are: ${known.slice(0, 20).join(", ")}${known.length > 20 ? ", ..." : ""}.`}`);
  }
  const isEverything = wanted === undefined && left.size === 0 && labels.length === 0 && !request.failed;
  return byPlan(tests, chosen, left, children, isEverything, isLeaf);
}

function byPlan(tests: readonly TestCase[], chosen: ReadonlySet<string>, left: ReadonlySet<string>, children: ReadonlyMap<string, readonly TestCase[]>, isEverything: boolean, isLeaf: (test: TestCase) => boolean): ReadonlyMap<string, Selection> {
  const plans = new Map<string, { all: boolean; ids: Set<string> }>();
  for (const test of tests) {
    if (!isLeaf(test) || !chosen.has(test.id)) continue;
    const plan = plans.get(test.plan) ?? { all: isEverything, ids: new Set<string>() };
    plans.set(test.plan, plan);
    // The cases inside a chosen test run with it, unless some of them are left out.
    const inside = children.get(test.id) ?? [];
    if (inside.some((one) => left.has(one.id))) continue;
    if (test.parent !== undefined && plan.ids.has(test.parent)) continue;
    plan.ids.add(test.id);
  }
  return plans;
}

/** `failed`: a test that passed is left out; of one that holds others the others decide, where they have results. */
function failedBefore(test: TestCase, last: ReadonlyMap<string, LastResult>): boolean {
  const result = last.get(test.id);
  return result !== undefined && !good.has(result.outcome);
}

/** The ids that words name: an id, a label, or a pattern of either. */
function matching(tests: readonly TestCase[], words: readonly string[], option: string): ReadonlySet<string> {
  const ids = new Map(tests.map((test) => [test.id, test]));
  const byLabel = grouped(tests, ({ label }) => [label]);
  const found = new Set<string>();
  for (const word of words) {
    if (ids.has(word)) {
      found.add(word);
      continue;
    }
    const exact = byLabel.get(word)?.map((test) => test.id);
    const some = exact ?? (/[*?]/.test(word) ? tests.filter(matcher(word)).map((test) => test.id) : withoutPlan(ids, word));
    if (some.length === 0) throw new CannotDo(`${option} ${word}: there is no such test. ${near(tests, word)}`);
    for (const id of some) found.add(id);
  }
  return found;
}

function matcher(pattern: string): (test: TestCase) => boolean {
  // Names hold slashes, brackets and braces, which mean nothing here: only * and ? do.
  const expression = new RegExp(`^${pattern.replace(/[\\^$.+()|[\]{}]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".")}$`, "s");
  return (test) => expression.test(test.label) || expression.test(test.id);
}

/** "file.py::test_a" without the plan, as pytest names it. */
function withoutPlan(ids: ReadonlyMap<string, TestCase>, word: string): readonly string[] {
  return [...ids.keys()].filter((id) => id.endsWith(`::${word}`));
}

function near(tests: readonly TestCase[], word: string): string {
  const part = word.toLowerCase().replace(/[*?]/g, "");
  const similar = tests.filter((test) => part !== "" && test.label.toLowerCase().includes(part)).slice(0, 5).map((test) => test.label);
  return similar.length > 0 ? `Similar: ${similar.join(", ")}.` : `--list shows the ${tests.length} that there are.`;
}

function withInside(named: ReadonlySet<string>, children: ReadonlyMap<string, readonly TestCase[]>): ReadonlySet<string> {
  const all = new Set<string>();
  const waiting = [...named];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (all.has(id)) continue;
    all.add(id);
    for (const one of children.get(id) ?? []) waiting.push(one.id);
  }
  return all;
}
