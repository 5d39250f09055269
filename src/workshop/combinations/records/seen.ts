/** Which ids there were already, a million of them in 16 MB: a set of strings takes ten times as much, and longer. */
export class SeenIds {
  /** Pairs of 32 bits, at the place that the first names or the next that is free. A second of zero is free; one stands in for it. */
  #pairs = new Uint32Array(2 * 1024);
  #count = 0;

  /** Whether the id, of which the first 64 bits are looked at, is new. */
  add(id: string): boolean {
    const [high, low] = [bits(id, 0), bits(id, 8) || 1];
    if (!put(this.#pairs, high, low)) return false;
    this.#count += 1;
    if (this.#count * 3 > this.#pairs.length) this.#grow();
    return true;
  }

  #grow(): void {
    const before = this.#pairs;
    this.#pairs = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) if (before[at + 1] !== 0) put(this.#pairs, before[at] ?? 0, before[at + 1] ?? 0);
  }
}

function put(pairs: Uint32Array, high: number, low: number): boolean {
  const mask = pairs.length / 2 - 1;
  for (let at = high & mask; ; at = (at + 1) & mask) {
    const [otherHigh, otherLow] = [pairs[2 * at], pairs[2 * at + 1]];
    if (otherLow === 0) {
      pairs[2 * at] = high;
      pairs[2 * at + 1] = low;
      return true;
    }
    if (otherHigh === high && otherLow === low) return false;
  }
}

/** Eight hexadecimal digits as a number. */
function bits(id: string, from: number): number {
  let number = 0;
  for (let at = from; at < from + 8; at += 1) {
    const code = id.charCodeAt(at);
    number = (number << 4) | (code < 58 ? code - 48 : code - 87);
  }
  return number >>> 0;
}
