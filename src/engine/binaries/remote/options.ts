import { BudgetExceededError } from "../archive/index.ts";
import type { RangeCache } from "./rangeCache.ts";

/** How something on a server is read. */
export interface RemoteOptions {
  /** Bytes that may be fetched; 64 MB unless said otherwise. A `Spending` is shared by several readings. */
  readonly budget?: number | Spending;
  readonly signal?: AbortSignal;
  /** Called as bytes come in: how many this reading has fetched so far, and of what. */
  readonly progress?: (bytes: number, what: string) => void;
  /** Where fetched ranges are kept between runs; none are kept without. */
  readonly cache?: RangeCache;
  /** Milliseconds without a byte after which a server counts as silent; 30 s unless said otherwise. */
  readonly silence?: number;
  /** Attempts after the first one without progress; 4 unless said otherwise. */
  readonly retries?: number;
  /** Milliseconds before the first retry, doubled for each further one; 500 unless said otherwise. */
  readonly backOff?: number;
  /** The value of `Authorization` for an address that names no user; sent to its own server only. */
  readonly authorization?: (url: string) => string | undefined;
}

export const defaultBudget = 64 * 1024 * 1024;

/** What may be fetched, and what was. */
export class Spending {
  readonly budget: number;
  #spent = 0;
  #reserved = 0;

  constructor(budget: number = defaultBudget) {
    this.budget = budget;
  }

  get spent(): number {
    return this.#spent;
  }

  get left(): number {
    return Math.max(0, this.budget - this.#spent - this.#reserved);
  }

  /** Sets bytes aside for a step, before anything is fetched. Throws BudgetExceededError. The answer gives the rest back. */
  reserve(name: string, bytes: number): { spend(bytes: number): void; release(): void } {
    if (bytes > this.left) {
      throw new BudgetExceededError(name, bytes, this.#spent + this.#reserved, this.budget);
    }
    let rest = bytes;
    this.#reserved += bytes;
    return {
      spend: (count) => {
        const covered = Math.min(count, rest);
        rest -= covered;
        this.#reserved -= covered;
        this.#spent += count;
      },
      release: () => {
        this.#reserved -= rest;
        rest = 0;
      },
    };
  }
}

export function spendingOf(options: RemoteOptions): Spending {
  return options.budget instanceof Spending ? options.budget : new Spending(options.budget);
}
