import type { Evidence } from "./evidence.ts";
import type { Location, TextEdit } from "./text.ts";

export type Severity = "error" | "warning" | "info" | "hint";

export interface RelatedPlace {
  readonly message: string;
  readonly location: Location;
}

export interface Fix {
  /** Imperative: "Delete -D_GLIBCXX_USE_CXX11_ABI=0". */
  readonly title: string;
  readonly edits: readonly TextEdit[];
  /** At most one per finding: the one that "fix all" applies. */
  readonly preferred: boolean;
}

/** One disagreement or hazard. The location is the most actionable place; other places are related. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** Full sentences: both sides with their values, and where each was seen. */
  readonly message: string;
  readonly target?: string;
  readonly location: Location;
  readonly related: readonly RelatedPlace[];
  /** What the other side's value rests on, when it has no place in the workspace. */
  readonly against: readonly Evidence[];
  readonly fixes: readonly Fix[];
  /** For editors: the text has no effect, or uses something deprecated. */
  readonly tag?: "unnecessary" | "deprecated";
}
