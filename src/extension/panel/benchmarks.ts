import type * as vscode from "vscode";
import type { BenchmarksView, PanelHostMessage } from "../../protocol/panel.ts";
import { benchmarksView } from "../../workshop/benchmark/index.ts";
import type { Bench } from "../workshop/bench.ts";
import { Reading } from "./reading.ts";

/** What was measured in a project, compared with the chosen baseline. */
export class Benchmarks implements vscode.Disposable {
  readonly #reading: Reading<BenchmarksView>;
  readonly #subscription: vscode.Disposable;
  #baseline: string | undefined;

  constructor(bench: Bench, root: string, baseline: string | undefined, post: (message: PanelHostMessage) => void, failed: (error: unknown) => void) {
    this.#baseline = baseline;
    this.#reading = new Reading(() => benchmarksView(root, this.#baseline), (benchmarks) => post({ type: "benchmarks", benchmarks }), failed);
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
