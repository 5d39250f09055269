import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { BenchmarksView, PanelHostMessage } from "../../protocol/panel.ts";
import { benchmarksView } from "../../workshop/benchmark/index.ts";
import type { Bench } from "../workshop/bench.ts";
import { Reading } from "./reading.ts";

/** What was measured in a project, compared with the chosen baseline. */
export class Benchmarks implements vscode.Disposable {
  readonly #reading: Reading<BenchmarksView>;
  readonly #subscription: vscode.Disposable;
  #baseline: string;

  constructor(bench: Bench, root: string, baseline: string | undefined, post: (message: PanelHostMessage) => void, failed: (error: unknown) => void) {
    this.#baseline = baseline ?? "last";
    this.#reading = new Reading(() => this.#read(root), (benchmarks) => post({ type: "benchmarks", benchmarks }), failed);
    this.#subscription = bench.works.onDidEnd((work) => {
      if (work.kind === "benchmark" && work.root === root) {
        this.changed();
      }
    });
  }

  get view(): BenchmarksView | undefined {
    return this.#reading.value;
  }

  /** Reading the history makes its folder; a project that is not trusted gets none for being looked at. */
  async #read(root: string): Promise<BenchmarksView> {
    const file = path.join(root, ".abiding", "local", "benchmarks.jsonl");
    return !vscode.workspace.isTrusted && !existsSync(file) ? { runs: [], baselines: [], problems: [], file } : benchmarksView(root, this.#baseline);
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
