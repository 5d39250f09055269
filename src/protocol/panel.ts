/** Messages between the panel's page and its host, and the data of its views: types only. The published page has the same data in it. */
import type { BodiesView, Finding, Location } from "../engine/model/index.ts";
import type { Comparison, Fraction } from "../workshop/benchmark/types.ts";
import type { CellEvent, CombinationOutcome, CombinationReason, Method } from "../workshop/combinations/types.ts";

export type { BodiesView, BodyCell, BodyColumn, BodyRow, Finding, Location } from "../engine/model/index.ts";
export type { Comparison, Fraction } from "../workshop/benchmark/types.ts";
export type { Cell, CellEvent, CellResult, Method } from "../workshop/combinations/types.ts";

/** A record as the matrix needs it. Strings that many records share are shared by the sender; nothing is looked up elsewhere. */
export interface PanelRecord {
  readonly id: string;
  readonly torch: string;
  /** torch's index, for the install line. */
  readonly index?: string;
  readonly packages?: Readonly<Record<string, string>>;
  readonly project: string;
  readonly version?: string;
  readonly commit?: string;
  readonly python?: string;
  readonly cuda?: string | null;
  readonly compiler?: string;
  readonly platform: string;
  readonly gpu?: string | null;
  readonly how: Method;
  readonly outcome: CombinationOutcome;
  /** ISO 8601. */
  readonly when: string;
  readonly reason?: CombinationReason;
  readonly note?: string;
  readonly run?: string;
}

/** The one line to paste, for those who want a release and for those who want a nightly. */
export interface LatestWorking {
  readonly channel: "release" | "nightly";
  readonly torch: string;
  readonly line: string;
  /** How it is known: "smoke tests passed on 2026-11-29, Python 3.12, linux-x86_64". */
  readonly because: string;
  readonly record: string;
}

export interface CombinationsView {
  /** The newest first. */
  readonly records: readonly PanelRecord[];
  readonly latest: readonly LatestWorking[];
  /** Versions of torch that indexes are known to have, newest first, also without any record. */
  readonly known: readonly { readonly torch: string; readonly listed: boolean; readonly yanked?: boolean }[];
  /** When the indexes were last read, ISO 8601. */
  readonly knownAt?: string;
  readonly problems: readonly string[];
  readonly file: string;
  /** What the project is now: the column in which cells that are being tried without a commit of their own stand. */
  readonly current?: { readonly project: string; readonly version?: string; readonly commit?: string; readonly platform: string };
}

/** One run of benchmarks, with what changed in its surroundings since the run before. */
export interface PanelBenchmarkRun {
  readonly id: string;
  readonly started: string;
  readonly plan: string;
  readonly commit?: string;
  readonly machine: string;
  /** In words: "governor powersave, was performance". Empty: nothing that is known. */
  readonly changes: readonly string[];
  readonly measurements: readonly {
    readonly name: string;
    /** Seconds: the median, and a 95 % interval of it where there are repetitions enough. */
    readonly median?: number;
    readonly interval?: readonly [number, number];
    readonly repetitions: number;
    readonly problem?: string;
  }[];
  readonly fractions: readonly Fraction[];
  readonly warnings: readonly string[];
}

export interface BenchmarksView {
  /** Oldest first. */
  readonly runs: readonly PanelBenchmarkRun[];
  readonly baselines: readonly { readonly name: string; readonly runs: readonly string[] }[];
  /** The newest run of each plan against the chosen baseline. */
  readonly comparison?: { readonly with: string; readonly method: string; readonly comparisons: readonly Comparison[] };
  readonly problems: readonly string[];
  readonly file: string;
}

export type WorkKind = "build" | "smoke" | "benchmark" | "libtorch" | "combinations" | "bisect" | "predict";

/** A piece of work of the header strip. */
export interface WorkState {
  readonly kind: WorkKind;
  readonly state: "idle" | "running" | "ended";
  /** Why it cannot be started: an untrusted workspace, nothing to build. */
  readonly unavailable?: string;
  /** What is done now: "Compiling". */
  readonly step?: string;
  readonly fraction?: number;
  /** ISO 8601: the begin of the running one, or the end of the last. */
  readonly since?: string;
  readonly outcome?: "passed" | "failed" | "cancelled" | "stopped";
  /** In a sentence, with the explanation where there is one. */
  readonly headline?: string;
  readonly rule?: string;
  readonly hasLog?: boolean;
}

