import type { Outcome } from "./index.ts";

/** What happened, as JSON without folders of this machine: to compare one run with another. */
export function record(outcome: Outcome): string {
  const rows = outcome.observations.map(({ experiment, torch, reality, prediction, comparison }) => ({
    experiment: experiment.id, torch: torch.name, loader: reality.outcome, first: reality.first, text: reality.text,
    predicted: prediction.first, named: prediction.name, kind: prediction.kind, disagrees: prediction.disagrees, judgement: comparison.judgement,
  }));
  return `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`;
}
