import * as path from "node:path";
import { readCellFile, tryCell } from "../../../workshop/combinations/index.ts";
import { UsageError } from "../../arguments.ts";
import { endedCellLine } from "../../reporters/combinationsRunText.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { readOptions } from "../options.ts";
import { makeWorkshop } from "../workshop.ts";
import { cellHelp } from "./runHelp.ts";

const options = { task: { type: "string" }, help: { type: "boolean", short: "h" } } as const;

/** `abiding combinations cell`. Exit status: 0 whatever became of the cell, 2 when the folder is none of one. */
export async function cell(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations cell", argv, options);
  if (values.help === true) {
    terminal.deliver(cellHelp, undefined);
    return 0;
  }
  if (values.task === undefined || positionals.length > 0) {
    throw new UsageError("combinations cell takes --task FOLDER, the folder of a cell that combinations run has prepared, and nothing else.");
  }
  const folder = path.resolve(terminal.workingDirectory, values.task);
  return withActivity(terminal, async (activity) => {
    const { cell: wanted } = await readCellFile(folder);
    const result = await tryCell({ cell: wanted, folder }, makeWorkshop(terminal, activity), (event) => {
      if (event.kind === "step" && event.fraction === undefined) {
        activity.note(`${wanted.label}: ${event.step}`);
      }
    });
    terminal.deliver(endedCellLine(result, false, false), undefined);
    return 0;
  });
}
