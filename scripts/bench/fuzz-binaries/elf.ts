/** Damaged ELF files, whole, through every function of the reader. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openElfRanges } from "../../../src/engine/binaries/elf/index.ts";
import type { ElfFile } from "../../../src/engine/binaries/elf/index.ts";
import type { LibraryImage } from "../../../src/engine/binaries/library.ts";
import type { Original, Subject } from "./subject.ts";

const source = `
#include <string>
namespace shop { std::string name(const std::string& x) { return x + "!"; } int count = 3; }
extern "C" __attribute__((weak)) int maybe() { return 1; }
extern "C" { thread_local int each = 5; int missing(); __attribute__((weak)) int optional(); }
extern "C" int calls() { return missing() + each + (optional ? optional() : 0); }
int (*pointer)() = missing;
__attribute__((section(".note.test"), used, aligned(4))) static const struct { unsigned n, d, t; char name[8]; char text[12]; } note = { 8, 10, 7, "Abiding", "built=yes\\n" };
`;
const versioned = `
extern "C" { int f1() { return 1; } int f2() { return 2; } int g() { return 3; } }
__asm__(".symver f1,f@V1\\n.symver f2,f@@V2");
`;

export const elf: Subject = {
  name: "elf",
  originals(folder) {
    writeFileSync(join(folder, "map"), "V1 { global: f; g; local: *; }; V2 { global: f; } V1;");
    const compile = (name: string, text: string, ...flags: readonly string[]): Original => {
      const file = join(folder, name);
      execFileSync("g++", ["-fPIC", "-x", "c++", "-", "-x", "none", "-o", file, ...flags], { input: text, stdio: ["pipe", "ignore", "pipe"] });
      return original(name, new Uint8Array(readFileSync(file)));
    };
    return Promise.resolve([
      compile("gnu.so", source, "-shared", "-Wl,--hash-style=gnu,-rpath,$ORIGIN:/opt/lib"),
      compile("sysv.so", source, "-shared", "-Wl,--hash-style=sysv,-z,now"),
      compile("small.so", `extern "C" int f(int); extern "C" int g() { return f(1); }`, "-shared", "-nostdlib", "-s"),
      compile("versions.so", versioned, "-shared", "-nostdlib", `-Wl,--version-script=${join(folder, "map")}`),
      compile("program", "int main() { return 0; }", "-pie"),
      compile("object.o", source, "-c"),
    ]);
  },
  read(bytes) {
    const opened = openElfRanges("/fuzzed.so", bytes.length, (offset, length) => {
      if (!(offset >= 0 && length >= 0 && offset + length <= bytes.length)) throw new Error(`asked for ${length} bytes from ${offset} of ${bytes.length}`);
      return bytes.subarray(offset, offset + length);
    });
    if (opened.ok) useElf(opened.elf);
    else if (!/^\/fuzzed\.so .*\.$/.test(opened.message)) throw new Error(`no sentence: ${opened.message}`);
    return Promise.resolve();
  },
};

function original(name: string, bytes: Uint8Array): Original {
  const opened = openElfRanges(name, bytes.length, (offset, length) => bytes.subarray(offset, offset + length));
  if (!opened.ok) throw new Error(opened.message);
  const { segments } = opened.elf;
  const parts = opened.elf.sections().filter((one) => one.size > 0 && /^\.(?:dyn|gnu|hash|rela|note|interp|comment|shstrtab)/.test(one.name));
  const header = { offset: 0, size: 64 };
  const dynamic = parts.filter((one) => one.name === ".dynamic");
  return { name, bytes, structure: [header, header, { offset: 64, size: segments.length * 56 }, ...dynamic, ...dynamic, ...parts, { offset: Math.max(0, bytes.length - 2048), size: 2048 }] };
}

function useElf(elf: ElfFile): void {
  let problems = useImage(elf) + elf.relocationOrder().length + elf.notes().length + elf.comment().length + elf.sections().length;
  for (const symbol of elf.symbols()) problems += symbol.name.length;
  problems += (elf.section(".rodata")?.size ?? 0) + (elf.interpreter?.length ?? 0) + (elf.fileOffset(0x1000) ?? 0) + (elf.bytes(elf.size - 1, 2)?.length ?? 0);
  if (Number.isNaN(problems)) throw new Error("a number of the file is none");
  for (const problem of elf.problems) {
    if (!problem.endsWith(".")) throw new Error(`no sentence: ${problem}`);
  }
}

/** What a library image is asked for; the first hundred names are looked up as well. */
export function useImage(image: LibraryImage): number {
  let count = (image.needed?.length ?? 0) + image.rpath.length + image.runpath.length + image.versionDefinitions().length + image.versionNeeds().length;
  const versions = [undefined, "GLIBC_2.2.5", ...image.versionDefinitions().slice(0, 3)];
  let looked = 0;
  for (const name of image.exportedNames()) {
    count += 1;
    looked += 1;
    if (looked > 100) continue;
    for (const version of versions) count += image.defines(name, version) ? 1 : 0;
    count += image.defines(`${name}x`) ? 1 : 0;
  }
  for (const name of image.exportedNamesContaining?.("e") ?? []) count += name.length;
  for (const symbol of image.imports() ?? []) count += symbol.version?.name.length ?? 0;
  return count;
}
