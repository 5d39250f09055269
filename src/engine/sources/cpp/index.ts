/**
 * C++ and CUDA sources, scanned and not parsed: the includes, macros and names that rules ask for,
 * each with the preprocessor conditions around it.
 */
export type * from "./types.ts";
export { scanSource } from "./scan.ts";
export { dispatchOnTensorType, isDispatchMacro } from "./dispatch.ts";
export { namesOfInterest } from "./names.ts";
export { ReachCache, reachableSources, type ReachedSource } from "./reach.ts";
export { isDead, isVersionGuarded } from "./guards.ts";
