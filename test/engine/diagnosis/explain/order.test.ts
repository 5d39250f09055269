/** Which verdict stands first, what is one matter, and what only follows from another. */
import assert from "node:assert/strict";
import test from "node:test";
import { inOrder } from "../../../../src/engine/diagnosis/explain/order.ts";
import { mattersOf, plainSymbol, withoutOverlaps } from "../../../../src/engine/diagnosis/explain/orderMatters.ts";
import { readLog } from "../../../../src/engine/diagnosis/explain/text/index.ts";
import type { CauseName } from "../../../../src/engine/diagnosis/explain/causes.ts";
import type { Clue, Explanation, Log, Subject } from "../../../../src/engine/diagnosis/explain/types.ts";

interface Spoken {
  readonly cause: CauseName;
  readonly subject?: Subject;
  readonly weight?: Clue["weight"];
  readonly reader?: number;
  readonly headline?: string;
  readonly confidence?: Explanation["confidence"];
}

/** Clues at the lines that hold these words, as recognisers would have read them. */
function order(log: Log, said: Readonly<Record<string, Spoken>>) {
  const causeOf = new Map<Clue, Spoken>();
  const clues = log.lines.flatMap((line, at) => Object.entries(said).flatMap(([words, spoken], reader) => {
    if (!line.text.includes(words)) return [];
    const clue: Clue = { first: at, last: at, words: line.text.trim(), subject: spoken.subject ?? {}, weight: spoken.weight ?? "cause", explain: () => assert.fail() };
    causeOf.set(clue, spoken);
    return [{ clue, reader: spoken.reader ?? reader }];
  }));
  const explained = mattersOf(withoutOverlaps(clues), log).map((matter) => {
    const { cause, headline = cause, confidence = "likely", subject } = causeOf.get(matter.clues[0]) ?? assert.fail();
    const symbols = subject?.symbol === undefined ? {} : { symbols: [{ symbol: subject.symbol, demangled: subject.symbol }] };
    return { ...matter, explanation: { cause, rule: null, confidence, headline, because: [], fixes: [], needs: [], ...symbols } };
  });
  return inOrder(explained, log).map(({ cause, lines, occurrences, consequences, symbols }) => ({
    cause, line: lines.first, occurrences, ...(consequences.length === 0 ? {} : { then: consequences.map(({ line }) => line) }), ...(symbols === undefined ? {} : { symbols: symbols.map(({ symbol }) => symbol) }),
  }));
}

const chain = (between: string) => readLog(["Traceback (most recent call last):", '  File "a.py", line 1, in <module>', "ImportError: deep", "", between, "", "Traceback (most recent call last):", '  File "a.py", line 2, in <module>', "RuntimeError: shallow"].join("\n"));
const directly = "The above exception was the direct cause of the following exception:";
const loosely = "During handling of the above exception, another exception occurred:";

test("what caused an exception is the verdict, and the exception follows", () => {
  assert.deepEqual(order(chain(directly), { deep: { cause: "torch-drift" }, shallow: { cause: "extension-not-loaded" } }), [{ cause: "torch-drift", line: 3, occurrences: 1, then: [9] }]);
  assert.deepEqual(order(chain(loosely), { deep: { cause: "torch-drift" }, shallow: { cause: "extension-not-loaded" } }), [{ cause: "torch-drift", line: 3, occurrences: 1, then: [9] }]);
  assert.deepEqual(order(chain(directly), { shallow: { cause: "extension-not-loaded" } }), [{ cause: "extension-not-loaded", line: 9, occurrences: 1 }], "nobody understands the deeper one");
});

test("a first attempt that is not installed gives way to what failed then", () => {
  assert.deepEqual(order(chain(loosely), { deep: { cause: "module-missing" }, shallow: { cause: "torch-drift" } }), [{ cause: "torch-drift", line: 9, occurrences: 1 }, { cause: "module-missing", line: 3, occurrences: 1 }]);
  assert.deepEqual(order(chain(directly), { deep: { cause: "module-missing" }, shallow: { cause: "torch-drift" } }), [{ cause: "module-missing", line: 3, occurrences: 1, then: [9] }]);
});

test("a cause that is printed below what it caused", () => {
  const log = readLog("OSError: Could not load this library: /srv/st.so\n  OSError: /srv/st.so: undefined symbol: torch_has_storage");
  assert.deepEqual(order(log, { "Could not load": { cause: "extension-not-loaded" }, "undefined symbol": { cause: "stable-shim" } }), [{ cause: "stable-shim", line: 2, occurrences: 1 }]);
});

