import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { describeBinary } from "../../../../src/engine/binaries/profile/index.ts";
import { NodeFiles } from "../../../../src/engine/files/index.ts";
import { factsOf, valueOf } from "../../../../src/engine/model/index.ts";
import type { BuiltBody, Fact, Files } from "../../../../src/engine/model/index.ts";
import { MemoryFiles } from "../../../support/memory-files.ts";
import { withoutSections } from "../cuda/fatbin-builder.ts";
import { processorTime } from "../../../support/processorTime.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-profile-"));
after(() => fs.rmSync(folder, { recursive: true }));

/** Compiles a source into a file of that name; the language is C++ unless the flags say otherwise. */
function build(name: string, source: string, ...flags: readonly string[]): string {
  const file = path.join(folder, name);
  const kind = flags.some((one) => ["-c", "-pie", "-no-pie"].includes(one)) ? [] : ["-shared"];
  execFileSync("g++", [...kind, "-fPIC", "-x", "c++", "-", "-x", "none", "-o", file, ...flags], { input: source, stdio: ["pipe", "pipe", "pipe"] });
  return file;
}

function bodyOf(file: string, files: Files = new NodeFiles()): BuiltBody {
  const described = describeBinary(file, files);
  assert.ok(described.ok, described.ok ? "" : described.message);
  return described.body;
}

function whatOf(fact: Fact | undefined): string {
  const [evidence] = fact?.evidence ?? [];
  return evidence?.kind === "file" ? evidence.what : "";
}

const newString = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
const callsTorch = `#include <string>
namespace c10 { void warn(const std::string&); void plain(int); }
extern "C" void run() { c10::warn("x"); c10::plain(1); }`;
const callsTorchWithoutString = `namespace c10 { void plain(int); }
extern "C" void run() { c10::plain(1); }`;

describe("the kind of a file", () => {
  const moduleSource = 'extern "C" void* PyInit__C() { return nullptr; } extern "C" void* PyInit_other() { return nullptr; }';

  it("is a Python module by its entry, whatever its name", () => {
    const { profile, facts } = bodyOf(build("_C.cpython-311-x86_64-linux-gnu.so", moduleSource));
    assert.equal(profile.kind, "python-module");
    assert.deepEqual([...profile.modules].sort((a, b) => (a.name < b.name ? -1 : 1)), [
      { name: "_C", entry: "PyInit__C", suffix: "cpython-311-x86_64-linux-gnu" },
      { name: "other", entry: "PyInit_other", suffix: "cpython-311-x86_64-linux-gnu" },
    ]);
    assert.equal(valueOf(facts, "python-suffix"), "cpython-311-x86_64-linux-gnu");
    assert.deepEqual(factsOf(facts, "python-limited-api"), []);
  });

  it("keeps the stable ABI's suffix apart from an interpreter's, and claims no level for it", () => {
    for (const suffix of ["abi3", "abi3t"]) {
      const { facts } = bodyOf(build(`_C.${suffix}.so`, moduleSource));
      assert.equal(valueOf(facts, "python-suffix"), undefined);
      const [fact] = factsOf(facts, "python-limited-api");
      assert.deepEqual([fact?.value, fact?.expression], [undefined, suffix]);
    }
  });

  it("takes a bare .so for a module of any Python, and a dot in a name for no suffix", () => {
    for (const name of ["_D.so", "my.module.so"]) {
      const { profile, facts } = bodyOf(build(name, moduleSource));
      assert.deepEqual(profile.modules.map((one) => one.suffix), [undefined, undefined]);
      assert.equal(valueOf(facts, "python-suffix"), undefined);
    }
  });

  it("is a module by PyModExport_ too", () => {
    assert.deepEqual(bodyOf(build("_E.abi3t.so", 'extern "C" void* PyModExport__E() { return nullptr; }')).profile.modules, [{ name: "_E", entry: "PyModExport__E", suffix: "abi3t" }]);
  });

  it("is an operator library by what registers operators, of the classic or the stable ABI", () => {
    const classic = "namespace torch { struct Library { Library(int); }; } extern \"C\" void run() { torch::Library library(1); }";
    const stable = 'extern "C" int aoti_torch_library_init_impl(); extern "C" int run() { return aoti_torch_library_init_impl(); }';
    const near = "namespace torch { struct LibraryOfMine { LibraryOfMine(int); }; } extern \"C\" void run() { torch::LibraryOfMine library(1); }";
    assert.deepEqual([classic, stable, near].map((source, index) => bodyOf(build(`libops${index}.so`, source)).profile.kind), ["operator-library", "operator-library", "shared-library"]);
  });

  it("is a program, an object file or a plain library otherwise", () => {
    const main = "int main() { return 0; }";
    assert.equal(bodyOf(build("program", main, "-pie")).profile.kind, "executable");
    assert.equal(bodyOf(build("fixed", main, "-no-pie")).profile.kind, "executable");
    const object = bodyOf(build("part.o", main, "-c"));
    assert.equal(object.profile.kind, "object");
    assert.match(object.notKnown.join(" "), /object file/);
    assert.equal(bodyOf(build("libplain.so", "int x = 1;")).profile.kind, "shared-library");
  });

  it("is refused with a sentence where there is nothing to describe", () => {
    const bytes = new Uint8Array(fs.readFileSync(build("libx.so", "int x = 1;")));
    const core = bytes.slice();
    core[16] = 4;
    const riscv = bytes.slice();
    riscv[18] = 243;
    const files = new MemoryFiles({ "/core": core, "/riscv.so": riscv, "/text.so": "text".repeat(40) });
    const messages = ["/core", "/riscv.so", "/text.so"].map((file) => describeBinary(file, files)).map((one) => (one.ok ? "" : one.message));
    assert.deepEqual(messages, ["/core is a core dump, not a library, a program or an object file.", "/riscv.so is an ELF file for riscv; files for x86-64 and aarch64 are described.", "/text.so is not an ELF file."]);
  });
});

