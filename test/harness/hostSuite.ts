import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { SuiteResult } from "../host/run.ts";
import { launchBrowser, openWorkbench } from "./browser.ts";
import { startCodeServer, type CodeServerOptions } from "./codeServer.ts";
import { hostModule } from "./hostModules.ts";
import { resultsFolder, root } from "./locations.ts";

export interface HostSuiteOptions extends Omit<CodeServerOptions, "driver"> {
  /** Name of `test/host/suite/<suite>.test.ts`. */
  readonly suite: string;
  readonly workspace: string;
  /** Absolute path of the extension under test. Default: this checkout. */
  readonly extension?: string;
}

const suiteLimit = 180_000;

/** Runs a suite inside a real extension host and reports each of its tests as a subtest of `context`. */
export async function runHostSuite(context: TestContext, options: HostSuiteOptions): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "abiding-host-"));
  const resultsFile = join(scratch, "results.json");
  const suiteFile = await hostModule(`suite/${options.suite}.test`);
  const server = await startCodeServer({
    ...options,
    environment: { ...options.environment, ABIDING_HOST_SUITES: JSON.stringify([suiteFile]), ABIDING_HOST_RESULTS: resultsFile },
  });
  const browser = await launchBrowser();
  try {
    const workbench = await openWorkbench(browser, server, { workspace: options.workspace, extension: options.extension ?? root, tests: await hostModule("run") });
    const ended = await Promise.race([workbench.testsEnded, timeout(suiteLimit)]);
    await workbench.screenshot(`host-${options.suite}`);
    const results = readResults(resultsFile);
    if (results === undefined) {
      const log = [...workbench.console, server.extensionLog("remoteexthost"), server.output()].join("\n");
      throw new Error(`The suite ${ended === undefined ? `did not end within ${suiteLimit / 1000} s` : `ended with code ${ended} and left no results`}. Screenshots are in ${resultsFolder}.\n${log.slice(-8000)}`);
    }
    for (const result of results) {
      await context.test(result.title, { skip: result.state === "skipped" }, () => {
        if (result.state === "failed") throw new Error(result.error ?? "failed");
      });
    }
  } finally {
    await browser.close();
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function readResults(path: string): SuiteResult[] | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as SuiteResult[];
  } catch {
    return undefined;
  }
}

function timeout(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(() => resolve(undefined), milliseconds).unref());
}
