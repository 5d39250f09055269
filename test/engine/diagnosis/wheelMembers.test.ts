import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ExaminedBinary } from "../../../src/engine/diagnosis/examination.ts";
import { dependentsFirst, variantsOf, withoutForeignTraits, withoutPrograms } from "../../../src/engine/diagnosis/wheelMembers.ts";
import type { Member } from "../../../src/engine/diagnosis/wheelMembers.ts";
import type { BinaryProfile, InstalledBody, Verdict, WheelProfile } from "../../../src/engine/model/index.ts";
import { builtFile, trait } from "../../support/built-file.ts";
import { library } from "../fit/fakes.ts";

const torch: InstalledBody = { role: "installed", name: "torch 2.13.0", source: "catalogue", facts: [], distributions: [], shadowed: [], notKnown: [] };

function member(file: string, verdict: Verdict, profile: Partial<BinaryProfile> = {}): Member {
  const made = builtFile(`/w/ops.whl/${file}`, torch, { fit: { verdict, traits: [trait("cuda-version", "13", "none"), trait("glibc", "2.17", "2.36", { agrees: true })] }, profile: { modules: [], imports: {}, needed: ["libc.so.6"], ...profile } });
  assert.ok(made.fit);
  return { ...made, fit: made.fit };
}

function aside(...members: readonly Member[]): readonly string[] {
  return [...variantsOf(members).aside].map((one) => one.body.name);
}

describe("variants of one library", () => {
  it("count where one fits", () => {
    const members = [member("ops/libops_cpu.so", "no-conflict"), member("ops/libops_cuda126.so", "conflict"), member("ops/libops_cuda130.so", "conflict"), member("ops/libops_rocm.so", "unknown")];
    assert.deepEqual(aside(...members), ["libops_cuda126.so", "libops_cuda130.so"]);
    assert.deepEqual(variantsOf(members).said, ["The wheel holds 4 variants of one library, of which its package opens one: libops_cpu.so fits; libops_cuda126.so, libops_cuda130.so do not, and were not counted."]);
    assert.deepEqual(aside(member("ops/libops_core4.so", "conflict"), member("ops/libops_core5.so", "no-conflict")), ["libops_core4.so"]);
    assert.deepEqual(aside(member("ops/_C.cpython-310-x86_64-linux-gnu.so", "conflict", { modules: [{ name: "_C", entry: "PyInit__C", suffix: "cpython-310-x86_64-linux-gnu" }] }), member("ops/_C.cpython-311-x86_64-linux-gnu.so", "no-conflict", { modules: [{ name: "_C", entry: "PyInit__C", suffix: "cpython-311-x86_64-linux-gnu" }] })), ["_C.cpython-310-x86_64-linux-gnu.so"]);
  });

  it("are all wrong, or none is: nothing is put aside", () => {
    assert.deepEqual(aside(member("ops/libops_cpu.so", "unknown"), member("ops/libops_cuda.so", "conflict")), []);
    assert.deepEqual(aside(member("ops/libops_cpu.so", "no-conflict"), member("ops/libops_cuda.so", "no-conflict")), []);
  });

  it("are none: other names, other folders, bound to torch, needed by another, modules of their own", () => {
    assert.deepEqual(aside(member("ops/liba.so", "no-conflict"), member("ops/libb.so", "conflict")), []);
    assert.deepEqual(aside(member("ops/a/libops_cpu.so", "no-conflict"), member("ops/b/libops_cuda.so", "conflict")), []);
    assert.deepEqual(aside(member("ops/libops_cpu.so", "no-conflict"), member("ops/libops_cuda.so", "conflict", { imports: { torch: 3 } })), []);
    assert.deepEqual(aside(member("ops/libops_cpu.so", "no-conflict"), member("ops/libops_cuda.so", "conflict"), member("ops/_C.so", "no-conflict", { needed: ["libops_cuda.so"] })), []);
    const module = { modules: [{ name: "_C", entry: "PyInit__C", suffix: undefined }] };
    assert.deepEqual(aside(member("ops/_C_cpu.so", "no-conflict", module), member("ops/_C_cuda.so", "conflict", module)), []);
  });
});

