import type { BinaryProfile } from "./binary.ts";
import type { Evidence } from "./evidence.ts";
import type { Fact } from "./fact.ts";
import type { Severity } from "./finding.ts";
import type { WheelProfile } from "./wheel.ts";

export type MissingKind =
  /** The other std::string spelling is exported. */
  | "abi-twin"
  /** A torch symbol that this torch does not export: another version. */
  | "drift"
  /** Exported by a library of the environment that the file does not load, or of torch's builds with CUDA where the environment's has none (without `foundIn`). */
  | "missing-library"
  /** A function of the stable ABI that this torch does not have yet. */
  | "stable-shim"
  /** Belongs to nobody known: a source of the project that was not compiled or linked. */
  | "own"
  /** Of a library that is not there at all or has another version: CUDA, CPython, libstdc++, glibc. */
  | "other-library";

/** A symbol that a file needs and nobody provides, as the loading model finds it and reports show it. */
export interface MissingSymbol {
  /** Mangled. */
  readonly symbol: string;
  readonly version?: string;
  /** The library that the version is asked of: "libstdc++.so.6". */
  readonly versionOf?: string;
  readonly demangled: string;
  readonly binding: "global" | "weak";
  readonly kind: MissingKind;
  /** abi-twin: the exported spelling. */
  readonly twin?: string;
  /** Absolute path of the library that exports it or its twin. */
  readonly foundIn?: string;
  /** drift: the exported symbol of the same qualified name, demangled and mangled. */
  readonly nearest?: { readonly symbol: string; readonly demangled: string; readonly library: string };
  /** Releases of torch that export it, from the catalogue; `until` null: still there in the newest. */
  readonly torch?: { readonly since: string; readonly until: string | null; readonly source: string };
  /** A sentence: what was seen, and what it means. */
  readonly because: string;
  /** The object whose import it is, when it is a library of the closure and not the file itself. */
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
  readonly missing: readonly MissingSymbol[];
  readonly missingDependencies: readonly { readonly name: string; readonly neededBy: string; readonly searched: readonly string[]; readonly providedBy?: string; readonly refused?: string; readonly because: string }[];
  readonly missingVersions: readonly { readonly version: string; readonly library: string; readonly foundIn: string; readonly highest: string | null }[];
  readonly traits: readonly ReportedTrait[];
  /** Releases of torch with every torch symbol that the file needs; null: not told. */
  readonly releasesThatWouldDo: readonly string[] | null;
  /** The same as an interval, where they follow each other without a gap; `until` null: on to the newest that is recorded. */
  readonly torch?: { readonly since: string; readonly until: string | null; readonly source: string };
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

/** A symbol that not every release has. */
export interface BoundingSymbol {
  readonly symbol: string;
  readonly demangled: string;
}

/** Which releases of torch have what a file needs: it was built against one of them, or against a build between. */
export interface BuiltAgainst {
  /** Recorded releases that have all of it, oldest first. Empty: each of its names is in some release, and no release has all. */
  readonly releases: readonly string[];
  /** The first of them; where there is none, the first that has the name that came last. */
  readonly since: string;
  /** The last of them, null: the newest that is recorded; where there is none, the last that has the name that went first. */
  readonly until: string | null;
  /** "stable-abi": it needs functions of torch's stable ABI only, so that `since` is a minimum and newer releases will do. */
  readonly kind: "unstable-abi" | "stable-abi";
  /** Names that the release before `since` lacks: some of them, and how many there are. */
  readonly lower: readonly BoundingSymbol[];
  readonly lowerCount: number;
  /** Names that the release after `until` lacks. */
  readonly upper: readonly BoundingSymbol[];
  readonly upperCount: number;
  /** Names of torch that were compared, and those that no recorded release exports: of another kind of build, or not torch's. */
  readonly symbols: number;
  readonly unrecorded: number;
  /** Releases of which nothing is recorded: they may do, or lack something. */
  readonly unrecordedReleases: readonly string[];
  readonly source: string;
}

export interface InspectedBinary {
  readonly profile: BinaryProfile;
  readonly facts: readonly Fact[];
  readonly notKnown: readonly string[];
  /** Absent: nothing of what it needs of torch tells releases apart. */
  readonly builtAgainst?: BuiltAgainst;
}

/** The JSON of `abiding inspect` (docs/schema/inspect.schema.json). */
export interface InspectReport {
  readonly schema: 1;
  readonly file: string;
  readonly kind: "binary" | "wheel";
  readonly wheel?: WheelProfile;
  readonly binaries: readonly InspectedBinary[];
  /** What could not be read, in sentences: members that are no ELF files, damaged ones. */
  readonly problems: readonly string[];
}
