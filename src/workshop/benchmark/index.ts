/**
 * Measures: runs a project's benchmark programs repetition by repetition, reads what they wrote, describes the machine,
 * compares with a baseline or a second build by a test that suits such numbers, and keeps the runs in a local history.
 */
export { benchmark } from "./benchmark.ts";
export { readHistory } from "./history.ts";
