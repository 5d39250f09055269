import * as path from "node:path";
import { definedAs } from "../gtest/console.ts";
import type { ProgramSources } from "../gtest/sources.ts";
import type { CTestPlan } from "../../project/types.ts";
import type { TestCase } from "../types.ts";
import type { CTest } from "./listing.ts";
import type { Unlisted } from "./testFiles.ts";

/** The tests of a plan for a tree: programs that list their own tests are groups, GoogleTests inside a test are below it. */
export function testsOfCTest(plan: CTestPlan, tests: readonly CTest[], unlisted: readonly Unlisted[], sources: ProgramSources): readonly TestCase[] {
  const made: TestCase[] = [];
  const groups = new Set<string>();
  const places = new Map<string, ReadonlyMap<string, TestCase["location"]>>();
  for (const test of tests) {
    if (!isWanted(plan, test)) continue;
    const [program] = test.command;
    const alone = program === undefined ? undefined : aloneIn(test.command);
    if (program === undefined || alone === undefined) {
      made.push(itemOf(plan, test), ...casesInside(plan, test, sources));
      continue;
    }
    const group = programGroup(plan, program);
    if (!groups.has(group.id)) {
      groups.add(group.id);
      made.push(group);
      places.set(program, new Map(sources.casesOf(program).map((one) => [one.name, one.location])));
    }
    const location = test.location ?? places.get(program)?.get(definedAs(alone));
    made.push({ ...itemOf(plan, test), kind: "gtest", parent: group.id, ...(location === undefined ? {} : { location }) });
  }
  for (const { program, reason } of unlisted) made.push({ ...programGroup(plan, program), unlisted: reason });
  return made;
}

/** Whether a plan that names labels means this test. */
export function isWanted({ labels }: CTestPlan, { properties }: CTest): boolean {
  return labels.length === 0 || properties.labels.some((label) => labels.includes(label));
}

function itemOf(plan: CTestPlan, test: CTest): TestCase {
  const { properties, location, command, folder } = test;
  return {
    id: test.id, parent: plan.id, label: test.name, kind: "ctest", plan: plan.id, labels: properties.labels, command, folder,
    ...(location === undefined ? {} : { location }),
    ...(properties.disabled ? { disabled: "It is disabled (DISABLED)." } : {}),
  };
}

export function programGroup(plan: CTestPlan, program: string): TestCase {
  const relative = path.relative(plan.folder, program);
  const shown = relative.startsWith("..") ? program : relative.split(path.sep).join("/");
  return { id: `${plan.id}::[${shown}]`, parent: plan.id, label: path.basename(program), kind: "group", plan: plan.id, labels: [] };
}

function casesInside(plan: CTestPlan, test: CTest, sources: ProgramSources): readonly TestCase[] {
  const [program] = test.command;
  if (program === undefined || test.command.some((word) => word.startsWith("--gtest_filter"))) return [];
  return sources.casesOf(program).map((one) => ({
    id: `${test.id}::${one.name}`, parent: test.id, label: one.name, kind: "gtest", plan: plan.id, labels: test.properties.labels, location: one.location,
    ...(one.disabled ? { disabled: "Its name begins with DISABLED_." } : {}),
  }));
}

/** The one GoogleTest that a command runs, as `gtest_discover_tests` writes it. */
function aloneIn(command: readonly string[]): string | undefined {
  const filter = command.find((word) => word.startsWith("--gtest_filter="))?.slice("--gtest_filter=".length);
  return filter === undefined || /[*?:-]/.test(filter) ? undefined : filter;
}
