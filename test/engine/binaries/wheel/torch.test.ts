import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readLabels } from "../../../../src/engine/binaries/wheel/labels.ts";
import type { BinaryProfile, Fact } from "../../../../src/engine/model/index.ts";
import { described, history, library, platform, said } from "./made.ts";
import type { LibraryChanges } from "./made.ts";

const module = "ops/_C.cpython-311-x86_64-linux-gnu.so";
const check = "_ZN3c106detail14torchCheckFailEPKcS2_jS2_";
const old = "_ZN2at4sizeERKNS_6TensorEl";
const stable = "aoti_torch_new_shim";
const exports = { [check]: "2.7.0 2.8.0 2.9.0 2.10.0", [old]: "2.7.0 2.8.0", [stable]: "2.9.0 2.10.0" };

function using(imports: readonly string[], more: LibraryChanges = {}): ReturnType<typeof library> {
  const unstable = imports.filter((one) => !one.startsWith("aoti")).length;
  return library(module, { imports, ...more, profile: { needed: ["libc10.so", "libc.so.6"], imports: { torch: unstable, "torch-stable": imports.length - unstable }, ...more.profile } });
}

/** What is said of `Requires-Dist: torch...`. */
async function requiring(requirement: string, imports: readonly string[], more: LibraryChanges = {}): Promise<readonly string[]> {
  return said({ libraries: [using(imports, more)], metadata: requirement === "" ? "" : requirement.split("\n").map((one) => `Requires-Dist: ${one}\n`).join("") }, { history: history(exports) });
}

