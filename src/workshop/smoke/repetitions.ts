import type { TestResult } from "./types.ts";

/** Results of tests that are run once or several times: each test has one, that of its first bad run. */
export class Repetitions {
  readonly #results = new Map<string, { result: TestResult; total: number; passed: number }>();
  #times = 0;

  /** All tests are run once more. */
  next(): void {
    this.#times += 1;
  }

  add(result: TestResult): void {
    const known = this.#results.get(result.id);
    const passed = result.outcome === "passed" ? 1 : 0;
    if (known === undefined) {
      this.#results.set(result.id, { result, total: 1, passed });
      return;
    }
    known.total += 1;
    known.passed += passed;
    if (isGood(known.result)) known.result = result;
  }

  get all(): readonly TestResult[] {
    return [...this.#results.values()].map(({ result, total, passed }) => {
      if (this.#times < 2) return result;
      const often = total === passed || isGood(result) ? undefined : `It passed ${passed} of ${total} times.`;
      return { ...result, ...(often === undefined ? {} : { reason: `${often} ${result.reason ?? ""}`.trim() }), runs: { total, passed } };
    });
  }
}

function isGood({ outcome }: TestResult): boolean {
  return outcome === "passed" || outcome === "skipped";
}
