import type { Insertion } from "./buildFile.ts";

/** What a project would get. Paths are absolute. */
export interface Plan {
  /** Lines for files that are there. */
  readonly edits: readonly (Insertion & { readonly path: string })[];
  /** Whole files of ours. `mark`: what such a file has in it, also when somebody changed it. */
  readonly written: readonly { readonly path: string; readonly text: string; readonly mark: string }[];
  readonly next: readonly string[];
}

/** A plan, or why there is none. */
export type Planned = Plan | { readonly refused: string };

export const nothing: Plan = { edits: [], written: [], next: [] };
