import type { RemoteOptions } from "../../../engine/binaries/remote/index.ts";
import type { CombinationReason, CombinationSettings, Prediction, WheelWanted } from "../types.ts";

export interface PredictRequest {
  readonly root: string;
  /** Libraries or wheels, absolute; empty: what is built in the project. */
  readonly files: readonly string[];
  /** As `selectTorches` takes them; empty: those of the matrix, else a few releases and nightlies. */
  readonly torch: readonly string[];
  readonly wanted: WheelWanted;
  readonly settings: CombinationSettings | undefined;
  /** Bytes that may be read from servers. */
  readonly budget: number;
  /** Nothing is asked of any server: what earlier predictions left has to do. */
  readonly offline: boolean;
  /** Whether predictions go into the records. */
  readonly record: boolean;
  /** Where what was read is kept; absent: the user's cache folder. */
  readonly cacheFolder?: string;
  readonly interpreter?: string;
  /** Patience with servers; see RemoteOptions. */
  readonly network?: Pick<RemoteOptions, "silence" | "retries" | "backOff" | "authorization">;
}

/** A symbol that a file needs and a torch does not export. */
export interface LackingSymbol {
  /** Mangled. */
  readonly symbol: string;
  readonly demangled: string;
  /** The exported one of the same name, demangled. */
  readonly nearest?: string;
}

/** What was found out of the files with one torch. */
export interface Judged {
  readonly verdict: Prediction["verdict"];
  readonly reason?: CombinationReason;
  readonly lacking: readonly LackingSymbol[];
  /** By torch/version.py. */
  readonly torch?: string;
  readonly gitVersion?: string;
  /** null: built without CUDA. */
  readonly cuda?: string | null;
  readonly notChecked: readonly string[];
}

/** A judgement that was asked for; "left": there is none, and asking again later may bring one. */
export type Asked =
  | { readonly kind: "judged"; readonly judged: Judged; readonly fromCache: boolean; readonly bytes: number }
  | { readonly kind: "left"; readonly because: "budget" | "cancelled" | "offline" | "server"; readonly message: string; readonly bytes: number };
