import { openElf } from "../binaries/elf/index.ts";
import type { LibraryImage } from "../binaries/library.ts";
import type { Files } from "../model/index.ts";
import type { Refusal } from "./types.ts";

/** A library of this machine; undefined when the file is not there or no ELF file that can be read. */
export function openImage(file: string, files: Files): LibraryImage | undefined {
  const opened = openLibrary(file, files);
  return opened === undefined || "loaderText" in opened ? undefined : opened;
}

/** sizeof(Elf64_Ehdr): of a shorter file the loader looks at nothing. */
const headerSize = 64;

/**
 * The same; a refusal where the file is no ELF file at all. The loader passes over files of another machine or class and
 * ends the search at one of these: "invalid ELF header", "file too short" (elf/dl-load.c, open_verify).
 */
export function openLibrary(file: string, files: Files): LibraryImage | Refusal | undefined {
  const status = files.status(file);
  if (status?.kind !== "file") {
    return undefined;
  }
  const opened = openElf(file, files);
  if (opened.ok) {
    return opened.elf;
  }
  const isShort = status.size < headerSize && opened.problem !== "unreadable";
  return isShort || opened.problem === "not-elf" ? { because: opened.message, loaderText: `${file}: ${isShort ? "file too short" : "invalid ELF header"}` } : undefined;
}
