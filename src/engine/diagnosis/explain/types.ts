import type { Catalogue, RecordedSymbols } from "../../catalogue/index.ts";
import type { FitEnvironment } from "../../fit/index.ts";
import type { ExplainVerdict, FitReport } from "../../model/index.ts";
import type { CauseName } from "./causes.ts";

/** A line as its program meant it: without colours, prefixes of CI systems and container tools, and joined where it was wrapped. */
export interface LogLine {
  readonly text: string;
  /** Lines of the given text that it was made of, from 1. */
  readonly first: number;
  readonly last: number;
  /** Who wrote it where several write into one log: "rank0", "web-1"; absent: not told. */
  readonly writer?: string;
  /** Its end is missing: cut by a width, or by dots. */
  readonly isCut?: true;
  /** Source that a traceback or a compiler quotes: no recogniser is asked about it. */
  readonly isCode?: true;
}

/** An exception of Python as a traceback prints it. */
export interface PrintedException {
  /** "ImportError"; with its module where that is printed. */
  readonly type: string;
  /** All lines of the message, joined by newlines. */
  readonly message: string;
  /** Indexes into `Log.lines`: where its traceback (or it itself) begins, where its last line ends. */
  readonly first: number;
  readonly last: number;
  readonly frames: readonly { readonly file: string; readonly line: number; readonly code?: string }[];
  /** Index into `Log.exceptions` of what caused it (`__cause__`), or during whose handling it came up (`__context__`). */
  readonly causedBy?: number;
  /** It only came up while that was handled, as a second attempt does. */
  readonly whileHandling?: true;
}

export interface Log {
  /** The lines of one writer stand together, in their order. Of a large text only those around what somebody understands. */
  readonly lines: readonly LogLine[];
  /** The text has more failures than are read: from this line on it was not. */
  readonly unread?: { readonly from: number };
  /** In the order of their lines, of which none belongs to two. */
  readonly exceptions: readonly PrintedException[];
}

/** What a clue is about, by which clues of one matter are told from others. */
export interface Subject {
  /** The file that could not be loaded, or that was compiled, as the text names it. */
  readonly file?: string;
  /** As printed. */
  readonly symbol?: string;
  /** A shared library: "libcudart.so.12". */
  readonly library?: string;
  /** "torchvision._C". */
  readonly module?: string;
  /** A distribution: "flash-attn". */
  readonly package?: string;
}

/** What a verdict says beside its place in the text. */
export type Explanation = Pick<ExplainVerdict, "rule" | "confidence" | "headline" | "because" | "fixes" | "copy" | "needs" | "symbols" | "fit"> & {
  readonly cause: CauseName;
  /** The library that it is about: what one link lacks of others is another matter. */
  readonly about?: string;
};

/** A place of the text that somebody understands. */
export interface Clue {
  /** Indexes into `Log.lines`, both included. */
  readonly first: number;
  readonly last: number;
  /** The essential words: what is quoted. */
  readonly words: string;
  readonly subject: Subject;
  /**
   * "cause": failed by itself. "consequence": such a text follows from an earlier failure where the log has one
   * ("ninja: build stopped", an operator that is not there), and is explained by itself where it has none.
   * "warning": nothing failed here; explained only where nothing failed, or as a remark.
   */
  readonly weight: "cause" | "consequence" | "warning";
  /** Says what happened; with nothing known beside the text when `knowledge` has no environment. */
  explain(knowledge: Knowledge): Explanation;
}

/** Reads one kind of text. */
export interface Recogniser {
  /** What the line must contain to be looked at: a cheap test, without backtracking. */
  readonly hint: RegExp;
  /** What stands at a line, which matched `hint`; it may look at the lines before and after. Never throws, linear in the length of the line. */
  read(log: Log, at: number): Clue | undefined;
}

/** What is known beside the text. */
export interface Knowledge {
  readonly log: Log;
  readonly clues: readonly Clue[];
  readonly catalogue: Catalogue;
  readonly history: RecordedSymbols;
  /** The environment in which it failed; absent: not known. */
  readonly environment?: FitEnvironment;
  /** What reading a file that the text names showed; undefined: it is not here, or there is no environment to compare it with. */
  fitOf(file: string): FitReport | undefined;
}
