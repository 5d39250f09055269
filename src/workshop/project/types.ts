import type { Location } from "../../engine/model/index.ts";

/** What every plan has: who it is and why it is there. */
interface Plan {
  /** Unique in the project and stable from run to run: what `--build`, tasks and tests name it by. */
  readonly id: string;
  /** For people. */
  readonly label: string;
  readonly origin: "abiding.json" | "detected";
  /** The file that shows it, and the place where a lens may stand. */
  readonly shownBy: Location;
  /** Variables that the project sets, over those of the user. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface CMakeBuild extends Plan {
  readonly kind: "cmake";
  /** Folders are absolute. */
  readonly source: string;
  readonly folder: string;
  readonly configurePreset?: string;
  readonly buildPreset?: string;
  /** Further arguments of the configure step. */
  readonly arguments: readonly string[];
  /** Empty: the default target. */
  readonly targets: readonly string[];
  /** "Release": for generators with several configurations, and for a first configure where the project names none. */
  readonly configuration?: string;
}

export type PythonBackend = "setuptools" | "scikit-build-core" | "meson-python" | "other";

export interface PythonBuild extends Plan {
  readonly kind: "python";
  readonly source: string;
  readonly backend: PythonBackend;
  /** "in-place": `setup.py build_ext --inplace`; "wheel": a wheel in a folder of ours; "editable": installs into the environment, only when asked. */
  readonly mode: "in-place" | "wheel" | "editable";
  /** `--config-settings` of pip, or arguments of setup.py. */
  readonly arguments: readonly string[];
}

export interface CommandBuild extends Plan {
  readonly kind: "command";
  readonly folder: string;
  readonly steps: readonly (readonly string[])[];
}

export type BuildPlan = CMakeBuild | PythonBuild | CommandBuild;

export interface CTestPlan extends Plan {
  readonly kind: "ctest";
  /** The build folder. */
  readonly folder: string;
  /** Any of these labels; empty: all tests. */
  readonly labels: readonly string[];
  readonly configuration?: string;
}

export interface PytestPlan extends Plan {
  readonly kind: "pytest";
  readonly folder: string;
  /** Relative to `folder`. */
  readonly paths: readonly string[];
  /** An expression for `-m`. */
  readonly marker?: string;
  readonly arguments: readonly string[];
}

export interface CommandTest extends Plan {
  readonly kind: "command";
  readonly folder: string;
  readonly command: readonly string[];
  /** Milliseconds. */
  readonly timeLimit?: number;
}

export type SmokePlan = CTestPlan | PytestPlan | CommandTest;

export type BenchmarkFormat = "google-benchmark" | "nvbench" | "pytest-benchmark";

export interface BenchmarkPlan extends Plan {
  readonly kind: "benchmark";
  readonly format: BenchmarkFormat;
  readonly folder: string;
  /** The program and its arguments; what makes it print or write JSON is added by format unless `printsJson`. */
  readonly command: readonly string[];
  /** It prints JSON of that format on standard output by itself. */
  readonly printsJson: boolean;
  /** The benchmark among its own that moves as many bytes as can be moved: what the others are a fraction of. */
  readonly ceiling?: string;
}

/** Something that the project's files ask for and that could not be made sense of. */
export interface PlanProblem {
  readonly message: string;
  readonly location?: Location;
}

/** A folder of a project that is built by itself, whether or not a plan does so. */
export type ProjectPart =
  | { readonly builder: "cmake"; readonly folder: string; /** Every file that is read from its CMakeLists.txt on. */ readonly cmakeFiles: ReadonlySet<string> }
  | { readonly builder: "python"; readonly folder: string; readonly drivesCMake: boolean };

/** All that can be done with a project; the first of each is the default. */
export interface Project {
  readonly root: string;
  readonly builds: readonly BuildPlan[];
  readonly smoke: readonly SmokePlan[];
  readonly benchmarks: readonly BenchmarkPlan[];
  readonly problems: readonly PlanProblem[];
  /** Whose a finding is depends on them (parts.ts). */
  readonly parts: readonly ProjectPart[];
}