describe("copies of other libraries", () => {
  const wheel = { libraries: [{ member: "ops.libs/libnvjpeg-0123abcd.so.13", size: 1, isGrafted: true }, { member: "ops/_C.so", size: 1, isGrafted: false }] } as unknown as WheelProfile;
  const traits = (one: Member, of?: WheelProfile) => withoutForeignTraits(one.fit, of).traits.map((each) => each.trait);

  it("are compared with the machine alone", () => {
    assert.deepEqual(traits(member("ops.libs/libnvjpeg-0123abcd.so.13", "no-conflict"), wheel), ["glibc"]);
  });

  it("are nothing that uses torch, and nothing of the wheel's own", () => {
    assert.deepEqual(traits(member("ops/_C.so", "no-conflict"), wheel), ["cuda-version", "glibc"]);
    assert.deepEqual(traits(member("ops.libs/libnvjpeg-0123abcd.so.13", "no-conflict", { imports: { torch: 1 } }), wheel), ["cuda-version", "glibc"]);
    assert.deepEqual(traits(member("ops.libs/libnvjpeg-0123abcd.so.13", "no-conflict")), ["cuda-version", "glibc"]);
  });
});

describe("what is judged of a wheel", () => {
  const examined = (file: string, profile: Partial<BinaryProfile>): ExaminedBinary => ({ body: member(file, "no-conflict", { modules: [], ...profile }).body, image: library(`/w/ops.whl/${file}`) });
  const order = (...libraries: readonly ExaminedBinary[]) => [...dependentsFirst(libraries)].map(([one, dependents]) => [one.body.name, ...dependents.map((other) => other.body.name)].join(" < "));

  it("are its libraries, not its programs", () => {
    const one = examined("ops/libops.so", { kind: "shared-library" });
    const programs = ["opsc", "opsrun"].map((name) => examined(`ops/bin/${name}`, { kind: "executable", needed: ["libops.so"] }));
    assert.deepEqual(withoutPrograms([one, ...programs]), { libraries: [one], said: ["Programs were not judged: opsc, opsrun are started by themselves, with another search for libraries."] });
    assert.deepEqual(withoutPrograms([one, ...programs.slice(1)]).said, ["Programs were not judged: opsrun is started by itself, with another search for libraries."]);
    assert.deepEqual(withoutPrograms([one]), { libraries: [one], said: [] });
  });

  it("comes after what loads it", () => {
    const module = examined("ops/_C.so", { kind: "python-module", needed: ["libbinding.so"] });
    const binding = examined("ops/lib/libbinding.so", { kind: "shared-library", needed: ["libcore.so.1"] });
    const core = examined("ops/lib/libcore.so", { kind: "shared-library", soname: "libcore.so.1", needed: ["libc.so.6"] });
    assert.deepEqual(order(core, binding, module), ["_C.so", "libbinding.so < _C.so", "libcore.so < libbinding.so"]);
  });

  it("is judged by itself where it holds operators, is a module, or is loaded by nothing", () => {
    const module = examined("ops/_C.so", { kind: "python-module", needed: ["libops.so", "_D.so"] });
    assert.deepEqual(order(module, examined("ops/libops.so", { kind: "operator-library" }), examined("ops/_D.so", { kind: "python-module" }), examined("ops/libother.so", { kind: "shared-library" })), ["_C.so", "libops.so", "_D.so", "libother.so"]);
  });

  it("ends where libraries load each other", () => {
    assert.deepEqual(order(examined("ops/liba.so", { kind: "shared-library", needed: ["libb.so", "liba.so"] }), examined("ops/libb.so", { kind: "shared-library", needed: ["liba.so"] })), ["libb.so < liba.so", "liba.so < libb.so"]);
  });
});
