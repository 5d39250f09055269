/** What the host would tell the panel's page of a project with a skew. */
import type { BodiesView, BenchmarksView, Finding, Location, PanelRecord, PanelState } from "../../src/protocol/panel.ts";
import { panelRecord } from "./panelRecords.ts";

export const place: Location = { path: "/w/ops/setup.py", range: { start: { line: 13, character: 4 }, end: { line: 13, character: 30 } } };

export const finding: Finding = {
  rule: "libstdcxx-abi", severity: "error", message: "ops is compiled with _GLIBCXX_USE_CXX11_ABI=0, torch with 1.", location: place, related: [], against: [],
  fixes: [{ title: "Delete -D_GLIBCXX_USE_CXX11_ABI=0", edits: [], preferred: true }],
};

export const bodies: BodiesView = {
  root: "/w/ops", findings: [finding], notChecked: ["kernels.cu: no CUDA toolkit was found."],
  targets: [{
    name: "ops", builder: "setuptools",
    columns: [{ role: "declared", name: "setup.py" }, { role: "built", name: "", absent: "Nothing was built yet." }, { role: "installed", name: "torch 2.14.1" }],
    rows: [
      { trait: "libstdcxx-abi", title: "C++ string ABI", agrees: false, weight: "error", because: "The old std::string against the new one.", findings: [0], cells: [{ value: "0", certainty: "declared", location: place }, {}, { value: "1", certainty: "observed", evidence: "libc10.so" }] },
      { trait: "cuda-version", title: "CUDA", agrees: true, findings: [], cells: [{ value: "13.0" }, {}, { value: "13.0" }] },
    ],
  }, { name: "bench", builder: "cmake", columns: [], rows: [] }],
};

export const benchmarks: BenchmarksView = {
  runs: ["r1", "r2", "r3"].map((id, index) => ({
    id, started: `2026-11-2${index}T10:00:00Z`, plan: "gantry", machine: "EPYC", changes: index === 1 ? ["governor powersave, was performance"] : [], fractions: [{ name: "gather", fraction: 0.62, of: "copy" }], warnings: [],
    measurements: [{ name: "gather", median: 1.2e-6 * (1 + index / 10), interval: [1.1e-6, 1.5e-6], repetitions: 9 }],
  })),
  baselines: [{ name: "before", runs: ["r1"] }], problems: [], file: "",
  comparison: { with: "the run before", method: "Mann-Whitney", comparisons: [{ name: "gather", plan: "gantry", verdict: "regressed", before: 1.3e-6, now: 1.44e-6, ratio: 1.1, interval: [1.05, 1.15] }] },
};

/** Records that fill a matrix of nightlies and versions: every fifth failed, every third was only predicted. */
export function manyRecords(torches: number, versions: number): PanelRecord[] {
  return Array.from({ length: torches * versions }, (_, index) => {
    const day = new Date(Date.UTC(2026, 10, 30) - Math.floor(index / versions) * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "");
    const isBad = index % 5 === 0;
    return panelRecord({
      id: `r${index}`, torch: `2.15.0.dev${day}+cu130`, version: `1.${index % versions}`, ...(isBad ? { reason: { message: "undefined symbol", rule: "torch-symbols", symbols: ["_ZN2at6gatherEv"] } } : {}),
      ...(index % 3 === 0 ? { how: "predicted", outcome: isBad ? "conflict" : "no-conflict" } : { outcome: isBad ? "failed" : "passed", run: "run1" }),
    });
  });
}

export function panelState(changes: Partial<PanelState> = {}): PanelState {
  return {
    project: { name: "ops", root: "/w/ops" }, projects: [{ name: "ops", root: "/w/ops" }, { name: "native", root: "/w/native" }], trusted: true, torch: "torch 2.14.1 in .venv", inTheWay: [finding],
    work: [{ kind: "build", state: "ended", outcome: "failed", headline: "It did not link.", rule: "torch-symbols", hasLog: true, since: "2026-11-30T10:00:00Z" }],
    bodies, benchmarks,
    combinations: {
      records: manyRecords(30, 12), known: [{ torch: "2.14.1", listed: true }], problems: [], file: "", knownAt: "2026-11-30T10:00:00Z", current: { project: "ops", version: "1.11", platform: "linux-x86_64" },
      latest: [{ channel: "release", torch: "2.14.1", line: "pip install torch==2.14.1", because: "smoke tests passed on 2026-11-20, Python 3.12, linux-x86_64", record: "r1" }],
    },
    ...changes,
  };
}
