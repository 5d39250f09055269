import { BudgetExceededError } from "../../../engine/binaries/archive/index.ts";
import { Spending } from "../../../engine/binaries/remote/index.ts";

/** What one torch may cost, out of what all may: remembers whether the budget was in the way of something. */
export class Purse extends Spending {
  readonly #all: Spending;
  #own = 0;
  #wasRefused = false;

  constructor(all: Spending) {
    super(all.budget);
    this.#all = all;
  }

  override get spent(): number {
    return this.#own;
  }

  override get left(): number {
    return this.#all.left;
  }

  /** What was read of a wheel is not all then, and no verdict. */
  get wasRefused(): boolean {
    return this.#wasRefused;
  }

  override reserve(name: string, bytes: number): { spend(bytes: number): void; release(): void } {
    try {
      const reserved = this.#all.reserve(name, bytes);
      return { spend: (count) => { this.#own += count; reserved.spend(count); }, release: () => { reserved.release(); } };
    } catch (error) {
      this.#wasRefused ||= error instanceof BudgetExceededError;
      throw error;
    }
  }
}
