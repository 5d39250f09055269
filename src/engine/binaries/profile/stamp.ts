import type { ElfNote } from "../elf/index.ts";

const owner = "Abiding";
const stampType = 1;
const maximumStamp = 64 * 1024;
const maximumKeys = 256;

/**
 * The note that `abiding_stamp()` of CMake puts into a file: owner "Abiding", type 1, lines of `key=value` in UTF-8, described
 * in docs/stamp.md. Unknown keys are kept, lines that are none are dropped; the first of two equal keys counts.
 */
export function readStamp(notes: readonly ElfNote[]): Readonly<Record<string, string>> | undefined {
  const note = notes.find((one) => one.owner === owner && one.type === stampType);
  if (note === undefined) {
    return undefined;
  }
  // An assembler pads the text with NUL.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(note.descriptor.subarray(0, maximumStamp)).replace(/\0[\s\S]*$/, "");
  const entries = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, key, value] = /^[ \t]*([A-Za-z][\w.-]*)[ \t]*=[ \t]*(.*?)[ \t]*$/s.exec(line) ?? [];
    if (key !== undefined && value !== undefined && !entries.has(key) && entries.size < maximumKeys) {
      entries.set(key, value);
    }
  }
  return Object.fromEntries(entries);
}
