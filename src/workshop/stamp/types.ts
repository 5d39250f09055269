export interface StampRequest {
  readonly root: string;
  /** A CMake target or the name of a setuptools extension; absent: the only one. */
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
}

export interface StampReport {
  readonly schema: 1;
  readonly root: string;
  readonly outcome: "stamped" | "already" | "refused";
  readonly reason?: string;
  readonly target?: string;
  readonly files: readonly StampedFile[];
  /** What is left to do by hand, sentence by sentence. */
  readonly next: readonly string[];
}
