import type { DeclaredTarget } from "./body.ts";
import type { Gap, Observation } from "./observation.ts";
import type { Requirement } from "./requirement.ts";

/** What a source reader made of a project or a file. */
export interface Reading {
  readonly targets: readonly DeclaredTarget[];
  readonly observations: readonly Observation[];
  readonly requirements: readonly Requirement[];
  readonly gaps: readonly Gap[];
  /** Absolute paths of every file that was read, so that a change of one of them is a change of this reading. */
  readonly files: readonly string[];
}

/** What is known about the environment while build files are evaluated; everything unknown is followed both ways. */
export interface EvaluationContext {
  readonly platform: "linux" | "macos" | "windows" | undefined;
  readonly torchVersion?: string;
  /** null: torch without CUDA; undefined: not known. */
  readonly torchCudaVersion?: string | null;
  readonly torchLibstdcxxAbi?: 0 | 1;
  readonly pythonVersion?: string;
  /** Cache variables given from outside (presets, setup.py, the command line). */
  readonly cacheVariables?: ReadonlyMap<string, string>;
}
