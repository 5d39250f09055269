import * as fs from "node:fs";
import * as path from "node:path";
import type { Ending, ProcessResult } from "../../process/types.ts";
import { Console, filterFor } from "../gtest/console.ts";
import { readReport } from "../gtest/report.ts";
import { keptOutput, liveText } from "../limits.ts";
import { finish } from "../running.ts";
import type { Running } from "../running.ts";
import { casesOf } from "../gtest/results.ts";
import type { EndedCase } from "../gtest/results.ts";
import { judge } from "./judge.ts";
import type { Judgement } from "./judge.ts";
import type { CTest } from "./listing.ts";
import type { Ordered } from "./order.ts";
import { environmentOf } from "./properties.ts";
import { OutputWatch } from "./regularExpression.ts";
import type { TestCase, TestResult } from "../types.ts";

export interface ChosenCTest extends Ordered {
  readonly item: TestCase;
  /** The GoogleTests in it that are known and wanted. */
  readonly known: readonly TestCase[];
  /** Only those are to run. */
  readonly isPart: boolean;
}

/**
 * Runs tests of CTest one after another, each by the command and with the properties that ctest recorded, instead of through
 * ctest. ctest's report cannot tell a crash from a time limit, calls a missing program skipped, keeps the whole output of a
 * test in memory and leaves its children alone; and with one test at a time RUN_SERIAL and RESOURCE_LOCK hold by themselves.
 */
export async function runCTests(running: Running, chosen: readonly ChosenCTest[], variables: Readonly<Record<string, string>>, onResult: (result: TestResult) => void): Promise<void> {
  const outcomes = new Map<string, TestResult["outcome"]>();
  for (const one of chosen) {
    const blocked = one.setUpBy.find((id) => outcomes.has(id) && outcomes.get(id) !== "passed");
    const results = await runOne(running, one, variables, blocked);
    for (const result of results) {
      onResult(result);
      if (result.parent === undefined) outcomes.set(result.id, result.outcome);
    }
  }
}

const nothing = { milliseconds: 0, output: "", messages: [] } as const;

async function runOne(running: Running, { test, item, known, isPart }: ChosenCTest, variables: Readonly<Record<string, string>>, blocked: string | undefined): Promise<readonly TestResult[]> {
  const { properties, folder } = test;
  const stop = (judgement: Judgement): Promise<readonly TestResult[]> => finish(running, item, { ...nothing, ...judgement }, folder).then((result) => [result]);
  if (running.workshop.activity.signal.aborted) return [];
  if (properties.disabled) return stop({ outcome: "skipped", skipped: "disabled", reason: "It is disabled (DISABLED)." });
  if (blocked !== undefined) return stop({ outcome: "not-run", reason: `The test that sets its fixture up, ${blocked.slice(blocked.indexOf("::") + 2)}, did not pass.` });
  running.emit({ kind: "started", id: item.id });
  const [program, ...given] = test.command;
  if (test.missing || program === undefined) return stop({ outcome: "missing-executable", reason: missingSentence(test) });
  const absent = properties.requiredFiles.find((file) => !fs.existsSync(path.resolve(folder, file)));
  if (absent !== undefined) return stop({ outcome: "not-run", reason: `A file that it requires is missing: ${path.resolve(folder, absent)} (REQUIRED_FILES).` });

  const timeLimit = properties.timeLimit ?? running.request.timeLimit;
  const report = path.join(running.scratch, "googletest.json");
  fs.rmSync(report, { force: true });
  const environment = environmentOf({ ...running.environment, GTEST_OUTPUT: running.environment.GTEST_OUTPUT ?? `json:${report}`, ...variables }, properties);
  const filter = isPart ? [`--gtest_filter=${filterFor(known.map((one) => one.label))}`] : [];
  const command = { file: program, arguments: [...given, ...filter], folder, environment };
  const watch = new OutputWatch([...properties.pass, ...properties.fail, ...properties.skip]);
  const console = new Console();
  const live = liveText((text) => running.emit({ kind: "output", id: item.id, text }));
  let processId: number | undefined;
  const result = await running.workshop.run(command, {
    signal: running.workshop.activity.signal,
    ...(timeLimit === 0 ? {} : { timeLimit }),
    keep: keptOutput,
    leftBehind: "end",
    onStart: (id) => {
      processId = id;
    },
    onText: (text) => {
      live(text);
      watch.add(text);
    },
    onLine: ({ text }) => console.add(text),
  });

  const judgement = vanished(result, folder) ?? judge(result, properties, watch, timeLimit);
  const signal = judgement.outcome === "crashed" ? signalOf(result.ending, judgement.reason) : undefined;
  const stack = signal === undefined ? undefined
    : await running.stacks.take(command, signal, result.started, result.ending.kind === "signalled" ? processId : undefined, timeLimit === 0 ? running.request.timeLimit : timeLimit);
  const found = casesOf(console.cases, readReport(report), judgement);
  const allSkipped = judgement.outcome === "passed" && found.length > 0 && found.every((one) => one.status === "skipped");
  const ended = {
    ...judgement,
    ...(allSkipped ? { outcome: "skipped" as const, reason: "Every test in it was skipped." } : {}),
    ending: result.ending,
    milliseconds: Math.round(result.duration),
    output: result.output.text,
    ...(result.ended === 0 ? {} : { leftBehind: result.ended }),
    ...(stack === undefined ? {} : { stack: stack.frames, reason: `${judgement.reason ?? ""} ${stack.note}`.trim() }),
  };
  const whole = await finish(running, item, ended, folder, [program]);
  const inside = item.kind === "gtest" ? [] : await finishCases(running, item, [...found, ...notReached(known, found, judgement)], known, folder, program);
  return [whole, ...inside];
}

