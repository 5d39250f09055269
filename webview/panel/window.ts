/** Of a long line of equal items, those that are in sight. */
export interface Line {
  readonly count: number;
  /** Of an item. In pixels, like all of it. */
  readonly size: number;
  /** What sticks to the begin of the line and covers it. */
  readonly before: number;
  /** Items beyond the edges that are there already when it is scrolled. */
  readonly beyond: number;
  /** In the page wherever it is scrolled: it has the focus. */
  readonly kept: number;
}

export interface Item {
  readonly index: number;
  readonly start: number;
}

export function itemsInSight({ count, size, before, beyond, kept }: Line, offset: number, length: number): readonly Item[] {
  const first = Math.max(0, Math.min(count, Math.floor(offset / size) - beyond));
  const last = Math.min(count, Math.ceil((offset + Math.max(0, length - before)) / size) + beyond);
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  if (kept >= 0 && kept < count) {
    if (kept < first) indexes.unshift(kept);
    else if (kept >= last) indexes.push(kept);
  }
  return indexes.map((index) => ({ index, start: before + index * size }));
}

/** The offset nearest to the present one at which all of the item is in sight. */
export function offsetFor(index: number, { size, before }: Line, offset: number, length: number): number {
  const start = index * size;
  const room = Math.max(size, length - before);
  return start < offset ? start : start + size > offset + room ? start + size - room : offset;
}
