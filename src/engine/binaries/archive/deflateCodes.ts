/** Codes of deflate blocks and the bits that they are made of. Format: RFC 1951, 3.2. */
const maximumBits = 15;
const endOfBlock = 256;

export const lengthBase = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
export const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
export const distanceBase = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
export const distanceBits = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
const orderOfLengths = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** A Huffman code as a table: the next `bits` bits of the stream lead to symbol * 16 + length, 0 where no code begins so. */
interface Code {
  readonly bits: number;
  readonly table: Uint16Array;
}

export interface BlockCodes {
  readonly literals: Code;
  readonly distances: Code;
}

/** Bits of a stream, lowest first. Beyond the end come zeros, and `isPastEnd` says so. */
export class Bits {
  readonly #bytes: Uint8Array;
  /** In bits. */
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isPastEnd(): boolean {
    return this.position > this.#bytes.length * 8;
  }

  seek(position: number): void {
    this.position = position;
  }

  alignToByte(): void {
    this.position = Math.ceil(this.position / 8) * 8;
  }

  /** Up to 16 bits. */
  take(count: number): number {
    const value = this.#peek() & ((1 << count) - 1);
    this.position += count;
    return value;
  }

  /** The next symbol, or -1 where no code is. */
  decode(code: Code): number {
    const entry = code.table[this.#peek() & ((1 << code.bits) - 1)] ?? 0;
    this.position += entry & 15;
    return entry === 0 ? -1 : entry >>> 4;
  }

  #peek(): number {
    const bytes = this.#bytes;
    const at = this.position >>> 3;
    return (((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)) >>> (this.position & 7)) & 0xffff;
  }
}

/** The two codes at the beginning of a block of type 2; undefined when they are none: most bits are not. */
export function readCodes(bits: Bits): BlockCodes | undefined {
  const literalCount = bits.take(5) + 257;
  const distanceCount = bits.take(5) + 1;
  const lengthCount = bits.take(4) + 4;
  if (literalCount > 286 || distanceCount > 30) {
    return undefined;
  }
  const lengthLengths = new Uint8Array(19);
  for (let index = 0; index < lengthCount; index += 1) {
    lengthLengths[orderOfLengths[index] ?? 0] = bits.take(3);
  }
  const lengthCode = buildCode(lengthLengths, false);
  if (lengthCode === undefined) {
    return undefined;
  }
  const lengths = new Uint8Array(literalCount + distanceCount);
  for (let index = 0; index < lengths.length;) {
    const symbol = bits.decode(lengthCode);
    if (symbol < 0 || bits.isPastEnd) {
      return undefined;
    }
    if (symbol < 16) {
      lengths[index] = symbol;
      index += 1;
      continue;
    }
    const [value, repeat] = symbol === 16 ? [lengths[index - 1], 3 + bits.take(2)] : [0, symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7)];
    if (value === undefined || index + repeat > lengths.length) {
      return undefined;
    }
    lengths.fill(value, index, index + repeat);
    index += repeat;
  }
  if (lengths[endOfBlock] === 0) {
    return undefined;
  }
  const literals = buildCode(lengths.subarray(0, literalCount), false);
  // A single distance, or none, leaves its code incomplete.
  const distances = literals === undefined ? undefined : buildCode(lengths.subarray(literalCount), true);
  return literals === undefined || distances === undefined ? undefined : { literals, distances };
}

/** The code of given lengths; undefined when the lengths do not make one. */
function buildCode(lengths: Uint8Array, mayBeIncomplete: boolean): Code | undefined {
  const counts = new Uint16Array(maximumBits + 1);
  let bits = 0;
  let used = 0;
  for (const length of lengths) {
    if (length > 0) {
      counts[length] = (counts[length] ?? 0) + 1;
      used += 1;
      bits = Math.max(bits, length);
    }
  }
  let space = 1 << maximumBits;
  for (let length = 1; length <= maximumBits; length += 1) {
    space -= (counts[length] ?? 0) << (maximumBits - length);
  }
  if (space < 0 || (space > 0 && !(mayBeIncomplete && used <= 1))) {
    return undefined;
  }
  const next = new Uint16Array(maximumBits + 2);
  for (let length = 1; length <= maximumBits; length += 1) {
    next[length + 1] = ((next[length] ?? 0) + (counts[length] ?? 0)) << 1;
  }
  const table = new Uint16Array(1 << bits);
  for (const [symbol, length] of lengths.entries()) {
    if (length > 0) {
      const code = next[length] ?? 0;
      next[length] = code + 1;
      for (let at = reversed(code, length); at < table.length; at += 1 << length) {
        table[at] = (symbol << 4) | length;
      }
    }
  }
  return { bits, table };
}

function reversed(code: number, length: number): number {
  let result = 0;
  for (let index = 0; index < length; index += 1) {
    result |= ((code >>> index) & 1) << (length - 1 - index);
  }
  return result;
}

function fixed(): BlockCodes {
  const lengths = Uint8Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8));
  const literals = buildCode(lengths, false);
  const distances = buildCode(new Uint8Array(32).fill(5), false);
  if (literals === undefined || distances === undefined) {
    throw new Error("The fixed codes of deflate are complete.");
  }
  return { literals, distances };
}

/** The codes of blocks of type 1. */
export const fixedCodes: BlockCodes = fixed();
