import type { RemoteOptions } from "../../../engine/binaries/remote/index.ts";
import type { KnownWheel, WheelWanted } from "../types.ts";

/** What `readIndexes` is asked for. */
export interface IndexRequest {
  readonly root: string;
  readonly wanted: WheelWanted;
  /** Packages beside torch whose wheels are wanted: "torchvision". */
  readonly packages: readonly string[];
  /** Answers from what was read before and opens no connection. */
  readonly offline?: boolean;
  /** Reads the pages again although they were read a few minutes ago. */
  readonly refresh?: boolean;
  /** Asks for the first byte of wheels that are no longer listed: whether they are still there. */
  readonly probe?: boolean;
  /** Bytes that reading METADATA may cost; 16 MB unless said otherwise. */
  readonly metadataBudget?: number;
  /** Where what was seen is remembered; the user's cache folder unless said otherwise. */
  readonly memory?: string;
  /** Patience with servers; see RemoteOptions. */
  readonly network?: Pick<RemoteOptions, "silence" | "retries" | "backOff" | "authorization">;
}

/** A wheel as it is remembered. */
export interface RememberedWheel extends KnownWheel {
  /** METADATA lies beside the wheel (PEP 658): its SHA-256, or "" where the page does not tell it. */
  readonly sidecar?: string;
  /** What the server said of the file, "ETag-size", when it was last asked. */
  readonly identity?: string;
}

/** What is remembered of one page of an index. */
export interface Memory {
  readonly schema: 1;
  readonly index: string;
  readonly package: string;
  readonly readAt?: string;
  readonly wheels: readonly RememberedWheel[];
}
