import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { policiesOf } from "../../../../src/engine/binaries/wheel/policies.ts";
import type { BinaryProfile } from "../../../../src/engine/model/index.ts";
import { described, library, said } from "./made.ts";

const module = "ops/_C.cpython-311-x86_64-linux-gnu.so";

function named(platform: string): string {
  return `ops-1.0-cp311-cp311-${platform}.whl`;
}

function needing(...versions: readonly string[]): Partial<BinaryProfile> {
  const libraryOf = (version: string) => (/^GLIBC_/.test(version) ? "libc.so.6" : /^GCC/.test(version) ? "libgcc_s.so.1" : "libstdc++.so.6");
  return { needed: ["libstdc++.so.6", "libc.so.6"], versionNeeds: versions.map((version) => ({ library: libraryOf(version), versions: [version] })) };
}

async function tags(...libraries: Parameters<typeof library>[]): Promise<string> {
  const read = await described({ fileName: named("linux_x86_64"), libraries: libraries.map((one) => library(...one)) });
  assert.deepEqual(read.disagreements, []);
  return `${read.platformTag} ${read.platformTagBesideTorch}`;
}

describe("policies", () => {
  it("grow from row to row", () => {
    const policies = policiesOf("glibc", "x86_64");
    assert.deepEqual([policies.length, policies[0]?.name, policies.at(-1)?.name], [16, "manylinux_2_5", "manylinux_2_41"]);
    assert.deepEqual([policies[2]?.versions.get("GLIBC")?.has("2.17"), policies[2]?.versions.get("GLIBC")?.has("2.18"), policies[6]?.versions.get("GLIBC")?.has("2.5")], [true, false, true]);
    assert.equal(policiesOf("glibc", "aarch64")[0]?.name, "manylinux_2_17");
    assert.equal(policiesOf("musl", "aarch64")[0]?.libraries.has("libc.musl-aarch64.so.1"), true);
    assert.equal(policies[0]?.forbidden.get("libc.so.6")?.has("__cxa_thread_atexit_impl"), true);
    assert.equal(policies.at(-1)?.forbidden.has("libc.so.6"), false);
  });
});

describe("the tag that the libraries keep to", () => {
  it("follows the newest symbol version, compared by number", async () => {
    assert.equal(await tags([module, { profile: needing("GLIBC_2.4", "GLIBC_2.14", "GLIBCXX_3.4.9") }]), "manylinux_2_17_x86_64 manylinux_2_17_x86_64");
    assert.equal(await tags([module, { profile: needing("GLIBC_2.28", "CXXABI_1.3.11") }]), "manylinux_2_28_x86_64 manylinux_2_28_x86_64");
    assert.equal(await tags([module, { profile: needing("GLIBC_2.5", "GLIBCXX_3.4.29") }]), "manylinux_2_34_x86_64 manylinux_2_34_x86_64");
    assert.equal(await tags([module, { profile: needing("GLIBC_PRIVATE") }]), "linux_x86_64 linux_x86_64");
  });

  it("counts libraries of torch, CUDA and the driver only without torch", async () => {
    const profile = { ...needing("GLIBC_2.17"), needed: ["libc10.so", "libtorch_cpu.so", "libc10_cuda.so", "libcudart.so.13", "libcuda.so.1", "libgomp.so.1", "libc.so.6"] };
    assert.equal(await tags([module, { profile }]), "linux_x86_64 manylinux_2_17_x86_64");
    assert.equal(await tags([module, { profile: { ...profile, needed: [...profile.needed, "libjpeg.so.62"] } }]), "linux_x86_64 linux_x86_64");
  });

  it("finds libraries of the wheel by RPATH and RUNPATH, also for those that others need", async () => {
    const copy = "ops.libs/libjpeg-0123abcd.so.62";
    const jpeg = { profile: needing("GLIBC_2.17") };
    assert.equal(await tags([module, { profile: { needed: ["libjpeg-0123abcd.so.62", "libc.so.6"], rpath: ["$ORIGIN/../ops.libs"] } }], [copy, jpeg]), "manylinux_2_17_x86_64 manylinux_2_17_x86_64");
    assert.equal(await tags([module, { profile: { needed: ["libjpeg-0123abcd.so.62", "libc.so.6"], runpath: ["${ORIGIN}/../ops.libs"] } }], [copy, jpeg]), "manylinux_2_17_x86_64 manylinux_2_17_x86_64");
    assert.equal(await tags([module, { profile: { needed: ["libjpeg-0123abcd.so.62", "libc.so.6"], rpath: ["$ORIGIN/lib"] } }], [copy, jpeg]), "linux_x86_64 manylinux_2_17_x86_64");
    // RPATH is handed on to what is loaded, RUNPATH is not.
    const chain = (own: Partial<BinaryProfile>) => tags([module, { profile: { needed: ["liba.so"], ...own } }], ["ops/lib/liba.so", { profile: { needed: ["libb.so"] } }], ["ops/lib/libb.so", {}]);
    assert.equal(await chain({ rpath: ["$ORIGIN/lib"] }), "manylinux_2_5_x86_64 manylinux_2_5_x86_64");
    assert.equal(await chain({ runpath: ["$ORIGIN/lib"] }), "linux_x86_64 manylinux_2_5_x86_64");
  });

  it("is none for a marked processor, for internals of zlib, and is musl's for musl", async () => {
    assert.equal(await tags([module, { profile: { isaLevel: 3 } }]), "linux_x86_64 linux_x86_64");
    assert.equal(await tags([module, { profile: { needed: ["libz.so.1"] }, imports: ["inflate_table"] }]), "linux_x86_64 linux_x86_64");
    assert.equal(await tags([module, { profile: { needed: ["libz.so.1"] }, weak: ["inflate_table"], imports: ["inflate"] }]), "manylinux_2_5_x86_64 manylinux_2_5_x86_64");
    assert.equal(await tags([module, { profile: { needed: ["libc.musl-x86_64.so.1"] } }]), "musllinux_1_2_x86_64 musllinux_1_2_x86_64");
  });
});

