import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { findProgram, pythonEnvironment } from "../process/index.ts";
import type { Variables } from "../process/types.ts";
import type { SmokePlan } from "../project/types.ts";
import type { Workshop } from "../workshop.ts";
import { commandTest } from "./command.ts";
import { listCTests } from "./ctest/listing.ts";
import type { CTest } from "./ctest/listing.ts";
import { testsOfCTest } from "./ctest/tests.ts";
import { ProgramSources } from "./gtest/sources.ts";
import { readLastResults } from "./lastResults.ts";
import type { LastResult } from "./lastResults.ts";
import { collectPytest } from "./pytest/collect.ts";
import { staticTests } from "./pytest/tests.ts";
import type { DiscoveredTests, DiscoverRequest, TestCase } from "./types.ts";

/** The tests of one plan, with what is needed to run them. */
export interface Listed {
  readonly plan: SmokePlan;
  /** The group of the plan is the first, where it has one. */
  readonly tests: readonly TestCase[];
  readonly problem?: string;
  /** All of the build folder, wanted or not: fixtures may be among the others. */
  readonly ctests: readonly CTest[];
}

/** The environment of a run: the user's, with that of the Python environment laid over it. */
export function environmentFor(workshop: Pick<Workshop, "environment">, interpreter: string | undefined): Variables {
  return interpreter === undefined ? workshop.environment : pythonEnvironment(workshop.environment, interpreter);
}

/** Without a choice the Python that a terminal would start. */
export function interpreterIn(environment: Variables): string {
  const names = process.platform === "win32" ? ["python"] : ["python3", "python"];
  return names.map((name) => findProgram(name, environment)).find((file) => file !== undefined) ?? "python3";
}

/**
 * Lists tests. Without `runProjectCode` no program of the project is started: CTest is read through ctest alone, GoogleTests
 * and functions of pytest from their sources.
 */
export async function discover(request: DiscoverRequest, workshop: Workshop): Promise<DiscoveredTests> {
  const last = await readLastResults(request.root);
  const listed: Listed[] = [];
  for (const plan of request.plans) listed.push(await listPlan(plan, request, workshop, last));
  return {
    tests: listed.flatMap((one) => one.tests),
    problems: listed.flatMap(({ plan, problem }) => (problem === undefined ? [] : [{ plan: plan.id, message: problem }])),
  };
}

export async function listPlan(plan: SmokePlan, request: DiscoverRequest, workshop: Workshop, last: ReadonlyMap<string, LastResult>): Promise<Listed> {
  const listed = await list(plan, request, workshop);
  const learnt = learntCases(listed.tests, plan, last);
  return { ...listed, tests: [...listed.tests, ...learnt] };
}

async function list(plan: SmokePlan, request: DiscoverRequest, workshop: Workshop): Promise<Listed> {
  const environment = environmentFor(workshop, request.interpreter);
  const group: TestCase = { id: plan.id, label: plan.label, kind: "group", plan: plan.id, labels: [], location: plan.shownBy };
  switch (plan.kind) {
    case "command":
      return { plan, tests: [commandTest(plan)], ctests: [] };
    case "ctest": {
      const { run, activity } = workshop;
      const listing = await listCTests(plan, { run, environment: { ...environment, ...plan.variables }, signal: activity.signal, timeLimit: request.timeLimit, runProjectCode: request.runProjectCode });
      if (!listing.ok) return { plan, tests: [], problem: listing.message, ctests: [] };
      const tests = testsOfCTest(plan, listing.tests, listing.unlisted, new ProgramSources(plan.folder));
      if (tests.length > 0) return { plan, tests: [group, ...tests], ctests: listing.tests };
      const some = listing.tests.length === 0 ? `ctest knows no test in ${plan.folder}.` : `None of the ${listing.tests.length} tests in ${plan.folder} has the label ${plan.labels.join(" or ")}.`;
      return { plan, tests: [], problem: some, ctests: [] };
    }
    case "pytest": {
      if (!request.runProjectCode) {
        const tests = staticTests(plan, request.root);
        return { plan, tests: [group, ...tests], ctests: [] };
      }
      const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-pytest-"));
      try {
        const { tests, problem } = await collectPytest(plan, request.root, {
          run: workshop.run, environment, interpreter: request.interpreter ?? interpreterIn(environment), scratch, signal: workshop.activity.signal, timeLimit: request.timeLimit,
        });
        return { plan, tests: [group, ...tests], ...(problem === undefined ? {} : { problem }), ctests: [] };
      } finally {
        fs.rmSync(scratch, { recursive: true, force: true });
      }
    }
  }
}

/** Tests that an earlier run told of and that no file shows: cases of a command, and GoogleTests that a macro makes. */
function learntCases(tests: readonly TestCase[], plan: SmokePlan, last: ReadonlyMap<string, LastResult>): readonly TestCase[] {
  const known = new Map(tests.map((test) => [test.id, test]));
  return [...last.values()].flatMap((one): readonly TestCase[] => {
    const parent = one.parent === undefined ? undefined : known.get(one.parent);
    if (one.plan !== plan.id || parent === undefined || known.has(one.id) || (one.kind !== "gtest" && one.kind !== "command")) return [];
    return [{ id: one.id, parent: parent.id, label: one.label, kind: one.kind, plan: plan.id, labels: parent.labels }];
  });
}
