import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeWorkshop } from "../../../src/cli/workshop/workshop.ts";
import { benchmark } from "../../../src/workshop/benchmark/index.ts";
import type { BenchmarkReport, BenchmarkRequest, BenchmarkRun, Machine } from "../../../src/workshop/benchmark/types.ts";
import type { Variables } from "../../../src/workshop/process/types.ts";
import type { BenchmarkFormat, BenchmarkPlan } from "../../../src/workshop/project/types.ts";
import type { Workshop } from "../../../src/workshop/workshop.ts";

const environment: Variables = { PATH: "/usr/bin:/bin", HOME: tmpdir() };

/** A project in a temporary folder, with the workshop for it. */
export class Project {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "abiding-benchmark-test-")));
  readonly notes: string[] = [];
  readonly steps: string[] = [];
  printed = "";
  readonly stop = new AbortController();
  variables: Variables = environment;

  /** Executable when it begins with "#!". */
  file(name: string, text: string | Uint8Array): string {
    const place = join(this.root, name);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
    if (typeof text === "string" && text.startsWith("#!")) {
      chmodSync(place, 0o755);
    }
    return place;
  }

  plan(command: readonly string[], more: Partial<BenchmarkPlan> = {}): BenchmarkPlan {
    const start = { line: 0, character: 0 };
    return {
      kind: "benchmark", id: "bench", label: "bench", origin: "detected", shownBy: { path: join(this.root, "abiding.json"), range: { start, end: start } },
      variables: {}, format: "google-benchmark" satisfies BenchmarkFormat, folder: this.root, command, printsJson: false, ...more,
    };
  }

  get workshop(): Workshop {
    const activity = {
      signal: this.stop.signal, step: (title: string) => void this.steps.push(title), progress: () => undefined,
      output: (text: string) => void (this.printed += text), note: (text: string) => void this.notes.push(text),
    };
    return makeWorkshop({ workingDirectory: this.root, environment: this.variables, version: "0.0.0", colours: false, progress: () => undefined, say: () => undefined, deliver: () => undefined }, activity);
  }

  measure(plans: readonly BenchmarkPlan[], request: Partial<BenchmarkRequest> = {}): Promise<BenchmarkReport> {
    return benchmark({ root: this.root, plans, against: [], repetitions: 3, timeLimit: 20_000, ...request }, this.workshop);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A program in sh that takes Google Benchmark's options; `script` may use $out, the file it was told to write, and $filter. */
export function program(script: string): string {
  return `#!/bin/sh\nout=/dev/stdout; filter=\nfor one; do case "$one" in --benchmark_out=*) out=\${one#*=};; --benchmark_filter=*) filter=\${one#*=};; esac; done\n${script}\n`;
}

/** Google Benchmark's JSON with one repetition of each; times in ns. */
export function googleJson(times: Readonly<Record<string, number>>, counters: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    context: { date: "2026-11-30T18:00:00+00:00", library_build_type: "release" },
    benchmarks: Object.entries(times).map(([name, time]) => ({ name, run_name: name, run_type: "iteration", repetitions: 1, repetition_index: 0, threads: 1, iterations: 10, real_time: time, cpu_time: time, time_unit: "ns", ...counters })),
  }, undefined, 2);
}

export const machine: Machine = { cpu: "Test CPU", cores: 4, memoryBytes: 16e9, lastLevelCacheBytes: 1e6, system: "Linux 6.1 x64", gpus: [], load: [0, 0] };

export function run(seconds: Readonly<Record<string, readonly number[]>>, more: Partial<BenchmarkRun> = {}): BenchmarkRun {
  return {
    schema: 1, id: "run", started: "2026-11-30T18:00:00.000Z", plan: "bench", format: "google-benchmark", line: "./bench", machine, warnings: [],
    measurements: Object.entries(seconds).map(([name, samples]) => ({ name, seconds: samples, counters: {} })), ...more,
  };
}
