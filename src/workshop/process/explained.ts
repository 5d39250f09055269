import { NodeFiles } from "../../engine/files/index.ts";
import { failureExplanation } from "../../engine/model/index.ts";
import type { ExplainVerdict } from "../../engine/model/index.ts";
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
  return report === undefined ? undefined : explanationOf(report.verdicts);
}

/** Causes that, where they are only possible, say no more than that it failed, or that the project itself is wrong: everyone sees that in the output. */
const sayNothing: ReadonlySet<string> = new Set(["source-error", "jit-build", "link-failed", "module-missing", "wrong-arguments", "gpu-fault", "harmless"]);

/** What `explain` finds, in short. Where nothing is sure, what it would look at first, told as the guess that it is. */
export function explanationOf(verdicts: readonly ExplainVerdict[]): FailureExplanation | undefined {
  const [first] = verdicts;
  const sure = failureExplanation({ verdicts });
  if (sure !== undefined || first === undefined || sayNothing.has(first.cause)) {
    return sure;
  }
  const { headline, fixes, needs: [need] } = first;
  const settling = need === undefined ? [] : [`What would settle it: ${need}`];
  const guess = failureExplanation({ verdicts: [{ ...first, confidence: "likely", headline: `Possible (others explain it as well): ${headline}`, fixes: fixes.length > 0 ? fixes : settling }] });
  return guess === undefined ? undefined : { ...guess, confidence: "possible" };
}

/** Why something failed, in a record of it: what explains it, else its own words; a guess stands after these and names no rule. */
export function recordedReason(explanation: FailureExplanation | undefined, words: string): { readonly message: string; readonly rule?: string } {
  if (explanation === undefined) {
    return { message: words };
  }
  const { confidence, message, rule } = explanation;
  return confidence === "possible" ? { message: words === "" ? message : `${words}${/[.!?]$/.test(words) ? "" : "."} ${message}` } : { message, ...(rule === undefined ? {} : { rule }) };
}
