/**
 * The vocabulary: traits, facts, evidence, bodies, findings, and what readers hand to rules.
 * Imports nothing outside this folder.
 */
export * from "./text.ts";
export * from "./lines.ts";
export * from "./evidence.ts";
export * from "./trait.ts";
export * from "./fact.ts";
export * from "./body.ts";
export * from "./binary.ts";
export * from "./wheel.ts";
export * from "./fitReport.ts";
export * from "./requirement.ts";
export * from "./observation.ts";
export * from "./reading.ts";
export * from "./finding.ts";
export * from "./examinedFile.ts";
export type * from "./bodiesView.ts";
export type * from "./explainReport.ts";
export * from "./failureExplanation.ts";
export * from "./files.ts";
export * from "./version.ts";
export * from "./specifier.ts";
export * from "./marker.ts";
export * from "./requirementText.ts";
