import * as path from "node:path";
import type { ExplainReport } from "../engine/model/index.ts";
import { errorFile } from "./errorFile.ts";
import { explained } from "./explaining.ts";
import { CannotAnswer } from "./types.ts";
import type { ToolContext } from "./types.ts";

interface Input {
  readonly text?: string;
  readonly file?: string;
  readonly against?: string;
}

/** The report of `abiding explain`. */
export async function explain({ text, file, against }: Input, context: ToolContext): Promise<ExplainReport> {
  if ((text === undefined) === (file === undefined)) {
    throw new CannotAnswer("Either \"text\", the output with the error, or \"file\", a log, is needed, and one of them only.");
  }
  const answer = await explained(text ?? textOf(path.resolve(context.where.root, file ?? "")), { ...(against === undefined ? {} : { against }), ...(context.against === undefined ? {} : { selected: context.against }) }, context.where, context.remote);
  if (!answer.ok) {
    throw new CannotAnswer(answer.message);
  }
  return answer.report;
}

function textOf(file: string): string {
  const read = errorFile(file, "The output itself goes into \"text\".");
  if (!read.ok) {
    throw new CannotAnswer(read.message);
  }
  return read.text;
}
