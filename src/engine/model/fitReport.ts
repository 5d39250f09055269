import type { BinaryProfile } from "./binary.ts";
import type { Evidence } from "./evidence.ts";
import type { Fact } from "./fact.ts";
import type { Severity } from "./finding.ts";
import type { WheelProfile } from "./wheel.ts";

/** A symbol nobody provides, as reports show it; see `MissingSymbol` of the loading model. */
export interface ReportedSymbol {
  readonly symbol: string;
  readonly demangled: string;
  readonly version?: string;
  /** The library that the version is asked of. */
  readonly versionOf?: string;
  readonly binding: "global" | "weak";
  readonly kind: "abi-twin" | "drift" | "missing-library" | "own" | "stable-shim" | "other-library";
  readonly twin?: string;
  readonly foundIn?: string;
  readonly nearest?: { readonly symbol: string; readonly demangled: string; readonly library: string };
  /** `until` null: still exported by the newest release recorded. */
  readonly torch?: { readonly since: string; readonly until: string | null; readonly source: string };
  readonly because: string;
  readonly neededBy?: string;
}

export interface ReportedTrait {
  readonly trait: string;
  readonly built: string;
  readonly installed: string;
  /** null: could not be compared. */
  readonly agrees: boolean | null;
  readonly weight: "error" | "warning" | "info";
  readonly because: string;
  readonly evidence: readonly Evidence[];
}

export interface ReportedFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly docs: string;
}

export type Verdict = "no-conflict" | "conflict" | "unknown";

/** What loading one file against one torch would do. */
export interface FileFit {
  /** Absolute; below a wheel for its members. */
  readonly file: string;
  readonly verdict: Verdict;
  readonly missing: readonly ReportedSymbol[];
  readonly missingDependencies: readonly { readonly name: string; readonly neededBy: string; readonly searched: readonly string[]; readonly providedBy?: string; readonly refused?: string; readonly because: string }[];
  readonly missingVersions: readonly { readonly version: string; readonly library: string; readonly foundIn: string; readonly highest: string | null }[];
  readonly traits: readonly ReportedTrait[];
  /** Releases of torch with every torch symbol that the file needs; null: not told. */
  readonly releasesThatWouldDo: readonly string[] | null;
  readonly loaded: readonly { readonly name: string; readonly path: string; readonly how: string }[];
  readonly notChecked: readonly string[];
}

/** The JSON of `abiding fits` (docs/schema/fits.schema.json). For a wheel the lists are those of all its libraries, and `members` has each. */
export interface FitReport extends FileFit {
  readonly schema: 1;
  readonly against: { readonly torch: string | null; readonly source: string; readonly name: string };
  readonly findings: readonly ReportedFinding[];
  readonly members?: readonly FileFit[];
}

/** The JSON of `abiding inspect` (docs/schema/inspect.schema.json). */
export interface InspectReport {
  readonly schema: 1;
  readonly file: string;
  readonly kind: "binary" | "wheel";
  readonly wheel?: WheelProfile;
  readonly binaries: readonly { readonly profile: BinaryProfile; readonly facts: readonly Fact[]; readonly notKnown: readonly string[] }[];
  /** What could not be read, in sentences: members that are no ELF files, damaged ones. */
  readonly problems: readonly string[];
}
