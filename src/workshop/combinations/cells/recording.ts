import { loadCatalogue } from "../../../engine/catalogue/index.ts";
import { NodeFiles } from "../../../engine/files/index.ts";
import { resolveAgainst } from "../../../engine/installed/index.ts";
import { valueOf } from "../../../engine/model/index.ts";
import * as path from "node:path";
import type { CellStep, CellStepName, Combination, CombinationRecord, Method } from "../types.ts";
import type { CellFile } from "./files.ts";
import type { Trial } from "./trial.ts";

const methods: Readonly<Record<Exclude<CellStepName, "install">, Method>> = { build: "built", load: "loaded", smoke: "smoke", benchmark: "benchmark" };

/** What the steps of a cell say of its combination. An installation that failed is a build that could not be told. */
export function recordsOf(file: CellFile, trial: Pick<Trial, "root" | "interpreter" | "workshop">, steps: readonly CellStep[]): readonly CombinationRecord[] {
  const combination = combinationOfCell(file, trial);
  const when = trial.workshop.now().toISOString();
  return steps.flatMap(({ name, outcome, reason, counts }): CombinationRecord[] => {
    if (name === "install" && outcome === "passed") {
      return [];
    }
    return [{
      schema: 1, combination, how: name === "install" ? "built" : methods[name], outcome, when, by: trial.workshop.version, run: file.run,
      ...(reason === undefined ? {} : { reason }), ...(counts === undefined ? {} : { counts }),
    }];
  });
}

function combinationOfCell({ cell, root }: CellFile, { interpreter, workshop }: Pick<Trial, "root" | "interpreter" | "workshop">): Combination {
  const answer = resolveAgainst(interpreter, { root, files: new NodeFiles(), catalogue: loadCatalogue(), environment: workshop.environment });
  const facts = answer.ok ? answer.body.facts : [];
  const cuda = valueOf(facts, "cuda-version");
  const gitVersion = valueOf(facts, "torch-git-version");
  return {
    project: { name: path.basename(root) },
    torch: { version: cell.torch, ...(typeof gitVersion === "string" ? { gitVersion } : {}), ...(cell.index === undefined ? {} : { index: cell.index }) },
    ...(Object.keys(cell.packages).length === 0 ? {} : { packages: cell.packages }),
    ...(cell.python === undefined ? {} : { python: cell.python }),
    ...(cuda === null || typeof cuda === "string" ? { cuda } : {}),
    ...(cell.compiler === undefined ? {} : { compiler: cell.compiler.name }),
    platform: `${process.platform}-${process.arch === "x64" ? "x86_64" : process.arch}`,
  };
}
