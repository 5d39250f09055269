/** Real libraries for tests, made by the compiler of this machine. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after } from "node:test";
import assert from "node:assert/strict";
import { openElf } from "../../../../src/engine/binaries/elf/index.ts";
import type { ElfFile } from "../../../../src/engine/binaries/elf/index.ts";
import { NodeFiles } from "../../../../src/engine/files/index.ts";

/** A folder that is gone after the tests of the file. */
export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-elf-"));
  after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

/** Compiles C++ from a text into a shared library, unless the flags say otherwise, and returns its path. */
export function compile(folder: string, name: string, source: string, ...flags: readonly string[]): string {
  const file = path.join(folder, name);
  const kind = flags.includes("-c") || flags.includes("-pie") ? [] : ["-shared"];
  execFileSync("g++", [...kind, "-fPIC", "-x", "c++", "-", "-x", "none", "-o", file, ...flags], { input: source, stdio: ["pipe", "ignore", "pipe"] });
  return file;
}

export function open(file: string): ElfFile {
  const opened = openElf(file, new NodeFiles());
  assert.ok(opened.ok, opened.ok ? "" : opened.message);
  return opened.elf;
}
