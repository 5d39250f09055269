/**
 * ELF64 little-endian files, read in small ranges: what the dynamic loader depends on, never the whole file.
 * Every offset and count comes from a file that may be hostile, so each is bounded before it is used.
 */
export { openElf, openElfRanges } from "./elf-file.ts";
export type { ElfFile } from "./elf-file.ts";
export { imageFromHead } from "./head.ts";
export type { ElfNote } from "./notes.ts";
export { machineName } from "./refusal.ts";
export type { ElfFailure } from "./refusal.ts";