describe("the tag of the name", () => {
  it("promises an older glibc than a library needs", async () => {
    const libraries = [library(module, { profile: needing("GLIBC_2.28", "GLIBC_2.17") }), library("ops/_D.cpython-311-x86_64-linux-gnu.so", { profile: needing("GLIBC_2.34") })];
    assert.deepEqual(await said({ fileName: named("manylinux_2_17_x86_64.manylinux2014_x86_64"), libraries }), [
      "error platform-tag: The name says manylinux_2_17_x86_64, which promises to load wherever glibc is 2.17 or newer. ops/_D.cpython-311-x86_64-linux-gnu.so needs GLIBC_2.34 of libc.so.6 (2 libraries need more than the tag allows). What all of them keep to is manylinux_2_34_x86_64.",
    ]);
    assert.deepEqual(await said({ fileName: named("manylinux_2_34_x86_64"), libraries }), []);
    assert.deepEqual(await said({ fileName: named("linux_x86_64"), libraries }), []);
    assert.equal((await said({ fileName: named("manylinux_2_29_x86_64"), libraries })).length, 1);
    assert.deepEqual(await said({ fileName: named("manylinux_2_36_x86_64"), libraries: [library(module, { profile: needing("GLIBC_ABI_DT_RELR") })] }), []);
  });

  it("promises an older libstdc++, unless the wheel brings one", async () => {
    const libraries = [library(module, { profile: needing("GLIBC_2.17", "GLIBCXX_3.4.29") })];
    assert.deepEqual(await said({ fileName: named("manylinux_2_28_x86_64"), libraries }), [
      `error platform-tag: The name says manylinux_2_28_x86_64, which promises to load wherever glibc is 2.28 or newer, with the GCC libraries of that time. ${module} needs GLIBCXX_3.4.29 of libstdc++.so.6. What all of them keep to is manylinux_2_34_x86_64.`,
    ]);
    assert.deepEqual(await said({ fileName: named("manylinux_2_28_x86_64"), libraries: [...libraries, library("ops.libs/libstdc++-0123abcd.so.6.0.30")] }), []);
  });

  it("has a list of libraries: a warning where nobody audited, and silence for torch's and CUDA's", async () => {
    const needs = (...needed: readonly string[]) => [library(module, { profile: { needed } })];
    assert.deepEqual(await said({ libraries: needs("libc10.so", "libtorch_cuda.so", "libcudart.so.12", "libcublas.so.12", "libcuda.so.1") }), []);
    const [first = ""] = await said({ libraries: needs("libjpeg.so.62", "libpng16.so.16") });
    assert.equal(first, `warning platform-tag: The name says manylinux_2_28_x86_64, whose policy has a list of libraries that a wheel may expect on every machine. ${module} needs libjpeg.so.62, libpng16.so.16, which are not in it, nor in the wheel, nor brought by torch or CUDA.`);
    assert.match((await said({ fileName: named("manylinux_2_27_x86_64.manylinux_2_28_x86_64"), libraries: needs("libjpeg.so.62") })).join(), /^info platform-tag: The name says manylinux_2_27_x86_64, .* needs libjpeg\.so\.62, which is not in it, nor in the wheel, nor brought by torch or CUDA\.$/);
    // What lies in the wheel beyond the loader's path is loaded by Python code.
    assert.deepEqual(await said({ libraries: [...needs("libown.so"), library("ops/data/libown.so")] }), []);
  });

  it("is for another C library, machine or processor", async () => {
    assert.deepEqual(await said({ fileName: named("musllinux_1_2_x86_64"), libraries: [library(module)] }), [`error platform-tag: The name says musllinux_1_2_x86_64, which is for machines with musl. ${module} is linked against glibc.`]);
    assert.deepEqual(await said({ fileName: named("manylinux_2_28_x86_64.musllinux_1_2_x86_64"), libraries: [library("ops/bin/tool", { profile: { needed: [], modules: [], kind: "executable" } })] }), []);
    assert.deepEqual(await said({ fileName: named("manylinux_2_28_aarch64"), libraries: [library(module)] }), [`error platform-tag: The name says manylinux_2_28_aarch64, and ${module} is built for x86_64.`]);
    assert.deepEqual(await said({ libraries: [library(module, { profile: { isaLevel: 3 } })] }), [`warning platform-tag: The name says manylinux_2_28_x86_64, which admits every x86-64 processor. ${module} is marked as needing x86-64-v3: the loader refuses it on older ones.`]);
  });

  it("is broken by a backend that is loaded where it is of use: a warning", async () => {
    const libraries = [library("ops/libops_cpu.so", { profile: needing("GLIBC_2.17") }), library("ops/libops_xpu.so", { profile: needing("GLIBC_2.34") })];
    assert.match((await said({ fileName: "ops-1.0-py3-none-manylinux_2_28_x86_64.whl", libraries })).join(), /^warning platform-tag: .*libops_xpu\.so needs GLIBC_2\.34/);
    assert.match((await said({ fileName: "ops-1.0-py3-none-manylinux_2_28_x86_64.whl", libraries: libraries.slice(1) })).join(), /^error platform-tag: .*libops_xpu\.so needs GLIBC_2\.34/);
  });
});
