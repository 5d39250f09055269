import * as fs from "node:fs/promises";
import type { Command, Ending } from "../process/types.ts";
import { codeOf } from "../process/index.ts";
import type { Workshop } from "../workshop.ts";
import type { BenchmarkPlan } from "../project/types.ts";
import { largestOutput, readOutput } from "./formats/read.ts";
import type { Reading } from "./formats/reading.ts";

/** What one process measured, and how it ended. */
export interface Repetition {
  readonly ending: Ending;
  readonly readings: readonly Reading[];
  /** Sentences on what was wrong with the process or with what it wrote. */
  readonly problems: readonly string[];
}

/** Bytes of a process's output that are shown; a table of thousands of benchmarks is smaller. */
const mostShown = 1024 * 1024;

/** Runs a benchmark program once. `file` is where it was told to write; a plan that prints JSON is read from its standard output. */
export async function runOnce(plan: BenchmarkPlan, command: Command, file: string, timeLimit: number, workshop: Workshop): Promise<Repetition> {
  const printed: string[] = [];
  let size = 0;
  let shown = 0;
  const result = await workshop.run(command, {
    signal: workshop.activity.signal,
    timeLimit,
    leftBehind: "end",
    onText(text, stream) {
      if (plan.printsJson && stream === "stdout") {
        size += text.length;
        if (size <= largestOutput) {
          printed.push(text);
        }
        return;
      }
      if (shown < mostShown) {
        workshop.activity.output(text);
      }
      if (shown < mostShown && shown + text.length >= mostShown) {
        workshop.activity.note("It prints more than a mebibyte; the rest is not shown.");
      }
      shown += text.length;
    },
  });
  const problems = [...endingProblem(result.ending, result.stderr.text)];
  if (result.ending.kind === "not-started") {
    return { ending: result.ending, readings: [], problems };
  }
  const output = plan.printsJson ? printed.join("") : await contents(file, problems);
  if (plan.printsJson && size > largestOutput) {
    problems.push(`It printed more than ${largestOutput / 1024 ** 2} MiB; only the begin of that was read.`);
  }
  if (output === undefined) {
    return { ending: result.ending, readings: [], problems };
  }
  const read = readOutput(output, plan.format, plan.printsJson ? "What it printed" : "The file that it wrote", plan.printsJson ? undefined : file);
  return { ending: result.ending, readings: read.readings, problems: [...problems, ...read.problems] };
}

async function contents(file: string, problems: string[]): Promise<Uint8Array | undefined> {
  try {
    const { size } = await fs.stat(file);
    if (size > largestOutput) {
      problems.push(`The file that it wrote has ${Math.round(size / 1024 ** 2)} MiB, more than the ${largestOutput / 1024 ** 2} MiB that are read.`);
      return undefined;
    }
    return await fs.readFile(file);
  } catch (error) {
    problems.push(codeOf(error) === "ENOENT" ? "It wrote no JSON." : `What it wrote could not be read: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function endingProblem(ending: Ending, errors: string): string[] {
  const last = errors.trimEnd().split("\n").at(-1)?.trim() ?? "";
  const said = last === "" ? "." : `; the last that it wrote to standard error: ${last.length > 200 ? `${last.slice(0, 200)}…` : last}`;
  switch (ending.kind) {
    case "exited":
      return ending.code === 0 ? [] : [`It exited with code ${ending.code}${said}`];
    case "signalled":
      return [`It crashed with ${ending.signal}${said}`];
    case "timed-out":
      return [`It was ended after its time limit of ${ending.limit / 1000} s.`];
    case "cancelled":
      return [];
    case "not-started":
      return [ending.message];
  }
}
