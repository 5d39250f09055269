import * as path from "node:path";
import { benchmark as measure, defaultRepetitions, exportRuns, listBenchmarks, plansOfBuild, readHistory } from "../../workshop/benchmark/index.ts";
import type { ExportFormat } from "../../workshop/benchmark/index.ts";
import type { BenchmarkReport, BenchmarkRequest } from "../../workshop/benchmark/types.ts";
import { readProject } from "../../workshop/project/index.ts";
import type { BenchmarkPlan } from "../../workshop/project/types.ts";
import type { Workshop } from "../../workshop/workshop.ts";
import { oneOf, recordChoice, UsageError } from "../arguments.ts";
import { benchmarkText, historyText, listText } from "../reporters/benchmarkText.ts";
import { jsonText } from "../reporters/jsonText.ts";
import type { Terminal } from "../terminal.ts";
import { withActivity } from "./activity.ts";
import { benchmarkHelp } from "./benchmarkHelp.ts";
import { interpreterOption, millisecondsOf, readOptions } from "./options.ts";
import { projectRoot } from "./projectRoot.ts";
import { recorded, recordOptions } from "./recording.ts";
import { makeWorkshop } from "./workshop.ts";

const options = {
  plan: { type: "string", multiple: true },
  filter: { type: "string" },
  repetitions: { type: "string" },
  baseline: { type: "string" },
  "save-baseline": { type: "string" },
  "against-build": { type: "string" },
  "variant-interpreter": { type: "string" },
  interpreter: { type: "string" },
  threshold: { type: "string" },
  "time-limit": { type: "string" },
  gantry: { type: "boolean" },
  ...recordOptions,
  list: { type: "boolean" },
  history: { type: "boolean" },
  export: { type: "string" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof readOptions<typeof options>>["values"];

const statuses: Readonly<Record<BenchmarkReport["outcome"], number>> = { measured: 0, regressed: 1, failed: 1, "no-benchmarks": 2, cancelled: 130 };

/** `abiding benchmark`. Exit status: 0 measured, 1 regressed or failed, 2 could not run, 130 cancelled. */
export async function benchmark(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("benchmark", argv, options);
  if (values.help === true) {
    terminal.deliver(benchmarkHelp, undefined);
    return 0;
  }
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  const exported = values.export === undefined ? undefined : oneOf<ExportFormat>("--export", values.export, ["json", "csv", "markdown"], "json");
  const resolved = (text: string): string => path.resolve(terminal.workingDirectory, text);
  const root = await projectRoot("benchmark", positionals, values.gantry, terminal);
  const interpreter = interpreterOption("--interpreter", values.interpreter, terminal.workingDirectory);
  const otherInterpreter = interpreterOption("--variant-interpreter", values["variant-interpreter"], terminal.workingDirectory);
  if (values.history === true) {
    const history = await readHistory(root);
    terminal.deliver(exported !== undefined ? exportRuns(history.runs, exported) : format === "json" ? jsonText({ schema: 1, root, ...history }) : historyText(history, terminal.colours), values.output);
    return 0;
  }
  const repetitions = values.repetitions === undefined ? defaultRepetitions : countOf(values.repetitions);
  const timeLimit = millisecondsOf("--time-limit", values["time-limit"] ?? "10m");
  const choice = recordChoice(values);
  const threshold = values.threshold === undefined ? undefined : shareOf(values.threshold);
  return withActivity(terminal, async (activity) => {
    const workshop = makeWorkshop(terminal, activity, interpreter);
    const project = await readProject(root, { environment: workshop.environment, ...(interpreter === undefined ? {} : { interpreter }) });
    const plans = chosen(project.benchmarks, values.plan);
    for (const problem of project.problems) {
      activity.note(problem.message);
    }
    if (values.list === true) {
      return list(plans, interpreter, workshop, (lists) => terminal.deliver(format === "json" ? jsonText({ schema: 1, root, plans: lists }) : listText(lists, terminal.colours), values.output));
    }
    const report = await measure({
      root, plans, repetitions, timeLimit, against: [],
      ...(interpreter === undefined ? {} : { interpreter }),
      ...(threshold === undefined ? {} : { threshold }),
      ...(values.filter === undefined ? {} : { filter: values.filter }),
      ...(values.baseline === undefined ? {} : { baseline: values.baseline }),
      ...(values["save-baseline"] === undefined ? {} : { saveBaseline: values["save-baseline"] }),
      ...variantOf(values, otherInterpreter, plans, resolved),
    }, workshop);
    terminal.deliver(exported !== undefined ? exportRuns(report.runs, exported) : format === "json" ? jsonText(report) : benchmarkText(report, terminal.colours), values.output);
    const isPart = values.plan !== undefined || values.filter !== undefined;
    return recorded(statuses[report.outcome], choice, root, activity, (room, recording) => room.recordBenchmark(report, plans, { ...recording, isPart, ...(interpreter === undefined ? {} : { interpreter }) }, workshop));
  });
}

function chosen(plans: readonly BenchmarkPlan[], ids: readonly string[] | undefined): readonly BenchmarkPlan[] {
  const unknown = ids?.find((id) => !plans.some((plan) => plan.id === id));
  if (unknown !== undefined) {
    throw new UsageError(`There is no benchmark plan "${unknown}". Plans: ${plans.map((plan) => plan.id).join(", ") || "none"}.`);
  }
  return ids === undefined ? plans : plans.filter((plan) => ids.includes(plan.id));
}

function variantOf(values: Values, interpreter: string | undefined, plans: readonly BenchmarkPlan[], resolved: (text: string) => string): Pick<BenchmarkRequest, "variant"> {
  const build = values["against-build"];
  if (build === undefined && interpreter === undefined) {
    return {};
  }
  return { variant: { name: build ?? values["variant-interpreter"] ?? "", plans: build === undefined ? plans : plansOfBuild(plans, resolved(build)), ...(interpreter === undefined ? {} : { interpreter }) } };
}

async function list(plans: readonly BenchmarkPlan[], interpreter: string | undefined, workshop: Workshop, deliver: (lists: readonly { id: string; label: string; format: string; names: readonly string[]; problem?: string }[]) => void): Promise<number> {
  const lists = [];
  for (const plan of plans) {
    workshop.activity.step(`Listing ${plan.label}`);
    lists.push({ id: plan.id, label: plan.label, format: plan.format, ...await listBenchmarks(plan, interpreter, workshop) });
  }
  deliver(lists);
  return lists.some((one) => one.names.length > 0) ? 0 : 2;
}

function countOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1) {
    throw new UsageError(`--repetitions must be a whole number of 1 or more; it is "${text}".`);
  }
  return Number(text);
}

/** "5%" or "0.05". */
function shareOf(text: string): number {
  const [, number = "", percent = ""] = /^\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(text) ?? [];
  if (number === "") {
    throw new UsageError(`--threshold must be a share such as 5% or 0.05; it is "${text}".`);
  }
  return Number(number) / (percent === "%" ? 100 : 1);
}
