import { openElf } from "../binaries/elf/index.ts";
import type { LibraryImage } from "../binaries/library.ts";
import type { Files } from "../model/index.ts";

/** A library of this machine; undefined when the file is not there or no ELF file that can be read. */
export function openImage(file: string, files: Files): LibraryImage | undefined {
  if (files.status(file)?.kind !== "file") {
    return undefined;
  }
  const opened = openElf(file, files);
  return opened.ok ? opened.elf : undefined;
}
