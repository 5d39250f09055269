/** Damaged heads of libraries: the tables must be found, or not, without the dynamic segment. */
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { imageFromHead } from "../../../src/engine/binaries/elf/index.ts";
import { useImage } from "./elf.ts";
import type { Original, Subject } from "./subject.ts";

const source = `
#include <map>
#include <string>
#include <iostream>
namespace shop { std::string name(const std::string& x) { return x + "!"; } std::map<std::string, std::string> all; void print() { std::cout << name("x") << all["a"]; } }
extern const char big[100000] = { 1, 2, 3 };
`;
const headSize = 32 * 1024;

export const elfHeads: Subject = {
  name: "elf-heads",
  originals(folder) {
    const compiled = (["gnu", "both"] as const).map((style) => {
      const file = join(folder, `${style}.so`);
      execFileSync("g++", ["-shared", "-fPIC", "-x", "c++", "-", "-o", file, `-Wl,--hash-style=${style}`], { input: source, stdio: ["pipe", "ignore", "pipe"] });
      return original(style, new Uint8Array(readFileSync(file)).slice(0, headSize));
    });
    return Promise.resolve([...compiled, ...torchHeads()]);
  },
  read(bytes) {
    const found = imageFromHead(bytes, "/fuzzed.so");
    if (found !== undefined && !("needMore" in found)) useImage(found);
    return Promise.resolve();
  },
};

/** Of the torch that tests use, where there is one: small libraries with large tables. */
function torchHeads(): readonly Original[] {
  const prefix = process.env["ABIDING_TEST_TORCH"];
  const python = prefix === undefined || !existsSync(join(prefix, "lib")) ? undefined : readdirSync(join(prefix, "lib")).find((name) => name.startsWith("python"));
  if (prefix === undefined || python === undefined) return [];
  return [["libc10.so", 256 * 1024], ["libshm.so", 64 * 1024], ["libtorch.so", 64 * 1024]].flatMap(([name, size]) => {
    const file = join(prefix, "lib", python, "site-packages", "torch", "lib", String(name));
    if (!existsSync(file)) return [];
    const bytes = new Uint8Array(Number(size));
    const descriptor = openSync(file, "r");
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    closeSync(descriptor);
    return [original(String(name), bytes.slice(0, length))];
  });
}

function original(name: string, bytes: Uint8Array): Original {
  return { name, bytes, structure: [{ offset: 0, size: 64 }, { offset: 64, size: 700 }, { offset: 0x200, size: 8192 }, { offset: 0, size: bytes.length }] };
}
