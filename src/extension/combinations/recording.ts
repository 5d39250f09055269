/** What smoke tests, benchmarks and builds say goes into the records, where the project keeps any: as on the command line. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { BenchmarkReport } from "../../workshop/benchmark/types.ts";
import type { BuildReport } from "../../workshop/build/types.ts";
import type { BenchmarkPlan, SmokePlan } from "../../workshop/project/types.ts";
import type { SmokeReport } from "../../workshop/smoke/types.ts";
import type { Workshop } from "../../workshop/workshop.ts";
import type { Screen } from "../workshop/screen.ts";

export type Reported =
  | { readonly kind: "build"; readonly report: BuildReport }
  | { readonly kind: "smoke"; readonly report: SmokeReport; readonly plans: readonly SmokePlan[]; readonly isPart: boolean }
  | { readonly kind: "benchmark"; readonly report: BenchmarkReport; readonly plans: readonly BenchmarkPlan[]; readonly isPart: boolean };

/** A record that cannot be written costs nothing of what was done. */
export async function recordReport(root: string, reported: Reported, workshop: Workshop, screen: Screen): Promise<void> {
  try {
    // Most projects keep none: theirs do not wait for all that is there for those that do.
    if (!existsSync(path.join(root, ".abiding", "combinations.jsonl")) && !(await readFile(path.join(root, "abiding.json"), "utf8").catch(() => "")).includes("\"combinations\"")) {
      return;
    }
    const { keepsRecords, readSettings, recordBenchmark, recordBuild, recordSmoke } = await import("../../workshop/combinations/index.ts");
    const { settings: read, isWritten } = readSettings(root);
    const settings = isWritten ? read : undefined;
    if (!keepsRecords(root, settings)) {
      return;
    }
    const recording = { root, settings, ...(reported.kind === "build" ? {} : { isPart: reported.isPart }) };
    const { notes } = await (reported.kind === "build" ? recordBuild(reported.report, recording, workshop)
      : reported.kind === "smoke" ? recordSmoke(reported.report, reported.plans, recording, workshop)
        : recordBenchmark(reported.report, reported.plans, recording, workshop));
    notes.forEach((note) => screen.note(note));
  } catch (error) {
    screen.note(vscode.l10n.t("Nothing was recorded: {0}", error instanceof Error ? error.message : String(error)));
  }
}
