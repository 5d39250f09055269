import { grouped } from "../groups.ts";
import type { CTest } from "./listing.ts";

/** A test that is run, because it was asked for or because a test that was needs it. */
export interface Ordered {
  readonly test: CTest;
  /** Ids of the tests that must have passed before. */
  readonly setUpBy: readonly string[];
  /** A fixture's test that was not itself asked for. */
  readonly fixture: boolean;
}

/**
 * The chosen tests with the fixtures that they require, in an order that holds FIXTURES_SETUP before and FIXTURES_CLEANUP
 * after those that require them, and DEPENDS. Otherwise the order in which they were added.
 * https://cmake.org/cmake/help/latest/prop_test/FIXTURES_REQUIRED.html
 */
export function inOrder(all: readonly CTest[], chosen: ReadonlySet<string>): readonly Ordered[] {
  const setups = grouped(all, (test) => test.properties.setsUp);
  const cleanups = grouped(all, (test) => test.properties.cleansUp);
  const taken = new Map<string, CTest>();
  const waiting = all.filter((test) => chosen.has(test.id));
  for (let test = waiting.pop(); test !== undefined; test = waiting.pop()) {
    if (taken.has(test.id)) continue;
    taken.set(test.id, test);
    for (const fixture of test.properties.requires) waiting.push(...(setups.get(fixture) ?? []), ...(cleanups.get(fixture) ?? []));
    for (const fixture of test.properties.setsUp) waiting.push(...(cleanups.get(fixture) ?? []));
  }
  const running = all.filter((test) => taken.has(test.id));
  const byName = grouped(running, (test) => [test.name]);
  const users = grouped(running, (test) => test.properties.requires);
  const before = (test: CTest): readonly CTest[] => [
    ...test.properties.requires.flatMap((fixture) => setups.get(fixture) ?? []),
    ...test.properties.cleansUp.flatMap((fixture) => [...(users.get(fixture) ?? []), ...(setups.get(fixture) ?? [])]),
    ...test.properties.depends.flatMap((name) => byName.get(name) ?? []),
  ].filter((other) => other.id !== test.id && taken.has(other.id));
  return sorted(running, before).map((test) => ({
    test,
    setUpBy: test.properties.requires.flatMap((fixture) => setups.get(fixture) ?? []).filter((one) => one.id !== test.id).map((one) => one.id),
    fixture: !chosen.has(test.id),
  }));
}

/** Stable, each test after those before it; a circle, which ctest refuses, is broken where it is met. Without recursion. */
function sorted(tests: readonly CTest[], before: (test: CTest) => readonly CTest[]): readonly CTest[] {
  const done: CTest[] = [];
  const state = new Map<string, "open" | "done">();
  for (const first of tests) {
    const stack = [{ test: first, needs: undefined as CTest[] | undefined }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (top.needs === undefined) {
        if (state.has(top.test.id)) {
          stack.pop();
          continue;
        }
        state.set(top.test.id, "open");
        top.needs = [...before(top.test)].reverse();
      }
      const next = top.needs.pop();
      if (next === undefined) {
        state.set(top.test.id, "done");
        done.push(top.test);
        stack.pop();
      } else if (!state.has(next.id)) {
        stack.push({ test: next, needs: undefined });
      }
    }
  }
  return done;
}
