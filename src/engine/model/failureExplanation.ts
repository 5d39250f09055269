import type { ExplainReport } from "./explainReport.ts";

/** What a failed test, build or trial tells of its cause, in short. */
export interface FailureExplanation {
  /** The rule whose page describes it; absent: no rule looks for it. */
  readonly rule?: string;
  /** One of those that docs/explain.md lists. */
  readonly cause: string;
  /** What a finding of that rule says of the file, else the headline. */
  readonly message: string;
  readonly headline: string;
  /** What to do, the best that is known. */
  readonly fix?: string;
  /** What to paste: a command, or a line of a build file. */
  readonly copy?: string;
}

/** The first thing to look at. What other causes explain as well is no explanation of a failure that nobody asked about. */
export function failureExplanation({ verdicts }: Pick<ExplainReport, "verdicts">): FailureExplanation | undefined {
  const verdict = verdicts.find((one) => one.confidence !== "possible");
  if (verdict === undefined) {
    return undefined;
  }
  const { rule, cause, headline, fixes: [fix], copy } = verdict;
  return { ...(rule === null ? {} : { rule }), cause, message: headline, headline, ...(fix === undefined ? {} : { fix }), ...(copy === undefined ? {} : { copy }) };
}