describe("Requires-Dist: torch", () => {
  it("admits what would do", async () => {
    assert.deepEqual(await requiring("torch>=2.7,<2.9", [check, old]), []);
    assert.deepEqual(await requiring("torch==2.8.0+cu128", [check, old]), []);
    assert.deepEqual(await requiring("torch>=2.7", [check]), []);
    assert.deepEqual(await requiring("torch<2.9,>=2.7\ntorch>2.6", [check, old]), []);
    assert.deepEqual(await requiring("", []), []);
  });

  it("admits too much", async () => {
    assert.deepEqual(await requiring("torch>=2.7", [check, old]), [
      `warning requires-torch: METADATA says "Requires-Dist: torch>=2.7", which admits torch 2.9.0 to 2.10.0. Torch 2.10.0 does not export ${old}, which ${module} needs; of the recorded releases (2.7.0 to 2.10.0) these have all that the libraries need: 2.7.0 to 2.8.0.`,
    ]);
    assert.deepEqual(await requiring("torch>=2.7", [stable]), [
      `warning requires-torch: METADATA says "Requires-Dist: torch>=2.7", which admits torch 2.7.0 to 2.8.0. Torch 2.8.0 does not export ${stable}, which ${module} needs; of the recorded releases (2.7.0 to 2.10.0) these have all that the libraries need: 2.9.0 to 2.10.0.`,
    ]);
  });

  it("admits nothing that would do", async () => {
    assert.deepEqual(await requiring("torch==2.9.*", [check, old]), [
      `error requires-torch: METADATA says "Requires-Dist: torch==2.9.*", and none of the releases that it admits has what the libraries need. Torch 2.9.0 does not export ${old}, which ${module} needs; of the recorded releases (2.7.0 to 2.10.0) these have all that the libraries need: 2.7.0 to 2.8.0.`,
    ]);
    // A release that is newer than the record may have it.
    assert.match((await requiring("torch>=2.9", [old])).join(), /^warning/);
    assert.deepEqual(await requiring("torch==2.11.0.dev20261101", [old]), []);
  });

  it("is missing, or has no bounds", async () => {
    assert.deepEqual(await requiring("", [check, old]), [
      `warning requires-torch: METADATA does not require torch. ${module} needs 2 names of torch's C++, which change from release to release; of the recorded releases (2.7.0 to 2.10.0) these have all that the libraries need: 2.7.0 to 2.8.0.`,
    ]);
    assert.match((await requiring("torch", [check, old])).join(), /^warning requires-torch: METADATA says "Requires-Dist: torch", which admits every release\./);
    assert.match((await requiring("torch", [check])).join(), /^info /);
    assert.match((await requiring("torch>=2.7 ; extra == 'gpu'", [old])).join(), /^warning requires-torch: METADATA does not require torch\./);
    assert.match((await requiring("", [stable])).join(), /^info requires-torch: METADATA does not require torch\. \S+ needs 1 function of torch's stable ABI;/);
    assert.deepEqual(await requiring("torch @ https://example.org/torch-2.8.0-cp311-cp311-linux_x86_64.whl", [old]), []);
  });

  it("shuts out what would do, where only the stable ABI is used", async () => {
    assert.deepEqual(await requiring("torch==2.10.0", [stable]), [
      'info requires-torch: METADATA says "Requires-Dist: torch==2.10.0", which admits one release. The libraries use torch\'s stable ABI alone, and all they need of it is there from torch 2.9.0 on.',
    ]);
    assert.deepEqual(await requiring("torch==2.10.0", [stable, check]), []);
  });

  it("is judged by its markers, as far as they can be", async () => {
    assert.deepEqual(await requiring('torch>=2.7,<2.9 ; sys_platform == "linux"\ntorch>=2.9 ; sys_platform == "darwin"', [old]), []);
    assert.match((await requiring('torch>=2.9 ; python_version >= "3.11"\ntorch<2.9 ; python_version < "3.11"', [old])).join(), /^warning .*admits torch 2\.9\.0 to 2\.10\.0/);
  });

  it("leaves out weak names, the wheel's own, and what no release has", async () => {
    assert.deepEqual(await requiring("torch>=2.7", [check], { weak: [old] }), []);
    assert.deepEqual(await requiring("torch>=2.7", [check, old], { defines: [old] }), []);
    const hip = await described({ libraries: [using([check, "_ZN3c103hip13getNumDevicesEv"])], metadata: "Requires-Dist: torch>=2.7\n" }, { history: history(exports) });
    assert.deepEqual([hip.disagreements, hip.notKnown], [[], [`1 name of torch that the libraries need (_ZN3c103hip13getNumDevicesEv in ${module}) is not recorded of any release, and not counted.`]]);
  });

  describe("of releases that spell std::string in the other way", () => {
    const cxx11 = "_ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
    const twin = "_ZN3c106detail14torchCheckFailEPKcS2_jRKSs";
    const recorded = history({ [cxx11]: "2.9.0 2.10.0", [twin]: "2.7.0 2.8.0" }, undefined, (release) => (/^2\.[78]\./.test(release) ? 0 : 1));
    const saying = (need: string, requirement: string) => said({ libraries: [using([need])], metadata: requirement }, { history: recorded });

    it("asks for nothing more where other builds of them have the new spelling", async () => {
      assert.deepEqual(await saying(cxx11, "Requires-Dist: torch>=2.7\n"), []);
      assert.deepEqual(await saying(cxx11, ""), [`info requires-torch: METADATA does not require torch. ${module} needs 1 name of torch's C++, which change from release to release; of the recorded releases (2.7.0 to 2.10.0) these have all that the libraries need: 2.9.0 to 2.10.0; builds of 2.7.0 to 2.8.0 with _GLIBCXX_USE_CXX11_ABI=1 have it too.`]);
    });

    it("does not count what no build of them has: the old spelling in later releases", async () => {
      assert.deepEqual(await saying(twin, "Requires-Dist: torch>=2.7\n"), [`warning requires-torch: METADATA says "Requires-Dist: torch>=2.7", which admits torch 2.9.0 to 2.10.0. Torch 2.10.0 does not export ${twin}, which ${module} needs; of the recorded releases (2.7.0 to 2.10.0) these have all that the libraries need: 2.7.0 to 2.8.0.`]);
      assert.deepEqual(await saying(twin, "Requires-Dist: torch>=2.7,<2.9\n"), []);
    });
  });

  it("says nothing of other machines than those of the record", async () => {
    const read = await described({ fileName: "ops-1.0-cp311-cp311-linux_aarch64.whl", libraries: [using([old], { profile: { machine: "aarch64" } })], metadata: "Requires-Dist: torch>=2.7\n" }, { history: history(exports) });
    assert.deepEqual([read.disagreements, read.notKnown], [[], ["Which releases of torch have what the libraries need is recorded for x86_64 alone."]]);
  });
});

describe("labels", () => {
  it("are read in the spellings of several projects", () => {
    assert.deepEqual(readLabels("flash_attn", "2.8.3+cu12torch2.8cxx11abiTRUE"), { cuda: { text: "cu12", major: 12 }, stringAbi: { text: "cxx11abiTRUE", value: 1 }, torch: { text: "torch2.8", release: "2.8" } });
    assert.deepEqual(readLabels("torch_scatter", "2.1.2+pt213cu130"), { cuda: { text: "cu130", major: 13 }, torch: { text: "pt213", release: "2.13" } });
    assert.deepEqual(readLabels("kernel", "1.0+torch28-cxx98-cu118"), { cuda: { text: "cu118", major: 11 }, stringAbi: { text: "cxx98", value: 0 }, torch: { text: "torch28", release: "2.8" } });
    assert.deepEqual(readLabels("torchvision", "0.29.1+cpu"), { withoutCuda: "cpu" });
    assert.deepEqual(readLabels("torchvision", "0.29.1+rocm6.4"), { withoutCuda: "rocm6.4" });
    assert.deepEqual(readLabels("cupy_cuda12x", "14.0"), { cuda: { text: "cuda12x", major: 12 } });
    assert.deepEqual([readLabels("ops", "1.0"), readLabels("focus", "1.0+focus12"), readLabels("ops", "1.0+gpu")], [{}, {}, {}]);
  });

  const runtime = (major: number): Partial<BinaryProfile> => ({ cudaRuntime: { linked: "shared", major, library: `libcudart.so.${major}`, evidence: { kind: "file", path: module, what: `NEEDED libcudart.so.${major}` } }, needed: [`libcudart.so.${major}`] });
  const labelled = (version: string, ...libraries: readonly (readonly [member: string, changes: LibraryChanges])[]) =>
    said({ fileName: `ops-${version}-cp311-cp311-${platform}.whl`, metadata: "", members: { "ops-1.0.dist-info/METADATA": `Metadata-Version: 2.1\nName: ops\nVersion: ${version}\nRequires-Dist: torch==2.7.0\n` }, libraries: libraries.map(([member, changes]) => library(member, changes)) }, { history: history(exports) })
      .then((all) => all.filter((one) => one.startsWith("error name: ")));

  it("of CUDA", async () => {
    assert.deepEqual(await labelled("1.0+cu128", [module, { profile: runtime(12) }]), []);
    assert.deepEqual(await labelled("1.0+cu128", [module, { profile: runtime(13) }]), [`error name: The name says "cu128", CUDA 12. ${module} needs libcudart.so.13, of CUDA 13.`]);
    assert.deepEqual(await labelled("1.0+cu128", [module, { profile: runtime(12) }], ["ops/libops_cuda13.so", { profile: runtime(13) }]), []);
    assert.deepEqual(await labelled("1.0+cu128", [module, {}]), []);
    assert.deepEqual(await labelled("1.0+cpu", [module, {}]), []);
    assert.deepEqual(await labelled("1.0+cpu", [module, { profile: { needed: ["libc10.so", "libtorch_cuda.so"] } }]), [`error name: The version says "cpu", a build without CUDA. ${module} needs libtorch_cuda.so.`]);
  });

  it("of std::string", async () => {
    const fact = (value: 0 | 1): Fact => ({ trait: "libstdcxx-abi", value, certainty: "observed", conditions: [], evidence: [{ kind: "file", path: module, what: "needs _ZN3c106detail14torchCheckFailEPKcS2_jRKSs" }] });
    assert.deepEqual(await labelled("1.0+cxx11abiTRUE", [module, { facts: [fact(1)] }]), []);
    assert.deepEqual(await labelled("1.0+cxx11abiTRUE", [module, { facts: [{ ...fact(0), certainty: "inferred" }] }]), []);
    assert.deepEqual(await labelled("1.0+cxx11abiTRUE", [module, { facts: [fact(0)] }]), [
      `error name: The version says "cxx11abiTRUE": std::string as _GLIBCXX_USE_CXX11_ABI=1 has it. ${module} needs _ZN3c106detail14torchCheckFailEPKcS2_jRKSs, which is that of _GLIBCXX_USE_CXX11_ABI=0.`,
    ]);
  });

  it("of torch", async () => {
    const uses = { imports: [old], profile: { imports: { torch: 1 } } };
    assert.deepEqual(await labelled("1.0+torch2.8", [module, uses]), []);
    assert.deepEqual(await labelled("1.0+torch2.11", [module, uses]), []);
    assert.deepEqual(await labelled("1.0+torch2.10", [module, uses]), [`error name: The version says "torch2.10". ${module} needs ${old}, which torch 2.10.0 does not export.`]);
  });
});

describe("grafted libraries", () => {
  const needing = (...needed: readonly string[]) => library(module, { profile: { needed: [...needed, "libc.so.6"], rpath: ["$ORIGIN/../ops.libs", "$ORIGIN/lib"] } });

  it("of torch and of the driver are not wanted", async () => {
    assert.deepEqual(await said({ libraries: [needing("libc10.so"), library("ops/lib/libc10.so")] }), ["warning grafted: ops/lib/libc10.so is a copy of libc10.so, which torch brings: with torch imported, two of them are in the process."]);
    assert.deepEqual(await said({ libraries: [needing("libcuda-984fdb42.so.570.133.07"), library("ops.libs/libcuda-984fdb42.so.570.133.07")] }), ["warning grafted: ops.libs/libcuda-984fdb42.so.570.133.07 is a copy of libcuda.so.570.133.07, a library of the NVIDIA driver: it works only with the kernel driver of its own release, and hides the machine's."]);
  });

  it("of CUDA may meet another copy", async () => {
    assert.deepEqual(await said({ libraries: [needing("libnccl-0123abcd.so.2"), library("ops.libs/libnccl-0123abcd.so.2")] }), ["warning grafted: ops.libs/libnccl-0123abcd.so.2 is a copy of libnccl.so.2, which NVIDIA's wheels bring: two of them may be in one process."]);
    assert.match((await said({ libraries: [needing("libcudart-0123abcd.so.13"), library("ops.libs/libcudart-0123abcd.so.13")] })).join(), /^info grafted/);
    assert.match((await said({ libraries: [needing("libnccl-0123abcd.so.2"), library("ops.libs/libnccl-0123abcd.so.2"), library("ops/libother.so", { profile: { needed: ["libnccl.so.2"] } })] })).join(), /^warning grafted: [^;]*; ops\/libother\.so needs libnccl\.so\.2, from outside of the wheel, as well: two of them/);
    assert.deepEqual((await described({ libraries: [needing("libjpeg-0123abcd.so.62"), library("ops.libs/libjpeg-0123abcd.so.62")] })).libraries.map((one) => one.isGrafted), [false, true]);
    assert.deepEqual(await said({ libraries: [needing("libgomp-0123abcd.so.1"), library("ops.libs/libgomp-0123abcd.so.1")] }), []);
  });

  it("belong into some wheels", async () => {
    const of = (name: string) => said({ fileName: `${name}-1.0-py3-none-${platform}.whl`, members: { "ops-1.0.dist-info/METADATA": `Name: ${name}\nVersion: 1.0\n` }, libraries: [library("lib/libcudart.so.13"), library("lib/libnccl.so.2")] }).then((all) => all.filter((one) => one.includes("grafted")));
    assert.deepEqual([await of("nvidia_cuda_runtime"), await of("torch"), (await of("ops")).length], [[], [], 2]);
  });

  it("that were renamed without their versions end the process", async () => {
    const broken = (plain: string, renamed: string) => said({ libraries: [library(module, { profile: { needed: [renamed], rpath: ["$ORIGIN/../ops.libs"], versionNeeds: [{ library: plain, versions: ["X_1"] }] } }), library(`ops.libs/${renamed}`)] }).then((all) => all.filter((one) => one.includes("only one of the two")));
    assert.deepEqual(await broken("libfoo.so.1", "libfoo-0123abcd.so.1"), [`error grafted: ${module} needs libfoo-0123abcd.so.1, and its symbol versions still name libfoo.so.1: only one of the two was renamed. The loader ends the process.`]);
    assert.deepEqual(await broken("libcudart.so.13", "libcudart-0123abcd.so.13"), [`warning grafted: ${module} needs libcudart-0123abcd.so.13, and its symbol versions still name libcudart.so.13: only one of the two was renamed. The loader ends the process unless libcudart.so.13 was loaded before.`]);
    assert.deepEqual(await broken("libfoo-0123abcd.so.1", "libfoo-0123abcd.so.1"), []);
  });
});
