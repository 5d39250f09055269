import type { Catalogue } from "../catalogue/index.ts";
import type { BuiltBody, DeclaredBody, Files, Finding, InstalledBody, Observation, Requirement, Severity, ToolchainBody, WheelProfile } from "../model/index.ts";
import type { FitResult } from "../fit/types.ts";
import type { ReachCache } from "../sources/cpp/index.ts";
import type { SourceScan } from "../sources/cpp/types.ts";

/** A produced file in a project, an environment or asked about by name, with what loading it against `installed` would do. */
export interface BuiltFile {
  readonly body: BuiltBody;
  /** undefined without a torch to check against. */
  readonly fit: FitResult | undefined;
  readonly origin: "named" | "build-folder" | "beside-package" | "jit-cache" | "editable-install" | "installed" | "wheel";
  /** The declared target that it was built from, where one was found by name. */
  readonly target?: DeclaredBody;
  /** The distribution it belongs to in an environment: "torchvision 0.28.0". */
  readonly distribution?: { readonly name: string; readonly version: string; readonly requires: readonly string[] };
  /** Milliseconds since the epoch; 0 when not known. */
  readonly modified: number;
}

/** All that a rule may look at. Rules are pure: the same context gives the same findings. */
export interface RuleContext {
  /** Absolute path of the project. */
  readonly root: string;
  readonly declared: readonly DeclaredBody[];
  readonly observations: readonly Observation[];
  readonly requirements: readonly Requirement[];
  readonly built: readonly BuiltFile[];
  /** Wheels that were opened; `binaries/wheel` decides where they break what they promise, rules only report it. */
  readonly wheels?: readonly WheelProfile[];
  /** The torch to check against; undefined when none was found or named. */
  readonly installed: InstalledBody | undefined;
  readonly toolchains: readonly ToolchainBody[];
  readonly catalogue: Catalogue;
  readonly files: Files;
  /** Scan of a source file, cached; undefined when it cannot be read. */
  scan(path: string): SourceScan | undefined;
  /** What `read` makes of a file's text, kept until the file changes; undefined when it cannot be read. */
  ofText?<T>(path: string, read: (text: string) => T): T | undefined;
  /** What targets were found to include, kept from one check to the next. */
  readonly reach?: ReachCache;
}

export interface Rule {
  /** The name is the code in editors, reports, suppressions, and the name of docs/rules/<name>.md. */
  readonly name: string;
  readonly severity: Severity;
  /** One sentence for reports and settings. */
  readonly summary: string;
  /** Off unless the user sets a severity for it. */
  readonly optIn?: boolean;
  check(context: RuleContext): readonly Finding[];
}
