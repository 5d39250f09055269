/** The whole environment of a process: nothing is inherited beside it. */
export type Variables = Readonly<Record<string, string>>;

export interface Command {
  /** An absolute path, or a name that is looked up in PATH of `environment`. */
  readonly file: string;
  readonly arguments: readonly string[];
  /** Absolute: where it runs. */
  readonly folder: string;
  readonly environment: Variables;
}

export type StreamName = "stdout" | "stderr";

export interface OutputLine {
  readonly stream: StreamName;
  /** Without its line end and without terminal sequences. */
  readonly text: string;
}

export interface RunOptions {
  /** Aborted: the whole tree is ended. */
  readonly signal?: AbortSignal;
  /** Milliseconds until the whole tree is ended. */
  readonly timeLimit?: number;
  /** Text as it comes: whole characters, terminal sequences kept. */
  /** A promise that it returns holds the child's stream until it resolves: a slow reader slows the child down instead of filling memory. */
  readonly onText?: (text: string, stream: StreamName) => void | Promise<void>;
  /** A lone carriage return (progress) ends a line too. Of a line of more than 64 Ki characters the rest is left out, and the line says so. */
  readonly onLine?: (line: OutputLine) => void;
  /** The output goes into this file too: its begin, and its end when it is longer than 16 MiB. The folder is created. */
  readonly logFile?: string;
  readonly input?: string;
  /** Bytes of each stream that the result keeps, half from its begin and half from its end. Default 256 KiB. */
  readonly keep?: number;
  /** What happens to processes that outlive the command: a compiler cache's server may stay, what a test left may not. Default "leave". */
  readonly leftBehind?: "end" | "leave";
  readonly onStart?: (processId: number) => void;
}

/** "too-long": the command line or its environment is longer than the system takes. */
export type NotStartedReason = "not-found" | "not-executable" | "no-folder" | "no-resources" | "too-long" | "other";

/** How a process ended. A signal, a time limit and a cancel are never an exit code. */
export type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed-out"; readonly limit: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "not-started"; readonly reason: NotStartedReason; readonly message: string };

export interface KeptText {
  readonly text: string;
  /** Bytes that were left out in the middle; a line in `text` says so. */
  readonly leftOut: number;
}

export interface ProcessResult {
  readonly command: Command;
  readonly ending: Ending;
  readonly started: Date;
  /** Milliseconds. */
  readonly duration: number;
  readonly stdout: KeptText;
  readonly stderr: KeptText;
  /** Both streams in the order in which they came. */
  readonly output: KeptText;
  /** The log file, when one was asked for; `problem`: why it is not whole (no space on the disk). */
  readonly log?: { readonly path: string; readonly problem?: string };
  /** Processes that outlived the command and were ended. */
  readonly ended: number;
  /** Processes of the tree that could not be ended: another user's, or stuck in the kernel. */
  readonly survivors?: readonly number[];
}

/** Starts a process and resolves when it and its output have ended. Never rejects: `ending` says what went wrong. */
export type RunProcess = (command: Command, options?: RunOptions) => Promise<ProcessResult>;
