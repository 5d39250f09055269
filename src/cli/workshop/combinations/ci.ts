import { readFile } from "node:fs/promises";
import * as path from "node:path";
import { ciMatrix, ciRecords, ciWorkflow, readSettings, recordsFile, repositoryOf, writeWorkflow } from "../../../workshop/combinations/index.ts";
import type { CiRequest } from "../../../workshop/combinations/index.ts";
import { sentenceOf } from "../../../workshop/process/index.ts";
import { CannotDo } from "../../../workshop/workshop.ts";
import { UsageError } from "../../arguments.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { projectFolder, readOptions } from "../options.ts";
import { ciHelp } from "./ciHelp.ts";

const options = {
  from: { type: "string" },
  command: { type: "string", multiple: true },
  output: { type: "string", short: "o" },
  schedule: { type: "string" },
  "runs-on": { type: "string", multiple: true },
  commit: { type: "boolean" },
  force: { type: "boolean" },
  matrix: { type: "string" },
  records: { type: "string" },
  note: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** Daily, at a minute at which few others start. */
const daily = "17 5 * * *";

/** `abiding combinations ci`. Exit status: 0 written or printed, 2 could not be. */
export async function ci(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations ci", argv, options);
  if (values.help === true) {
    terminal.deliver(ciHelp, undefined);
    return 0;
  }
  const { matrix, records } = values;
  if (matrix !== undefined && records !== undefined) {
    throw new UsageError("--matrix and --records are two different questions; each is asked by itself.");
  }
  return withActivity(terminal, async () => {
    if (matrix !== undefined) {
      const plan = await readJson(path.resolve(terminal.workingDirectory, matrix));
      sayWhatIsLeftOut(plan, terminal);
      terminal.deliver(`${JSON.stringify(ciMatrix(plan))}\n`, undefined);
    } else if (records !== undefined) {
      terminal.deliver(ciRecords(await readJson(path.resolve(terminal.workingDirectory, records)), values.note), undefined);
    } else {
      await writeOne(projectFolder("combinations ci", positionals, terminal.workingDirectory), values, terminal);
    }
    return 0;
  });
}

interface Values {
  readonly from?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly output?: string | undefined;
  readonly schedule?: string | undefined;
  readonly "runs-on"?: readonly string[] | undefined;
  readonly commit?: boolean | undefined;
  readonly force?: boolean | undefined;
}

async function writeOne(root: string, values: Values, terminal: Terminal): Promise<void> {
  const abiding = abidingOf(values);
  const [schedule, runsOn] = [scheduleOf(values.schedule), labelsOf(values["runs-on"])];
  const { settings, problems } = readSettings(root);
  for (const { message } of problems) {
    terminal.say(`abiding: ${message}\n`);
  }
  const repository = await repositoryOf(root);
  if (repository === undefined && values.output === undefined) {
    throw new CannotDo(`${root} lies in no git repository, and a workflow has its place in one; --output names a file.`);
  }
  const text = ciWorkflow({
    abiding, schedule, runsOn, project: repository === undefined ? "." : path.relative(repository, root).split(path.sep).join("/") || ".",
    records: path.relative(root, recordsFile(root, settings)).split(path.sep).join("/"),
    hasCommits: settings.matrix?.commit?.some((one) => one !== ".") === true, commits: values.commit === true,
  });
  if (values.output === "-") {
    terminal.deliver(text, undefined);
    return;
  }
  const file = values.output === undefined ? path.join(repository ?? root, ".github", "workflows", "combinations.yml") : path.resolve(terminal.workingDirectory, values.output);
  const done = await writeWorkflow(file, text, values.force === true);
  terminal.deliver(done === "unchanged" ? `${file} is as it should be.\n` : `${file} was written. It runs once it is on the repository's default branch.\n`, undefined);
}

/** Names of owners and repositories, and of refs, as GitHub has them. */
function abidingOf({ from, command }: Values): CiRequest["abiding"] {
  if (from !== undefined && command === undefined) {
    const [, repository, ref] = /^([\w.-]+\/[\w.-]+)(?:@([\w./-]+))?$/.exec(from) ?? [];
    if (repository === undefined) {
      throw new UsageError(`--from must be OWNER/REPOSITORY or OWNER/REPOSITORY@REF, as GitHub has it; it is "${from}".`);
    }
    return { repository, ...(ref === undefined ? {} : { ref }) };
  }
  if (command === undefined || from !== undefined) {
    throw new UsageError("combinations ci wants to know which Abiding the workflow runs: --from OWNER/REPOSITORY[@REF], or --command for one that the runners have.");
  }
  if (command.some((word) => word === "" || /[\r\n]/.test(word))) {
    throw new UsageError("A word of --command is empty or has a line break in it.");
  }
  return { command };
}

function scheduleOf(text = daily): string {
  if (!/^[\d*/,-]+ [\d*/,-]+ [\d*/,-]+ [\d*/,A-Za-z-]+ [\d*/,A-Za-z-]+$/.test(text)) {
    throw new UsageError(`--schedule must be five fields as cron has them, such as "${daily}"; it is "${text}".`);
  }
  return text;
}

function labelsOf(labels: readonly string[] = ["ubuntu-24.04"]): readonly string[] {
  const wrong = labels.find((label) => !/^[\w.-]+$/.test(label));
  if (wrong !== undefined) {
    throw new UsageError(`--runs-on must be a label of a runner such as ubuntu-24.04; it is "${wrong}".`);
  }
  return labels;
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as unknown;
  } catch (error) {
    throw new CannotDo(error instanceof SyntaxError ? `${file} is no JSON: ${error.message}` : sentenceOf(error, `read ${file}`), { cause: error });
  }
}

/** A log of the job that plans is where somebody looks who misses a cell. */
function sayWhatIsLeftOut(plan: unknown, terminal: Terminal): void {
  const given: unknown = typeof plan === "object" && plan !== null && "leftOut" in plan ? plan.leftOut : [];
  for (const one of Array.isArray(given) ? (given as readonly unknown[]) : []) {
    if (typeof one === "object" && one !== null && "label" in one && "because" in one) {
      terminal.say(`abiding: left out: ${String(one.label)}: ${String(one.because)}\n`);
    }
  }
}
