/** Messages between the page of an explanation and its host: types only. */
import type { ExplainReport } from "../engine/model/index.ts";
import type { DemangledName } from "./index.ts";

/** An explanation as the page shows it. */
export interface ExplanationView {
  readonly report: ExplainReport;
  /** Where the text came from: "the selection in build.log". */
  readonly source: string;
  /** Index of the verdict that was asked for, where a line was clicked; absent: the first. */
  readonly asked?: number;
  /** The name that was asked for, where no verdict is about its line. */
  readonly name?: DemangledName & { readonly name: string };
  /** Indexes of verdicts whose file is on this machine and can be looked at. */
  readonly files: readonly number[];
  /** The line of a document on which the text begins, from 0, where lines can be shown there; absent: the text stands in no document. */
  readonly firstLine?: number;
}

/** What the page asks of its host. */
export type ExplainPageMessage =
  | { readonly type: "ready" | "compare" | "cancel" | "retry" | "close" }
  | { readonly type: "copy" | "openRule"; readonly text: string }
  /** Of the verdict with this index: its file in the editor for binaries, or its lines in the text. */
  | { readonly type: "showFile" | "showLines"; readonly verdict: number };

/** What the host tells the page. */
export type ExplainHostMessage =
  | { readonly type: "busy" | "failed"; readonly message: string }
  | { readonly type: "copied" }
  | { readonly type: "view"; readonly view: ExplanationView };
