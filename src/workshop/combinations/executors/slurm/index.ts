/** Cells on a cluster: job arrays of Slurm. */
export { slurmExecutor } from "./executor.ts";
export type { SlurmOptions } from "./executor.ts";
