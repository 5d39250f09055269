import { randomNumbers } from "./statistics/random.ts";

/** A: what is measured; B: the other side of a comparison. */
export type SideName = "A" | "B";

/**
 * The sides of each repetition, in the order in which they run. With two sides every second repetition has the order of the
 * one before turned around, so that a machine that gets steadily slower is unfair to neither; which side begins such a
 * pair is drawn, so that nothing that comes and goes can keep step with it.
 */
export function schedule(repetitions: number, sides: 1 | 2, seed: number): readonly SideName[][] {
  const random = randomNumbers(seed);
  let order: SideName[] = ["A"];
  return Array.from({ length: repetitions }, (_, index) => {
    if (sides === 2) {
      order = index % 2 === 1 ? [...order].reverse() : random() < 0.5 ? ["A", "B"] : ["B", "A"];
    }
    return order;
  });
}
