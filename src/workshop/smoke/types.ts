import type { Location } from "../../engine/model/index.ts";
import type { Ending } from "../process/types.ts";
import type { SmokePlan } from "../project/types.ts";
import type { TorchInUse } from "../workshop.ts";

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
  /** The failure is skew: what a rule says of it. */
  readonly explanation?: { readonly rule: string; readonly message: string };
}

export interface SmokeRequest {
  readonly root: string;
  readonly plans: readonly SmokePlan[];
  readonly interpreter?: string;
  readonly against: readonly string[];
  /** Ids of cases or groups; empty: all. */
  readonly only: readonly string[];
  /** Ids that are left out of what `only` names. */
  readonly except: readonly string[];
  /** Those that did not pass the last time. */
  readonly failed: boolean;
  /** Milliseconds for each test that sets none. */
  readonly timeLimit: number;
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
