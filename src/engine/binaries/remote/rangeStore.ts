/** Bytes of a resource that are at hand, as ranges. Holds a bounded number of bytes; the longest unused go first. */
export class RangeStore {
  readonly #limit: number;
  /** In order of use, the last used last. */
  readonly #pieces = new Set<Piece>();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  put(offset: number, bytes: Uint8Array): void {
    this.#pieces.add({ offset, bytes });
    this.#held += bytes.length;
    for (const piece of this.#pieces) {
      if (this.#held <= this.#limit || this.#pieces.size === 1) {
        break;
      }
      this.#pieces.delete(piece);
      this.#held -= piece.bytes.length;
    }
  }

  /** The range when all of it is at hand. */
  read(offset: number, length: number): Uint8Array | undefined {
    const parts = this.#overlapping(offset, offset + length);
    const [first] = parts;
    if (first !== undefined && first.offset <= offset && first.offset + first.bytes.length >= offset + length) {
      this.#touch(first);
      return first.bytes.subarray(offset - first.offset, offset - first.offset + length);
    }
    const joined = new Uint8Array(length);
    let at = offset;
    for (const piece of parts) {
      if (piece.offset > at) {
        return undefined;
      }
      const part = piece.bytes.subarray(at - piece.offset, offset + length - piece.offset);
      joined.set(part, at - offset);
      at += part.length;
      this.#touch(piece);
    }
    return at >= offset + length ? joined : undefined;
  }

  /** The first part of a range that is not at hand. */
  missing(offset: number, end: number): { readonly offset: number; readonly end: number } | undefined {
    let at = offset;
    for (const piece of this.#overlapping(offset, end)) {
      if (piece.offset > at) {
        return { offset: at, end: Math.min(end, piece.offset) };
      }
      at = Math.max(at, piece.offset + piece.bytes.length);
    }
    return at >= end ? undefined : { offset: at, end };
  }

  #overlapping(offset: number, end: number): readonly Piece[] {
    return [...this.#pieces].filter((one) => one.offset < end && one.offset + one.bytes.length > offset).sort((a, b) => a.offset - b.offset);
  }

  #touch(piece: Piece): void {
    this.#pieces.delete(piece);
    this.#pieces.add(piece);
  }
}

interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}
