import { examine, inspectReport, judge, openEnvironment, targetOf } from "../engine/diagnosis/index.ts";
import type { Examined } from "../engine/diagnosis/index.ts";
import type { FitReport, InspectReport } from "../engine/model/index.ts";
import { inSlices } from "../workshop/process/index.ts";
import { CannotAnswer } from "./types.ts";
import type { ToolContext } from "./types.ts";

/** The report of `abiding inspect`. */
export function inspect({ file }: { readonly file: string }, context: ToolContext): Promise<InspectReport> {
  return examined(file, context, (one) => Promise.resolve(inspectReport(one)));
}

/** The report of `abiding fits`. */
export function fits({ file, against, gpu }: { readonly file: string; readonly against?: string; readonly gpu?: string }, context: ToolContext): Promise<FitReport> {
  const { where, remote, signal } = context;
  const capability = gpu === undefined ? undefined : capabilityOf(gpu);
  return examined(file, context, async (one) => {
    const answer = await openEnvironment(against ?? context.against, where, remote, targetOf(one));
    if (!answer.ok) {
      throw new CannotAnswer(answer.message.replace("Name one with --against.", "Name one as \"against\"."));
    }
    return inSlices(judge(one, answer.environment, { catalogue: where.catalogue, files: where.files, ...(capability === undefined ? {} : { gpu: { capability } }) }), signal);
  });
}

async function examined<T>(file: string, { where, remote, tell }: ToolContext, use: (examined: Examined) => Promise<T>): Promise<T> {
  tell(`Reading ${file}`);
  const answer = await examine(file, { files: where.files, root: where.root, remote, progress: tell });
  if (!answer.ok) {
    throw new CannotAnswer(answer.message);
  }
  try {
    return await use(answer.examined);
  } finally {
    answer.examined.dispose();
  }
}

/** "9.0" as 90. */
function capabilityOf(text: string): number {
  const [, major, minor] = /^\s*(?:sm_)?(\d{1,2})\.?(\d)\s*$/.exec(text) ?? [];
  if (major === undefined || minor === undefined) {
    throw new CannotAnswer(`"gpu" must be a compute capability such as 9.0; it is "${text}".`);
  }
  return Number(major) * 10 + Number(minor);
}