describe("the std::string of a file", () => {
  for (const [value, symbol] of [[0, "_ZN3c104warnERKSs"], [1, `_ZN3c104warnERK${newString}`]] as const) {
    it(`is ${value} by a function of torch that it calls`, () => {
      const { facts, notKnown } = bodyOf(build(`libabi${value}.so`, callsTorch, `-D_GLIBCXX_USE_CXX11_ABI=${value}`));
      const [fact] = factsOf(facts, "libstdcxx-abi");
      assert.deepEqual([fact?.value, fact?.certainty, whatOf(fact)], [value, "observed", `needs ${symbol}`]);
      assert.deepEqual(notKnown, []);
    });
  }

  it("is not guessed where two parts disagree", () => {
    const second = "namespace std { class string_; } extern \"C\" void _ZN3c104warnERKSs(); extern \"C\" void old() { _ZN3c104warnERKSs(); }";
    const { facts, notKnown } = bodyOf(build("libboth.so", `${callsTorch}\n${second}`));
    assert.equal(valueOf(facts, "libstdcxx-abi"), undefined);
    assert.match(notKnown.join(" "), /both spellings of std::string \(_ZN3c104warnERKSs and _ZN3c104warnERKNSt7/);
  });

  it("is inferred from its own functions in a file that uses torch without strings", () => {
    const own = `#include <string>\n${callsTorchWithoutString}\nstd::string mine(const std::string& x) { return x; }`;
    const [fact] = factsOf(bodyOf(build("libown.so", own, "-D_GLIBCXX_USE_CXX11_ABI=0")).facts, "libstdcxx-abi");
    assert.deepEqual([fact?.value, fact?.certainty, whatOf(fact)], [0, "inferred", "defines _Z4mineRKSs"]);
  });

  it("is inferred from the pybind11 key before that", () => {
    const keyed = `${callsTorchWithoutString}\nextern "C" const char* key() { return "__pybind11_internals_v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_0__"; }`;
    const [fact] = factsOf(bodyOf(build("libkeyed.so", keyed)).facts, "libstdcxx-abi");
    assert.deepEqual([fact?.value, fact?.certainty, whatOf(fact)], [0, "inferred", '"use_cxx11_abi_0" in its pybind11 key']);
  });

  it("is said of nobody who gives torch no string", () => {
    const lone = bodyOf(build("liblone.so", "#include <string>\nstd::string mine(const std::string& x) { return x; }"));
    assert.deepEqual([valueOf(lone.facts, "libstdcxx-abi"), lone.notKnown], [undefined, []]);
    const stable = bodyOf(build("libstable.so", '#include <string>\nextern "C" int aoti_torch_get_dim(); std::string mine(const std::string& x) { return x; } int run() { return aoti_torch_get_dim(); }'));
    assert.equal(valueOf(stable.facts, "libstdcxx-abi"), undefined);
    assert.match(stable.notKnown.join(" "), /through C functions alone/);
    const silent = bodyOf(build("libsilent.so", callsTorchWithoutString));
    assert.equal(valueOf(silent.facts, "libstdcxx-abi"), undefined);
    assert.match(silent.notKnown.join(" "), /none of the 1 functions and objects of torch/);
  });

  it("is not read from letters within an identifier", () => {
    const lookalike = 'namespace at { struct Ssize {}; void takes(Ssize, int); } extern "C" void run() { at::takes({}, 1); }';
    assert.equal(valueOf(bodyOf(build("liblookalike.so", lookalike)).facts, "libstdcxx-abi"), undefined);
  });
});

describe("constants", () => {
  const key = (text: string): string => `extern "C" const char* k${text.length}_${[...text].reduce((sum, one) => sum + one.charCodeAt(0), 0)}() { return "${text}"; }\n`;

  it("give every pybind11 key, and the compiler's ABI version in it", () => {
    const source = key("__pybind11_internals_v4_gcc_libstdcpp_cxxabi1013__") + key("__pybind11_internals_v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1__") + key("__pybind11_module_local_v9_gcc_libstdcpp_cxxabi1018__") + key("_pybind11_conduit_v1_");
    const { profile, facts, notKnown } = bodyOf(build("libkeys.so", source));
    assert.deepEqual([...profile.pybind11Keys].sort(), ["v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1", "v4_gcc_libstdcpp_cxxabi1013"]);
    assert.equal(profile.pybind11Conduit, true);
    const [abi] = factsOf(facts, "gxx-abi-version");
    assert.deepEqual([abi?.value, abi?.certainty], [1013, "inferred"]);
    assert.equal(factsOf(facts, "pybind11-internals").length, 2);
    assert.match(notKnown.join(" "), /several pybind11 internals keys/);
  });

  it("give nanobind's key, whole or as the tag it is made from, and no tag without nanobind", () => {
    const tag = "v16_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1_stable";
    assert.deepEqual(bodyOf(build("libnb2.so", key("__nb_internals_%s_%s__") + key(tag))).profile.nanobindKeys, [tag]);
    const backend = "nanobind_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1_a1_v22";
    assert.deepEqual(bodyOf(build("libnb3.so", key("__nb_internals_%s_%s__") + key(backend))).profile.nanobindKeys, [backend]);
    assert.deepEqual(bodyOf(build("libnb1.so", key("__nb_internals_v13_gcc_libstdcpp_cxxabi1018__"))).profile.nanobindKeys, ["v13_gcc_libstdcpp_cxxabi1018"]);
    assert.deepEqual(bodyOf(build("libnotag.so", key(tag))).profile.nanobindKeys, []);
  });

  it("are found without section headers and where windows meet, and only whole", () => {
    for (const distance of [0, 1024 * 1024 - 30, 1024 * 1024 + 1000]) {
      const source = `extern "C" const char keys[] = "${"x".repeat(10)}\\0__pybind11_internals_v5_gcc_libstdcpp_cxxabi1016__\\0__pybind11_internals_v9_cut";\nextern "C" const char far[${distance + 1}] = {1};`;
      const file = build(`libfar${distance}.so`, source);
      assert.deepEqual(bodyOf(file).profile.pybind11Keys, ["v5_gcc_libstdcpp_cxxabi1016"]);
      assert.deepEqual(bodyOf("/x.so", new MemoryFiles({ "/x.so": withoutSections(file) })).profile.pybind11Keys, ["v5_gcc_libstdcpp_cxxabi1016"]);
    }
  });
});

describe("what a file needs of the system", () => {
  it("is its highest versions, compared as numbers", () => {
    const source = "#include <string>\n#include <cmath>\nextern \"C\" double run(double x) { std::string s(100, 'x'); return std::pow(x, s.size()); }";
    const { facts, profile } = bodyOf(build("libneeds.so", source));
    const text = execFileSync("readelf", ["-VW", path.join(folder, "libneeds.so")], { encoding: "utf8" });
    const highest = (prefix: string): string | undefined => [...text.matchAll(new RegExp(`Name: ${prefix}_([0-9.]+)`, "g"))].map((one) => one[1] ?? "").sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
    assert.equal(valueOf(facts, "glibc"), highest("GLIBC"));
    assert.equal(valueOf(facts, "libstdcxx-version"), highest("GLIBCXX"));
    assert.equal(valueOf(facts, "platform"), `linux-${profile.machine}`);
  });

  it("names the compilers in .comment", () => {
    const { facts, profile } = bodyOf(build("libcompiled.so", "int x = 1;"));
    const version = execFileSync("g++", ["-dumpfullversion"], { encoding: "utf8" }).trim();
    assert.ok(factsOf(facts, "compiler").some((one) => one.value === `gcc ${version}`), JSON.stringify(profile.compilers));
  });
});

describe("signs", () => {
  const signsOf = (file: string): readonly string[] => bodyOf(file).profile.signs.map((one) => `${one.what}: ${one.evidence.kind === "file" ? one.evidence.what : ""}`);
  const throwing = '#include <stdexcept>\n#include <string>\nextern "C" void run(int x) { if (x > 0) throw std::runtime_error("no " + std::to_string(x)); }';

  it("tell of libstdc++ inside, exported or not", () => {
    assert.deepEqual(signsOf(build("libshared.so", throwing)), []);
    assert.match(signsOf(build("libstatic.so", throwing, "-static-libstdc++", "-static-libgcc")).join(), /^static-libstdcxx: defines _ZN?St/);
    assert.match(signsOf(build("libhidden.so", throwing, "-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL")).join(), /^static-libstdcxx: holds libstdc\+\+'s own text/);
  });

  it("tell of libtorch inside, by functions that nothing inlines", () => {
    const defines = "namespace c10 { struct SourceLocation {}; struct Error { Error(SourceLocation, int); }; Error::Error(SourceLocation, int) {} }";
    const inlined = "namespace c10 { struct SourceLocation {}; struct Error { __attribute__((used)) inline Error(SourceLocation, int) {} }; } c10::Error e(c10::SourceLocation{}, 1);";
    assert.match(signsOf(build("libmine.so", defines)).join(), /^static-libtorch: defines _ZN3c105ErrorC[12]ENS_14SourceLocationEi, which is libtorch's$/);
    assert.deepEqual(signsOf(build("libinlined.so", inlined)), []);
    assert.deepEqual(signsOf(build("libc10.so", defines)), []);
  });

  it("tell of libraries that a packager renamed, torch's among them, and not of dates or plain versions", () => {
    const names = ["libjpeg-185109e6.so.8", "libcudart.faf08d9a.so.13", "libtorch_cpu-1a2b3c4d.so", "libabsl_base.so.20230802", "libdated-20240131.so", "libgcc-11.so"];
    const libraries = names.map((name) => build(name, `extern "C" int f${name.replaceAll(/\W/g, "_")}() { return 1; }`, `-Wl,-soname,${name}`));
    const signs = signsOf(build("libneedsall.so", "int x = 1;", "-Wl,--no-as-needed", ...libraries));
    assert.deepEqual(signs, [
      "grafted-library: NEEDED libjpeg-185109e6.so.8: a copy that a packager put beside it",
      "grafted-library: NEEDED libcudart.faf08d9a.so.13: a copy that a packager put beside it",
      "bundled-libtorch: NEEDED libtorch_cpu-1a2b3c4d.so: a copy of libtorch under a packager's name",
    ]);
  });

  it("tell of folders of the machine that built it, and not of the system's or of $ORIGIN", () => {
    const leaks = ["/home/me/torch/lib", "/__w/_temp/conda_environment_1/lib", "/opt/venv/lib/python3.11/site-packages/torch/lib", "/opt/conda/lib", "/tmp/build-env/lib", "/feedstock_root/build_artifacts/_h_env_placehold_placehold/lib"];
    const fine = ["$ORIGIN/../torch/lib", "/usr/local/cuda-13.0/lib64", "/usr/lib/x86_64-linux-gnu", "/opt/rocm/lib", "/usr/lib/python3/dist-packages/torch/lib", "/homely/lib"];
    const file = build("libpaths.so", "int x = 1;", `-Wl,-rpath,${[...leaks, ...fine].join(":")}`, "-Wl,--enable-new-dtags");
    assert.deepEqual(signsOf(file), leaks.map((one) => `leaked-path: RUNPATH ${one}: a folder of the machine that built it`));
    assert.match(signsOf(build("librpath.so", "int x = 1;", "-Wl,-rpath,/root/lib", "-Wl,--disable-new-dtags")).join(), /^leaked-path: RPATH \/root\/lib/);
  });

  it("tell of text relocations", () => {
    assert.match(signsOf(build("libtextrel.so", 'extern "C" int global; int global = 1; asm(".text\\n.quad global\\n");', "-Wl,-z,notext")).join(), /^text-relocations/);
  });
});

describe("notes", () => {
  const stamp = (lines: string): string => `asm(".pushsection .note.abiding,\\"a\\",%note\\n.balign 4\\n.long 8\\n.long 2f-1f\\n.long 1\\n.asciz \\"Abiding\\"\\n1: .ascii \\"${lines}\\"\\n2: .balign 4\\n.popsection\\n");`;

  it("hold the stamp, which outlives section headers", () => {
    const lines = "schema=1\\\\nname=ops\\\\ncxx.gxx_abi=1018\\\\ncxx.std=201703L\\\\ntorch.version=2.8.0+cu128\\\\nno key here\\\\ntorch.target=0x020a000000000000\\\\npy.limited=3.9\\\\nempty=\\\\nname=second\\\\n";
    const file = build("libstamped.so", stamp(lines));
    const expected = { schema: "1", name: "ops", "cxx.gxx_abi": "1018", "cxx.std": "201703L", "torch.version": "2.8.0+cu128", "torch.target": "0x020a000000000000", "py.limited": "3.9", empty: "" };
    assert.deepEqual({ ...bodyOf(file).profile.stamp }, expected);
    const { profile, facts } = bodyOf("/x.so", new MemoryFiles({ "/x.so": withoutSections(file) }));
    assert.deepEqual({ ...profile.stamp }, expected);
    const traits = ["torch-version", "cxx-standard", "gxx-abi-version", "stable-abi-target", "python-limited-api"] as const;
    assert.deepEqual(traits.map((trait) => valueOf(facts, trait)), ["2.8.0+cu128", 17, 1018, "0x020a000000000000", "3.9"]);
    assert.equal(whatOf(factsOf(facts, "torch-version")[0]), "its stamp says torch.version=2.8.0+cu128");
    assert.equal(factsOf(facts, "torch-version")[0]?.certainty, "declared");
  });

  it("hold the limited API as Py_LIMITED_API too", () => {
    assert.equal(valueOf(bodyOf(build("liblimited.so", stamp("py.limited=0x030a0000\\\\n"))).facts, "python-limited-api"), "3.10");
  });

  it("hold no stamp where another owner wrote, and none of its values where they are no values", () => {
    assert.equal(bodyOf(build("libother.so", stamp("schema=1").replace("Abiding", "Abidine"))).profile.stamp, undefined);
    assert.deepEqual(bodyOf(build("libodd.so", stamp("cxx.std=latest\\\\ncxx.gxx_abi=x\\\\npy.limited=yes\\\\ntorch.version="))).facts.filter((one) => one.certainty === "declared"), []);
  });

  it("hold the build id and the level of the processor", () => {
    const { profile } = bodyOf(build("libid.so", "int x = 1;", "-Wl,--build-id=0x00ff1234", "-Wl,-z,x86-64-v3"));
    assert.equal(profile.buildId, "00ff1234");
    assert.equal(profile.isaLevel, profile.machine === "x86_64" ? 3 : undefined);
    const plain = bodyOf(build("libnoid.so", "int x = 1;", "-Wl,--build-id=none")).profile;
    assert.deepEqual([plain.buildId, plain.isaLevel], [undefined, undefined]);
  });
});

describe("damaged files", () => {
  it("are described or refused, within bounded time", () => {
    const original = new Uint8Array(fs.readFileSync(build("libfuzz.so", `${callsTorch}\nextern "C" const char* key() { return "__pybind11_internals_v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_0__"; }`)));
    let state = 20261130;
    const random = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return (state >>> 8) % below;
    };
    const started = processorTime();
    for (let round = 0; round < 1000; round += 1) {
      const bytes = original.slice(0, random(4) === 0 ? 1 + random(original.length) : original.length);
      for (let change = random(8); change >= 0; change -= 1) {
        bytes[random(2) === 0 ? random(Math.min(4096, bytes.length)) : random(bytes.length)] = random(3) === 0 ? 0xff : random(256);
      }
      const described = describeBinary("/x.so", new MemoryFiles({ "/x.so": bytes }));
      assert.ok(described.ok ? described.body.facts.length > 0 : described.message.endsWith("."), String(round));
    }
    assert.ok(processorTime() - started < 30_000);
  });
});
