import type { ElfNote } from "../elf/index.ts";

const buildIdType = 3;
const propertyType = 5;
/** GNU_PROPERTY_X86_ISA_1_NEEDED of the x86-64 psABI: bit 0 is the baseline, bit 1 x86-64-v2, and so on. */
const isaNeeded = 0xc0008002;

export function buildIdOf(notes: readonly ElfNote[]): string | undefined {
  const note = notes.find((one) => one.owner === "GNU" && one.type === buildIdType && one.descriptor.length > 0);
  return note === undefined ? undefined : Buffer.from(note.descriptor).toString("hex");
}

/** The x86-64 level that the file says it needs: 1 to 4. */
export function isaLevelOf(notes: readonly ElfNote[]): number | undefined {
  for (const { descriptor } of notes.filter((one) => one.owner === "GNU" && one.type === propertyType)) {
    const data = new DataView(descriptor.buffer, descriptor.byteOffset, descriptor.byteLength);
    for (let at = 0; at + 8 <= data.byteLength; ) {
      const size = data.getUint32(at + 4, true);
      if (data.getUint32(at, true) === isaNeeded && size >= 4 && at + 12 <= data.byteLength) {
        const level = 32 - Math.clz32(data.getUint32(at + 8, true) & 0xf);
        return level === 0 ? undefined : level;
      }
      at += 8 + Math.ceil(size / 8) * 8;
    }
  }
  return undefined;
}
