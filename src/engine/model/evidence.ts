import type { Location } from "./text.ts";

/** One step of the way by which a value reached the place where it takes effect. */
export interface EvidenceStep {
  readonly location: Location;
  /** What happened there, in a few words: "variable FLAGS set", "included", "macro add_ext called". */
  readonly what: string;
}

/** Text in a build or source file. `location` is the text to edit; `via` leads from there to the effect. */
export interface SourceEvidence {
  readonly kind: "source";
  readonly location: Location;
  /** The text at `location`, as written. */
  readonly text: string;
  readonly via: readonly EvidenceStep[];
}

/** Something read from an installed or produced file: a symbol, a metadata line, a macro. */
export interface FileEvidence {
  readonly kind: "file";
  readonly path: string;
  readonly what: string;
}

/** A row of a table in `data/`; `source` is where that row comes from. */
export interface CatalogueEvidence {
  readonly kind: "catalogue";
  readonly table: string;
  readonly row: string;
  readonly source: string;
}

export type Evidence = SourceEvidence | FileEvidence | CatalogueEvidence;

/**
 * A condition that could not be decided while reading. Readers follow both branches and note on each
 * fact the conditions under which it holds; a fact without conditions always holds.
 */
export interface Condition {
  /** The condition as written, with known variables expanded: `USE_CUDA`, `os.name == "nt"`. */
  readonly text: string;
  /** Identity of the branching statement: facts of opposite branches of one statement exclude each other. */
  readonly id: string;
  /** Index of the branch taken: 0 is the `if`, 1 the first `elseif`, and so on; `else` is the last. */
  readonly branch: number;
  readonly location: Location;
  /** False: only when whoever builds chooses otherwise than the default; true: what happens by default; absent: cannot be told. */
  readonly byDefault?: boolean;
}

/** False when two facts stand on different branches of the same statement. */
export function canHoldTogether(a: readonly Condition[], b: readonly Condition[]): boolean {
  return !a.some((x) => b.some((y) => x.id === y.id && x.branch !== y.branch));
}
