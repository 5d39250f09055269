import type { ProcessResult } from "../../process/types.ts";
import { crashSentence, isShell, signalOfStatus } from "../signals.ts";
import type { TestResult } from "../types.ts";
import type { Properties } from "./properties.ts";
import type { OutputWatch } from "./regularExpression.ts";

export type Judgement = Pick<TestResult, "outcome"> & Partial<Pick<TestResult, "reason" | "skipped">>;

/** What the end of a process says by itself, before what a test declares about it. */
export function judgeEnding({ ending, command }: ProcessResult, timeLimit: number | undefined): Judgement | undefined {
  switch (ending.kind) {
    case "cancelled": return { outcome: "cancelled", reason: "It was cancelled." };
    case "timed-out": return { outcome: "timed-out", reason: `It did not end within ${seconds(timeLimit ?? ending.limit)}, and was ended with all that it had started.` };
    case "signalled": return { outcome: "crashed", reason: crashSentence(ending.signal) };
    case "not-started":
      return ending.reason === "not-found" ? { outcome: "missing-executable", reason: ending.message } : { outcome: "not-run", reason: `It could not be started: ${ending.message}` };
    case "exited": {
      const signal = signalOfStatus(ending.code);
      return signal !== undefined && isShell(command.file)
        ? { outcome: "crashed", reason: `The shell ended with the status ${ending.code}, by which it tells that a program was ended by the signal ${signal}.` }
        : undefined;
    }
  }
}

/**
 * What ctest makes of a test's end, with its properties, in its order (Source/CTest/cmCTestRunTest.cxx, EndTest): a missing
 * PASS_REGULAR_EXPRESSION or a found FAIL_REGULAR_EXPRESSION fails it; a found SKIP_REGULAR_EXPRESSION or SKIP_RETURN_CODE
 * skips it; a found PASS_REGULAR_EXPRESSION makes its exit status meaningless; WILL_FAIL turns the rest around. A crash is a
 * crash, whatever they say.
 */
export function judge(result: ProcessResult, properties: Properties, watch: OutputWatch, timeLimit: number | undefined): Judgement {
  const plain = judgeEnding(result, timeLimit);
  if (plain !== undefined) return plain;
  const code = result.ending.kind === "exited" ? result.ending.code : -1;
  const { pass, fail, skip, skipCode, willFail } = properties;
  const found = (expressions: readonly string[]): readonly string[] => watch.found(expressions, result.output.text);
  const notFound = pass.length > 0 && found(pass).length === 0;
  const [forbidden] = found(fail);
  const [skipping] = found(skip);
  if (code === skipCode) return { outcome: "skipped", reason: `It ended with the status ${code}, by which it says that it is to be skipped.` };
  if (skipping !== undefined) return { outcome: "skipped", reason: `It printed what says that it is to be skipped: ${skipping}` };
  const succeeded = !notFound && forbidden === undefined && (code === 0 || pass.length > 0);
  if (succeeded !== willFail) return { outcome: "passed" };
  if (willFail) return { outcome: "failed", reason: "It succeeded, and is expected to fail (WILL_FAIL)." };
  if (notFound) return { outcome: "failed", reason: `It did not print what it must (PASS_REGULAR_EXPRESSION): ${pass.join(" or ")}` };
  if (forbidden !== undefined) return { outcome: "failed", reason: `It printed what it must not (FAIL_REGULAR_EXPRESSION): ${forbidden}` };
  return { outcome: "failed", reason: exitSentence(code) };
}

export function exitSentence(code: number): string {
  const signal = signalOfStatus(code);
  return `It ended with the exit status ${code}${signal === undefined ? "" : `, which is how a shell tells that a program was ended by the signal ${signal}`}.`;
}

/** "1.5 s". */
export function seconds(milliseconds: number): string {
  return `${String(milliseconds / 1000)} s`;
}
