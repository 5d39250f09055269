import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadSymbolHistory } from "../../../../../src/engine/catalogue/index.ts";
import { runningRecognisers } from "../../../../../src/engine/diagnosis/explain/running/index.ts";
import type { Clue, Explanation, Log } from "../../../../../src/engine/diagnosis/explain/types.ts";
import type { FitReport, ReportedTrait } from "../../../../../src/engine/model/index.ts";
import { catalogue } from "../loading/reading.ts";

const file = "/w/kit/_C.so";

function fitWith(trait: Pick<ReportedTrait, "trait" | "built" | "installed" | "agrees" | "because">): FitReport {
  return {
    schema: 1, file, against: { torch: "2.13.0", source: "environment", name: "/w/v" }, verdict: "conflict", missing: [], missingDependencies: [], missingVersions: [],
    traits: [{ ...trait, weight: "warning", evidence: [] }], releasesThatWouldDo: null, loaded: [], notChecked: [], findings: [],
  };
}

/** What a text means where another clue of the log names a file that was read. */
function explainedWith(text: string, fit: FitReport | undefined): Explanation {
  const lines = text.split("\n").map((line, at) => ({ text: line, first: at + 1, last: at + 1 }));
  const log: Log = { lines, exceptions: [] };
  const clue = lines.flatMap(({ text: line }, at) => runningRecognisers.flatMap((one) => (one.hint.test(line) ? one.read(log, at) ?? [] : [])))[0];
  assert.ok(clue !== undefined, text);
  const naming: Clue = { ...clue, words: "kit", subject: { file } };
  return clue.explain({ log, clues: [clue, naming], catalogue, history: loadSymbolHistory(), fitOf: (path) => (path === file ? fit : undefined) });
}

const graph = "TypeError: n_inputs(): incompatible function arguments. The following argument types are supported:\n    1. (arg0: torch::jit::Graph) -> int\n\nInvoked with: graph(%a : Tensor):\n  return (%a)\n";

describe("files that were read", () => {
  it("settle pybind11's keys", () => {
    const differ = fitWith({ trait: "pybind11-internals", built: "v4_gcc_libstdcpp_cxxabi1017", installed: "v11_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1", agrees: false, because: "They do not share types." });
    const settled = explainedWith(graph, differ);
    assert.deepEqual([settled.cause, settled.confidence, settled.needs, settled.fit], ["pybind11-internals", "certain", [], differ]);
    assert.match(settled.because.join(" "), /v4_gcc_libstdcpp_cxxabi1017, torch has v11_system/);
    const agree = explainedWith(graph, fitWith({ trait: "pybind11-internals", built: "v11", installed: "v11", agrees: true, because: "One key." }));
    assert.equal(agree.confidence, "likely");
    assert.match(agree.because.join(" "), /agree \(v11\)/);
  });

  it("settle a second libtorch", () => {
    const text = "terminate called after throwing an instance of 'std::system_error'\n  what():  Invalid argument\n# torch";
    assert.equal(explainedWith(text, undefined).confidence, "possible");
    const second = explainedWith(text, fitWith({ trait: "two-libtorch", built: "/usr/lib/libc10.so.1.13", installed: "/w/v/libc10.so", agrees: false, because: "Loading the file brings /usr/lib/libc10.so.1.13." }));
    assert.deepEqual([second.cause, second.confidence, second.because[0]], ["duplicate-libtorch", "certain", "Loading the file brings /usr/lib/libc10.so.1.13."]);
  });

  it("make another layout likely", () => {
    const text = "RuntimeError: Cannot access data pointer of Tensor that doesn't have storage";
    const skew = explainedWith(text, fitWith({ trait: "layout", built: "2.9.0", installed: "2.13.0", agrees: false, because: "TensorImpl changed between 2.9 and 2.13." }));
    assert.deepEqual([skew.cause, skew.confidence], ["layout-skew", "likely"]);
    assert.match(skew.headline, /_C\.so was built for another torch/);
  });
});
