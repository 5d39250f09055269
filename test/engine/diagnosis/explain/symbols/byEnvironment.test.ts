import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { environment as process, fact, installed, library, machine, torchLibraries } from "../../../fit/fakes.ts";
import type { FitReport, MissingSymbol } from "../../../../../src/engine/model/index.ts";
import { ask, newString, release, says } from "./asking.ts";

const file = "/env/ops.so";
const errorOld = "_ZN3c105ErrorC2ENS_14SourceLocationESs";
const errorNew = `_ZN3c105ErrorC1ENS_14SourceLocationE${newString}`;
const setDevice = "_ZN3c104cuda9SetDeviceEa";

describe("with the environment in which it failed", () => {
  it("the other std::string is exported: certain, in any variant of the constructor", async () => {
    const environment = process({ torch: torchLibraries({ libc10: [errorNew] }) });
    says(ask({ symbol: errorOld, file }, { environment }), "libstdcxx-abi certain", /^ops\.so was compiled with _GLIBCXX_USE_CXX11_ABI=0, and torch 2\.13\.0\+cpu is built with 1\.$/, /libc10\.so exports the same name in the other std::string ABI/);
    const recorded = ask({ symbol: "_ZN5torch3jit17parseSchemaOrNameERKSsb", file }, { environment: await release("torch==2.6.0+cu126") });
    says(recorded, "libstdcxx-abi certain", /torch 2\.6\.0\+cu126 is built with 1/, /2\.6\.0\+cu124 .*are built with 0 and would have it/);
  });

  it("another version: older or newer", async () => {
    says(ask({ symbol: setDevice, file }, { environment: await release("torch==2.8.0+cu128") }), "torch-drift certain", /^ops\.so was built for torch 2\.3 to 2\.7; torch 2\.8\.0\+cu128 loads it and is newer\.$/, /SetDevice\(signed char, bool\) in libc10_cuda/, /_GLIBCXX_USE_CXX11_ABI has nothing to do with it/);
    says(ask({ symbol: setDevice, file }, { environment: await release("torch==2.2.2+cu121") }), "torch-drift certain", /torch 2\.2\.2\+cu121 loads it and is older/);
    says(ask({ symbol: "c10::cuda::SetDevice(signed char)", isDemangled: true, when: "link", file: "a.o" }, { environment: await release("torch==2.8.0+cu128") }), "torch-drift certain", /compiled with the headers of torch 2\.3 to 2\.7; torch 2\.8\.0\+cu128 is linked and is newer/);
  });

  it("the number of a release that has it: another build", () => {
    const environment = process({ torch: torchLibraries({ libc10: [] }) });
    says(ask({ symbol: "_ZNK3c107SymBool10guard_boolEPKcl", file }, { environment }), "torch-build certain", /torch 2\.13\.0\+cpu is another build than the official one/, /another build under the same number/);
    const before = process({ torch: torchLibraries({ libc10: [] }), body: installed([], { facts: [fact("torch-version", "1.13.0a0"), fact("cuda-version", null), fact("libstdcxx-abi", 1)] }) });
    says(ask({ symbol: "_ZNK3c107SymBool10guard_boolEPKcl", file }, { environment: before }), "torch-drift certain", /built for torch 2\.0 or newer; torch 1\.13\.0a0 loads it and is older/);
  });

  it("a torch without CUDA", async () => {
    const environment = await release("torch==2.13.0+cpu");
    says(ask({ symbol: "_ZN3c104cuda9SetDeviceEab", file }, { environment }), "torch-cpu-only certain", /which only a torch built with CUDA has; torch 2\.13\.0\+cpu is built without/);
    says(ask({ symbol: "aoti_torch_get_current_cuda_stream", file }, { environment }), "torch-cpu-only certain", /is built without/);
    says(ask({ symbol: setDevice, file }, { environment }), "torch-drift certain", /2\.3 to 2\.7/, /is built without CUDA besides/);
  });

  it("a stable ABI that is too old", async () => {
    says(ask({ symbol: "torch_from_blob", file }, { environment: await release("torch==2.10.0+cu128") }), "stable-shim certain", /needs torch 2\.11 or newer for `torch_from_blob`; torch 2\.10\.0\+cu128 is older/);
  });

  it("it is exported: then it failed for another reason than what the symbol is", async () => {
    const found = ask({ symbol: "_ZNK3c107SymBool10guard_boolEPKcl", file }, { environment: process({ torch: torchLibraries({ libc10: ["_ZNK3c107SymBool10guard_boolEPKcl"] }) }) });
    says(found, "torch-not-loaded likely", /torch was not imported before it, or it failed in another environment/, /import torch before it/);
    says(ask({ symbol: "THPVariableClass", file }, { environment: await release("torch==2.13.0+cpu") }), "library-not-linked likely", /libtorch_python/);
    says(ask({ symbol: "vtable for c10::Error", isDemangled: true, when: "link", file: "a.o" }, { environment: await release("torch==2.13.0+cpu") }), "library-not-linked likely", /is in libc10, which a\.o is not linked with/);
  });

  it("another libtorch lies where the loader looks without torch's help", () => {
    const symbol = "_ZNK3c107SymBool10guard_boolEPKcl";
    const torch = torchLibraries({ libc10: [symbol] });
    const debian = library("/usr/lib/libc10.so", { soname: "libc10.so.1.13" });
    const places = { machine: machine([...torch, debian], { cache: { "libc10.so": "/usr/lib/libc10.so" } }) };
    says(ask({ symbol, file }, { environment: process({ torch, rest: places }) }), "torch-not-loaded certain", /^ops\.so was loaded without torch and took \/usr\/lib\/libc10\.so, which lacks/, /\/etc\/ld\.so\.cache/);
    const same = { machine: machine([...torch, library("/usr/lib/libc10.so", { exports: [symbol] })], { folders: ["/usr/lib"] }) };
    says(ask({ symbol, file }, { environment: process({ torch, rest: same }) }), "torch-not-loaded likely", /was not imported before it/);
  });

  it("where the text speaks of another torch or place, it is less sure", async () => {
    const environment = await release("torch==2.8.0+cu128");
    says(ask({ symbol: setDevice, file }, { environment, text: "torch==2.2.2" }), "torch-drift likely", /2\.8\.0/, /it may have failed in another one/);
    const local = process({ torch: torchLibraries({ libc10: [errorNew] }), body: installed([], { torchRoot: "/env/lib/python3.12/site-packages/torch" }) });
    says(ask({ symbol: errorOld, file: "/other/lib/python3.12/site-packages/x/_C.so" }, { environment: local }), "libstdcxx-abi likely", /ABI=0/, /It failed from \/other\/lib\/python3\.12\/site-packages/);
    says(ask({ symbol: errorOld, file: "/env/lib/python3.12/site-packages/x/_C.so" }, { environment: local }), "libstdcxx-abi certain", /ABI=0/);
  });

  it("says nothing of names that are nobody's", async () => {
    const environment = await release("torch==2.13.0+cpu");
    says(ask({ symbol: "_ZN5mylib3fooEv", file }, { environment }), "own-symbol likely", /mylib::foo/);
    says(ask({ symbol: "torch_no_such_function", file }, { environment }), "stable-shim possible", /no recorded release/);
  });
});

