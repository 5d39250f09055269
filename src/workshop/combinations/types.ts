/** What was put together, as far as it is known. An absent member is not known, or there is none. */
export interface Combination {
  readonly project: {
    /** Name of the distribution, else of the CMake project, else of the folder. */
    readonly name: string;
    readonly version?: string;
    /** Full hash. */
    readonly commit?: string;
    /** Files were changed since that commit. */
    readonly changed?: boolean;
  };
  readonly torch: {
    /** With its local label: "2.15.0.dev20261101+cu130". */
    readonly version: string;
    /** `torch.version.git_version`. */
    readonly gitVersion?: string;
    /** Index that it came from, without user and password. */
    readonly index?: string;
  };
  /** What was installed beside: "torchvision" -> "0.30.0.dev20261101+cu130". */
  readonly packages?: Readonly<Record<string, string>>;
  /** "3.11", "3.13t". */
  readonly python?: string;
  /** The toolkit that torch was built with, "13.0"; null: none. */
  readonly cuda?: string | null;
  /** "gcc 12.2.0", "clang 14.0.6". */
  readonly compiler?: string;
  /** "linux-x86_64", as libtorch's records write it. */
  readonly platform: string;
  /** null: there was none. */
  readonly gpu?: { readonly name: string; readonly capability?: string; readonly driver?: string } | null;
}

/** How it is known, from the weakest to the strongest. */
export type Method = "predicted" | "built" | "loaded" | "smoke" | "benchmark";

/** Of a prediction "no-conflict" or "conflict"; of everything else "passed" or "failed"; "unknown": could not be told (did not install, cancelled, a node failed). */
export type CombinationOutcome = "no-conflict" | "conflict" | "passed" | "failed" | "unknown";

/** Why it failed, or could not be told. */
export interface CombinationReason {
  /** In a sentence. */
  readonly message: string;
  /** A rule of Abiding that explains it. */
  readonly rule?: string;
  /** Mangled. */
  readonly symbols?: readonly string[];
  /** Id of a failing test. */
  readonly test?: string;
}

/** One line of `.abiding/combinations.jsonl` (docs/schema/combination-record.schema.json). Two lines that say the same are one record. */
export interface CombinationRecord {
  readonly schema: 1;
  readonly combination: Combination;
  readonly how: Method;
  readonly outcome: CombinationOutcome;
  /** ISO 8601, UTC. */
  readonly when: string;
  /** Version of Abiding; "by hand" stands in `note`. */
  readonly by: string;
  readonly reason?: CombinationReason;
  /** Free text of whoever recorded it by hand; a CI run's address. */
  readonly note?: string;
  /** SHA-256 of the file that a prediction or a load was made of. */
  readonly file?: string;
  /** Names the local run whose logs it has: a folder below `.abiding/local/combinations/`. */
  readonly run?: string;
  /** Tests or benchmarks: how many of how many. */
  readonly counts?: { readonly passed: number; readonly failed: number; readonly skipped: number };
}

/** All that the file of records holds. */
export interface ReadCombinations {
  /** In the order of the file; duplicates collapsed. `id` is made from the content. */
  readonly records: readonly (CombinationRecord & { readonly id: string })[];
  /** Lines that are no records, in sentences with their numbers; of very many the first ones and how many more. */
  readonly problems: readonly string[];
  readonly file: string;
}

/** A wheel that an index offers or once offered. */
export interface KnownWheel {
  /** Normalised: "torch", "torchvision". */
  readonly package: string;
  /** With its local label. */
  readonly version: string;
  readonly file: string;
  readonly url: string;
  /** The index's address, without user and password. */
  readonly index: string;
  /** "cp312". */
  readonly python: string;
  readonly abi: string;
  readonly platforms: readonly string[];
  readonly sha256?: string;
  readonly size?: number;
  readonly requiresPython?: string;
  /** The reason, perhaps empty. */
  readonly yanked?: string;
  /** ISO 8601. */
  readonly firstSeen: string;
  readonly lastSeen: string;
  /** The index listed it when it was last read. */
  readonly listed: boolean;
  /** Day of a nightly by its version, "20261101". */
  readonly day?: string;
  /** Requirements by its METADATA, once that was read: "torch==2.15.0.dev20261101". */
  readonly requires?: readonly string[];
  /** Its content changed under its name: a sentence. */
  readonly changed?: string;
  /** When its address answered that it is no longer there, ISO 8601. */
  readonly gone?: string;
}

/** What is known of indexes, and how old that is. */
export interface IndexKnowledge {
  readonly wheels: readonly KnownWheel[];
  readonly indexes: readonly {
    readonly index: string;
    readonly package: string;
    /** When it was last read successfully, ISO 8601; absent: never. */
    readonly readAt?: string;
    /** Why it could not be read now, in a sentence. */
    readonly problem?: string;
  }[];
  /** Duplicate files, hashes that changed, pages that are no index, in sentences. */
  readonly problems: readonly string[];
}

