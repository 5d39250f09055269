import type { Finding, Location } from "../../engine/model/index.ts";
import type { Ending } from "../process/types.ts";
import type { BuildPlan, Project } from "../project/types.ts";
import type { ExaminedFile, FailureExplanation, TorchInUse } from "../workshop.ts";

export interface BuildRequest {
  readonly root: string;
  readonly plan: BuildPlan;
  /** What of the project is built by itself, where that is known; absent: the project is read when something was found in it. */
  readonly parts?: Project["parts"];
  /** The Python of the environment to build for; absent: the one of the torch that `check` found. */
  readonly interpreter?: string;
  readonly against: readonly string[];
  /** Findings from this severity on keep the build from starting. */
  readonly stopOn: "error" | "warning" | "never";
  /** Called with what was found before the build, when there is something: the user may mend it, go on or leave; "by-severity": as `stopOn` says. */
  readonly decide?: (before: readonly Finding[]) => Promise<"build" | "check-again" | "cancel" | "by-severity">;
  /** Configure from nothing: the cache is set aside first (`cmake --fresh`). */
  readonly fresh: boolean;
  /** What the user adds now: arguments of the configure step (a configured folder is configured again with them), of setup.py, or of pip. */
  readonly arguments?: readonly string[];
  /** Another build folder than the plan's, absolute. */
  readonly buildFolder?: string;
  /** Jobs at once, where the user says so; else CMAKE_BUILD_PARALLEL_LEVEL or MAX_JOBS decide, else the tool. */
  readonly jobs?: number;
}

export type BuildTool = "gcc" | "clang" | "nvcc" | "ptxas" | "nvlink" | "ld" | "cmake" | "ninja" | "make" | "python" | "pip";

/** What a tool complained of. */
export interface BuildProblem {
  readonly tool: BuildTool;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly location?: Location;
  /** The warning's flag or the tool's number: "-Wunused", "#177-D". */
  readonly code?: string;
  /** What belongs to it: where a header was included, a template instantiated, a CMake function called; notes. */
  readonly related?: readonly { readonly message: string; readonly location?: Location }[];
}

export interface BuildStep {
  readonly name: "configure" | "build" | "package" | "command";
  /** The program and its arguments; `line` can be pasted into a terminal. */
  readonly command: readonly string[];
  readonly line: string;
  readonly folder: string;
  readonly ending: Ending;
  readonly milliseconds: number;
  readonly log?: string;
}

export interface BuildReport {
  readonly schema: 1;
  readonly root: string;
  readonly plan: { readonly id: string; readonly label: string; readonly kind: BuildPlan["kind"]; readonly folder?: string };
  readonly outcome: "built" | "failed" | "stopped" | "cancelled";
  /** Why, in a sentence, unless built. */
  readonly reason?: string;
  /** What the failure comes from, where that is understood. */
  readonly explanation?: FailureExplanation;
  readonly against: readonly TorchInUse[];
  /** What was found before the build in the files of what is built. */
  readonly before: readonly Finding[];
  /** How many errors and warnings `check` has on other parts of the project. */
  readonly elsewhere: number;
  readonly steps: readonly BuildStep[];
  readonly problems: readonly BuildProblem[];
  /** Shared libraries and wheels that the build made or renewed, diagnosed. */
  readonly products: readonly ExaminedFile[];
  /** Those that were up to date, and so are not diagnosed. */
  readonly unchanged?: readonly string[];
  readonly notChecked: readonly string[];
}