export interface PanelState {
  readonly project: { readonly name: string; readonly root: string };
  readonly projects: readonly { readonly name: string; readonly root: string }[];
  readonly trusted: boolean;
  readonly torch?: string;
  /** Findings that stand in the way of a build, errors first. */
  readonly inTheWay: readonly Finding[];
  readonly work: readonly WorkState[];
  readonly bodies?: BodiesView;
  /** The environment of the fifth column, as `--against` takes it: the page keeps it for when it is rebuilt. */
  readonly also?: string;
  readonly combinations?: CombinationsView;
  readonly benchmarks?: BenchmarksView;
}

/** What is said of one cell when it is opened. */
export interface CellDetails {
  readonly torch: string;
  /** `log`: the end of its log, as text; "openLog" opens the whole. */
  readonly records: readonly (PanelRecord & { readonly log?: string; readonly explanation?: string })[];
}

export type PanelPageMessage =
  /** The page can take messages. `also`: the environment that it had as a fifth column before it was rebuilt. */
  | { readonly type: "ready"; readonly root?: string; readonly also?: string; readonly baseline?: string }
  | { readonly type: "selectProject"; readonly root: string }
  | { readonly type: "start" | "cancel" | "showLog"; readonly work: WorkKind }
  | { readonly type: "openLocation"; readonly location: Location }
  /** Of the findings of the bodies, or of those in the way. `title`: of the fix; where it has another one by now, nothing is applied. */
  | { readonly type: "applyFix"; readonly of?: "bodies" | "inTheWay"; readonly finding: number; readonly fix: number; readonly title?: string }
  | { readonly type: "openRule"; readonly rule: string }
  /** Asks the user for an environment; "remove": the fifth column goes. */
  | { readonly type: "compareAlso"; readonly remove?: boolean }
  | { readonly type: "selectEnvironment" | "refresh" | "refreshIndexes" | "openRecords" | "openDocumentation" | "editMatrix" | "manageTrust" }
  | { readonly type: "openCell"; readonly torch: string; readonly records: readonly string[] }
  | { readonly type: "openLog"; readonly record: string }
  | { readonly type: "copy"; readonly text: string; readonly what: string }
  | { readonly type: "copyInstallLine" | "tryIt" | "bisectFrom" | "rollPins" | "predict"; readonly torch: string; readonly records: readonly string[] }
  | { readonly type: "chooseBaseline"; readonly baseline: string };

export type PanelHostMessage =
  | { readonly type: "state"; readonly state: PanelState }
  /** The panel is in sight again: a page that was there all the time answers "ready", for it has missed something. */
  | { readonly type: "shown" }
  | { readonly type: "work"; readonly work: WorkState }
  | { readonly type: "inTheWay"; readonly findings: readonly Finding[]; readonly torch?: string }
  | { readonly type: "bodies"; readonly bodies: BodiesView; readonly also?: string }
  | { readonly type: "combinations"; readonly combinations: CombinationsView }
  | { readonly type: "recordsAdded"; readonly records: readonly PanelRecord[]; readonly latest: readonly LatestWorking[] }
  | { readonly type: "cell"; readonly event: CellEvent }
  | { readonly type: "benchmarks"; readonly benchmarks: BenchmarksView }
  | { readonly type: "details"; readonly details: CellDetails }
  | { readonly type: "copied"; readonly what: string }
  | { readonly type: "failed"; readonly message: string };

/**
 * What a published page shows: JSON in its `<script type="application/json" id="abiding-data">`. The page's bundle starts from
 * it where there is no host to talk to. Paths in it are relative to the project; nothing tells of a machine or a user.
 */
export interface PublishedPage {
  readonly schema: 1;
  readonly project: { readonly name: string; readonly version?: string };
  /** ISO 8601. */
  readonly published: string;
  /** Version of Abiding. */
  readonly by: string;
  readonly bodies?: BodiesView;
  readonly combinations?: CombinationsView;
  readonly benchmarks?: BenchmarksView;
}