/** Where wheels may come from and what they have to fit. */
export interface WheelWanted {
  /** Indexes in the order of preference; empty: the project's own choice, then PyPI. */
  readonly indexes: readonly string[];
  /** One that goes before all of these, also before the project's own choice: where a record has its torch from. */
  readonly firstIndex?: string;
  /** "3.12", "3.13t"; absent: any. */
  readonly python?: string;
  /** "linux-x86_64"; absent: this machine's. */
  readonly platform?: string;
  /** Local label: "cpu", "cu130"; absent: any. */
  readonly variant?: string;
}

/** A torch with the wheels of other packages that ask for exactly it. */
export interface TorchSet {
  readonly torch: KnownWheel;
  readonly siblings: readonly KnownWheel[];
  /** Packages that have no wheel for this torch, each with the reason. */
  readonly without: readonly { readonly package: string; readonly because: string }[];
  /** One line to paste: `pip install --pre torch==… torchvision==… --index-url …`. */
  readonly installLine: string;
}

/** What one cell of the matrix asks for. */
export interface CellWanted {
  /** An exact version, with its local label where one was asked for. */
  readonly torch: string;
  readonly index?: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly python?: string;
  readonly cuda?: string;
  readonly compiler?: CompilerChoice;
  /** A commit of the project; absent: the files as they are. */
  readonly commit?: string;
}

export interface CompilerChoice {
  /** What people call it: "gcc-13". */
  readonly name: string;
  readonly cc?: string;
  readonly cxx?: string;
  readonly cudaHost?: string;
}

export interface Cell extends CellWanted {
  /** Made from what it asks for: the same from run to run. */
  readonly id: string;
  /** "torch 2.14.1+cu130, Python 3.12, gcc-13". */
  readonly label: string;
}

export type CellStepName = "install" | "build" | "load" | "smoke" | "benchmark";

/** A step of a cell, as it ended. */
export interface CellStep {
  readonly name: CellStepName;
  readonly outcome: "passed" | "failed" | "unknown";
  readonly reason?: CombinationReason;
  readonly milliseconds: number;
  /** Absolute. */
  readonly log?: string;
  readonly counts?: CombinationRecord["counts"];
}

/** What became of a cell: `cells/<id>/result.json` of its run. */
export interface CellResult {
  readonly schema: 1;
  readonly cell: Cell;
  /** "unknown": torch did not install, the node failed; "cancelled". */
  readonly outcome: "passed" | "failed" | "unknown" | "cancelled";
  readonly reason?: CombinationReason;
  readonly steps: readonly CellStep[];
  readonly records: readonly CombinationRecord[];
  readonly started: string;
  readonly milliseconds: number;
  /** Where it ran: a host name; of Slurm the job as "1234_5". */
  readonly where?: string;
}

export type CellEvent =
  | { readonly kind: "queued"; readonly cell: Cell; readonly note?: string }
  | { readonly kind: "started"; readonly cell: Cell; readonly where?: string }
  | { readonly kind: "step"; readonly cell: Cell; readonly step: CellStepName; readonly fraction?: number }
  | { readonly kind: "ended"; readonly result: CellResult; /** It was there from an earlier, interrupted run. */ readonly resumed?: boolean };

/** What an executor gets: cells whose folders exist, each with its `cell.json`. */
export interface CellTask {
  readonly cell: Cell;
  /** Absolute: everything of the cell goes below it, `result.json` last and whole. */
  readonly folder: string;
}

/**
 * Where cells are tried. An executor starts each cell, tells what happens to it, and leaves a `result.json` in every cell's
 * folder, also of one that crashed, was lost or was cancelled. It rejects only when it can start no cell at all (no sbatch,
 * no partition of that name), with a `CannotDo`. Aborting `signal` ends all that it started before it resolves.
 */
export interface Executor {
  readonly kind: "local" | "slurm";
  execute(tasks: readonly CellTask[], tell: (event: CellEvent) => void, signal: AbortSignal): Promise<void>;
}

export interface LocalExecutorSettings {
  readonly kind: "local";
  /** Cells at once; default 1. */
  readonly jobs?: number;
}

export interface SlurmExecutorSettings {
  readonly kind: "slurm";
  readonly partition?: string;
  readonly account?: string;
  /** GPUs for each cell. */
  readonly gpus?: number;
  readonly cpus?: number;
  /** As `--mem` takes it: "16G". */
  readonly memory?: string;
  /** Milliseconds for each cell. */
  readonly timeLimit?: number;
  /** Cells at once. */
  readonly jobs?: number;
  /** An image for `container` arguments of srun (Pyxis) or a command that wraps the cell, as argument array. */
  readonly container?: { readonly image: string; readonly mounts?: readonly string[] };
  readonly wrap?: readonly string[];
  /** Environment modules to load. */
  readonly modules?: readonly string[];
  /** Further arguments of sbatch. */
  readonly arguments?: readonly string[];
  /** Requeues after a node failed; default 1. */
  readonly requeue?: number;
  /** Node.js and Abiding's cli.js on the nodes, where they differ from here. */
  readonly node?: string;
  readonly cli?: string;
}

