import type { ExaminedFile, ExplainReport, FailureExplanation as UnderstoodFailure, Finding } from "../engine/model/index.ts";
export type { ExaminedFile } from "../engine/model/index.ts";
import type { RunProcess, Variables } from "./process/types.ts";

/** What a failure comes from. */
export interface FailureExplanation extends UnderstoodFailure {
  /** Others explain it as well, and the words say so. Absent: it is surer than that. */
  readonly confidence?: "possible";
}

/** How a piece of work talks to whoever waits for it. */
export interface Activity {
  /** Aborted when the user cancels. */
  readonly signal: AbortSignal;
  /** What is done now, in a few words: "Configuring". */
  step(title: string): void;
  /** How much of the whole is done, from 0 to 1, where that is known. */
  progress(fraction: number): void;
  /** What a child printed, as it came. */
  output(text: string): void;
  /** A sentence of ours between the children's output: a command line, a warning. */
  note(sentence: string): void;
}

/** A torch that a project meets at run time. */
export interface TorchInUse {
  /** How people call it: ".venv", "torch==2.8.0+cu128". */
  readonly name: string;
  readonly version?: string;
  /** null: built without CUDA. */
  readonly cuda?: string | null;
  /** The Python executable of the environment. */
  readonly interpreter?: string;
}

/** The findings of a project's build files, as `check` has them. */
export interface Examination {
  readonly findings: readonly Finding[];
  readonly against: readonly TorchInUse[];
  readonly notChecked: readonly string[];
}

/** What the engine knows. On the command line the engine itself answers, in an editor the language server. */
export interface Diagnostician {
  /**
   * `against`: as `--against` takes it; empty: the project's own choice. `buildFolder`: the CMake build folder that is going to
   * be built in; what is configured there counts, and what is configured in others does not.
   */
  check(root: string, against: readonly string[], signal: AbortSignal, buildFolder?: string): Promise<Examination>;
  examine(root: string, files: readonly string[], against: readonly string[], signal: AbortSignal): Promise<readonly ExaminedFile[]>;
  /** What an output says went wrong. */
  explain(root: string, text: string, against: readonly string[], signal: AbortSignal): Promise<ExplainReport>;
}

/** What every piece of work of the workshop gets. */
export interface Workshop {
  readonly run: RunProcess;
  readonly diagnostician: Diagnostician;
  readonly activity: Activity;
  /** The environment that processes start from, before a Python environment and the project's settings are laid over it. */
  readonly environment: Variables;
  /** Version of Abiding, for records. */
  readonly version: string;
  now(): Date;
}

/** A request that makes no sense as it stands; its message is shown as it is. Nothing was changed. */
export class CannotDo extends Error {}
