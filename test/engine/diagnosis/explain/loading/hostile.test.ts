import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadingRecognisers } from "../../../../../src/engine/diagnosis/explain/loading/index.ts";
import type { Log } from "../../../../../src/engine/diagnosis/explain/types.ts";
import { verdictsOf } from "./reading.ts";

/** Beginnings and middles of what loaders and linkers print. */
const phrases = [
  "undefined symbol:", "Error relocating ", " not defined in file ", " not found (required by ", ": no version information available (required by ", "Inconsistency detected by ld.so: ",
  ": cannot open shared object file", "Error loading shared library ", ".so.1 => not found", ": file too short", "undefined reference to `", "ld.lld: error: undefined symbol: ", '", referenced from:',
  'error LNK2019: "', "nvlink error : Undefined reference to '", "cannot find -l", ", needed by x, not found", "skipping incompatible file ", "file in wrong format", "recompile with -fPIC reloc", "multiple definition of `",
  "hidden symbol `", "Symbol not found: _", "Library not loaded: ", "incompatible architecture (have '", "dlopen(", "DLL load failed while importing ", "Could not find module '", "Python version mismatch: ", "No module named '", "is not a supported wheel on this platform",
];

function read(text: string): number {
  const log: Log = { lines: text.split("\n").map((line, index) => ({ text: line, first: index + 1, last: index + 1 })), exceptions: [] };
  return log.lines.flatMap((line, at) => loadingRecognisers.flatMap((one) => (one.hint.test(line.text) ? one.read(log, at) ?? [] : []))).length;
}

describe("hostile texts", () => {
  it("phrases alone, doubled, and within long lines neither throw nor take quadratic time", () => {
    for (const phrase of phrases) {
      read(phrase.repeat(5000));
      for (const filling of ["a", " ", "(", "/", "x.so: ", "a.o:("]) {
        const long = filling.repeat(Math.ceil(100_000 / filling.length));
        for (const text of [phrase, phrase + phrase, long + phrase, phrase + long]) read(text);
      }
    }
    read(phrases.join(""));
    read(phrases.join("\n"));
    assert.equal(read("undefined reference to `f'\n".repeat(5000)), 5000);
  });

  it("cut at every place, a message is read or is not, and never wrongly as another's", async () => {
    const text = "ImportError: /opt/conda/lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /w/pk/_C.so)";
    for (let end = 0; end <= text.length; end += 1) {
      for (const verdict of await verdictsOf(text.slice(0, end))) assert.equal(verdict.cause, "libstdcxx-too-old", text.slice(0, end));
    }
  });

  it("control characters do not come through", async () => {
    const [verdict] = await verdictsOf("ImportError: /w/\u001b[31mx\u0007.so: undefined symbol: own_\u0000gelu_b");
    assert.doesNotMatch(JSON.stringify(verdict ?? null), /\\u00(?:1b|07|00)/);
  });
});