/** The section "combinations" of abiding.json. */
export interface CombinationSettings {
  /** Relative to the root; default ".abiding/combinations.jsonl". */
  readonly records?: string;
  readonly indexes?: readonly string[];
  /** Packages that go with torch: "torchvision". */
  readonly packages?: readonly string[];
  /** Further requirements of each environment: "pytest", "numpy". */
  readonly install?: readonly string[];
  readonly steps?: readonly CellStepName[];
  readonly matrix?: {
    /** Exact versions, ranges (">=2.12,<2.15"), "release:3" (the newest three), "nightly:7" (the newest seven). */
    readonly torch?: readonly string[];
    readonly python?: readonly string[];
    /** "cpu", "cu130". */
    readonly cuda?: readonly string[];
    readonly compiler?: readonly (string | CompilerChoice)[];
    /** Commits, tags, branches; "." for the files as they are. */
    readonly commit?: readonly string[];
    /** Cells to leave out: every value that is named has to match. */
    readonly exclude?: readonly Readonly<Partial<Record<"torch" | "python" | "cuda" | "compiler" | "commit", string>>>[];
  };
  readonly executor?: LocalExecutorSettings | SlurmExecutorSettings;
}

/** The JSON of `combinations run` (docs/schema/combinations-run.schema.json). */
export interface RunReport {
  readonly schema: 1;
  readonly root: string;
  /** Name of the run: its folder below `.abiding/local/combinations/`. */
  readonly run: string;
  readonly outcome: "passed" | "failed" | "cancelled";
  readonly executor: "local" | "slurm";
  readonly results: readonly CellResult[];
  /** Cells that were not tried, each with the reason: no such wheel, excluded by the package's Requires-Python. */
  readonly leftOut: readonly { readonly label: string; readonly because: string }[];
  readonly records: string;
  readonly warnings: readonly string[];
}

/** One torch in a prediction. */
export interface Prediction {
  readonly torch: KnownWheel;
  readonly verdict: "no-conflict" | "conflict" | "unknown";
  /** The first missing symbol or disagreeing trait, with its rule. */
  readonly reason?: CombinationReason;
  /** It was answered from what earlier predictions left. */
  readonly fromCache: boolean;
  readonly bytes: number;
}

/** The JSON of `combinations predict` (docs/schema/combinations-predict.schema.json). */
export interface PredictReport {
  readonly schema: 1;
  readonly root: string;
  /** The libraries or wheels that were compared. */
  readonly files: readonly { readonly file: string; readonly sha256: string }[];
  readonly outcome: "predicted" | "partial" | "cancelled" | "nothing-to-predict";
  readonly reason?: string;
  readonly predictions: readonly Prediction[];
  /** Bytes: what was reckoned before, what was allowed, what came over the network. */
  readonly estimated: number;
  readonly budget: number;
  readonly spent: number;
  readonly records: string;
  readonly notChecked: readonly string[];
}

/** How a bisect tells good from bad. */
export type BisectBy = "fits" | "build" | "smoke" | "benchmark";

/** The JSON of `combinations bisect` (docs/schema/combinations-bisect.schema.json). */
export interface BisectReport {
  readonly schema: 1;
  readonly root: string;
  readonly by: BisectBy;
  readonly good: string;
  readonly bad: string;
  readonly outcome: "found" | "not-found" | "cancelled" | "inconclusive";
  readonly reason?: string;
  /** The last that was good and the first that was bad; between them `skipped` may lie. */
  readonly lastGood?: KnownWheel;
  readonly firstBad?: KnownWheel;
  /** torch's commits, from the two `git_version`s: "abc…..def…", and the address that shows it. */
  readonly range?: { readonly from: string; readonly to: string; readonly url: string };
  /** What the file needs and the first bad torch no longer exports, mangled and demangled; with the nearest of the same name. */
  readonly symbols: readonly { readonly symbol: string; readonly demangled: string; readonly nearest?: string }[];
  readonly failing?: CombinationReason;
  /** Every torch that was asked, in the order in which it was. */
  readonly steps: readonly { readonly torch: string; readonly by: BisectBy; readonly verdict: "good" | "bad" | "skipped"; readonly because?: string; readonly milliseconds: number; readonly resumed?: boolean }[];
  readonly skipped: readonly string[];
  readonly bytes: number;
}
