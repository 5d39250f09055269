import type { Body, DeclaredBody, Finding, Gap, InstalledBody, Observation, Requirement, Severity, ToolchainBody } from "../model/index.ts";
import type { BuiltFile } from "../rules/index.ts";
import type { ConfiguredBuild } from "./configuredBuilds.ts";

/** What is wrong in a project, what it was checked against, and what could not be seen. */
export interface Diagnosis {
  /** Absolute. */
  readonly root: string;
  readonly declared: readonly DeclaredBody[];
  /** As read for the first installed torch, like `declared`. */
  readonly observations: readonly Observation[];
  readonly requirements: readonly Requirement[];
  /** The torches that the project was checked against; the first is the one that editors show. */
  readonly installed: readonly InstalledBody[];
  readonly toolchains: readonly ToolchainBody[];
  /** Files that were built from the project, or are installed in an environment that was asked about; as compared with the first torch. */
  readonly built: readonly BuiltFile[];
  /** True for what is installed in an environment: there is no project then. */
  readonly scanned: boolean;
  /** Configured build folders that are newer than the build files; the first one's targets stand in `declared`. */
  readonly configured: readonly ConfiguredBuild[];
  /** Most severe first within a file; suppressed ones are left out. */
  readonly findings: readonly Finding[];
  readonly suppressed: number;
  readonly gaps: readonly Gap[];
  /** Full sentences. */
  readonly notChecked: readonly string[];
  /** Every build file that was read, absolute. */
  readonly files: readonly string[];
}

const rank: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2, hint: 3 };

/** Order of severities: negative when `a` is the graver one. */
export function compareSeverity(a: Severity, b: Severity): number {
  return rank[a] - rank[b];
}

/** The order of reports: by file, then by place, then the graver first. */
export function compareFindings(a: Finding, b: Finding): number {
  const first = a.location;
  const second = b.location;
  if (first.path !== second.path) {
    return first.path < second.path ? -1 : 1;
  }
  return (
    first.range.start.line - second.range.start.line ||
    first.range.start.character - second.range.start.character ||
    compareSeverity(a.severity, b.severity) ||
    (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0)
  );
}

/** All bodies of a diagnosis. */
export function bodiesOf(diagnosis: Diagnosis): readonly Body[] {
  return [...diagnosis.declared, ...diagnosis.built.map((one) => one.body), ...diagnosis.installed, ...diagnosis.toolchains];
}
