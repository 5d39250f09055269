import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import { openElf } from "../../../../src/engine/binaries/elf/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";
import { compile, open, temporaryFolder } from "./compile.ts";

const folder = temporaryFolder();

const source = `
#include <string>
namespace shop { std::string name(const std::string& x) { return x + "!"; } int count = 3; }
template <class T> struct Counter { static int value; };
template <class T> int Counter<T>::value = 1;
template struct Counter<int>;
extern "C" __attribute__((weak)) int maybe() { return 1; }
extern "C" __attribute__((visibility("protected"))) int guarded() { return 2; }
extern "C" __attribute__((visibility("hidden"))) int concealed() { return 2; }
extern "C" { thread_local int each = 5; }
extern "C" int missing();
extern "C" __attribute__((weak)) int optional();
extern "C" int calls() { return missing() + (optional ? optional() : 0); }
static int hidden() { return 4; }
extern "C" int uses() { return hidden() + concealed(); }
static int (*choose())() { return hidden; }
extern "C" int chosen() __attribute__((ifunc("_ZL6choosev")));
`;

describe("openElf", () => {
  const files = { gnu: "", sysv: "", both: "" };
  before(() => {
    for (const style of ["gnu", "sysv", "both"] as const) {
      files[style] = compile(folder, `lib${style}.so`, source, `-Wl,--hash-style=${style}`, `-Wl,-soname,lib${style}.so`);
    }
  });

  it("reads the name, the needed libraries and their versions", () => {
    const elf = open(files.gnu);
    assert.equal(elf.soname, "libgnu.so");
    assert.equal(elf.type, "DYN");
    assert.equal(elf.interpreter, undefined);
    assert.equal(elf.exportsKnownBy, "names");
    assert.ok(elf.needed.includes("libstdc++.so.6"));
    const need = elf.versionNeeds().find((one) => one.library === "libstdc++.so.6");
    assert.ok(need?.versions.includes("GLIBCXX_3.4.21"), JSON.stringify(need));
    assert.deepEqual(elf.problems, []);
  });

  for (const style of ["gnu", "sysv", "both"] as const) {
    it(`looks symbols up through the hash table, style ${style}`, () => {
      const elf = open(files[style]);
      assert.equal(elf.lookup("_ZN4shop4nameERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")?.binding, "global");
      assert.equal(elf.lookup("maybe")?.binding, "weak");
      assert.equal(elf.lookup("_ZN4shop5countE")?.size, 4);
      for (const absent of ["missing", "hidden", "concealed", "_ZN4shop4nameERKSs", "", "x".repeat(100_000)]) {
        assert.equal(elf.lookup(absent), undefined, absent.slice(0, 40));
        assert.equal(elf.defines(absent), false);
      }
    });

    it(`lists symbols, style ${style}`, () => {
      const elf = open(files[style]);
      const exported = [...elf.exportedNames()];
      assert.ok(["calls", "uses", "maybe", "guarded", "each", "chosen", "_ZN4shop5countE"].every((name) => exported.includes(name)), exported.join(" "));
      assert.ok(["missing", "optional", "hidden", "concealed"].every((name) => !exported.includes(name)), exported.join(" "));
      assert.ok(exported.every((name) => elf.defines(name)));
      const imports = [...elf.imports()];
      assert.deepEqual(imports.filter((one) => ["missing", "optional"].includes(one.name)).map((one) => [one.name, one.binding, one.defined]).sort(), [["missing", "global", false], ["optional", "weak", false]]);
    });
  }

  it("tells type, binding, visibility and version of a symbol", () => {
    const elf = open(files.gnu);
    const short = (name: string): string => {
      const one = [...elf.symbols()].find((symbol) => symbol.name === name);
      return `${one?.type} ${one?.binding} ${one?.visibility}`;
    };
    assert.equal(short("calls"), "function global default");
    assert.equal(short("guarded"), "function global protected");
    assert.equal(short("each"), "tls global default");
    assert.equal(short("chosen"), "ifunc global default");
    assert.equal(short("_ZN7CounterIiE5valueE"), "object unique default");
    assert.equal(short("missing"), "none global default");
    const used = [...elf.imports()].find((one) => one.name.startsWith("_ZNSt7__cxx1112basic_string"));
    assert.deepEqual(used?.version, { name: "GLIBCXX_3.4.21", library: "libstdc++.so.6", hidden: false });
    assert.equal(elf.lookup("calls")?.version, undefined);
  });

  it("finds sections, and answers with nothing in a file without section headers", () => {
    assert.ok((open(files.gnu).section(".rodata")?.size ?? 0) > 0);
    const bytes = new Uint8Array(fs.readFileSync(files.gnu));
    const header = new DataView(bytes.buffer);
    header.setBigUint64(40, 0n, true);
    header.setUint16(60, 0, true);
    const opened = openElf("/x.so", new MemoryFiles({ "/x.so": bytes }));
    assert.ok(opened.ok);
    assert.equal(opened.elf.section(".rodata"), undefined);
    assert.deepEqual(opened.elf.comment(), []);
    assert.equal(opened.elf.lookup("maybe")?.name, "maybe");
  });

  it("knows what a library that exports nothing imports, with and without section headers", () => {
    // An empty GNU hash table does not tell the number of symbols.
    const file = compile(folder, "libquiet.so", `extern "C" int missing(); static int x = missing();`, "-fvisibility=hidden", "-nostartfiles", "-Wl,--hash-style=gnu", "-Wl,--gc-sections");
    assert.deepEqual([...open(file).exportedNames()], []);
    assert.deepEqual([...open(file).imports()].filter((one) => one.binding === "global").map((one) => one.name), ["missing"]);
    const bytes = new Uint8Array(fs.readFileSync(file));
    new DataView(bytes.buffer).setBigUint64(40, 0n, true);
    new DataView(bytes.buffer).setUint16(60, 0, true);
    const opened = openElf("/x.so", new MemoryFiles({ "/x.so": bytes }));
    assert.ok(opened.ok);
    assert.deepEqual([...opened.elf.imports()].filter((one) => one.binding === "global").map((one) => one.name), ["missing"]);
  });

  it("reads search paths and flags", () => {
    const plain = open(files.gnu);
    assert.deepEqual([plain.rpath, plain.runpath, plain.bindNow, plain.noDefaultLib, plain.textRelocations, plain.positionIndependentProgram], [[], [], false, false, false, false]);
    const small = `extern "C" int f() { return 1; }`;
    const flagged = open(compile(folder, "libflags.so", small, "-Wl,-z,now,-z,nodefaultlib", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/../lib:/opt/b"));
    assert.deepEqual([flagged.rpath, flagged.runpath, flagged.bindNow, flagged.noDefaultLib], [[], ["$ORIGIN/../lib", "/opt/b"], true, true]);
    const old = open(compile(folder, "libold.so", small, "-Wl,--disable-new-dtags,-rpath,/a:"));
    assert.deepEqual([old.rpath, old.runpath, old.bindNow], [["/a", ""], [], false]);
    const program = open(compile(folder, "program", "int main() { return 0; }", "-pie"));
    assert.deepEqual([program.type, program.positionIndependentProgram, program.interpreter?.startsWith("/lib")], ["DYN", true, true]);
    const object = open(compile(folder, "object.o", small, "-c"));
    assert.deepEqual([object.type, object.needed, [...object.symbols()], object.lookup("f")], ["REL", [], [], undefined]);
  });

  it("reads notes and the strings of .comment", () => {
    const note = `
      __attribute__((section(".note.test"), used, aligned(4))) static const struct { unsigned n, d, t; char name[8]; char text[12]; } note = { 8, 10, 7, "Abiding", "built=yes\\n" };
    `;
    const file = compile(folder, "libnotes.so", note, "-Wl,--build-id=0x0123456789abcdef");
    const notes = open(file).notes();
    const ours = notes.find((one) => one.owner === "Abiding");
    assert.deepEqual([ours?.type, Buffer.from(ours?.descriptor ?? []).toString()], [7, "built=yes\n"]);
    assert.equal(Buffer.from(notes.find((one) => one.owner === "GNU" && one.type === 3)?.descriptor ?? []).toString("hex"), "0123456789abcdef");
    assert.ok(open(file).comment().some((text) => text.startsWith("GCC: ")), open(file).comment().join());
    // An object has no segments; its notes are found by their sections.
    assert.ok(open(compile(folder, "notes.o", note, "-c")).notes().some((one) => one.owner === "Abiding"));
  });

  it("lists undefined symbols in the order in which the loader meets them", () => {
    const missing = ["m3", "m1", "data1", "m2"];
    const file = compile(folder, "libmissing.so", `
      extern "C" { int m1(); int m2(); int m3(); extern int data1; __attribute__((weak)) int never(); }
      int (*pointer)() = m2;
      extern "C" int f() { return m3() + m1() + data1 + (never ? never() : 0) + m2(); }
      extern "C" int own() { return 1; }
      int (*inner)() = own;
    `);
    const order = open(file).relocationOrder();
    assert.deepEqual(order.filter((name) => missing.includes(name)).sort(), [...missing].sort());
    assert.ok(!order.includes("own"));
    const loader = compile(folder, "loader", `
      #include <dlfcn.h>
      #include <cstdio>
      int main(int, char** a) { if (!dlopen(a[1], RTLD_NOW)) std::puts(dlerror()); }
    `, "-pie", "-ldl");
    // What the loader names is unresolved; give it what it asked for and it names the next.
    const named: string[] = [];
    while (named.length < missing.length) {
      const given = compile(folder, `libgiven${named.length}.so`, named.map((name) => `extern "C" int ${name}() { return 0; }`).join("\n"));
      const said = execFileSync(loader, [file], { encoding: "utf8", env: { ...process.env, LD_PRELOAD: given } });
      const name = /undefined symbol: (\w+)/.exec(said)?.[1];
      assert.ok(name !== undefined && !named.includes(name), said);
      named.push(name);
    }
    assert.deepEqual(order.filter((name) => missing.includes(name)), named);
  });
});

describe("versions of symbols", () => {
  const script = path.join(folder, "versions.map");
  let library = "";
  before(() => {
    fs.writeFileSync(script, "V1 { global: f; g; h; local: *; }; V2 { global: f; } V1; V3 { global: f; g; k; } V2;");
    library = compile(folder, "libversions.so", `
      extern "C" {
        int f1() { return 1; } int f2() { return 2; } int f3() { return 3; } int g1() { return 11; } int g3() { return 13; } int h() { return 21; } int k() { return 33; }
      }
      __asm__(".symver f1,f@V1\\n.symver f2,f@V2\\n.symver f3,f@@V3\\n.symver g1,g@V2\\n.symver g3,g@V3");
    `, `-Wl,--version-script=${script}`, "-Wl,-soname,libversions.so");
  });

  it("lists definitions, and each exported name once", () => {
    assert.deepEqual(open(library).versionDefinitions(), ["V1", "V2", "V3"]);
    // The linker defines the versions themselves as symbols too.
    assert.deepEqual([...open(library).exportedNames()].sort(), ["V1", "V2", "V3", "f", "g", "h", "k"]);
  });

  it("marks hidden versions", () => {
    const versions = [...open(library).symbols()].filter((one) => one.name === "f").map((one) => one.version);
    assert.deepEqual(versions.map((one) => `${one?.hidden === true ? "@" : "@@"}${one?.name}`).sort(), ["@@V3", "@V1", "@V2"]);
  });

  it("matches a version that is asked for, hidden or not, and no other", () => {
    const elf = open(library);
    assert.deepEqual(["V1", "V2", "V3", "V4"].map((version) => elf.lookup("f", version)?.version?.name), ["V1", "V2", "V3", undefined]);
    assert.equal(elf.defines("h", "V1"), true);
    assert.equal(elf.defines("h", "V2"), false);
  });

  it("accepts any version asked for where the library has none", () => {
    const plain = open(compile(folder, "libplain.so", `extern "C" int f() { return 1; }`));
    assert.equal(plain.defines("f", "V9"), true);
    assert.equal(plain.defines("g", "V9"), false);
  });

  it("binds a request without version as the loader does", () => {
    // A stub of the same name without versions leaves the program's references unversioned.
    const stub = path.join(folder, "stub");
    fs.mkdirSync(stub);
    compile(stub, "libversions.so", `extern "C" { int f() { return 0; } int g() { return 0; } int h() { return 0; } int k() { return 0; } }`, "-Wl,-soname,libversions.so");
    const elf = open(library);
    for (const [name, results] of [["f", { V1: 1, V2: 2, V3: 3 }], ["g", { V2: 11, V3: 13 }], ["h", { V1: 21 }], ["k", { V3: 33 }]] as const) {
      const program = compile(folder, `asks-${name}`, `#include <cstdio>\nextern "C" int ${name}(); int main() { std::printf("%d", ${name}()); }`, "-pie", `-L${stub}`, "-lversions");
      let said: string;
      try {
        said = execFileSync(program, { encoding: "utf8", env: { ...process.env, LD_LIBRARY_PATH: folder, LD_BIND_NOW: "1" }, stdio: ["ignore", "pipe", "ignore"] });
      } catch {
        said = "not bound";
      }
      const bound = elf.lookup(name)?.version?.name;
      assert.equal(bound === undefined ? "not bound" : String(new Map<string, number>(Object.entries(results)).get(bound)), said, name);
    }
  });
});
