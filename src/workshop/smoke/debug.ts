import * as path from "node:path";
import type { Variables } from "../process/types.ts";
import type { SmokePlan } from "../project/types.ts";
import type { Workshop } from "../workshop.ts";
import { listCTests } from "./ctest/listing.ts";
import { environmentOf } from "./ctest/properties.ts";
import { environmentFor, interpreterIn } from "./discover.ts";
import { filterFor } from "./gtest/console.ts";
import { PytestNames } from "./pytest/tests.ts";
import type { DebugLaunch, TestCase } from "./types.ts";

/** Milliseconds that ctest may take to describe a test. */
const patience = 60_000;

/**
 * What a debugger starts for a test: the program of a CTest, one GoogleTest in it, a function of pytest, or a command.
 * undefined: the test has no process of its own, or ctest does not know it any more.
 */
export async function debugLaunch(test: TestCase, plans: readonly SmokePlan[], workshop: Workshop, interpreter?: string): Promise<DebugLaunch | undefined> {
  const plan = plans.find((one) => one.id === test.plan);
  const environment = environmentFor(workshop, interpreter);
  switch (plan?.kind) {
    case "command":
      return launch(plan.command, plan.folder, { ...environment, ...plan.variables });
    case "pytest": {
      const { file, name } = new PytestNames(plan).split(test.id);
      if (test.id === plan.id) return undefined;
      const node = name === "" ? path.relative(plan.folder, file) : `${path.relative(plan.folder, file)}::${name}`;
      return {
        language: "python", program: interpreter ?? interpreterIn(environment),
        // --capture=no: the debugger's console shows what the test prints.
        arguments: ["-m", "pytest", ...plan.arguments, "--capture=no", node], folder: plan.folder, variables: { ...environment, ...plan.variables },
      };
    }
    case "ctest": {
      const { run, activity } = workshop;
      const listing = await listCTests(plan, { run, environment: { ...environment, ...plan.variables }, signal: activity.signal, timeLimit: patience, runProjectCode: false });
      if (!listing.ok) return undefined;
      const found = listing.tests.find((one) => one.id === test.id) ?? listing.tests.find((one) => one.id === test.parent);
      if (found === undefined || found.missing) return undefined;
      const filter = found.id === test.id ? [] : [`--gtest_filter=${filterFor([test.label])}`];
      return launch([...found.command, ...filter], found.folder, environmentOf({ ...environment, ...plan.variables }, found.properties));
    }
    case undefined:
      return undefined;
  }
}

function launch([program, ...rest]: readonly string[], folder: string, variables: Variables): DebugLaunch | undefined {
  if (program === undefined) return undefined;
  return { language: /^python[\d.]*(?:\.exe)?$/i.test(path.basename(program)) ? "python" : "cpp", program, arguments: rest, folder, variables };
}
