/** The matrix of a project on GitHub's runners: a workflow that plans it there, tries every cell in a job of its own and merges what they found. */
export { ciMatrix, ciRecords } from "./matrix.ts";
export { ciWorkflow } from "./workflow.ts";
export type { CiRequest } from "./workflow.ts";
export { repositoryOf, writeWorkflow } from "./write.ts";
