/** Runs the suites of `suite/` inside the extension host of code-server. */
import test from "node:test";
import { runHostSuite } from "../harness/index.ts";
import { scenarios } from "./scenarios.ts";

for (const scenario of scenarios) {
  test(scenario.suite, async (context) => {
    const workspace = scenario.workspace();
    try {
      await runHostSuite(context, { suite: scenario.suite, workspace: workspace.path, trusted: scenario.trusted });
    } finally {
      workspace.delete();
    }
  });
}
