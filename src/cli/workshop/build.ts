import * as path from "node:path";
import { compareSeverity } from "../../engine/diagnosis/index.ts";
import { NodeFiles } from "../../engine/files/index.ts";
import type { Finding } from "../../engine/model/index.ts";
import { applyPreferredFixes, build as buildProject, buildEnvironment, witnessOf } from "../../workshop/build/index.ts";
import type { BuildReport, BuildRequest } from "../../workshop/build/index.ts";
import { environmentDifference } from "../../workshop/process/index.ts";
import { readProject } from "../../workshop/project/index.ts";
import type { BuildPlan } from "../../workshop/project/types.ts";
import type { Activity, Workshop } from "../../workshop/workshop.ts";
import { fromHere } from "../against.ts";
import { oneOf, UsageError } from "../arguments.ts";
import { jsonText } from "../reporters/jsonText.ts";
import { printableLines } from "../reporters/printable.ts";
import { findingLines } from "../reporters/text.ts";
import { relativeTo } from "../../tools/places.ts";
import { lineReader } from "../reporters/report.ts";
import type { Terminal } from "../terminal.ts";
import { withActivity } from "./activity.ts";
import { buildHelp } from "./buildHelp.ts";
import { choosePlan } from "./choosePlan.ts";
import { interpreterOption, readOptions, splitAtDashes } from "./options.ts";
import { projectRoot } from "./projectRoot.ts";
import { buildJson, planJson } from "../reporters/buildJson.ts";
import { buildText } from "../reporters/buildText.ts";
import { makeWorkshop } from "./workshop.ts";

