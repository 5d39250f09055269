import type { Random } from "../../../test/support/random.ts";
import type { Original } from "./subject.ts";

/** Values at which arithmetic turns: zero, ends of ranges, signs, and sizes that look harmless. */
const extremes: readonly [bigint, ...bigint[]] = [0n, 1n, 2n, 3n, 7n, 8n, 0x7fn, 0xffn, 0x7fffn, 0xffffn, 0x1_0000n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_fffen, 0xffff_ffffn, 0x1_0000_0000n, 0x1f_ffff_ffff_ffffn, 0x20_0000_0000_0000n, 0x7fff_ffff_ffff_ffffn, 0xffff_ffff_ffff_fff0n, 0xffff_ffff_ffff_ffffn];
const widths: readonly [1, 2, 4, 8] = [1, 2, 4, 8];

/** A damaged copy: flipped bits, fields with extreme values, a cut end, parts exchanged, copied or filled. */
export function mutate(original: Original, random: Random): Uint8Array {
  // A copy, which a slice of a Buffer is not.
  let bytes = new Uint8Array(original.bytes);
  if (bytes.length === 0) return bytes;
  for (let change = 1 + random.below(random.below(3) === 0 ? 12 : 3); change > 0; change--) {
    switch (random.below(10)) {
      case 0: {
        bytes = bytes.slice(0, 1 + random.below(bytes.length));
        break;
      }
      case 1: {
        const from = place(original, random, bytes.length);
        const to = place(original, random, bytes.length);
        const length = Math.min(1 + random.below(256), bytes.length - Math.max(from, to));
        const kept = bytes.slice(to, to + length);
        bytes.copyWithin(to, from, from + length);
        // Exchanged, or only copied.
        if (random.below(2) === 0) bytes.set(kept, from);
        break;
      }
      case 2: {
        const at = place(original, random, bytes.length);
        bytes.fill(random.pick([0, 0xff, 0x41, 0x01]), at, at + 1 + random.below(64));
        break;
      }
      case 3:
      case 4: {
        const at = place(original, random, bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
        break;
      }
      default: {
        overwrite(bytes, place(original, random, bytes.length), random);
      }
    }
  }
  return bytes;
}

/** A field, aligned to its width, gets an extreme value, the file's size or thereabouts, or a small step. */
function overwrite(bytes: Uint8Array, near: number, random: Random): void {
  const width = random.pick(widths);
  const at = near - (near % width);
  if (at + width > bytes.length) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value = random.below(4) === 0 ? BigInt(Math.max(0, bytes.length + random.below(17) - 8)) : random.below(4) === 0 ? BigInt((bytes[at] ?? 0) + random.below(5) + 254) : random.pick(extremes);
  if (width === 1) view.setUint8(at, Number(value & 0xffn));
  else if (width === 2) view.setUint16(at, Number(value & 0xffffn), true);
  else if (width === 4) view.setUint32(at, Number(value & 0xffff_ffffn), true);
  else view.setBigUint64(at, value, true);
}

function place(original: Original, random: Random, length: number): number {
  const part = random.below(4) === 0 ? undefined : original.structure[random.below(original.structure.length)];
  const at = part === undefined ? random.below(length) : part.offset + random.below(Math.max(1, part.size));
  return Math.min(at, length - 1);
}
