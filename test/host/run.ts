/**
 * Entry of the tests that run inside VS Code, both in code-server and in a desktop VS Code (@vscode/test-electron):
 * runs the suites that the environment names and writes down how each test ended.
 */
import { writeFileSync } from "node:fs";
import Mocha from "mocha";

export interface SuiteResult {
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  readonly milliseconds: number;
  readonly error?: string;
}

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: "tdd", timeout: 30_000, reporter: "min" });
  for (const file of JSON.parse(process.env.ABIDING_HOST_SUITES ?? "[]") as string[]) mocha.addFile(file);
  const results: SuiteResult[] = [];
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on("pass", (test) => results.push({ title: test.fullTitle(), state: "passed", milliseconds: test.duration ?? 0 }));
    runner.on("pending", (test) => results.push({ title: test.fullTitle(), state: "skipped", milliseconds: 0 }));
    runner.on("fail", (test, error: Error) => results.push({ title: test.fullTitle(), state: "failed", milliseconds: test.duration ?? 0, error: error.stack ?? error.message }));
  });
  const file = process.env.ABIDING_HOST_RESULTS;
  if (file !== undefined) writeFileSync(file, JSON.stringify(results, undefined, 2));
  if (failures > 0 || results.length === 0) throw new Error(results.length === 0 ? "No test was found." : `${failures} tests failed.`);
}
