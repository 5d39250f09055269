import * as path from "node:path";
import { mergeCombinations, readSettings, recordsFile } from "../../../workshop/combinations/index.ts";
import type { MergeReport } from "../../../workshop/combinations/index.ts";
import { oneOf, UsageError } from "../../arguments.ts";
import { jsonText } from "../../reporters/jsonText.ts";
import { plural } from "../../reporters/layout.ts";
import { printable } from "../../reporters/printable.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { projectFolder, readOptions } from "../options.ts";
import { mergeHelp } from "./mergeHelp.ts";

const options = {
  into: { type: "string" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

/** `abiding combinations merge`. Exit status: 0 everything was taken, 1 a file was refused, 2 nothing could be added. */
export async function merge(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations merge", argv, options);
  if (values.help === true) {
    terminal.deliver(mergeHelp, undefined);
    return 0;
  }
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  if (positionals.length === 0) {
    throw new UsageError("combinations merge takes files of records, or folders that hold some.");
  }
  const root = projectFolder("combinations merge", values.into === undefined ? [] : [values.into], terminal.workingDirectory);
  return withActivity(terminal, async (activity) => {
    const { settings } = readSettings(root);
    const report = await mergeCombinations({ root, file: recordsFile(root, settings), sources: positionals.map((one) => path.resolve(terminal.workingDirectory, one)) }, activity.signal);
    terminal.deliver(format === "json" ? jsonText(report) : textOf(report), values.output);
    const refused = report.files.filter((one) => one.refused !== undefined).length;
    return refused === 0 ? 0 : refused === report.files.length ? 2 : 1;
  });
}

function textOf({ root, file, added, already, files, notes }: MergeReport): string {
  return [
    ...files.flatMap((one) => (one.refused === undefined ? [`${one.file}: ${plural(one.records, "record")}`, ...one.problems.map((problem) => `  ${problem}`)] : [`refused: ${one.refused}`])),
    `${plural(added, "record")} added to ${path.relative(root, file)}, ${already === 0 ? "none" : already} of those found ${already === 1 ? "was" : "were"} there already.`, ...notes,
  ].map((line) => `${printable(line)}\n`).join("");
}
