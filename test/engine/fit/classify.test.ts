import assert from "node:assert/strict";
import { test } from "node:test";
import { fit } from "../../../src/engine/fit/index.ts";
import type { FitEnvironment, FitResult, SymbolHistory } from "../../../src/engine/fit/index.ts";
import { built, environment, fact, installed, library, options, torchLibraries } from "./fakes.ts";
import type { Sketch } from "./fakes.ts";

const currentDevice = "_ZN3c104cuda14current_deviceEv";
const zeros = "_ZN2at4_ops5zeros4callEv";
const gone = "_ZN3c105gone1Ev";
const never = "_ZN3c105neverEv";
const own = "_Z6kernelPf";
const check = "_ZN3c104cuda5checkERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
const moved = "_ZN3c104cuda5movedEv";

const homes: Readonly<Record<string, { readonly releases: readonly string[]; readonly library: string }>> = {
  [currentDevice]: { releases: ["2.12.0", "2.13.0"], library: "libc10_cuda.so" },
  [zeros]: { releases: ["2.12.0", "2.13.0"], library: "libtorch_cpu.so" },
  [gone]: { releases: ["2.12.0"], library: "libc10.so" },
  [moved]: { releases: ["2.12.0", "2.13.0"], library: "" },
  [check]: { releases: ["2.12.0", "2.13.0"], library: "libc10_cuda.so" },
  [never]: { releases: [], library: "" },
};
const history: SymbolHistory = {
  releases: ["2.12.0", "2.13.0"],
  source: "test",
  releasesExporting: (name) => homes[name]?.releases,
  librariesOf: (name, release) => (name === moved ? [release === "2.12.0" ? "libc10.so" : "libc10_cuda.so"] : homes[name] === undefined ? undefined : homes[name].releases.includes(release) ? [homes[name].library] : []),
};

function load(sketch: Sketch, env: FitEnvironment = environment({ torch: torchLibraries({ libtorch_cpu: [zeros] }) })): FitResult {
  return fit(built(), library("/project/ops.so", sketch), env, { ...options, history });
}

function kinds(result: FitResult): readonly string[] {
  return result.missing.map((one) => `${one.kind} ${one.symbol}`);
}

test("what lives in a CUDA library of torch is no drift on a torch that is built without CUDA", () => {
  const result = load({ needed: ["libc10.so"], imports: [currentDevice] });
  assert.deepEqual(kinds(result), [`missing-library ${currentDevice}`]);
  assert.equal(result.missing[0]?.because, "Official wheels with CUDA export it from libc10_cuda.so; torch 2.13.0+cpu is built without CUDA and has no libc10_cuda. The file was built for a torch with CUDA.");
  assert.deepEqual(result.missing[0]?.torch, { since: "2.12.0", until: null, source: "test" });
  assert.equal(result.releasesThatWouldDo, undefined);
  assert.equal(result.verdict, "conflict");
});

test("of a torch with CUDA, and of what this release lacks in every build, it is drift", () => {
  const body = installed([], { facts: [fact("torch-version", "2.13.0+cu130"), fact("cuda-version", "13.0")] });
  const cuda = environment({ body, torch: torchLibraries({ libc10_cuda: [], libtorch_cuda: [] }) });
  assert.deepEqual(kinds(load({ needed: ["libc10_cuda.so"], imports: [currentDevice] }, cuda)), [`drift ${currentDevice}`]);
  assert.deepEqual(kinds(load({ needed: ["libc10.so"], imports: [gone] })), [`drift ${gone}`]);
});

test("the release that is installed says where a name lives, in the spelling of std::string that it has", () => {
  const older = environment({ body: installed([], { facts: [fact("torch-version", "2.12.0+cpu"), fact("cuda-version", null)] }) });
  assert.deepEqual(kinds(load({ needed: ["libc10.so"], imports: [moved] }, older)), [`drift ${moved}`]);
  assert.deepEqual(kinds(load({ needed: ["libc10.so"], imports: [moved] })), [`missing-library ${moved}`]);
  assert.deepEqual(kinds(load({ needed: ["libc10.so"], imports: ["_ZN3c104cuda5checkERKSs"] })), ["missing-library _ZN3c104cuda5checkERKSs"]);
  // A torch with CUDA whose library is not there lacks no build with CUDA.
  const body = installed([], { facts: [fact("torch-version", "2.13.0+cu130"), fact("cuda-version", "13.0")] });
  assert.deepEqual(kinds(load({ needed: ["libc10.so"], imports: [currentDevice] }, environment({ body }))), [`drift ${currentDevice}`]);
});

test("of an unrecorded release the newest one that has the name says where it lives", () => {
  const body = installed([], { facts: [fact("torch-version", "2.12.1+cpu"), fact("cuda-version", null)] });
  assert.deepEqual(kinds(load({ needed: ["libc10.so"], imports: [currentDevice] }, environment({ body }))), [`missing-library ${currentDevice}`]);
});

test("releases that would do are told where another torch is all that is missing", () => {
  assert.deepEqual(load({ needed: ["libtorch_cpu.so"], imports: [gone, zeros] }).releasesThatWouldDo, ["2.12.0"]);
  assert.deepEqual(load({ needed: ["libtorch_cpu.so"], imports: [zeros] }).releasesThatWouldDo, ["2.12.0", "2.13.0"]);
  // No release brings what the project left out, a library that is not there, a link that was not made or a newer libstdc++.
  assert.equal(load({ needed: ["libtorch_cpu.so"], imports: [gone, zeros, own] }).releasesThatWouldDo, undefined);
  assert.equal(load({ needed: ["libtorch_cpu.so", "libmine.so.1"], imports: [gone, zeros] }).releasesThatWouldDo, undefined);
  assert.equal(load({ needed: ["libc10.so"], imports: [gone, zeros] }).releasesThatWouldDo, undefined);
  assert.equal(load({ needed: ["libtorch_cpu.so", "libstdc++.so.6"], imports: [gone, zeros], needs: [{ library: "libstdc++.so.6", versions: ["GLIBCXX_3.4.99"] }] }).releasesThatWouldDo, undefined);
});

test("a name that no recorded release exports is said to be that, and no other torch is blamed", () => {
  const result = load({ needed: ["libc10.so"], imports: [never] });
  assert.deepEqual(kinds(result), [`drift ${never}`]);
  assert.equal(result.missing[0]?.because, "torch 2.13.0+cpu exports nothing of that name, and no recorded release of torch exports it: the file was built against another build of torch (a nightly, ROCm, one of its own), or a source that defines the name was left out. The std::string ABI has no part in it.");
  assert.deepEqual(result.neverExported, [never]);
  assert.equal(load({ needed: ["libc10.so"], imports: [gone] }).neverExported, undefined);
});
