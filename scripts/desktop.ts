/**
 * Runs the suites of `test/host/suite` in a desktop VS Code, which @vscode/test-electron downloads:
 * `npm run test:desktop`, with `-- --version 1.101.0` for the oldest that is supported.
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runTests } from "@vscode/test-electron";
import { hostModule } from "../test/harness/hostModules.ts";
import { root } from "../test/harness/locations.ts";
import type { SuiteResult } from "../test/host/run.ts";
import { scenarios } from "../test/host/scenarios.ts";

const { values } = parseArgs({ options: { version: { type: "string", default: "stable" } } });
const counts = { passed: 0, failed: 0, skipped: 0 };

for (const scenario of scenarios) {
  // Extension tests of a desktop VS Code always run in a trusted window.
  if (!scenario.trusted) {
    process.stdout.write(`skipped: ${scenario.suite} (only code-server runs tests in Restricted Mode)\n`);
    counts.skipped += 1;
    continue;
  }
  const workspace = scenario.workspace();
  const scratch = mkdtempSync(join(tmpdir(), "abiding-desktop-"));
  const resultsFile = join(scratch, "results.json");
  try {
    await runTests({
      version: values.version,
      extensionDevelopmentPath: root,
      extensionTestsPath: await hostModule("run"),
      extensionTestsEnv: { ABIDING_HOST_SUITES: JSON.stringify([await hostModule(`suite/${scenario.suite}.test`)]), ABIDING_HOST_RESULTS: resultsFile },
      launchArgs: [workspace.path, "--user-data-dir", join(scratch, "data"), "--disable-extensions", "--disable-workspace-trust"],
    }).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    for (const result of readResults(resultsFile)) {
      counts[result.state] += 1;
      process.stdout.write(`${result.state}: ${result.title}\n${result.error === undefined ? "" : `${result.error}\n`}`);
    }
  } finally {
    workspace.delete();
  }
}
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
process.exitCode = counts.failed > 0 ? 1 : 0;

/** A window that ended without results is one failure. */
function readResults(path: string): SuiteResult[] {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as SuiteResult[];
  } catch (error) {
    return [{ title: "the window ended without results", state: "failed", milliseconds: 0, error: String(error) }];
  }
}