const options = {
  build: { type: "string" },
  preset: { type: "string" },
  "build-dir": { type: "string" },
  target: { type: "string", multiple: true },
  configuration: { type: "string" },
  interpreter: { type: "string" },
  against: { type: "string", multiple: true },
  editable: { type: "boolean" },
  wheel: { type: "boolean" },
  fresh: { type: "boolean" },
  jobs: { type: "string", short: "j" },
  "fail-on": { type: "string" },
  fix: { type: "boolean" },
  gantry: { type: "boolean" },
  list: { type: "boolean" },
  "show-environment": { type: "boolean" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof readOptions<typeof options>>["values"];

/** `abiding build`. Answers the exit status: 0 built, 1 failed or stopped by findings, 2 could not start. */
export async function build(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { own, others } = splitAtDashes(argv);
  const { values, positionals } = readOptions("build", own, options);
  if (values.help === true) {
    terminal.deliver(buildHelp, undefined);
    return 0;
  }
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  const failOn = oneOf("--fail-on", values["fail-on"], ["error", "warning", "never"], "error");
  const here = terminal.workingDirectory;
  const root = await projectRoot("build", positionals, values.gantry, terminal);
  const interpreter = interpreterOption("--interpreter", values.interpreter, here);
  return withActivity(terminal, async (activity) => {
    const workshop = makeWorkshop(terminal, activity, interpreter);
    const project = await readProject(root, { environment: workshop.environment, ...(interpreter === undefined ? {} : { interpreter }) });
    if (values.list === true) {
      terminal.deliver(format === "json" ? jsonText({ schema: 1, root, builds: project.builds.map((plan) => planJson(root, plan)), problems: project.problems.map((one) => one.message) }) : listText(root, project.builds, project.problems.map((one) => one.message)), values.output);
      return 0;
    }
    for (const { message, location } of project.problems) {
      activity.note(location === undefined ? message : `${relativeTo(here, location.path)}:${location.range.start.line + 1}: ${message}`);
    }
    const plan = choosePlan(project, values, workshop.environment);
    const request = requestOf(root, plan, values, { interpreter, others, failOn, here });
    if (values["show-environment"] === true) {
      return showEnvironment(request, workshop, terminal, format, values.output);
    }
    const report = await buildProject({ ...request, parts: project.parts, decide: deciding(request, values.fix === true, activity, here) }, workshop);
    const where = { workingDirectory: here, colours: terminal.colours && values.output === undefined };
    terminal.deliver(format === "json" ? jsonText(buildJson(report)) : buildText(report, where), values.output);
    return statusOf(report, failOn);
  });
}

interface Given {
  readonly interpreter: string | undefined;
  readonly others: readonly string[];
  readonly failOn: BuildRequest["stopOn"];
  readonly here: string;
}

function requestOf(root: string, plan: BuildPlan, values: Values, { interpreter, others, failOn, here }: Given): BuildRequest {
  const jobs = values.jobs === undefined ? undefined : Number(values.jobs);
  if (jobs !== undefined && !(Number.isInteger(jobs) && jobs > 0)) {
    throw new UsageError(`--jobs must be a number of processes such as 4; it is "${values.jobs ?? ""}".`);
  }
  return {
    root, plan, stopOn: failOn, fresh: values.fresh === true,
    against: (values.against ?? []).map((one) => fromHere(one, here)),
    ...(interpreter === undefined ? {} : { interpreter }),
    ...(others.length === 0 ? {} : { arguments: others }),
    ...(values["build-dir"] === undefined ? {} : { buildFolder: path.resolve(here, values["build-dir"]) }),
    ...(jobs === undefined ? {} : { jobs }),
  };
}

/** With --fix the preferred fixes are applied once. What does not stop the build is shown before it begins. */
function deciding(request: BuildRequest, fix: boolean, activity: Activity, here: string): NonNullable<BuildRequest["decide"]> {
  let isFixed = !fix;
  return async (findings) => {
    if (!isFixed) {
      isFixed = true;
      const { applied, files, refused } = await applyPreferredFixes(findings, witnessOf(findings));
      for (const sentence of refused) {
        activity.note(sentence);
      }
      if (applied.length > 0) {
        activity.note(`Applied in ${files.map((file) => relativeTo(here, file)).join(", ")}: ${applied.join("; ")}.`);
        return "check-again";
      }
    }
    const { stopOn } = request;
    if (stopOn === "never" || !findings.some((one) => compareSeverity(one.severity, stopOn) <= 0)) {
      show(findings, activity, here);
    }
    return "by-severity";
  };
}

function show(findings: readonly Finding[], activity: Activity, here: string): void {
  const lineOf = lineReader(new NodeFiles());
  const lines = findings.flatMap((finding) => ["", ...findingLines({ lineOf }, finding, (file) => relativeTo(here, file), (_, text) => text)]);
  activity.note(`${findings.length === 1 ? "One finding" : `${findings.length} findings`} before the build:`);
  activity.output(`${printableLines(lines.join("\n"))}\n\n`);
}

/** Builds of `--list`; those of examples and tests come last. */
const mostListed = 20;

function listText(root: string, builds: readonly BuildPlan[], problems: readonly string[]): string {
  const listed = builds.slice(0, mostListed);
  const longest = Math.max(0, ...listed.map((one) => one.id.length));
  const lines = builds.length === 0 ? [`Nothing was found to build in ${root}.`] : listed.map((one, index) => `${one.id.padEnd(longest)}  ${one.label}${index === 0 ? " (default)" : ""}`);
  if (builds.length > listed.length) {
    lines.push(`and ${builds.length - listed.length} more: --format json lists all, abiding build FOLDER --list those of one folder`);
  }
  return printableLines(`${[...lines, ...problems].join("\n")}\n`);
}

async function showEnvironment(request: BuildRequest, workshop: Workshop, terminal: Terminal, format: "text" | "json", output: string | undefined): Promise<number> {
  const examination = await workshop.diagnostician.check(request.root, request.against, workshop.activity.signal);
  const changes = environmentDifference(workshop.environment, buildEnvironment(request, examination, workshop));
  const lines = changes.map(({ name, kind, before, after, added, removed }) =>
    added === undefined ? `${kind === "unset" ? "-" : "+"} ${name}=${after ?? before ?? ""}` : `~ ${name}: ${[...added.map((one) => `+${one}`), ...(removed ?? []).map((one) => `-${one}`)].join(" ")}`);
  terminal.deliver(format === "json" ? jsonText({ schema: 1, root: request.root, build: request.plan.id, changes }) : printableLines(`${lines.length === 0 ? "The environment of this terminal, as it is." : lines.join("\n")}\n`), output);
  return 0;
}

function statusOf(report: BuildReport, failOn: BuildRequest["stopOn"]): number {
  switch (report.outcome) {
    case "built":
      return failOn !== "never" && report.products.some((one) => one.verdict === "conflict") ? 1 : 0;
    case "failed":
      return report.steps.at(-1)?.ending.kind === "not-started" ? 2 : 1;
    case "stopped":
      return 1;
    case "cancelled":
      return 130;
  }
}
