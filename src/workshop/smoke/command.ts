import { exitSentence, judgeEnding } from "./ctest/judge.ts";
import { BothEnds, keptOutput, liveText } from "./limits.ts";
import { finish } from "./running.ts";
import type { Running } from "./running.ts";
import type { Command } from "../process/types.ts";
import type { CommandTest } from "../project/types.ts";
import type { TestCase, TestResult } from "./types.ts";

/** Exit status by which a command says that it is to be skipped, as Automake and Gantry have it. */
const skipStatus = 77;
/** A report on standard output is read up to this size. */
const largestReport = 4 * 1024 * 1024;

interface ReportedTest {
  readonly id: string;
  readonly name: string;
  readonly status: "pass" | "fail" | "skip";
  readonly milliseconds: number;
  readonly text: string;
}

interface CommandReport {
  readonly tool: string;
  readonly tests: readonly ReportedTest[];
}

export function commandTest(plan: CommandTest): TestCase {
  return { id: plan.id, label: plan.label, kind: "command", plan: plan.id, labels: [], location: plan.shownBy, command: plan.command, folder: plan.folder, variables: plan.variables };
}

/** A case inside a command's own report. */
export function caseOfCommand(plan: CommandTest, id: string, label: string): TestCase {
  return { id: `${plan.id}::${id}`, parent: plan.id, label, kind: "command", plan: plan.id, labels: [] };
}

/**
 * Runs a command; its exit status says how it went: 0 passed, 77 skipped. When it prints a report in the form of
 * native/python/gantry/schema/smoke.schema.json, the tests in it are results too. `only`: those of them that are wanted.
 */
export async function runCommandTest(running: Running, plan: CommandTest, only: readonly string[] | undefined): Promise<readonly TestResult[]> {
  const item = commandTest(plan);
  const [file = "", ...given] = plan.command;
  running.emit({ kind: "started", id: item.id });
  const selection = only === undefined ? [] : ["--only", only.map((id) => id.slice(plan.id.length + 2)).join(",")];
  const command: Command = { file, arguments: [...given, ...selection], folder: plan.folder, environment: { ...running.environment, ...plan.variables } };
  const timeLimit = plan.timeLimit ?? running.request.timeLimit;
  const output = new BothEnds(keptOutput);
  const live = liveText((text) => running.emit({ kind: "output", id: item.id, text }));
  let processId: number | undefined;
  const result = await running.workshop.run(command, {
    signal: running.workshop.activity.signal, timeLimit, leftBehind: "end", keep: largestReport,
    onStart: (id) => {
      processId = id;
    },
    onText: (text) => {
      output.add(text);
      live(text);
    },
  });
  const code = result.ending.kind === "exited" ? result.ending.code : undefined;
  const judgement = judgeEnding(result, timeLimit)
    ?? (code === 0 ? { outcome: "passed" as const }
      : code === skipStatus ? { outcome: "skipped" as const, reason: `It ended with the status ${skipStatus}, by which it says that it is to be skipped.` }
        : { outcome: "failed" as const, reason: exitSentence(code ?? -1) });
  const report = reportIn(result.stdout.text);
  const stack = result.ending.kind === "signalled" ? await running.stacks.take(command, result.ending.signal, result.started, processId, timeLimit) : undefined;
  const whole = await finish(running, item, {
    ...judgement,
    ...(report === undefined ? {} : summary(report, judgement.outcome === "passed" || judgement.outcome === "failed")),
    ending: result.ending, milliseconds: Math.round(result.duration), output: output.text,
    ...(result.ended === 0 ? {} : { leftBehind: result.ended }),
    ...(stack === undefined ? {} : { stack: stack.frames, reason: `${judgement.reason ?? ""} ${stack.note}`.trim() }),
  }, plan.folder, [file]);
  return [whole, ...await finishCases(running, plan, report)];
}

function summary({ tests }: CommandReport, isPlain: boolean): Partial<Pick<TestResult, "reason" | "cases">> {
  const count = (status: ReportedTest["status"]): number => tests.filter((one) => one.status === status).length;
  const failed = tests.filter((one) => one.status === "fail");
  return {
    ...(isPlain && failed.length > 0 ? { reason: `${failed.length} of its ${tests.length} tests failed: ${failed.slice(0, 5).map((one) => one.name).join(", ")}${failed.length > 5 ? ", ..." : ""}.` } : {}),
    cases: { total: tests.length, passed: count("pass"), skipped: count("skip") },
  };
}

async function finishCases(running: Running, plan: CommandTest, report: CommandReport | undefined): Promise<readonly TestResult[]> {
  if (report === undefined) return [];
  const items = report.tests.map((one) => caseOfCommand(plan, one.id, one.name));
  running.emit({ kind: "found", tests: items });
  const results: TestResult[] = [];
  for (const [at, one] of report.tests.entries()) {
    const item = items[at];
    if (item === undefined) continue;
    results.push(await finish(running, item, {
      parent: plan.id, outcome: one.status === "pass" ? "passed" : one.status === "fail" ? "failed" : "skipped",
      ...(one.status === "pass" ? {} : { reason: one.text }),
      milliseconds: Math.round(one.milliseconds), output: `${one.text}\n`,
    }, plan.folder));
  }
  return results;
}

/** The report that a command printed, in which other lines may stand before it. */
function reportIn(text: string): CommandReport | undefined {
  const start = text.search(/^\{/m);
  if (start === -1) return undefined;
  let report: unknown;
  try {
    report = JSON.parse(text.slice(start));
  } catch {
    return undefined;
  }
  const { tool, tests } = report as Partial<Record<keyof CommandReport, unknown>>;
  return typeof tool === "string" && Array.isArray(tests) && tests.every(isReported) ? { tool, tests } : undefined;
}

function isReported(value: unknown): value is ReportedTest {
  const { id, name, status, milliseconds, text } = (value ?? {}) as Partial<Record<keyof ReportedTest, unknown>>;
  return typeof id === "string" && typeof name === "string" && (status === "pass" || status === "fail" || status === "skip") && typeof milliseconds === "number" && typeof text === "string";
}
