import { openElf } from "../binaries/elf/index.ts";
import type { LibraryImage } from "../binaries/library.ts";
import type { Files } from "../model/index.ts";

/** A library of this machine; undefined when the file is not there or no ELF file that can be read. */
export function openImage(file: string, files: Files): LibraryImage | undefined {
  const opened = openLibrary(file, files);
  return typeof opened === "string" ? undefined : opened;
}

/**
 * The same; a sentence where the file is no ELF file at all. The loader passes over files of another machine or class and
 * ends the search at one of these: "invalid ELF header", "file too short" (elf/dl-load.c, open_verify).
 */
export function openLibrary(file: string, files: Files): LibraryImage | string | undefined {
  if (files.status(file)?.kind !== "file") {
    return undefined;
  }
  const opened = openElf(file, files);
  return opened.ok ? opened.elf : opened.problem === "not-elf" ? opened.message : undefined;
}
