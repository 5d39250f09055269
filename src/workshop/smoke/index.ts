/**
 * Smoke tests: lists what says whether a build works (CTest, GoogleTest inside it, pytest, commands), runs it in processes
 * of its own, and tells apart what went wrong. A list never runs the project's own programs unless that was asked for.
 */
export { debugLaunch } from "./debug.ts";
export { discover } from "./discover.ts";
export { Explainer } from "./explain.ts";
export { defaultTimeLimit } from "./limits.ts";
export { smoke } from "./smoke.ts";