test("ranks that say the same are one matter", () => {
  const log = readLog(Array.from({ length: 8 }, (_, rank) => `[rank${rank}]: ImportError: ops.so: undefined symbol: f`).join("\n"));
  assert.deepEqual(order(log, { undefined: { cause: "own-symbol", subject: { file: "ops.so", symbol: "f" } } }).map(({ line, occurrences }) => [line, occurrences]), [[1, 8]]);
});

test("independent causes stand in the order of the text", () => {
  const log = readLog("first broke\nsecond broke\nthird broke");
  assert.deepEqual(order(log, { third: { cause: "glibc-too-old" }, first: { cause: "torch-drift" }, second: { cause: "driver-too-old" } }).map(({ cause }) => cause), ["torch-drift", "driver-too-old", "glibc-too-old"]);
});

test("an earlier cause stands before an earlier text of a later writer", () => {
  const log = readLog("[rank1]: late\n[rank0]: early\n[rank1]: more");
  assert.deepEqual(order(log, { early: { cause: "torch-drift" }, late: { cause: "glibc-too-old" } }).map(({ line }) => line), [1, 2]);
});

test("consequences follow from what names the same, then from their writer, then from what is nearest", () => {
  const log = readLog("[rank0]: vision broke\n[rank1]: audio broke\n[rank1]: operator of vision\n[rank1]: stopped\nbuild stopped");
  assert.deepEqual(order(log, {
    "vision broke": { cause: "torch-drift", subject: { file: "/srv/site-packages/torchvision/_C.so" } },
    "audio broke": { cause: "glibc-too-old", subject: { file: "/srv/site-packages/torchaudio/lib/libtorchaudio.so" } },
    "operator of vision": { cause: "operator-missing", weight: "consequence", subject: { module: "torchvision.ops" } },
    stopped: { cause: "extension-not-loaded", weight: "consequence" },
  }), [{ cause: "torch-drift", line: 1, occurrences: 1, then: [3] }, { cause: "glibc-too-old", line: 2, occurrences: 1, then: [4, 5] }]);
});

test("a consequence follows from the nearest cause of its writer", () => {
  const said = { older: { cause: "torch-drift" }, newer: { cause: "glibc-too-old" }, stopped: { cause: "extension-not-loaded", weight: "consequence" } } as const;
  assert.deepEqual(order(readLog("older\nnewer\nstopped"), said).map(({ cause, then }) => [cause, then]), [["torch-drift", undefined], ["glibc-too-old", [3]]]);
  assert.deepEqual(order(readLog("[rank1]: older\n[rank0]: newer\n[rank1]: stopped"), said).map(({ cause, then }) => [cause, then]), [["torch-drift", [3]], ["glibc-too-old", undefined]]);
});

test("a consequence without a cause explains itself; a summary above its cause is no verdict", () => {
  const operator: Spoken = { cause: "operator-missing", weight: "consequence" };
  assert.deepEqual(order(readLog("operator is not there"), { operator }), [{ cause: "operator-missing", line: 1, occurrences: 1 }]);
  assert.deepEqual(order(readLog("error: did not run\n  ModuleNotFoundError: no torch"), { "did not run": operator, torch: { cause: "build-isolation" } }), [{ cause: "build-isolation", line: 2, occurrences: 1 }]);
});

test("warnings come last, and are the cause where only they say what broke", () => {
  const log = readLog("warning: minor version\nundefined symbol f");
  assert.deepEqual(order(log, { minor: { cause: "toolkit-mismatch", weight: "warning" }, undefined: { cause: "torch-drift" } }).map(({ cause }) => cause), ["torch-drift", "toolkit-mismatch"]);
  const vision: Subject = { file: "/srv/site-packages/torchvision/image.so" };
  assert.deepEqual(order(readLog("UserWarning: image.so failed\noperator torchvision::nms"), { image: { cause: "package-pair", weight: "warning", subject: vision }, operator: { cause: "operator-missing", weight: "consequence", subject: { module: "torchvision" } } }), [{ cause: "package-pair", line: 1, occurrences: 1, then: [2] }]);
});

