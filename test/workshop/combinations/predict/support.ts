/** What the tests of predictions and bisects share: a project with a built extension, and a workshop that remembers what it was told. */
import * as fs from "node:fs";
import * as path from "node:path";
import { after } from "node:test";
import { predict } from "../../../../src/workshop/combinations/index.ts";
import type { PredictRequest } from "../../../../src/workshop/combinations/index.ts";
import type { CombinationRecord, PredictReport } from "../../../../src/workshop/combinations/types.ts";
import { runProcess } from "../../../../src/workshop/process/index.ts";
import type { Variables } from "../../../../src/workshop/process/types.ts";
import type { Workshop } from "../../../../src/workshop/workshop.ts";
import { NightlyIndex } from "../../../support/nightlyIndex.ts";
import type { NightlyIndexOptions } from "../../../support/nightlyIndex.ts";
import { scratchFolder, writeNightlyExtension } from "../../../support/nightlyTorch.ts";
import type { Changes, Use } from "../../../support/nightlyTorch.ts";

export interface Told {
  readonly workshop: Workshop;
  readonly notes: string[];
  readonly steps: string[];
  readonly stop: AbortController;
}

export function workshopIn(home: string, variables: Variables = {}): Told {
  const notes: string[] = [];
  const steps: string[] = [];
  const stop = new AbortController();
  const workshop: Workshop = {
    run: runProcess,
    diagnostician: { check: async () => Promise.reject(new Error("not asked")), examine: async () => Promise.resolve([]), explain: async () => Promise.reject(new Error("not asked")) },
    activity: { signal: stop.signal, step: (title) => { steps.push(title); }, progress: () => undefined, output: () => undefined, note: (sentence) => { notes.push(sentence); } },
    environment: { PATH: process.env["PATH"] ?? "", HOME: home, ...variables },
    version: "1.2.3", now: () => new Date("2026-11-30T12:00:00Z"),
  };
  return { workshop, notes, steps, stop };
}

/** A project folder that goes away after the tests of a file. */
export function projectFolder(): string {
  const root = fs.realpathSync(scratchFolder());
  after(() => fs.rmSync(root, { recursive: true, force: true }));
  fs.writeFileSync(path.join(root, "pyproject.toml"), '[project]\nname = "nightly_ops"\nversion = "0.1.0"\n');
  return root;
}

/** Compiled once for all tests of a file. */
const compiled = new Map<string, Buffer>();

function compiledExtension(uses: readonly Use[], changes: Changes): Buffer {
  const key = JSON.stringify([uses, changes]);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const folder = scratchFolder();
  try {
    const file = path.join(folder, "made.so");
    writeNightlyExtension(file, uses, changes);
    const content = fs.readFileSync(file);
    compiled.set(key, content);
    return content;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** Its extension as setuptools leaves it beside the package. */
export function extension(root: string, uses: readonly Use[] = ["removed"], changes: Changes = {}, name = "_C.cpython-311-x86_64-linux-gnu.so"): string {
  const file = path.join(root, "nightly_ops", name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, compiledExtension(uses, changes));
  return file;
}

export async function indexOf(options: NightlyIndexOptions): Promise<NightlyIndex> {
  const index = await NightlyIndex.start(options);
  after(() => index.stop());
  return index;
}

export function requestOf(root: string, index: NightlyIndex, changes: Partial<PredictRequest> = {}): PredictRequest {
  return {
    root, files: [], torch: ["nightly:60"], wanted: { indexes: [index.nightly()] }, settings: undefined, budget: 300e6, offline: false, record: true,
    cacheFolder: path.join(root, ".cache"), network: { silence: 2000, retries: 1, backOff: 1 }, ...changes,
  };
}

export async function predicted(root: string, index: NightlyIndex, changes: Partial<PredictRequest> = {}, told = workshopIn(root)): Promise<PredictReport> {
  return predict(requestOf(root, index, changes), told.workshop);
}

/** "1003 conflict", the newest first. */
export function verdicts(report: PredictReport): readonly string[] {
  return report.predictions.map(({ torch, verdict }) => `${torch.day?.slice(4) ?? torch.version} ${verdict}`);
}

export function recordsOf(root: string): readonly CombinationRecord[] {
  const file = path.join(root, ".abiding", "combinations.jsonl");
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line) as CombinationRecord) : [];
}