describe("with the file that failed", () => {
  const environment = process({ torch: torchLibraries({ libc10: [errorNew] }) });
  const missing = (symbol: string, kind: MissingSymbol["kind"], rest: Partial<MissingSymbol> = {}): MissingSymbol => ({ symbol, demangled: symbol, binding: "global", kind, because: `Seen: ${symbol}.`, ...rest });
  const report = (symbols: readonly MissingSymbol[], rest: Partial<FitReport> = {}): FitReport => ({
    schema: 1, file, against: { torch: "2.13.0+cpu", source: "environment", name: "/env" }, verdict: symbols.length > 0 ? "conflict" : "no-conflict", missing: symbols,
    missingDependencies: [], missingVersions: [], traits: [], releasesThatWouldDo: null, loaded: [], notChecked: [], findings: [], ...rest,
  });

  it("all that it lacks is told, and the releases that would do", () => {
    const fit = report([missing(setDevice, "drift"), missing("_ZN3c104cuda1fEv", "drift"), missing("_ZN5mylib3fooEv", "own")], { releasesThatWouldDo: ["2.5.0", "2.5.1"] });
    const found = ask({ symbol: setDevice, file }, { environment, fit });
    says(found, "torch-drift certain", /^ops\.so was built for torch 2\.5; torch 2\.13\.0\+cpu does not have 3 of its symbols\.$/, /lacks 3 symbols in this environment, not only the one that the loader names first: 2 of another torch, 1 of nobody known/, /Or use a torch that has all that it needs: torch 2\.5\./);
    assert.deepEqual(found.symbols?.map((one) => one.symbol), [setDevice, "_ZN3c104cuda1fEv", "_ZN5mylib3fooEv"]);
    assert.equal(found.fit, fit);
    assert.deepEqual(found.needs, []);
    assert.equal(found.copy, undefined);
    assert.equal(ask({ symbol: setDevice, file }, { environment, fit: report([missing(setDevice, "drift")], { releasesThatWouldDo: ["2.5.1"] }) }).copy, 'pip install "torch==2.5.1"');
  });

  it("the other string, and another version beside: the macro alone would not do", () => {
    const fit = report([missing(errorOld, "abi-twin", { foundIn: "/env/torch/lib/libc10.so", twin: errorNew }), missing(setDevice, "drift")]);
    const found = ask({ symbol: errorOld, file }, { environment, fit });
    says(found, "libstdcxx-abi certain", /ABI=0, and torch 2\.13\.0\+cpu is built with 1/, /the other _GLIBCXX_USE_CXX11_ABI alone would not do/);
    assert.equal(found.symbols?.[0]?.successor?.symbol, errorNew);
    assert.deepEqual([found.symbols?.[0]?.torch?.until, found.symbols?.[0]?.successor?.torch?.since], ["2.6.0", "2.7.0"]);
  });

  it("a library beside it with the other string", () => {
    const fit = report([missing("_ZN5mylib4nameERKSs", "abi-twin", { foundIn: "/env/libhelper.so" })]);
    says(ask({ symbol: "_ZN5mylib4nameERKSs", file }, { environment, fit }), "libstdcxx-abi certain", /^ops\.so and libhelper\.so were compiled with different _GLIBCXX_USE_CXX11_ABI/, /Compile both/);
  });

  it("a library that it does not load", () => {
    const fit = report([missing("THPVariableClass", "missing-library", { foundIn: "/env/torch/lib/libtorch_python.so" })]);
    const found = ask({ symbol: "THPVariableClass", file }, { environment, fit });
    says(found, "library-not-linked certain", /^ops\.so needs libtorch_python/, /Seen: THPVariableClass/);
    assert.deepEqual(found.needs, []);
  });

  it("its own source", () => {
    says(ask({ symbol: "_ZN5mylib3fooEv", file }, { environment, fit: report([missing("_ZN5mylib3fooEv", "own")]) }), "own-symbol certain", /belongs to no known library/);
  });

  it("nothing is missing: it was rebuilt since, or met another torch", () => {
    const found = ask({ symbol: errorOld, file }, { environment, fit: report([]) });
    says(found, "libstdcxx-abi possible", /ABI=0/, /as it is now, finds all its symbols with torch 2\.13\.0\+cpu: ops\.so was rebuilt since, or it failed with another torch/);
    const other = ask({ symbol: errorOld, file }, { environment, fit: report([missing(setDevice, "drift")]) });
    says(other, "libstdcxx-abi possible", /ABI=0/, /lacks another symbol in this environment, and not/);
  });

  it("of a link nothing is read", () => {
    says(ask({ symbol: errorOld, file, when: "link" }, { environment, fit: report([]) }), "libstdcxx-abi certain", /ABI=0/);
  });
});

describe("names of torch that the record leaves out", () => {
  const symbol = "_ZN2at4meta3add4metaERKNS_6TensorE";

  it("are never said to be absent from releases", () => {
    const alone = ask({ symbol, file: "/env/ops.so" });
    says(alone, "torch-drift possible", /probably built for another version/, /not recorded/);
    const found = ask({ symbol, file: "/env/ops.so" }, { environment: process({ torch: torchLibraries({ libc10: [] }) }) });
    says(found, "torch-drift certain", /^ops\.so was built for another torch than torch 2\.13\.0\+cpu, which does not have/);
    for (const one of [alone, found]) assert.doesNotMatch([one.headline, ...one.because].join(" "), /no recorded release|nor any recorded/);
  });
});
