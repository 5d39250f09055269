import type { Location } from "../../engine/model/index.ts";
import type { Ending, Variables } from "../process/types.ts";
import type { SmokePlan } from "../project/types.ts";
import type { FailureExplanation, TorchInUse } from "../workshop.ts";

export interface TestCase {
  /** Unique in the project and stable from run to run. */
  readonly id: string;
  /** The case that this one is a part of: a GoogleTest inside a CTest, a function inside a file. */
  readonly parent?: string;
  readonly label: string;
  readonly kind: "ctest" | "gtest" | "pytest" | "command" | "group";
  readonly plan: string;
  readonly labels: readonly string[];
  readonly location?: Location;
  /** Its process, where it has one of its own. */
  readonly command?: readonly string[];
  readonly folder?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Why it will be skipped without being started. */
  readonly disabled?: string;
  /** It stands for tests that are listed only once the project's code runs: why, in a sentence. */
  readonly unlisted?: string;
}

export interface DiscoverRequest {
  readonly root: string;
  readonly plans: readonly SmokePlan[];
  readonly interpreter?: string;
  /** The user asked for a list that needs the project's own code: `pytest --collect-only`, test programs that list themselves. */
  readonly runProjectCode: boolean;
  /** Milliseconds for each process. */
  readonly timeLimit: number;
}

export interface DiscoveredTests {
  readonly tests: readonly TestCase[];
  /** Why tests of a plan could not be listed: not configured yet, no pytest. */
  readonly problems: readonly { readonly plan: string; readonly message: string }[];
}

export type TestOutcome = "passed" | "failed" | "crashed" | "timed-out" | "missing-executable" | "skipped" | "not-run" | "cancelled";

export interface StackFrame {
  readonly function: string;
  readonly module?: string;
  readonly location?: Location;
}

export interface TestResult {
  readonly id: string;
  readonly label: string;
  /** The plan that it belongs to. */
  readonly plan: string;
  /** The test whose process it ran in, when that has a result of its own; such results are not counted again. */
  readonly parent?: string;
  readonly outcome: TestOutcome;
  /** Why it did not pass, in a sentence. */
  readonly reason?: string;
  /** "no-gpu": it wants a GPU, and there is none. */
  readonly skipped?: "no-gpu" | "disabled" | "other";
  readonly ending?: Ending;
  /** The top of the stack of a crash, innermost first. */
  readonly stack?: readonly StackFrame[];
  readonly milliseconds: number;
  /** Bounded; terminal sequences kept. */
  readonly output: string;
  /** Places that the output names. */
  readonly messages: readonly { readonly message: string; readonly location?: Location; readonly expected?: string; readonly actual?: string }[];
  /** What the failure comes from, where that is understood. */
  readonly explanation?: FailureExplanation;
  /** Processes that outlived the test and were ended. */
  readonly leftBehind?: number;
  /** Of a test that stands for several, by its parameters: how many ended how. */
  readonly cases?: { readonly total: number; readonly passed: number; readonly skipped: number };
  /** When it was repeated. */
  readonly runs?: { readonly total: number; readonly passed: number };
}

export interface SmokeRequest {
  readonly root: string;
  readonly plans: readonly SmokePlan[];
  readonly interpreter?: string;
  readonly against: readonly string[];
  /** Ids of cases or groups, names, or patterns with `*`; empty: all. */
  readonly only: readonly string[];
  /** Ids that are left out of what `only` names. */
  readonly except: readonly string[];
  /** Those that did not pass the last time. */
  readonly failed: boolean;
  /** Any of these labels or markers; empty or absent: all. */
  readonly labels?: readonly string[];
  /** Milliseconds for each test that sets none. */
  readonly timeLimit: number;
  /** How often each test is run; absent: once. */
  readonly repeat?: number;
}

/** How a debugger starts a test. */
export interface DebugLaunch {
  readonly language: "cpp" | "python";
  /** The program, or the Python interpreter. */
  readonly program: string;
  /** Of the program; for Python the module or script comes first, as on its command line. */
  readonly arguments: readonly string[];
  readonly folder: string;
  /** The whole environment. */
  readonly variables: Variables;
}

/** What happens while tests run. Every test that is started has one result. */
export type SmokeEvent =
  | { readonly kind: "found"; readonly tests: readonly TestCase[] }
  | { readonly kind: "started"; readonly id: string }
  | { readonly kind: "output"; readonly id?: string; readonly text: string }
  | { readonly kind: "ended"; readonly result: TestResult };

/** What the results rest on. */
export interface SmokeCircumstances {
  readonly started: string;
  readonly host: { readonly system: string; readonly cpu: string };
  readonly gpus: readonly string[];
  /** Why there is no GPU to use. */
  readonly noGpu?: string;
  readonly torch?: TorchInUse;
  /** Which libraries of torch, and which of ours, were loaded first, where a test tells. */
  readonly importOrder?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface SmokeReport {
  readonly schema: 1;
  readonly root: string;
  readonly outcome: "passed" | "failed" | "cancelled" | "no-tests";
  readonly circumstances: SmokeCircumstances;
  readonly results: readonly TestResult[];
  readonly problems: DiscoveredTests["problems"];
}
