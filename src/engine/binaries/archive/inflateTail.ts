import { Bits, distanceBase, distanceBits, fixedCodes, lengthBase, lengthBits, readCodes } from "./deflateCodes.ts";
import type { BlockCodes } from "./deflateCodes.ts";

/** Deflate looks back this far. */
const window = 32 * 1024;
/** In the output: a byte that was copied from before the part that is at hand. */
const unknownByte = 256;
/** zlib's blocks are packed into 10 to 40 KB; a stream in which none begins for longer is stored or made otherwise. */
const searchedBytes = 256 * 1024;
/** Places that look like the beginning of a block and are tried; a wrong one fails within a few symbols. */
const maximumTrials = 200;
/** A wrong beginning does not decode to the beginning of another block, and that one to a further one. */
const surelyRight = 3;

/** The end of an unpacked member. */
export class UnpackedTail {
  readonly #values: Uint16Array;

  constructor(values: Uint16Array) {
    this.#values = values;
  }

  get length(): number {
    return this.#values.length;
  }

  /** The last `length` bytes; undefined when one of them could not be told, being a copy of what lies before the part at hand. */
  last(length: number): Uint8Array | undefined {
    const values = this.#values.subarray(Math.max(0, this.#values.length - length));
    if (values.length < length || values.includes(unknownByte)) {
      return undefined;
    }
    const bytes = new Uint8Array(length);
    bytes.set(values);
    return bytes;
  }
}

/**
 * Unpacks the end of a deflate stream without its beginning: finds where a block begins, and decodes from there to the
 * end, keeping count of the bytes that are copied from before. They become few quickly, because every byte that is not a
 * copy stays known. `packed` must reach to the very end of the stream. undefined when no block that leads to the end
 * begins in it; "damaged" when one does, and what follows cannot be decoded or is longer than `limit`. Format: RFC 1951.
 */
export function inflateTail(packed: Uint8Array, limit: number): UnpackedTail | "damaged" | undefined {
  const bits = new Bits(packed);
  const output = new Output(limit);
  const last = Math.min(packed.length, searchedBytes) * 8;
  let trials = 0;
  for (let position = 0; position < last && trials < maximumTrials; position += 1) {
    bits.seek(position);
    // A block with codes of its own has type 2; the bit before says whether it is the last.
    if (bits.take(3) >>> 1 !== 2) {
      continue;
    }
    const codes = readCodes(bits);
    if (codes === undefined) {
      continue;
    }
    trials += 1;
    bits.seek(position);
    const { isWhole, blocks } = decode(bits, packed.length, output);
    if (isWhole) {
      return new UnpackedTail(output.taken());
    }
    if (blocks >= surelyRight) {
      return "damaged";
    }
  }
  return undefined;
}

/** Everything up to the end of the stream; not whole when it does not decode, or ends elsewhere. */
function decode(bits: Bits, packedLength: number, output: Output): { readonly isWhole: boolean; readonly blocks: number } {
  output.begin();
  for (let blocks = 0; ; blocks += 1) {
    const isFinal = bits.take(1) === 1;
    const type = bits.take(2);
    let isRight: boolean;
    if (type === 0) {
      isRight = copyStored(bits, output);
    } else {
      const codes = type === 1 ? fixedCodes : type === 2 ? readCodes(bits) : undefined;
      isRight = codes !== undefined && decodeBlock(bits, codes, output);
    }
    if (!isRight || bits.isPastEnd) {
      return { isWhole: false, blocks };
    }
    if (isFinal) {
      return { isWhole: Math.ceil(bits.position / 8) === packedLength, blocks };
    }
  }
}

function copyStored(bits: Bits, output: Output): boolean {
  bits.alignToByte();
  const length = bits.take(16);
  if ((length ^ bits.take(16)) !== 0xffff) {
    return false;
  }
  for (let index = 0; index < length; index += 1) {
    if (bits.isPastEnd || !output.push(bits.take(8))) {
      return false;
    }
  }
  return true;
}

function decodeBlock(bits: Bits, codes: BlockCodes, output: Output): boolean {
  while (!bits.isPastEnd) {
    const symbol = bits.decode(codes.literals);
    if (symbol < 256) {
      if (symbol < 0 || !output.push(symbol)) {
        return false;
      }
    } else if (symbol === 256) {
      return true;
    } else {
      const length = (lengthBase[symbol - 257] ?? 0) + bits.take(lengthBits[symbol - 257] ?? 0);
      const code = bits.decode(codes.distances);
      const base = distanceBase[code];
      if (symbol > 285 || base === undefined || !output.copy(base + bits.take(distanceBits[code] ?? 0), length)) {
        return false;
      }
    }
  }
  return false;
}

/** Output in 16 bits, so that a byte can be unknown. It begins as a window of unknown bytes. */
class Output {
  readonly #limit: number;
  #values = new Uint16Array(1024 * 1024).fill(unknownByte, 0, window);
  #length = window;

  constructor(limit: number) {
    this.#limit = limit + window;
  }

  /** Forgets what was written: another beginning is tried. */
  begin(): void {
    this.#length = window;
  }

  push(value: number): boolean {
    if (!this.#reserve(1)) {
      return false;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
    return true;
  }

  copy(distance: number, length: number): boolean {
    if (distance > this.#length || !this.#reserve(length)) {
      return false;
    }
    const values = this.#values;
    let from = this.#length - distance;
    for (let to = this.#length, end = to + length; to < end; to += 1, from += 1) {
      values[to] = values[from] ?? unknownByte;
    }
    this.#length += length;
    return true;
  }

  taken(): Uint16Array {
    return this.#values.subarray(window, this.#length);
  }

  #reserve(count: number): boolean {
    if (this.#length + count > this.#limit) {
      return false;
    }
    if (this.#length + count > this.#values.length) {
      const larger = new Uint16Array(Math.min(this.#limit, this.#values.length * 2) + 512);
      larger.set(this.#values.subarray(0, this.#length));
      this.#values = larger;
    }
    return true;
  }
}