/** GoogleTests inside a test, each as its source defines it, with all its instances. */
async function finishCases(running: Running, item: TestCase, found: readonly EndedCase[], listed: readonly TestCase[], folder: string, program: string): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  const known = new Map(listed.map((one) => [one.label, one]));
  const fresh = found.map((one): TestCase => known.get(one.name) ?? {
    id: `${item.id}::${one.name}`, parent: item.id, label: one.name, kind: "gtest", plan: item.plan, labels: item.labels,
    ...(one.location === undefined ? {} : { location: one.location }),
  });
  const news = fresh.filter((one) => !known.has(one.label));
  if (news.length > 0) running.emit({ kind: "found", tests: news });
  for (const [at, one] of found.entries()) {
    const test = fresh[at];
    if (test === undefined || one.status === "disabled") continue;
    results.push(await finish(running, test, {
      parent: item.id,
      outcome: one.status,
      ...(one.reason === undefined ? {} : { reason: one.reason }),
      milliseconds: one.milliseconds,
      output: one.output,
      ...(one.instances === 1 ? {} : { cases: { total: one.instances, passed: one.passed, skipped: one.skipped } }),
    }, folder, [program]));
  }
  return results;
}

/** Of a program that came to its end too early: those of its tests that had not begun. */
function notReached(known: readonly TestCase[], found: readonly EndedCase[], { outcome }: Judgement): readonly EndedCase[] {
  if (outcome !== "crashed" && outcome !== "timed-out") return [];
  const seen = new Set(found.map((one) => one.name));
  return known.filter((one) => !seen.has(one.label) && one.disabled === undefined).map((one) => ({
    name: one.label, status: "not-run", reason: `The program ${outcome === "crashed" ? "crashed" : "was ended"} before it.`, milliseconds: 0, output: "", instances: 1, passed: 0, skipped: 0,
  }));
}

function missingSentence({ name, command, folder }: CTest): string {
  const [program] = command;
  if (name.endsWith("_NOT_BUILT")) return `The test program ${name.slice(0, -"_NOT_BUILT".length)} is not built, so its tests are not known. Build the project first (abiding build).`;
  if (program === undefined) return "CTest found no program to run for it.";
  return `The program ${path.isAbsolute(program) || program.includes("/") ? path.resolve(folder, program) : program} does not exist: it is not built, or was removed.`;
}

/** The folder that a test runs in is gone before it starts. */
function vanished({ ending }: ProcessResult, folder: string): Judgement | undefined {
  return ending.kind === "not-started" && ending.reason === "no-folder" ? { outcome: "not-run", reason: `${ending.message} ${fs.existsSync(path.dirname(folder)) ? "It is made when the project is configured, or another test removed it." : ""}`.trim() } : undefined;
}

function signalOf(ending: Ending, reason: string | undefined): string | undefined {
  return ending.kind === "signalled" ? ending.signal : /\bSIG[A-Z]+\b/.exec(reason ?? "")?.[0];
}

