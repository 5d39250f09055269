import { nativeProject } from "../harness/nativeProject.ts";
import { skewedBinary } from "../harness/skewedBinary.ts";
import { copySample, multiRoot, type ScratchWorkspace } from "../harness/workspace.ts";

/** A suite, and the workspace that it runs in. */
export interface Scenario {
  /** Name of `test/host/suite/<suite>.test.ts`. */
  readonly suite: string;
  readonly trusted: boolean;
  workspace(): ScratchWorkspace;
}

export const scenarios: readonly Scenario[] = [
  { suite: "diagnostics", trusted: true, workspace: () => copySample("skewed-extension") },
  { suite: "commands", trusted: true, workspace: () => copySample("skewed-extension") },
  { suite: "serverLife", trusted: true, workspace: () => copySample("skewed-extension") },
  { suite: "crashes", trusted: true, workspace: () => copySample("skewed-extension") },
  { suite: "restricted", trusted: false, workspace: () => copySample("skewed-extension") },
  { suite: "binary", trusted: false, workspace: skewedBinary },
  { suite: "explain", trusted: false, workspace: skewedBinary },
  { suite: "workshop", trusted: true, workspace: nativeProject },
  { suite: "multiRoot", trusted: true, workspace: () => multiRoot("skewed-extension", "healthy-extension") },
];
