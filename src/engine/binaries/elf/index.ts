/**
 * ELF64 little-endian files, read in small ranges: what the dynamic loader depends on, never the whole file.
 * Every offset and count comes from a file that may be hostile, so each is bounded before it is used.
 */
export { openElf } from "./elf-file.ts";
export type { ElfFile } from "./elf-file.ts";
