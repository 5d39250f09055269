import type * as vscode from "vscode";

/** An error text that somebody wants explained. */
export interface Question {
  readonly text: string;
  /** Where it came from, in words: "the selection in build.log". */
  readonly source: string;
  /** URI of the folder or file that it came up in. */
  readonly root?: string;
  /** The environment in which it failed, as `--against` takes it; absent: that of the project. */
  readonly against?: string;
  /** The line that is meant, from 1; absent: all. */
  readonly line?: number;
  /** A mangled name that is meant, where the text may say nothing else. */
  readonly name?: string;
  /** The document that holds the text, and the line of it on which the text begins, from 0. */
  readonly place?: { readonly uri: vscode.Uri; readonly line: number };
  /** Takes the user back to where the question came from. */
  readonly goBack?: () => void;
}
