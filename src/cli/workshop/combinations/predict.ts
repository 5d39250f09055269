import * as fs from "node:fs";
import * as path from "node:path";
import { defaultBudget, predict as predictTorches, readSettings, wantedOf } from "../../../workshop/combinations/index.ts";
import type { PredictReport } from "../../../workshop/combinations/types.ts";
import { bytesOf, oneOf } from "../../arguments.ts";
import { predictText } from "../../reporters/combinationsPredictText.ts";
import { jsonText } from "../../reporters/jsonText.ts";
import { printableDeep } from "../../reporters/printable.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { interpreterOption, projectFolder, readOptions } from "../options.ts";
import { makeWorkshop } from "../workshop.ts";
import { predictHelp } from "./predictHelp.ts";

const options = {
  torch: { type: "string", multiple: true },
  index: { type: "string", multiple: true },
  budget: { type: "string" },
  python: { type: "string" },
  variant: { type: "string" },
  interpreter: { type: "string" },
  offline: { type: "boolean" },
  "no-record": { type: "boolean" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

/** `abiding combinations predict`. Exit status: 0 no conflict, 1 a conflict, 2 could not tell for all, 130 cancelled. */
export async function predict(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations predict", argv, options);
  if (values.help === true) {
    terminal.deliver(predictHelp, undefined);
    return 0;
  }
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  const here = terminal.workingDirectory;
  const { root, files } = subjectsOf(positionals, here);
  const interpreter = interpreterOption("--interpreter", values.interpreter, here);
  const { settings: written, isWritten, problems } = readSettings(root);
  const settings = isWritten ? written : undefined;
  const wanted = wantedOf(settings);
  return withActivity(terminal, async (activity) => {
    for (const { message } of problems) activity.note(message);
    const report = await predictTorches({
      root, files, settings, torch: values.torch ?? [],
      wanted: { ...wanted, ...(values.index === undefined ? {} : { indexes: values.index }), ...(values.python === undefined ? {} : { python: values.python }), ...(values.variant === undefined ? {} : { variant: values.variant }) },
      budget: values.budget === undefined ? defaultBudget : bytesOf(values.budget),
      offline: values.offline === true, record: values["no-record"] !== true,
      ...(interpreter === undefined ? {} : { interpreter }),
    }, makeWorkshop(terminal, activity, interpreter));
    terminal.deliver(format === "json" ? jsonText(report) : predictText(printableDeep(report), terminal.colours && values.output === undefined), values.output);
    return statusOf(report);
  });
}

/** A folder is a project; files are of the project in the current folder. Throws UsageError. */
export function subjectsOf(operands: readonly string[], here: string): { readonly root: string; readonly files: readonly string[] } {
  const isFolder = operands.length === 1 && fs.statSync(path.resolve(here, operands[0] ?? ""), { throwIfNoEntry: false })?.isFile() !== true;
  return operands.length === 0 || isFolder ? { root: projectFolder("combinations", operands, here), files: [] } : { root: fs.realpathSync(here), files: operands.map((one) => path.resolve(here, one)) };
}

function statusOf({ outcome, predictions }: PredictReport): number {
  if (outcome === "cancelled") return 130;
  if (predictions.some((one) => one.verdict === "conflict")) return 1;
  return outcome !== "predicted" || predictions.some((one) => one.verdict === "unknown") ? 2 : 0;
}
