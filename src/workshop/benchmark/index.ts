/**
 * Measures: runs a project's benchmark programs repetition by repetition, reads what they wrote, describes the machine,
 * compares with a baseline or a second build by a test that suits such numbers, and keeps the runs in a local history.
 */
export { benchmark } from "./benchmark.ts";
export { compare, defaultRepetitions } from "./comparison.ts";
export { duration } from "../../views/words.ts";
export { exportRuns, shareText } from "./exports.ts";
export type { ExportFormat } from "./exports.ts";
export { readHistory } from "./history.ts";
export { describeGpus } from "./gpus.ts";
export { listBenchmarks } from "./measure.ts";
export { systemFiles } from "./systemFiles.ts";
export { median, spread } from "./statistics/samples.ts";
export { benchmarksView } from "./view.ts";
export { plansOfBuild } from "./variant.ts";
