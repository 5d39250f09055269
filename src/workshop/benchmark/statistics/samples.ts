/** Numbers in ascending order, in an array of their own. */
export function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

/** A quantile by linear interpolation between the neighbours: type 7 of Hyndman and Fan 1996, what R and NumPy do. NaN of nothing. */
export function quantile(sorted: readonly number[], fraction: number): number {
  const position = fraction * (sorted.length - 1);
  const low = sorted[Math.floor(position)] ?? NaN;
  const high = sorted[Math.ceil(position)] ?? NaN;
  return low + (high - low) * (position - Math.floor(position));
}

export function median(values: readonly number[]): number {
  return quantile(ascending(values), 0.5);
}

/** Distance of the quartiles over the median: the relative spread of the middle half. 0 of one sample. */
export function spread(values: readonly number[]): number {
  const sorted = ascending(values);
  return (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / quantile(sorted, 0.5);
}
