import { handingOnUsers, planRun, readSettings, resumeCombinations, runCombinations } from "../../../workshop/combinations/index.ts";
import type { MakeSlurm, RunRequest } from "../../../workshop/combinations/index.ts";
import type { CellEvent, CellStepName, RunReport } from "../../../workshop/combinations/types.ts";
import { CannotDo } from "../../../workshop/workshop.ts";
import type { Activity, Workshop } from "../../../workshop/workshop.ts";
import { oneOf, UsageError } from "../../arguments.ts";
import { jsonText } from "../../reporters/jsonText.ts";
import { endedCellLine, planText, runText } from "../../reporters/combinationsRunText.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { readOptions } from "../options.ts";
import { projectRoot } from "../projectRoot.ts";
import { makeWorkshop } from "../workshop.ts";
import { runHelp } from "./runHelp.ts";

const options = {
  plan: { type: "boolean" },
  gantry: { type: "boolean" },
  torch: { type: "string", multiple: true },
  python: { type: "string", multiple: true },
  index: { type: "string", multiple: true },
  steps: { type: "string" },
  only: { type: "string", multiple: true },
  executor: { type: "string" },
  jobs: { type: "string" },
  keep: { type: "boolean" },
  "keep-failed": { type: "boolean" },
  resume: { type: "string" },
  offline: { type: "boolean" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

const stepWords: Readonly<Record<CellStepName, string>> = { install: "installing", build: "building", load: "loading", smoke: "testing", benchmark: "measuring" };

/** `abiding combinations run`. Exit status: 0 every cell passed, 1 some did not, 2 could not run, 130 cancelled. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations run", argv, options);
  if (values.help === true) {
    terminal.deliver(runHelp, undefined);
    return 0;
  }
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  const root = await projectRoot("combinations run", positionals, values.gantry, terminal);
  const { settings, problems } = readSettings(root);
  const request: RunRequest = {
    root, settings,
    ...(values.torch === undefined ? {} : { torch: values.torch }),
    ...(values.python === undefined ? {} : { python: values.python.map(pythonVersion) }),
    ...(values.index === undefined ? {} : { indexes: values.index }),
    ...(values.steps === undefined ? {} : { steps: stepsOf(values.steps) }),
    ...(values.only === undefined ? {} : { only: values.only }),
    ...(values.executor === undefined ? {} : { executor: oneOf<"local" | "slurm">("--executor", values.executor, ["local", "slurm"], "local") }),
    ...(values.jobs === undefined ? {} : { jobs: countOf(values.jobs) }),
    keep: values.keep === true ? "always" : values["keep-failed"] === true ? "failed" : "never",
    ...(values.offline === undefined ? {} : { offline: values.offline }),
  };
  const layout = { workingDirectory: terminal.workingDirectory, colours: terminal.colours && values.output === undefined };
  return withActivity(terminal, async (activity) => {
    const workshop = handingOnUsers(makeWorkshop(terminal, activity), values.index ?? []);
    for (const { message } of problems) {
      activity.note(message);
    }
    if (values.plan === true) {
      const plan = await planRun(request, workshop);
      const { cells, leftOut, warnings } = plan;
      terminal.deliver(format === "json" ? jsonText({ schema: 1, root, cells, leftOut, warnings }) : planText(plan, layout), values.output);
      return cells.length === 0 ? 2 : 0;
    }
    const means = { workshop, tell: teller(activity), slurm: await slurmMaker(root, workshop) };
    const report = values.resume === undefined ? await runCombinations(request, means) : await resumeCombinations(request, values.resume, means);
    terminal.deliver(format === "json" ? jsonText(report) : runText(report, layout), values.output);
    return statusOf(report);
  });
}

function statusOf({ outcome }: RunReport): number {
  return { passed: 0, failed: 1, cancelled: 130 }[outcome];
}

/** What is under way on one line, and a line of its own for each cell that has ended. */
function teller(activity: Activity): (event: CellEvent) => void {
  const running = new Map<string, string>();
  return (event) => {
    const id = event.kind === "ended" ? event.result.cell.id : event.cell.id;
    if (event.kind === "step") {
      running.set(id, `${event.cell.label}: ${stepWords[event.step]}`);
    } else if (event.kind === "ended") {
      running.delete(id);
      activity.output(endedCellLine(event.result, event.resumed === true, false));
    } else if (event.kind === "queued" && event.note !== undefined) {
      activity.note(`${event.cell.label}: ${event.note}`);
    }
    activity.step([...running.values()].join("; "));
  };
}

/** The cluster is reached with the Node.js and the program that run here. */
async function slurmMaker(root: string, workshop: Workshop): Promise<MakeSlurm> {
  const { slurmExecutor } = await import("../../../workshop/combinations/executors/slurm/index.ts");
  const cli = process.argv[1];
  if (cli === undefined) {
    throw new CannotDo("Abiding does not know its own place, so that no job could start it.");
  }
  return (settings, folder) => slurmExecutor(settings, { folder, root, node: process.execPath, cli, workshop });
}

function pythonVersion(text: string): string {
  if (!/^3\.\d{1,2}t?$/.test(text)) {
    throw new UsageError(`--python must be a version such as 3.12 or 3.13t; it is "${text}".`);
  }
  return text;
}

function stepsOf(text: string): readonly CellStepName[] {
  return text.split(",").map((one) => oneOf("--steps", one.trim(), ["install", "build", "load", "smoke", "benchmark"], "build"));
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) {
    throw new UsageError(`--jobs must be a whole number from 1 on; it is "${text}".`);
  }
  return Number(text);
}
