import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import * as path from "node:path";
import type { BenchmarkRun } from "../../benchmark/types.ts";
import { stateFolder, writeWhole } from "../../process/index.ts";
import { snapshotOf } from "../run/runFiles.ts";
import type { BisectBy, CombinationReason, CombinationRecord } from "../types.ts";
import type { Answer } from "./types.ts";

/** A torch that was asked. */
export interface StoredStep extends Answer {
  readonly torch: string;
  readonly by: BisectBy;
  readonly milliseconds: number;
  readonly reason?: CombinationReason;
  readonly gitVersion?: string;
  readonly runs?: readonly BenchmarkRun[];
  /** Of a torch that was tried. */
  readonly records?: readonly CombinationRecord[];
}

interface State {
  readonly schema: 1;
  readonly started: string;
  readonly steps: readonly StoredStep[];
}

/** What a bisect has found out so far, written whole after each step: whoever is interrupted goes on from it. */
export class BisectState {
  readonly file: string;
  /** What is locked, and where torches are tried. */
  readonly folder: string;
  readonly #started: string;
  readonly #steps: StoredStep[];
  /** Steps that were found in the file. */
  readonly earlier: ReadonlySet<StoredStep>;

  private constructor(file: string, state: State) {
    this.file = file;
    this.folder = file.replace(/\.json$/, "");
    this.#started = state.started;
    this.#steps = [...state.steps];
    this.earlier = new Set(state.steps);
  }

  /** The state of the bisect that `asked` describes; a file that is damaged counts as none. */
  static async open(root: string, asked: object, now: Date, restart: boolean): Promise<BisectState> {
    const key = createHash("sha256").update(JSON.stringify(asked)).digest("hex").slice(0, 12);
    const file = path.join(await stateFolder(root), "combinations", `bisect-${key}.json`);
    return new BisectState(file, (restart ? undefined : await stateIn(file)) ?? { schema: 1, started: now.toISOString(), steps: [] });
  }

  get started(): string {
    return this.#started;
  }

  find(torch: string, by: BisectBy): StoredStep | undefined {
    return this.#steps.find((one) => one.torch === torch && one.by === by);
  }

  async keep(step: StoredStep): Promise<void> {
    this.#steps.push(step);
    await writeWhole(this.file, `${JSON.stringify({ schema: 1, started: this.#started, steps: this.#steps } satisfies State, undefined, 1)}\n`);
  }

  /** Folders of other bisects of the project that are at work with trials, or were killed at that. */
  async othersInTrial(): Promise<readonly string[]> {
    const all = path.dirname(this.folder);
    const names = (await readdir(all).catch(() => [])).filter((name) => /^bisect-[0-9a-f]{12}$/.test(name));
    return names.map((name) => path.join(all, name)).filter((folder) => folder !== this.folder && existsSync(snapshotOf(folder)));
  }

  /** It is over: the same question asked again later is a new one. */
  async end(): Promise<void> {
    await rm(this.file, { force: true });
  }

  /** The folder goes where nothing was tried, and stays with the results and logs of what was. */
  async unlocked(): Promise<void> {
    await rmdir(this.folder).catch(() => undefined);
  }
}

async function stateIn(file: string): Promise<State | undefined> {
  try {
    const value = JSON.parse(await readFile(file, "utf8")) as Partial<State> | null;
    const isWhole = value?.schema === 1 && typeof value.started === "string" && Array.isArray(value.steps) && value.steps.every(isStep);
    return isWhole ? (value as State) : undefined;
  } catch {
    return undefined;
  }
}

function isStep(value: unknown): value is StoredStep {
  return typeof value === "object" && value !== null && "torch" in value && typeof value.torch === "string" && "verdict" in value && ["good", "bad", "skipped"].includes(String(value.verdict));
}
