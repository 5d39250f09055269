export interface StampRequest {
  readonly root: string;
  /** A CMake target or the name of a setuptools extension, with its build file before it where several have that name ("setup.py:ops"); absent: the only one. */
  readonly target?: string;
  /** Folder of the Python package that loads it, for the comparison at import; absent: found, or none. */
  readonly package?: string;
  /** Only say what would be done. */
  readonly dryRun: boolean;
}

export interface StampedFile {
  /** Relative to the root. */
  readonly path: string;
  readonly change: "created" | "edited" | "unchanged";
  /** What the file would be. */
  readonly text: string;
  /** What is new in an edited file: its one-based line in the new text, and the lines themselves. */
  readonly inserted?: { readonly line: number; readonly lines: readonly string[] };
}

export interface StampReport {
  readonly schema: 1;
  readonly root: string;
  readonly outcome: "stamped" | "already" | "refused";
  readonly reason?: string;
  readonly target?: string;
  /** Names that `--target` takes, where one of several has to be chosen. */
  readonly choices?: readonly string[];
  readonly files: readonly StampedFile[];
  /** What is left to do by hand, sentence by sentence. */
  readonly next: readonly string[];
}
