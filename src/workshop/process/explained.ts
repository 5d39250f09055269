import { NodeFiles } from "../../engine/files/index.ts";
import { failureExplanation } from "../../engine/model/index.ts";
import type { FailureExplanation, Workshop } from "../workshop.ts";
import type { ProcessResult } from "./types.ts";

/**
 * What the failure of a process comes from, where that is understood: by its whole log, for what the runner keeps of a long
 * output may begin after the first error. `against`: the environment for which it worked, as `--against` takes it.
 */
export async function explainedFailure({ log, output }: ProcessResult, root: string, against: readonly string[], { activity, diagnostician }: Workshop): Promise<FailureExplanation | undefined> {
  const whole = log === undefined || log.problem !== undefined ? undefined : new NodeFiles().readText(log.path);
  // What has failed has failed, whether or not somebody can say why.
  const report = await diagnostician.explain(root, whole?.ok === true ? whole.text : output.text, against, activity.signal).catch(() => undefined);
  return report === undefined ? undefined : failureExplanation(report);
}
