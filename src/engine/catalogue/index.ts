/**
 * What is known of releases: typed access to the tables in data/. Every row names its source.
 */
import type { CudaToolkit, RemovedApi, TorchRelease } from "./types.ts";

export type * from "./types.ts";

export interface Catalogue {
  /** Oldest first. */
  readonly torchReleases: readonly TorchRelease[];
  readonly cudaToolkits: readonly CudaToolkit[];
  readonly removedApis: readonly RemovedApi[];
  /** The release of a public version ("2.8.0", "2.8"), local label and dev suffix ignored. */
  torchRelease(version: string): TorchRelease | undefined;
  /** The toolkit of "12.8" or "12.8.1". */
  cudaToolkit(version: string): CudaToolkit | undefined;
}
