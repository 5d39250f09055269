import { createWriteStream, statSync } from "node:fs";
import * as path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { methods, newestRecordsFirst, Problems, readSettings, recordFilter, recordsFile, streamCombinations } from "../../../workshop/combinations/index.ts";
import type { ReadRecord } from "../../../workshop/combinations/index.ts";
import type { CombinationOutcome } from "../../../workshop/combinations/types.ts";
import type { Activity } from "../../../workshop/workshop.ts";
import { oneOf, UsageError } from "../../arguments.ts";
import { listText } from "../../reporters/combinationsListText.ts";
import { jsonText } from "../../reporters/jsonText.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { projectFolder, readOptions } from "../options.ts";
import { listHelp } from "./listHelp.ts";

const options = {
  torch: { type: "string" },
  python: { type: "string" },
  project: { type: "string" },
  version: { type: "string" },
  commit: { type: "string" },
  how: { type: "string", multiple: true },
  outcome: { type: "string", multiple: true },
  since: { type: "string" },
  platform: { type: "string" },
  gpu: { type: "string" },
  limit: { type: "string" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof readOptions<typeof options>>["values"];

const outcomes: readonly CombinationOutcome[] = ["no-conflict", "conflict", "passed", "failed", "unknown"];

/** `abiding combinations list`. Exit status: 0, 2 the file could not be read, 130 cancelled. */
export async function list(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations list", argv, options);
  if (values.help === true) {
    terminal.deliver(listHelp, undefined);
    return 0;
  }
  const format = oneOf("--format", values.format, ["text", "json", "jsonl"], "text");
  const limit = limitOf(values.limit);
  if (format === "jsonl" && limit !== undefined) {
    throw new UsageError("--limit is of the newest, and --format jsonl has records in the order of the file; give one of them.");
  }
  return withActivity(terminal, async (activity) => {
    const now = new Date();
    const { root, file } = subjectOf(positionals, terminal.workingDirectory, activity);
    const passes = recordFilter(filterOf(values, now));
    const problems = new Problems(file);
    if (format === "jsonl") {
      await writeLines(linesOf(file, problems, passes, activity), values.output, terminal);
      for (const problem of problems.sentences()) activity.note(problem);
      return 0;
    }
    const read: ReadRecord[] = [];
    for await (const group of streamCombinations(file, problems, { now, signal: activity.signal })) for (const record of group) read.push(record);
    // What a record's time counts as depends on those before it, so that the order is that of all.
    const records = newestRecordsFirst(read, now).map(({ record }) => record).filter(passes);
    const shown = limit === undefined ? records : records.slice(0, limit);
    const report = { schema: 1, root, file, total: read.length, matching: records.length, records: shown, problems: problems.sentences() } as const;
    terminal.deliver(format === "json" ? wholeJson(report) : listText(report, { colours: terminal.colours && values.output === undefined }), values.output);
    if (format === "text") for (const problem of report.problems) activity.note(problem);
    return 0;
  });
}

/** A project's records, or a file of them. Throws UsageError. */
function subjectOf(operands: readonly string[], here: string, activity: Activity): { readonly root: string; readonly file: string } {
  const named = operands[0] === undefined ? undefined : path.resolve(here, operands[0]);
  if (named !== undefined && operands.length === 1 && statSync(named, { throwIfNoEntry: false })?.isFile() === true) {
    return { root: path.dirname(named), file: named };
  }
  const root = projectFolder("combinations list", operands, here);
  const { settings, problems } = readSettings(root);
  for (const { message } of problems) activity.note(message);
  return { root, file: recordsFile(root, settings) };
}

function filterOf(values: Values, now: Date): Parameters<typeof recordFilter>[0] {
  const each = <T extends string>(option: string, given: readonly string[] | undefined, allowed: readonly T[]): readonly T[] | undefined => {
    const names = given?.flatMap((one) => one.split(",")).map((one) => one.trim());
    return names?.map((one) => oneOf(option, one, allowed, allowed[0] as T));
  };
  const how = each("--how", values.how, methods);
  const outcome = each("--outcome", values.outcome, outcomes);
  return {
    ...defined("torch", values.torch), ...defined("python", values.python), ...defined("project", values.project), ...defined("version", values.version), ...defined("commit", values.commit),
    ...defined("platform", values.platform), ...defined("gpu", values.gpu), ...defined("how", how), ...defined("outcome", outcome),
    ...(values.since === undefined ? {} : { since: sinceOf(values.since, now) }),
  };
}

function defined<K extends string, T>(name: K, value: T | undefined): { readonly [P in K]?: T } {
  return value === undefined ? {} : { [name]: value } as { [P in K]: T };
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

function sinceOf(text: string, now: Date): Date {
  const [, count, unit = ""] = /^\s*(\d+)\s*([mhdw])\s*$/.exec(text) ?? [];
  const time = count === undefined ? (/^\d{4}-\d\d-\d\d(?:$|[T ])/.test(text.trim()) ? Date.parse(text.trim().replace(" ", "T")) : Number.NaN) : now.getTime() - Number(count) * (units[unit] ?? 0);
  if (Number.isNaN(time)) throw new UsageError(`--since must be a day such as 2026-11-01, a time such as 2026-11-01T12:00Z, or an age such as 36h or 7d; it is "${text}".`);
  return new Date(time);
}

function limitOf(text: string | undefined): number | undefined {
  if (text !== undefined && !/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--limit must be a whole number from 1 on; it is "${text}".`);
  return text === undefined ? undefined : Number(text);
}

function wholeJson(report: object): string {
  try {
    return jsonText(report);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError("These are too many records for one JSON document. --format jsonl has one a line, and --limit or the filters make them fewer.");
    throw error;
  }
}

async function* linesOf(file: string, problems: Problems, passes: (record: ReadRecord) => boolean, { signal }: Activity): AsyncGenerator<string> {
  for await (const group of streamCombinations(file, problems, { signal })) {
    const lines = group.filter(passes).map(({ id: _id, ...record }) => `${JSON.stringify(record)}\n`);
    if (lines.length > 0) yield lines.join("");
  }
}

/** As they come: the reader of a pipe may be slower than the file. */
async function writeLines(lines: AsyncGenerator<string>, output: string | undefined, terminal: Terminal): Promise<void> {
  const target = output === undefined ? process.stdout : createWriteStream(path.resolve(terminal.workingDirectory, output));
  try {
    await pipeline(Readable.from(lines), target, { end: output !== undefined });
  } catch (error) {
    if (output === undefined || !(error instanceof Error && "syscall" in error)) throw error;
    throw new UsageError(`The records could not be written to ${path.resolve(terminal.workingDirectory, output)}: ${error.message}`);
  }
}
