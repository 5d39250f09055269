import type * as vscode from "vscode";
import type { BenchmarksView, PanelHostMessage } from "../../protocol/panel.ts";
import { median, readHistory } from "../../workshop/benchmark/index.ts";
import type { Bench } from "../workshop/bench.ts";
import { Reading } from "./reading.ts";

/** What was measured in a project, compared with the chosen baseline. */
export class Benchmarks implements vscode.Disposable {
  readonly #reading: Reading<BenchmarksView>;
  readonly #subscription: vscode.Disposable;
  #baseline: string | undefined;

  constructor(bench: Bench, root: string, baseline: string | undefined, post: (message: PanelHostMessage) => void, failed: (error: unknown) => void) {
    this.#baseline = baseline;
    this.#reading = new Reading(() => historyOf(root, this.#baseline), (benchmarks) => post({ type: "benchmarks", benchmarks }), failed);
    this.#subscription = bench.works.onDidEnd((work) => {
      if (work.kind === "benchmark" && work.root === root) {
        this.changed();
      }
    });
  }

  get view(): BenchmarksView | undefined {
    return this.#reading.value;
  }

  watch(isWatched: boolean): void {
    this.#reading.watch(isWatched);
  }

  changed(): void {
    this.#reading.changed();
  }

  choose(baseline: string): void {
    this.#baseline = baseline;
    this.changed();
  }

  dispose(): void {
    this.#reading.dispose();
    this.#subscription.dispose();
  }
}

async function historyOf(root: string, _baseline: string | undefined): Promise<BenchmarksView> {
  const { runs, baselines, problems, file } = await readHistory(root);
  return {
    runs: runs.map(({ id, started, plan, commit, machine, measurements, warnings }) => ({
      id, started, plan, ...(commit === undefined ? {} : { commit }), machine: machine.cpu, changes: [], fractions: [], warnings,
      measurements: measurements.map(({ name, seconds, problem }) => ({ name, repetitions: seconds.length, ...(seconds.length === 0 ? {} : { median: median(seconds) }), ...(problem === undefined ? {} : { problem }) })),
    })),
    baselines, problems, file,
  };
}
