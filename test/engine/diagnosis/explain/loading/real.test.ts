/** Texts that this machine's linker and loader print, of files that are made here. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../../../binaries/elf/compile.ts";
import { verdictOf, verdictsOf } from "./reading.ts";

const folder = temporaryFolder();

/** What a program prints, in English. */
function run(program: string, ...given: readonly string[]): string {
  const { stdout, stderr, error } = spawnSync(program, given, { cwd: folder, encoding: "utf8", env: { PATH: process.env["PATH"], LC_ALL: "C" } });
  assert.equal(error, undefined);
  return stdout + stderr;
}

function write(name: string, text: string): string {
  fs.writeFileSync(path.join(folder, name), text);
  return name;
}

/** A library with the versions of a script, and a program that takes `taken` from it. */
function linkedAgainst(versions: string, taken: string): void {
  write("lib.c", "int foo_a(void){return 1;} int foo_b(void){return 2;} int foo_c(void){return 3;}\n");
  write("lib.map", versions);
  write("main.c", `int ${taken}(void); int main(void){return ${taken}();}\n`);
  assert.equal(run("gcc", "-shared", "-fPIC", "lib.c", "-o", "libfoo.so.1", "-Wl,-soname,libfoo.so.1", "-Wl,--version-script=lib.map"), "");
  assert.equal(run("gcc", "main.c", "-o", "app", "libfoo.so.1", "-Wl,-rpath,$ORIGIN"), "");
}

describe("the loader of this machine", () => {
  it("a library that is not there", async () => {
    linkedAgainst("FOO_1 { global: foo_a; foo_b; foo_c; local: *; };\n", "foo_a");
    fs.rmSync(path.join(folder, "libfoo.so.1"));
    const verdict = await verdictOf(run("./app"));
    assert.equal(verdict.cause, "library-missing");
    assert.match(verdict.words, /^libfoo\.so\.1: cannot open shared object file/);
  });

  it("a version that the library lacks, and a symbol of a version that it has", async () => {
    linkedAgainst("FOO_1 { global: foo_a; local: *; }; FOO_2 { global: foo_b; } FOO_1;\n", "foo_b");
    write("lib.map", "FOO_1 { global: foo_a; local: *; };\n");
    run("gcc", "-shared", "-fPIC", "lib.c", "-o", "libfoo.so.1", "-Wl,-soname,libfoo.so.1", "-Wl,--version-script=lib.map");
    const version = await verdictOf(run("./app"));
    assert.deepEqual([version.cause, version.file], ["library-too-old", "./app"]);
    assert.match(version.headline, /app needs FOO_2 of libfoo\.so\.1/);

    linkedAgainst("FOO_1 { global: foo_a; foo_c; local: *; };\n", "foo_c");
    write("lib.map", "FOO_1 { global: foo_a; local: *; };\n");
    run("gcc", "-shared", "-fPIC", "lib.c", "-o", "libfoo.so.1", "-Wl,-soname,libfoo.so.1", "-Wl,--version-script=lib.map");
    const symbol = await verdictOf(run("./app"));
    assert.deepEqual([symbol.cause, symbol.symbols?.map((one) => one.symbol)], ["library-too-old", ["foo_c"]]);
  });

  it("files that are refused", async () => {
    linkedAgainst("FOO_1 { global: foo_a; foo_b; foo_c; local: *; };\n", "foo_a");
    const library = path.join(folder, "libfoo.so.1");
    const whole = fs.readFileSync(library);
    const otherClass = Buffer.from(whole);
    otherClass[4] = 1;
    for (const [bytes, cause, words] of [[Buffer.alloc(0), "corrupt-file", /file too short/], [Buffer.alloc(4096, "x"), "corrupt-file", /invalid ELF header/], [otherClass, "wrong-architecture", /wrong ELF class: ELFCLASS32/]] as const) {
      fs.writeFileSync(library, bytes);
      const verdict = await verdictOf(run("./app"));
      assert.equal(verdict.cause, cause);
      assert.match(verdict.words, words);
    }
  });
});

describe("the linker of this machine", () => {
  it("what nobody defines, from objects and libraries, is one matter with its consequence", async () => {
    write("a.cpp", "namespace own { void gelu(int); } int run() { own::gelu(1); return 0; }\n");
    const verdict = await verdictOf(run("g++", "-shared", "-fPIC", "-Wl,-z,defs", "a.cpp", "-o", "a.so"));
    assert.deepEqual([verdict.cause, verdict.symbols?.map((one) => one.symbol), verdict.consequences.length], ["own-symbol", ["own::gelu(int)"], 1]);
  });

  it("a library that is not found, code without -fPIC, two definitions, a library that others bring", async () => {
    write("m.c", "int main(void){return 0;}\n");
    write("np.c", "int g; int f(void){ return g++; }\n");
    run("gcc", "-c", "-fno-pic", "np.c");
    run("gcc", "-c", "np.c", "-o", "np2.o");
    const of = async (...given: readonly string[]): Promise<readonly string[]> => (await verdictsOf(run("gcc", ...given))).map((one) => one.cause);
    assert.deepEqual(await of("m.c", "-lc10", "-o", "m"), ["torch-library-missing"]);
    assert.deepEqual(await of("m.c", "-lcudart", "-o", "m"), ["library-missing"]);
    assert.deepEqual(await of("-shared", "np.o", "-o", "np.so"), ["not-position-independent"]);
    assert.deepEqual(await of("m.c", "np.o", "np2.o", "-o", "m"), ["link-failed"]);
    write("one.c", "int own_one(void){return 1;}\n");
    write("two.c", "int own_one(void); int own_two(void){return own_one();}\n");
    write("mm.c", "int own_one(void); int own_two(void); int main(void){return own_one()+own_two();}\n");
    run("gcc", "-shared", "-fPIC", "one.c", "-o", "libone.so");
    run("gcc", "-shared", "-fPIC", "two.c", "-o", "libtwo.so", "-L.", "-lone", "-Wl,-rpath,$ORIGIN");
    const [late] = await verdictsOf(run("gcc", "mm.c", "-o", "mm", "-L.", "-ltwo"));
    assert.deepEqual([late?.cause, late?.copy], ["library-not-linked", "-lone"]);
  });
});
