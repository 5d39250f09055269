/** Names in a block: a search steps through one of them. */
const blockSize = 32;

/** A byte tells no more: it stands for this many or more, and the rest begins here. */
const mostShared = 255;

/** Ends every rest. */
const newline = 10;

/**
 * Sorted names as data/torch-symbols.br holds them: of each name how many letters it shares with the one before it, which
 * is none for the first of every block, and the rest of it; with the sizes of the blocks, so that they are found by
 * bisection. Names stay bytes: half a hundred thousand strings would take longer to make than all lookups.
 */
export class SortedNames {
  readonly count: number;
  readonly #data: Buffer;
  readonly #shared: number;
  /** Where the rests of each block start. */
  readonly #blocks: Uint32Array;

  /** `start` is where the table of names begins in `data`. */
  constructor(data: Buffer, start: number, count: number) {
    this.count = count;
    this.#data = data;
    const blocks = Math.ceil(count / blockSize);
    this.#shared = start + 2 * blocks;
    this.#blocks = new Uint32Array(blocks);
    let at = this.#shared + count;
    for (let block = 0; block < blocks; block++) {
      this.#blocks[block] = at;
      at += data.readUInt16LE(start + 2 * block);
    }
  }

  /** The place of a name; undefined when it is not there. */
  find(name: string): number | undefined {
    const { index, exact } = this.#search(Buffer.from(name));
    return exact ? index : undefined;
  }

  /** Names with their places, from the first that is not below `least`. */
  *from(least: string): Generator<readonly [index: number, name: string]> {
    const { index: first } = this.#search(Buffer.from(least));
    for (let block = Math.floor(first / blockSize); block < this.#blocks.length; block++) {
      const end = this.#blocks[block + 1] ?? this.#data.length;
      let name = "";
      for (const [offset, rest] of this.#data.toString("latin1", this.#blocks[block], end).split("\n").entries()) {
        const index = block * blockSize + offset;
        if (index >= this.count || offset >= blockSize) break;
        name = name.slice(0, this.#data[this.#shared + index]) + rest;
        if (index >= first) yield [index, name];
      }
    }
  }

  /** The place of the first name that is not below the wanted one, and whether it is that one. */
  #search(wanted: Buffer): { readonly index: number; readonly exact: boolean } {
    const block = this.#blockOf(wanted);
    if (block < 0) return { index: 0, exact: false };
    const data = this.#data;
    const end = Math.min(this.count, (block + 1) * blockSize);
    let at = this.#blocks[block] ?? data.length;
    // How many letters of the wanted name the one before begins with, which is below it.
    let matched = 0;
    for (let index = block * blockSize; index < end; index++) {
      const shared = data[this.#shared + index] ?? 0;
      if (shared === mostShared) matched = Math.min(matched, mostShared);
      if (shared < matched) return { index, exact: false };
      // What shares more differs from the wanted name where the one before did.
      if (shared === matched) {
        while (matched < wanted.length && data[at] === wanted[matched]) {
          at++;
          matched++;
        }
        const letter = data[at] ?? newline;
        if (letter === newline ? matched === wanted.length : letter > (wanted[matched] ?? 0)) return { index, exact: letter === newline };
      }
      at = data.indexOf(newline, at) + 1;
    }
    return { index: end, exact: false };
  }

  /** The last block whose first name is not above the wanted one; -1 when none is. */
  #blockOf(wanted: Buffer): number {
    let low = -1;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const start = this.#blocks[middle] ?? 0;
      if (this.#data.compare(wanted, 0, wanted.length, start, this.#data.indexOf(newline, start)) > 0) high = middle - 1;
      else low = middle;
    }
    return low;
  }
}
