import type { FitReport } from "./fitReport.ts";

/**
 * "certain": the text says it itself, or the file or environment that it names was read and shows it. "likely": one cause
 * explains it far better than the others. "possible": others explain it as well; `needs` says what would settle it.
 */
export type Confidence = "certain" | "likely" | "possible";

/** A symbol that an error names, or that the file which it names lacks. */
export interface ExplainedSymbol {
  /** As the loader or linker prints it; demangled names of linkers stay demangled. */
  readonly symbol: string;
  readonly demangled: string;
  /** Releases of torch that export it as it is spelled, from the catalogue; `until` null: still there in the newest. */
  readonly torch?: { readonly since: string; readonly until: string | null; readonly source: string };
  /** The exported symbol of the same name with other parameters, or in the other spelling of std::string, where one is known. */
  readonly successor?: { readonly symbol: string; readonly demangled: string; readonly torch?: { readonly since: string; readonly until: string | null } };
}

/** What an error text says happened. */
export interface ExplainVerdict {
  /** One of the causes that docs/explain.md lists. */
  readonly cause: string;
  /** The rule whose page describes it; null: no rule of Abiding looks for it. */
  readonly rule: string | null;
  readonly confidence: Confidence;
  /** One sentence: what happened. */
  readonly headline: string;
  /** Sentences: what was seen, where, and what it means. */
  readonly because: readonly string[];
  /** Sentences, the best first. Empty when nothing can be advised without knowing more. */
  readonly fixes: readonly string[];
  /** What to paste: a command, or a line of a build file. */
  readonly copy?: string;
  /** Sentences: what would settle it; where the cause is certain, what the remedy still depends on. */
  readonly needs: readonly string[];
  /** Where it stands in the text: lines counted from 1. */
  readonly lines: { readonly first: number; readonly last: number };
  /** What stands there, without colours and joined where it was wrapped. */
  readonly words: string;
  /** How often the text says the same. */
  readonly occurrences: number;
  /** The file that failed, as the text names it. */
  readonly file?: string;
  readonly symbols?: readonly ExplainedSymbol[];
  /** What reading that file showed. */
  readonly fit?: FitReport;
  /** Later lines that only follow from this. */
  readonly consequences: readonly { readonly line: number; readonly words: string }[];
}

/** The JSON of `abiding explain` (docs/schema/explain.schema.json). Of several verdicts the first is the one to look at first. */
export interface ExplainReport {
  readonly schema: 1;
  /** null: no environment settled anything. */
  readonly against: {
    readonly torch: string | null;
    readonly source: string;
    readonly name: string;
    /** "named": by whoever asked. "text": the text names files of it. "project": by abiding.json or an editor's selection. "found": around the folder. It failed elsewhere, perhaps, in the last two. */
    readonly chosen?: "named" | "text" | "project" | "found";
  } | null;
  readonly verdicts: readonly ExplainVerdict[];
  /** What could not be seen, in sentences. */
  readonly notChecked: readonly string[];
}
