/**
 * Building a project the way its own files say: findings before it, the tools' complaints on the way, the verdict of what
 * came out after it.
 */
export { build, buildEnvironment } from "./build.ts";
export { applyFixes, applyPreferredFixes, withEdits, witnessOf } from "./edits.ts";
export { interpreterFor } from "./interpreter.ts";
export { needsOf } from "./pythonNeeds.ts";
export type { BuildProblem, BuildReport, BuildRequest, BuildStep } from "./types.ts";
