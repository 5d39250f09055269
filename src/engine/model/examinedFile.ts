import type { Finding } from "./finding.ts";
import type { Verdict } from "./fitReport.ts";

/** A file that a build made, compared with the torch of its project. */
export interface ExaminedFile {
  /** Absolute path. */
  readonly file: string;
  readonly verdict: Verdict;
  /** The verdict in a sentence. */
  readonly headline: string;
  /** The words with which the loader would refuse it. */
  readonly loaderSays?: string;
  readonly findings: readonly Finding[];
  /** Keys and values of the ABI stamp in the file (docs/stamp.md); absent when it has none. */
  readonly stamp?: Readonly<Record<string, string>>;
}
