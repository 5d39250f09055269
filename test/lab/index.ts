/**
 * The lab: extensions that are built to fail in one way each, or not to, loaded by the machine's own loader, and what
 * Abiding says of the same files without loading them.
 */
import { availableParallelism } from "node:os";
import { findProgram } from "../harness/locations.ts";
import { compare, type Comparison } from "./comparison.ts";
import type { Expectation, Experiment } from "./experiment.ts";
import { predict, type Prediction } from "./prediction.ts";
import { load, type Placed, type Reality } from "./reality.ts";
import type { Torch } from "./torches.ts";
import { make } from "./workshop.ts";

export { isFine, judgements } from "./comparison.ts";
export type { Comparison } from "./comparison.ts";
export type { Experiment } from "./experiment.ts";
export { experiments } from "./experiments/index.ts";
export { torchAt } from "./torches.ts";
export type { Torch } from "./torches.ts";

/** One experiment under one torch. */
export interface Observation {
  readonly experiment: Experiment;
  /** The file that was loaded. */
  readonly path: string;
  readonly torch: Torch;
  readonly expected: Expectation;
  readonly reality: Reality;
  readonly prediction: Prediction;
  readonly comparison: Comparison;
}

export interface Outcome {
  readonly observations: readonly Observation[];
  /** Experiments that could not be built: a failure. */
  readonly unmade: readonly { readonly experiment: Experiment; readonly text: string }[];
  /** Experiments for which a compiler or a torch is not to be had here. */
  readonly left: readonly { readonly experiment: Experiment; readonly why: string }[];
}

/** Builds the experiments, loads each under every torch and predicts the same. The first torch is the one whose headers are meant where several fit. */
export async function runLab(chosen: readonly Experiment[], torches: readonly Torch[]): Promise<Outcome> {
  const unmade: { experiment: Experiment; text: string }[] = [];
  const left: { experiment: Experiment; why: string }[] = [];
  const placed: (Placed & { readonly headers: Torch | undefined })[] = [];
  const queue = [...chosen];
  await Promise.all(Array.from({ length: availableParallelism() }, async () => {
    for (let experiment = queue.shift(); experiment !== undefined; experiment = queue.shift()) {
      const { headers: version, needs = [] } = experiment;
      const headers = version === undefined ? undefined : torches.find((one) => one.name.startsWith(version));
      const lacking = needs.find((program) => findProgram(program) === undefined);
      const absent = [version, experiment.otherTorch].find((one) => one !== undefined && !torches.some((torch) => torch.name.startsWith(one)));
      if (lacking !== undefined || absent !== undefined) {
        left.push({ experiment, why: `no ${lacking ?? `torch ${absent ?? ""}`}` });
        continue;
      }
      const made = await make(experiment, headers);
      if (made.ok) placed.push({ experiment, headers, others: torches, folder: made.folder, path: made.path });
      else unmade.push({ experiment, text: made.text });
    }
  }));
  placed.sort((a, b) => chosen.indexOf(a.experiment) - chosen.indexOf(b.experiment));
  const observations: Observation[] = [];
  for (const torch of torches) {
    const here = placed.filter(({ experiment }) => experiment.onlyFor?.(torch) ?? true);
    const realities = await load(here, torch);
    for (const one of here) {
      const { experiment } = one;
      const reality = realities.get(experiment.id) ?? { outcome: "died", text: "The process that loads files gave no answer." };
      const expected = experiment.expect(torch);
      const prediction = predict(one, torch, one.headers);
      observations.push({ experiment, path: one.path, torch, expected, reality, prediction, comparison: compare(expected, reality, prediction) });
    }
  }
  return { observations, unmade, left };
}
