import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builtAgainst } from "../../../../src/engine/binaries/history/index.ts";
import { builtAgainstWords } from "../../../../src/cli/reporters/builtAgainstWords.ts";
import { library } from "../../fit/fakes.ts";
import { made } from "./made.ts";

const newString = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
const history = made({
  releases: "2.1.0 2.2.0 2.3.0 2.4.0 2.5.0", newStrings: "2.4.0", missing: ["2.0.1"],
  exports: {
    _ZN3c106alwaysEv: "2.1.0 2.2.0 2.3.0 2.4.0 2.5.0", _ZN3c104cameEv: "2.2.0 2.3.0 2.4.0 2.5.0", _ZN3c104wentEv: "2.1.0 2.2.0 2.3.0", _ZN3c104wentEi: "2.1.0 2.2.0 2.3.0", _ZN3c106newestEv: "2.5.0",
    _ZN3c104textESs: "2.1.0 2.2.0 2.3.0", [`_ZN3c104textE${newString}`]: "2.4.0 2.5.0", aoti_torch_late: "2.3.0 2.4.0 2.5.0",
  },
});

function of(...imports: readonly string[]): ReturnType<typeof builtAgainst> {
  return builtAgainst(library("/p/_C.so", { imports }), [], history);
}

describe("what a file was built against", () => {
  it("is the releases that have all of its names, with the names that bound them on each side", () => {
    const against = of("_ZN3c106alwaysEv", "_ZN3c104cameEv", "_ZN3c104wentEv", "_ZN3c104wentEi", "malloc");
    assert.deepEqual(against, {
      releases: ["2.2.0", "2.3.0"], since: "2.2.0", until: "2.3.0", kind: "unstable-abi",
      lower: [{ symbol: "_ZN3c104cameEv", demangled: "c10::came()" }], lowerCount: 1,
      upper: [{ symbol: "_ZN3c104wentEv", demangled: "c10::went()" }, { symbol: "_ZN3c104wentEi", demangled: "c10::went(int)" }], upperCount: 2,
      symbols: 4, unrecorded: 0, unrecordedReleases: ["2.0.1"], source: "a test",
    });
    assert.equal(builtAgainstWords(against), "torch 2.2.0 to 2.3.0; before 2.2.0 there is no c10::came(); after 2.3.0 there is no c10::went() (and 1 more) (by 4 names of torch).");
  });

  it("is not told where nothing bounds it", () => {
    assert.equal(of("_ZN3c106alwaysEv", "malloc"), undefined);
    assert.equal(of("malloc"), undefined);
    assert.equal(of("?_ZN3c106newestEv", "_ZN3c106alwaysEv"), undefined);
    assert.equal(of("_ZN3c105ownedEv"), undefined);
    assert.equal(builtAgainst(library("/t/libtorch_cpu.so", { imports: ["_ZN3c106newestEv"] }), [], history), undefined);
    assert.equal(builtAgainst(library("/p/_C.so", { unread: true }), [], history), undefined);
  });

  it("is told of libraries of others that are called like torch's, and of none of torch's own", () => {
    const since = (name: string): string | undefined => builtAgainst(library(`/p/${name}`, { imports: ["_ZN3c106newestEv"] }), [], history)?.since;
    for (const name of ["libtorchaudio.so", "libtorchcodec4.so", "libtorchtext.so", "libtorchtrt.so", "libtorch_npu.so", "libc10_extras.so"]) assert.equal(since(name), "2.5.0", name);
    for (const name of ["libtorch.so", "libtorch_cpu.so.1.13", "libtorch_cuda_linalg.so", "libtorch_python.so", "libc10-9b4183be.so", "libc10_cuda.so", "libshm.so", "libcaffe2_nvrtc.so"]) assert.equal(since(name), undefined, name);
  });

  it("says of names of which nothing is recorded neither that no release exports them nor that the stable ABI is all that is needed", () => {
    const against = of("_ZN3c106newestEv", "_ZN2at4meta6kernelEv", "_ZN6caffe26Tensor4dataEv");
    assert.deepEqual([against?.since, against?.unrecorded], ["2.5.0", 0]);
    assert.equal(of("aoti_torch_late", "_ZN2at4meta6kernelEv")?.kind, "unstable-abi");
  });

  it("does not count names that come with the file, and counts those that no release exports", () => {
    const beside = library("/p/libops.so", { exports: ["_ZN3c106newestEv"] });
    assert.equal(builtAgainst(library("/p/_C.so", { imports: ["_ZN3c106newestEv", "_ZN3c106alwaysEv"] }), [beside], history), undefined);
    const against = of("_ZN3c106newestEv", "_ZN3c107nowhereEv");
    assert.deepEqual([against?.since, against?.until, against?.unrecorded, against?.symbols], ["2.5.0", null, 1, 1]);
    assert.match(against === undefined ? "" : builtAgainstWords(against), /^torch 2\.5\.0 or newer, as far as releases are recorded; .*no recorded release exports 1 further name/);
  });

  it("takes a build with the newer std::string of a release whose recorded wheel has the older for possible, and not the reverse", () => {
    assert.equal(of(`_ZN3c104textE${newString}`), undefined);
    assert.deepEqual(of(`_ZN3c104textE${newString}`, "_ZN3c104wentEv")?.releases, ["2.1.0", "2.2.0", "2.3.0"]);
    assert.deepEqual(of("_ZN3c104textESs")?.releases, ["2.1.0", "2.2.0", "2.3.0"]);
  });

  it("is a minimum for a file of the stable ABI", () => {
    const against = of("aoti_torch_late");
    assert.deepEqual([against?.kind, against?.since, against?.until], ["stable-abi", "2.3.0", null]);
    assert.equal(against === undefined ? "" : builtAgainstWords(against), "torch 2.3.0 or newer; before 2.3.0 there is no aoti_torch_late (by 1 name of torch's stable ABI, alone).");
  });

  it("says so where no release has all", () => {
    const against = of("_ZN3c104wentEv", "_ZN3c106newestEv");
    assert.deepEqual([against?.releases, against?.since, against?.until], [[], "2.5.0", "2.3.0"]);
    assert.deepEqual([against?.lower, against?.upper].map((one) => one?.map(({ symbol }) => symbol)), [["_ZN3c106newestEv"], ["_ZN3c104wentEv"]]);
    assert.match(against === undefined ? "" : builtAgainstWords(against), /^no recorded release of torch has all that it needs; c10::newest\(\) came with 2\.5\.0; c10::went\(\) went after 2\.3\.0 /);
  });

  it("says of which older releases nothing is recorded where nothing bounds it below", () => {
    const against = of("_ZN3c104wentEv");
    assert.match(against === undefined ? "" : builtAgainstWords(against), /^torch 2\.1\.0 to 2\.3\.0; .* Of older releases nothing is recorded: 2\.0\.1\.$/);
  });
});
