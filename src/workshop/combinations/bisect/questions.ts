import type { Spending } from "../../../engine/binaries/remote/index.ts";
import type { Workshop } from "../../workshop.ts";
import type { Judge } from "../predict/judge.ts";
import type { Judged } from "../predict/types.ts";
import type { BisectBy, BisectReport, CellResult, CellStepName, KnownWheel } from "../types.ts";
import { slowdown } from "./slower.ts";
import type { BisectState, StoredStep } from "./state.ts";
import { Stopped } from "./types.ts";
import type { Answer, TryTorch, Tried } from "./types.ts";

type RealBy = Exclude<BisectBy, "fits">;

/** The step of a cell that answers. */
export const decisive: Readonly<Record<RealBy, CellStepName>> = { build: "build", smoke: "smoke", benchmark: "benchmark" };

export interface QuestionsOptions {
  readonly torches: readonly KnownWheel[];
  /** Absent: nothing is built whose symbols could be asked. */
  readonly judge?: Judge;
  readonly spending: Spending;
  readonly tries: TryTorch;
  readonly state: BisectState;
  readonly workshop: Workshop;
  /** Called with each cell that was tried, as soon as it was. */
  readonly tried: (result: CellResult) => Promise<void>;
}

/** Asks torches of a row whether they are good, each once, and remembers what they answered. */
export class Questions {
  readonly steps: BisectReport["steps"][number][] = [];
  readonly judged = new Map<KnownWheel, Judged>();
  readonly #options: QuestionsOptions;
  readonly #stored = new Map<string, StoredStep>();
  /** The place in the row that benchmarks are compared with. */
  #baseline: StoredStep | undefined;
  #logOfBad: number | undefined;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** By its symbols, and those alone. A conflict that is predicted is called bad here, never tested. */
  async predicted(place: number): Promise<Answer> {
    return this.#once(place, "fits", async (torch) => {
      const { judge, spending } = this.#options;
      const asked = await judge?.ask(torch, spending);
      if (asked === undefined) return { verdict: "skipped", because: "Nothing that is built was compared." };
      if (asked.kind === "left") throw new Stopped(asked.because === "cancelled" ? "cancelled" : "inconclusive", `The symbols of torch ${torch.version} could not be read: ${asked.message}`);
      this.judged.set(torch, asked.judged);
      const { verdict, reason, gitVersion } = asked.judged;
      const known = gitVersion === undefined ? {} : { gitVersion };
      const because = reason === undefined ? {} : { because: reason.message, reason };
      return { verdict: verdict === "no-conflict" ? "good" : verdict === "conflict" ? "bad" : "skipped", ...because, ...known };
    });
  }

  /** By trying it: whether what `by` names still works. */
  async tried(place: number, by: RealBy): Promise<Answer> {
    return this.#once(place, by, async (torch) => {
      const tried = await this.#options.tries(torch, by);
      await this.#options.tried(tried.result);
      const gitVersion = tried.result.records.map((one) => one.combination.torch.gitVersion).find((one) => one !== undefined);
      return { ...this.#answerOf(tried, by, torch), ...(gitVersion === undefined ? {} : { gitVersion }), ...(tried.runs === undefined ? {} : { runs: tried.runs }), records: tried.result.records };
    });
  }

  /** All that was found out of a torch's symbols, now or before. */
  async judgementOf(torch: KnownWheel): Promise<Judged | undefined> {
    return this.judged.get(torch) ?? this.#options.judge?.recall(torch);
  }

  /** What a place was found to be; undefined: it was not asked. */
  known(place: number, by: BisectBy): StoredStep | undefined {
    const torch = this.#options.torches[place];
    return torch === undefined ? undefined : this.#stored.get(`${torch.version} ${by}`);
  }

  async #once(place: number, by: BisectBy, ask: (torch: KnownWheel) => Promise<Omit<StoredStep, "torch" | "by" | "milliseconds">>): Promise<Answer> {
    const { torches, state, workshop } = this.#options;
    const torch = torches[place];
    if (torch === undefined) throw new Error(`there is no place ${place} in the row`);
    const before = this.known(place, by);
    if (before !== undefined) return before;
    workshop.activity.signal.throwIfAborted();
    const kept = state.find(torch.version, by);
    const begin = performance.now();
    const isEnd = place === 0 || place === torches.length - 1;
    // pip takes a withdrawn version only where it is asked for by name (PEP 592).
    const answer = kept ?? (torch.yanked !== undefined && !isEnd ? { verdict: "skipped", because: `It was withdrawn (yanked)${torch.yanked === "" ? "" : `: ${torch.yanked}`}.` } as const : await ask(torch));
    const step: StoredStep = kept ?? { torch: torch.version, by, milliseconds: Math.round(performance.now() - begin), ...answer };
    this.#stored.set(`${torch.version} ${by}`, step);
    if (by === "benchmark" && this.#baseline === undefined && step.runs !== undefined && step.verdict === "good") this.#baseline = step;
    if (kept === undefined) await state.keep(step);
    const { verdict, because, milliseconds } = step;
    this.steps.push({ torch: torch.version, by, verdict, ...(because === undefined ? {} : { because }), milliseconds, ...(kept === undefined ? {} : { resumed: true }) });
    workshop.activity.note(`torch ${torch.version}: ${words(by, verdict)}${because === undefined ? "" : `. ${because}`}${kept === undefined ? "" : " (from before)"}`);
    return step;
  }

  #answerOf({ result, runs }: Tried, by: RealBy, torch: KnownWheel): Answer {
    if (result.outcome === "cancelled") throw new Stopped("cancelled", `It was cancelled while torch ${torch.version} was tried.`);
    const because = result.reason === undefined ? {} : { because: result.reason.message, reason: result.reason };
    const failed = result.steps.find((one) => one.outcome === "failed");
    // What does not even build does not pass its tests either.
    if (failed !== undefined) return { verdict: "bad", ...because };
    if (result.outcome === "unknown") return { verdict: "skipped", ...because };
    if (!result.steps.some((one) => one.name === decisive[by])) throw new Stopped("inconclusive", `The project has nothing that --by ${by} could ask: no step "${decisive[by]}" was run with torch ${torch.version}.`);
    return by === "benchmark" ? this.#measured(runs ?? []) : { verdict: "good" };
  }

  /** The first is what the others are compared with; what is slower than half the way to the bad end is bad. */
  #measured(runs: NonNullable<Tried["runs"]>): Answer {
    const baseline = this.#baseline?.runs;
    if (baseline === undefined) return { verdict: "good" };
    const all = [...this.#stored.values()].flatMap((one) => one.runs ?? []);
    const found = slowdown(baseline, runs, all);
    if (found === undefined) return { verdict: "skipped", because: "Nothing that was measured could be compared with the good torch." };
    const isBad = found.because !== undefined && found.log > (this.#logOfBad ?? 0) / 2;
    if (!isBad) return { verdict: "good" };
    this.#logOfBad ??= found.log;
    return { verdict: "bad", ...(found.because === undefined ? {} : { because: found.because, reason: { message: found.because } }) };
  }
}

function words(by: BisectBy, verdict: Answer["verdict"]): string {
  if (verdict === "skipped") return "could not be told";
  if (by === "fits") return verdict === "good" ? "predicted no conflict" : "predicted conflict";
  return verdict === "good" ? `good, by ${by}` : `bad, by ${by}`;
}