test("symbols of one file with one cause are one verdict with all of them; of two files two", () => {
  const log = readLog("a.so lacks f\na.so lacks g\nb.so lacks f");
  const drift = (file: string, symbol: string): Spoken => ({ cause: "torch-drift", subject: { file, symbol }, reader: 0 });
  assert.deepEqual(order(log, { "a.so lacks f": drift("/x/a.so", "f"), "a.so lacks g": drift("a.so", "g"), "b.so lacks f": drift("b.so", "f") }), [{ cause: "torch-drift", line: 1, occurrences: 2, symbols: ["f", "g"] }, { cause: "torch-drift", line: 3, occurrences: 1, symbols: ["f"] }]);
});

test("a linker's objects are one target", () => {
  const log = readLog("a.o: f\nb.o: g");
  const link = (file: string, symbol: string): Spoken => ({ cause: "libstdcxx-abi", subject: { file, symbol }, reader: 0 });
  assert.deepEqual(order(log, { "a.o": link("a.o", "f"), "b.o": link("b.o", "g") }), [{ cause: "libstdcxx-abi", line: 1, occurrences: 2, symbols: ["f", "g"] }]);
});

test("of one run of a linker the surest stands first", () => {
  const log = readLog("a.o: f\nb.o: g\n" + "\n".repeat(30) + "c.o: h");
  const said = (file: string, symbol: string, cause: CauseName, confidence: Explanation["confidence"]): Spoken => ({ cause, confidence, subject: { file, symbol } });
  assert.deepEqual(order(log, { "a.o": said("a.o", "f", "library-not-linked", "possible"), "b.o": said("b.o", "g", "libstdcxx-abi", "likely"), "c.o": said("c.o", "h", "own-symbol", "certain") }).map(({ cause }) => cause), ["libstdcxx-abi", "library-not-linked", "own-symbol"]);
});

test("constructors that are one in the source are one symbol", () => {
  assert.equal(plainSymbol("_ZN3c105ErrorC1ENS_14SourceLocationESs"), plainSymbol("_ZN3c105ErrorC2ENS_14SourceLocationESs@LIBC10"));
  assert.notEqual(plainSymbol("_ZN3c105ErrorC1Ev"), plainSymbol("_ZN3c105ErrorD1Ev"));
});

test("what a width cut off is the same as the whole", () => {
  const log = readLog("E   ImportError: ops.so: undefined symbol: gather_rows\nFAILED tests/a.py::b - ImportError: ops.so: undefined symbol: gath...");
  assert.deepEqual(order(log, { gather_rows: { cause: "own-symbol", subject: { symbol: "gather_rows" }, reader: 0 }, "gath...": { cause: "own-symbol", subject: { symbol: "gath" }, reader: 0 } }).map(({ line, occurrences }) => [line, occurrences]), [[1, 2]]);
});

test("of two readings of one line the one that names more is kept, unless they speak of different things", () => {
  const log = readLog("libtorch_cuda.so: undefined symbol: ncclCommRegister");
  const more: Spoken = { cause: "cuda-library-skew", subject: { symbol: "ncclCommRegister", library: "libnccl.so.2" } };
  assert.deepEqual(order(log, { libtorch_cuda: { cause: "torch-drift", subject: { symbol: "ncclCommRegister" } }, ncclCommRegister: more }).map(({ cause }) => cause), ["cuda-library-skew"]);
  assert.deepEqual(order(log, { libtorch_cuda: { cause: "torch-drift", subject: { symbol: "other" } }, ncclCommRegister: more }).map(({ cause }) => cause).toSorted(), ["cuda-library-skew", "torch-drift"]);
});

test("a cause inside of a summary that encloses it keeps both", () => {
  const log = readLog("RuntimeError: Error building extension 'ops'\nops.cpp:1:10: fatal error\nninja: build stopped");
  const clue = (first: number, last: number, weight: Clue["weight"]): Clue => ({ first, last, words: `${first}-${last}`, subject: {}, weight, explain: () => assert.fail() });
  const kept = withoutOverlaps([{ clue: clue(0, 2, "consequence"), reader: 0 }, { clue: clue(1, 1, "cause"), reader: 1 }, { clue: clue(1, 1, "consequence"), reader: 2 }]);
  assert.deepEqual(kept.map(({ clue: { words }, reader }) => [words, reader]), [["0-2", 0], ["1-1", 1]]);
  assert.equal(log.lines.length, 3);
});
