/**
 * Holm's correction (Scandinavian Journal of Statistics 6, 1979, p. 65): of all the comparisons of a report, the chance
 * that even one that is none is called a difference stays under the level, whatever hangs together with what.
 * The corrected p of each, in the order given.
 */
export function holm(p: readonly number[]): number[] {
  const order = p.map((_, index) => index).sort((a, b) => (p[a] ?? 0) - (p[b] ?? 0));
  const corrected = new Array<number>(p.length).fill(1);
  let largest = 0;
  order.forEach((index, rank) => {
    largest = Math.max(largest, Math.min(1, (p[index] ?? 1) * (p.length - rank)));
    corrected[index] = largest;
  });
  return corrected;
}
