import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cudaRuntimeOf } from "../../../../src/engine/binaries/cuda/index.ts";

type Clues = Parameters<typeof cudaRuntimeOf>[0];

function runtimeOf(clues: Partial<Clues>): readonly unknown[] | undefined {
  const found = cudaRuntimeOf({ path: "/x.so", soname: undefined, needed: [], versionNeeds: [], definesRegistration: false, holdsRuntimeText: false, toolkit: undefined, ...clues });
  return found === undefined ? undefined : [found.linked, found.major, found.library, found.evidence.kind === "file" ? found.evidence.what : ""];
}

describe("cudaRuntimeOf", () => {
  it("knows the shared runtime by its name, plain or as packagers rename it", () => {
    assert.deepEqual(runtimeOf({ needed: ["libc.so.6", "libcudart.so.13"] }), ["shared", 13, "libcudart.so.13", "NEEDED libcudart.so.13"]);
    assert.deepEqual(runtimeOf({ needed: ["libcudart.so.11.0"] }), ["shared", 11, "libcudart.so.11.0", "NEEDED libcudart.so.11.0"]);
    assert.deepEqual(runtimeOf({ needed: ["libcudart-faf08d9a.so.12.4.99"] })?.slice(0, 2), ["shared", 12]);
    assert.deepEqual(runtimeOf({ needed: ["libcudart.faf08d9a.so.13"] })?.slice(0, 2), ["shared", 13]);
  });

  it("knows it by the version of a symbol where the name says nothing", () => {
    assert.deepEqual(runtimeOf({ needed: ["libmine.so"], versionNeeds: [{ library: "libmine.so", versions: ["libcudart.so.12"] }] }), ["shared", 12, "libmine.so", "needs the symbol version libcudart.so.12 of libmine.so"]);
  });

  it("knows the static runtime by its function or its message, and its major by the device code or a sibling", () => {
    assert.deepEqual(runtimeOf({ definesRegistration: true, toolkit: "12.8" }), ["static", 12, undefined, "defines __cudaRegisterFatBinary"]);
    assert.deepEqual(runtimeOf({ holdsRuntimeText: true, needed: ["libcublas.so.11"] })?.slice(0, 2), ["static", 11]);
    assert.deepEqual(runtimeOf({ holdsRuntimeText: true, needed: ["libcudnn.so.9"] })?.slice(0, 2), ["static", undefined]);
    assert.deepEqual(runtimeOf({ holdsRuntimeText: true, needed: ["libcusparse.so.12", "libcufft-0123abcd.so.11"] })?.slice(0, 2), ["static", 12]);
    assert.deepEqual(runtimeOf({ holdsRuntimeText: true, needed: ["libnvToolsExt.so.1"] })?.slice(0, 2), ["static", undefined]);
  });

  it("tells the driver alone from the runtime, and says nothing of files without CUDA or of the runtime itself", () => {
    assert.deepEqual(runtimeOf({ needed: ["libcuda.so.1"] }), ["driver-only", undefined, "libcuda.so.1", "NEEDED libcuda.so.1 and no CUDA runtime"]);
    assert.equal(runtimeOf({ needed: ["libcudadebugger.so.1", "libcudart_plus.so"] }), undefined);
    assert.equal(runtimeOf({ soname: "libcudart.so.13", definesRegistration: true }), undefined);
  });
});
