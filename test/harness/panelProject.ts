import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CombinationRecord } from "../../src/workshop/combinations/types.ts";
import { writeTorch } from "../support/fake-torch.ts";
import { copySample, type ScratchWorkspace } from "./workspace.ts";

export interface PanelProject extends ScratchWorkspace {
  /** Beside the project. */
  outside(name: string): string;
}

/** Waits for a file beside the project, so that a test says how long it runs. */
const waiting = `import os, sys, time
print("waiting for", sys.argv[1], flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
print("all is well")
`;

/** Prints what Google Benchmark would. */
const measured = `import json, random, sys
one = lambda name, real: {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1, "iterations": 1000, "real_time": real, "cpu_time": real, "time_unit": "ns"}
json.dump({"context": {"date": "2026-11-30T00:00:00+00:00", "host_name": "h", "executable": "bench", "num_cpus": 2, "mhz_per_cpu": 2000, "cpu_scaling_enabled": False, "caches": [], "load_avg": [0, 0, 0], "library_build_type": "release"},
           "benchmarks": [one(name, time * random.uniform(0.99, 1.01)) for name, time in {"gather/64": 10.0, "gather/4096": 900.0}.items()]}, sys.stdout)
`;

/** "3.11": of the python3 on PATH. */
export function pythonVersion(): string {
  return execFileSync("python3", ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"], { encoding: "utf8" }).trim();
}

/**
 * The sample full of skews, with an environment that has a torch, a build that leaves a file behind, smoke tests that pass as soon as a file is there, benchmarks,
 * records of what worked, and a libtorch beside it. `index`: where torch comes from for what is tried.
 */
export function panelProject(index: string, torch: readonly string[]): PanelProject {
  const sample = copySample("skewed-extension");
  const outside = (name: string): string => join(dirname(sample.path), name);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(sample.path, name)), { recursive: true });
    writeFileSync(join(sample.path, name), text);
  };
  write("abiding.json", JSON.stringify({
    rules: { "package-pair": "off", "flag-not-forwarded": "off" },
    build: { name: "touch", command: ["touch", "built"] },
    smoke: { name: "waits", command: ["python3", "wait.py", outside("go")] },
    benchmarks: { name: "gather", command: ["python3", "bench.py"], prints: "google-benchmark" },
    combinations: { indexes: [index], matrix: { torch, python: [pythonVersion()] }, steps: ["build", "smoke"] },
  }, undefined, 2));
  write("wait.py", waiting);
  write("bench.py", measured);
  write(".abiding/combinations.jsonl", records().map((one) => `${JSON.stringify(one)}\n`).join(""));
  execFileSync("python3", ["-m", "venv", "--without-pip", join(sample.path, ".venv")]);
  writeTorch(join(sample.path, ".venv", "lib", `python${pythonVersion()}`, "site-packages", "torch"), { version: "2.14.1+cu130", cuda: "13.0", abi: 1, floor: 20, defaultStandard: 20 });
  writeTorch(outside("libtorch"), { version: "2.14.1", cuda: null, abi: 1, configuredAbi: 1 });
  appendFileSync(outside("libtorch/share/cmake/Torch/TorchConfig.cmake"), "find_package_handle_standard_args(Torch DEFAULT_MSG TORCH_LIBRARY TORCH_INCLUDE_DIRS)\n");
  return { ...sample, outside };
}

const commits = ["1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"] as const;

/** Two versions of the project with releases and nightlies: what was tried, and what was only predicted. */
export function records(): readonly CombinationRecord[] {
  const one = (torch: string, version: "0.3.0" | "0.4.0", how: CombinationRecord["how"], outcome: CombinationRecord["outcome"], more: Partial<CombinationRecord> = {}): CombinationRecord => ({
    schema: 1,
    combination: {
      project: { name: "rowwise", version, commit: version === "0.3.0" ? commits[0] : commits[1] },
      torch: { version: torch, index: torch.includes("dev") ? "https://download.pytorch.org/whl/nightly/cu130" : "https://download.pytorch.org/whl/cu130" },
      ...(torch.startsWith("2.14") ? { packages: { torchvision: "0.29.1+cu130" } } : {}),
      python: "3.12", cuda: "13.0", compiler: "gcc 13.3.0", platform: "linux-x86_64", gpu: how === "predicted" ? null : { name: "NVIDIA H100 80GB HBM3", capability: "9.0", driver: "580.95.05" },
    },
    how, outcome, when: "2026-11-28T09:30:00.000Z", by: "0.1.0", ...more,
  });
  const missing = "_ZN3c1021throwNullDataPtrErrorEv";
  const conflict = { reason: { message: `libc10.so of this torch does not export c10::throwNullDataPtrError(), which _C.so needs.`, rule: "torch-symbols", symbols: [missing] } };
  const failing = { reason: { message: "tests/test_ops.py::test_quantize failed: expected 4, and it was 5.", test: "tests/test_ops.py::test_quantize" }, counts: { passed: 11, failed: 1, skipped: 0 } };
  const nightlies = Array.from({ length: 12 }, (_, at) => `2.16.0.dev202611${String(10 + at)}+cu130`);
  return [
    one("2.12.1+cu130", "0.3.0", "smoke", "passed"), one("2.12.1+cu130", "0.4.0", "smoke", "passed"),
    one("2.13.0+cu130", "0.3.0", "smoke", "failed", failing), one("2.13.0+cu130", "0.4.0", "benchmark", "passed", { counts: { passed: 9, failed: 0, skipped: 0 } }),
    one("2.14.1+cu130", "0.3.0", "predicted", "conflict", conflict), one("2.14.1+cu130", "0.4.0", "smoke", "passed", { when: "2026-11-29T18:00:00.000Z", counts: { passed: 12, failed: 0, skipped: 2 } }),
    one("2.15.0+cu130", "0.4.0", "built", "passed"), one("2.15.0+cu130", "0.4.0", "loaded", "failed", { reason: { message: "The loader refused _C.so: an undefined symbol.", rule: "torch-symbols", symbols: [missing] } }),
    ...nightlies.map((torch, at) => one(torch, "0.4.0", at === 5 || at === 9 ? "smoke" : "predicted", at === 9 ? "failed" : at === 5 ? "passed" : at > 6 ? "conflict" : "no-conflict", at === 9 ? failing : at > 6 ? conflict : {})),
    one("2.11.0+cu130", "0.3.0", "built", "unknown", { reason: { message: "torch 2.11.0+cu130 did not install: No space left on device." } }),
  ];
}
