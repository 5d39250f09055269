import type { PytestPlan } from "../../project/types.ts";
import type { TestCase } from "../types.ts";
import { runSession } from "./session.ts";
import type { SessionOptions } from "./session.ts";
import { PytestNames, staticTests } from "./tests.ts";

export interface Collected {
  readonly tests: readonly TestCase[];
  /** Why the list is not whole. */
  readonly problem?: string;
}

/** The tests that `pytest --collect-only` finds: it imports the project's tests, so only when that was asked for. */
export async function collectPytest(plan: PytestPlan, root: string, options: Omit<SessionOptions, "onLine" | "onText" | "collectOnly">): Promise<Collected> {
  const names = new PytestNames(plan);
  const tests = new Map<string, TestCase>();
  const failed: string[] = [];
  let collected = false;
  let collecting: string | undefined;
  const { result, timedOut } = await runSession(plan, {
    ...options,
    collectOnly: true,
    onText: () => undefined,
    onLine: (line) => {
      if (line.event === "collected") collected = true;
      if (line.event === "collecting") collecting = names.relative(line.file);
      if (line.event === "collect-failed" && line.node !== "") failed.push(`${line.node}: ${line.text.trim().split("\n").findLast((one) => one.startsWith("E "))?.slice(1).trim() ?? line.text.trim().split("\n").at(-1) ?? ""}`);
      if (line.event !== "found") return;
      const group = names.group(line.file);
      if (!tests.has(group.id)) tests.set(group.id, group);
      const test = names.test(line.file, line.name, line.line === null ? undefined : line.line + 1, line.markers);
      if (!tests.has(test.id)) tests.set(test.id, test);
    },
  });
  const found = [...tests.values()];
  if (failed.length > 0) return { tests: found, problem: `${failed.length} of the test files could not be imported: ${failed.slice(0, 3).join("; ")}${failed.length > 3 ? "; ..." : ""}` };
  if (collected) return { tests: found };
  const { ending } = result;
  // What the files show is more than nothing.
  const shown = found.length > 0 ? found : staticTests(plan, root);
  if (/No module named '?pytest'?/.test(result.stderr.text)) return { tests: shown, problem: `pytest is not installed for ${options.interpreter}. Install it into that environment, or choose another interpreter.` };
  const at = collecting === undefined ? "" : ` when it imported ${collecting}`;
  const why = timedOut ? `it did not end within ${options.timeLimit / 1000} s` : ending.kind === "not-started" ? ending.message : ending.kind === "signalled" ? `it was ended by the signal ${ending.signal}${at}` : (result.output.text.trim().split("\n").at(-1) ?? "");
  return { tests: shown, problem: `pytest did not list its tests: ${why}` };
}
