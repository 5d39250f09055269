/** Readers of binaries that must survive any input. A new one is a module here and a line in this list. */
import { elfHeads } from "./elf-heads.ts";
import { elf } from "./elf.ts";
import { indexPage } from "./index-page.ts";
import type { Subject } from "./subject.ts";
import { wheel } from "./wheel.ts";
import { deflateEnds, zip } from "./zip.ts";

export const subjects: readonly Subject[] = [elf, elfHeads, zip, deflateEnds, wheel, indexPage];
