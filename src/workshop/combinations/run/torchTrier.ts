import { readdir, rm } from "node:fs/promises";
import * as path from "node:path";
import { defaultRepetitions } from "../../benchmark/index.ts";
import type { Workshop } from "../../workshop.ts";
import type { TryTorch } from "../bisect/types.ts";
import { compilerChoice } from "../cells/compilers.ts";
import { benchmarkFileName, readMeasurements, removeMade, writeCellFile } from "../cells/files.ts";
import { cellOf } from "../cells/identity.ts";
import { copySource, sizeOf } from "../cells/source.ts";
import { spaceFor } from "../cells/space.ts";
import { tryCell } from "../cells/tryCell.ts";
import { handingOnUsers, shownIndex, torchSets } from "../nightlies/index.ts";
import type { BisectBy, CellEvent, CellStepName, CombinationSettings, IndexKnowledge, WheelWanted } from "../types.ts";
import { removeLeftovers } from "./leftovers.ts";
import { removeSnapshot, snapshotOf, taskOf } from "./runFiles.ts";

export interface TrierRequest {
  readonly root: string;
  /** Where its cells are tried; nobody else works there. Its name is the run's. */
  readonly folder: string;
  readonly settings: CombinationSettings;
  readonly wanted: WheelWanted;
  /** Where the packages that go with each torch are found; absent: torch is tried alone. */
  readonly knowledge?: IndexKnowledge;
}

export interface TorchTrier {
  readonly tries: TryTorch;
  /** Removes the copy of the project; results and logs stay. */
  end(): Promise<void>;
}

interface Begun {
  readonly source: string;
  readonly size: number;
}

const steps: Readonly<Record<Exclude<BisectBy, "fits">, readonly CellStepName[]>> = { build: ["build"], smoke: ["build", "load", "smoke"], benchmark: ["build", "benchmark"] };

/** Tries single torches, one after the other, as cells of one run: for a bisect, which chooses the next by what the last one did. */
export function torchTrier(request: TrierRequest, workshop: Workshop, tell: (event: CellEvent) => void = () => undefined): TorchTrier {
  const { root, folder, settings, wanted, knowledge } = request;
  let begun: Promise<Begun> | undefined;
  const begin = async (): Promise<Begun> => {
    await removeLeftovers(root, folder, workshop);
    // Of one that was killed.
    await removeTrials(folder);
    const source = await copySource({ root, to: snapshotOf(folder) }, workshop);
    return { source, size: await sizeOf(snapshotOf(folder)) };
  };
  return {
    tries: async (torch, by) => {
      const { source, size } = await (begun ??= begin());
      const set = knowledge === undefined ? undefined : torchSets(knowledge, wanted, settings.packages ?? []).find((one) => one.torch.version === torch.version);
      const [compiler] = settings.matrix?.compiler ?? [];
      const cell = cellOf({
        torch: torch.version, index: torch.index, packages: Object.fromEntries((set?.siblings ?? []).map((one) => [one.package, one.version])),
        ...(wanted.python === undefined ? {} : { python: wanted.python }), ...(wanted.variant === undefined ? {} : { cuda: wanted.variant }), ...(compiler === undefined ? {} : { compiler: compilerChoice(compiler) }),
      });
      const task = taskOf(folder, cell);
      await writeCellFile(task.folder, { schema: 1, cell, root, source, run: path.basename(folder), steps: steps[by], install: settings.install ?? [], indexes: (wanted.indexes.length > 0 ? wanted.indexes : settings.indexes ?? []).map(shownIndex), repetitions: defaultRepetitions, keep: "never", space: spaceFor(cell, torch, size) });
      // What an earlier bisect of the same question measured.
      await rm(path.join(task.folder, benchmarkFileName), { force: true });
      const result = await tryCell(task, handingOnUsers(workshop, wanted.indexes), tell);
      tell({ kind: "ended", result });
      const runs = await readMeasurements(task.folder);
      return { result, ...(runs.length === 0 ? {} : { runs }) };
    },
    end: async () => {
      await begun?.catch(() => undefined);
      await removeTrials(folder);
    },
  };
}

/** What trials need for as long as they last. Results and logs stay. */
export async function removeTrials(folder: string): Promise<void> {
  await removeSnapshot(folder);
  const cells = path.join(folder, "cells");
  for (const name of await readdir(cells).catch(() => [])) {
    await removeMade(path.join(cells, name));
  }
}
