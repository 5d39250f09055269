/** From a text to a report, with the recognisers that the product has. */
import assert from "node:assert/strict";
import test from "node:test";
import { loadCatalogue, type RecordedSymbols } from "../../../../src/engine/catalogue/index.ts";
import { explain } from "../../../../src/engine/diagnosis/explain/index.ts";
import type { ExplainReport } from "../../../../src/engine/model/index.ts";

const catalogue = loadCatalogue();
const drift = "_ZN3c104impl3cow23materialize_cow_storageERNS_11StorageImplE";
const loaderSays = `ImportError: /srv/site-packages/widemem/_C.so: undefined symbol: ${drift}`;

function causes({ verdicts }: ExplainReport): readonly string[] {
  return verdicts.map(({ cause }) => cause);
}

test("a traceback in a log of CI: one verdict, with its place in the given text", async () => {
  const report = await explain(["##[group]Run tests", "[rank0]: Traceback (most recent call last):", '[rank0]:   File "run.py", line 3, in <module>', `[rank0]: \x1b[31m${loaderSays}\x1b[0m`, `[rank1]: ${loaderSays}`].join("\n"), { catalogue });
  const [verdict] = report.verdicts;
  assert.equal(report.verdicts.length, 1);
  assert.deepEqual([verdict?.lines, verdict?.occurrences, verdict?.file], [{ first: 4, last: 4 }, 2, "/srv/site-packages/widemem/_C.so"]);
  assert.equal(verdict?.words.includes("\x1b"), false);
  assert.equal(report.against, null);
  assert.equal(report.notChecked[0], "No environment was given: what the torch in question exports was not looked up.");
});

test("a text that nobody understands has no verdict, and nothing that was not checked", async () => {
  for (const text of ["", "\n\n", "hello world", "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nValueError: bad shape", "12 passed in 0.31s"]) {
    assert.deepEqual(await explain(text, { catalogue }), { schema: 1, against: null, verdicts: [], notChecked: [] });
  }
});

test("files are asked for once each, and one that is not here is named", async () => {
  const asked: string[] = [];
  const report = await explain(`${loaderSays}\n${loaderSays}\nImportError: /srv/ops/_D.so: file too short`, { catalogue, fit: (file) => { asked.push(file); return Promise.resolve(undefined); } });
  assert.deepEqual(asked, ["/srv/site-packages/widemem/_C.so", "/srv/ops/_D.so"]);
  assert.deepEqual(report.verdicts.map(({ occurrences }) => occurrences), [2, 1]);
});

test("a file that cannot be read costs its certainty only", async () => {
  const report = await explain(loaderSays, { catalogue, fit: () => Promise.reject(new Error("disk on fire")) });
  assert.equal(report.verdicts.length, 1);
  assert.equal(report.notChecked[0], "/srv/site-packages/widemem/_C.so could not be read: disk on fire");
});

test("a quote that breaks off is said to, by the line", async () => {
  const { verdicts, notChecked } = await explain("first\nImportError: /srv/_C.so: undefined symbol: _ZN3c104impl3cow23materialize_cow_storageERNS_11Storage...", { catalogue });
  assert.equal(verdicts.length, 1);
  assert.equal(notChecked.at(-1), "Line 2 is cut off at its end.");
  assert.equal((await explain(loaderSays, { catalogue })).notChecked.length, 1);
});

test("source that a traceback or a compiler quotes is not what happened", async () => {
  const text = ["Traceback (most recent call last):", '  File "ops.py", line 7, in load', "    raise ImportError('libcudart.so.11.0: cannot open shared object file: No such file or directory')", "ValueError: bad shape"].join("\n");
  assert.deepEqual(causes(await explain(text, { catalogue })), []);
  assert.deepEqual(causes(await explain("   12 | // libcudart.so.11.0: cannot open shared object file: No such file or directory\n      | ^~~", { catalogue })), []);
});

test("a reader that stumbles costs its verdict only, and is named", async () => {
  const history = new Proxy({}, { get() { throw new Error("no table"); } }) as RecordedSymbols;
  const report = await explain(`${loaderSays}\nImportError: libmissing.so.3: cannot open shared object file: No such file or directory`, { catalogue, history });
  assert.deepEqual(report.verdicts.map(({ lines }) => lines.first), [2]);
  assert.equal(report.notChecked[0], "What line 1 says could not be read: no table");
});

test("more failures than anybody reads are counted", async () => {
  const text = Array.from({ length: 300 }, (_, at) => `ImportError: lib${at}missing.so.3: cannot open shared object file: No such file or directory`).join("\n");
  const report = await explain(text, { catalogue });
  assert.equal(report.verdicts.length, 24);
  assert.equal(report.notChecked.includes("The text has 276 more failures; the first ones are explained."), true);
});

test("a large text is read as a whole, without keeping it", async () => {
  const filler = `[123/4567] Building CXX object src/ops.dir/kernels.cpp.o ${"-DOPTION=1 ".repeat(8)}\n`;
  const text = filler.repeat(30_000) + `Traceback (most recent call last):\n  File "run.py", line 3, in <module>\n${loaderSays}\n` + filler.repeat(30_000) + "ImportError: libmissing.so.3: cannot open shared object file: No such file or directory\n";
  const report = await explain(text, { catalogue });
  assert.deepEqual(report.verdicts.map(({ lines }) => lines.first), [30_003, 60_004]);
});

test("what nobody waits for any longer ends with the signal's reason", async () => {
  const reason = new Error("no longer wanted");
  await assert.rejects(explain(loaderSays, { catalogue, signal: AbortSignal.abort(reason) }), reason);
  const controller = new AbortController();
  const running = explain("nothing to see here\n".repeat(400_000), { catalogue, signal: controller.signal });
  setImmediate(() => { controller.abort(reason); });
  await assert.rejects(running, reason);
});

/** A reproducible stream of numbers below `limit` (mulberry32). */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) % limit;
  };
}

const scraps = [
  loaderSays, "Traceback (most recent call last):", '  File "a.py", line 3, in f', "    x()", "RuntimeError: Error building extension 'ops': [1/2] c++", "  × Building wheel did not run", "  ╰─> [12 lines of output]", "The above exception was the direct cause of the following exception:",
  "ops.cpp:(.text+0x3c): undefined reference to `c10::Error::Error(", "std::string)'", "collect2: error: ld returned 1 exit status", "[rank0]: ", "[rank1]: ", "#12 3.4 ", "\x1b[31m", "\x1b]0;", "\x9b", "\r", "\b\b\b", "\0", "\n\n", "  + Exception Group Traceback (most recent call last):", "    +-+---- 1 ----",
  "nvcc fatal   : Unsupported gpu architecture 'compute_120'", "CMake Error at CMakeLists.txt:3 (find_package):", "TypeError: f(): incompatible function arguments. The following argument types are supported:", "    1. (arg0: torch::Tensor) -> int", "Invoked with: ", "terminate called after throwing an instance of 'c10::Error'", "  what():  ", "version `GLIBC_2.38' not found (required by /srv/a.so)",
  '{"log":"', '\\n"}', "\\u001b", "&lt;", "&#99999;", "```", "> > > ", "E   ", "_ZN3c10", "\ud800", "😀", "…", "...", "\u202e", "RuntimeError: operator torchvision::nms does not exist", "CUDA error: no kernel image is available for execution on the device", "(", "[", "`", "'", "%s", "/", "\\", ":", " ".repeat(300), "a".repeat(3000),
];

test("no text throws, hangs, or leaves control characters in the report", async () => {
  const next = numbers(7);
  for (let round = 0; round < 400; round += 1) {
    const text = Array.from({ length: 1 + next(24) }, () => {
      const scrap = scraps[next(scraps.length)] ?? "";
      const from = next(4) === 0 ? next(scrap.length + 1) : 0;
      return scrap.slice(from, next(4) === 0 ? next(scrap.length + 1) : undefined) + (next(3) === 0 ? "" : "\n");
    }).join("");
    const report = await explain(text, { catalogue });
    const lines = text.split("\n").length;
    for (const verdict of report.verdicts) {
      assert.equal(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/.test([verdict.words, verdict.headline, ...verdict.because, ...verdict.fixes, verdict.copy ?? ""].join("").replaceAll("\n", "")), false, JSON.stringify(text));
      assert.equal(verdict.lines.first >= 1 && verdict.lines.last <= lines || text.includes("\r"), true, JSON.stringify([verdict.lines, text]));
    }
    assert.deepEqual(report.notChecked.filter((sentence) => sentence.includes("could not be read")), [], JSON.stringify(text));
  }
});

for (const [name, text] of [
  ["one line of four megabytes", `ImportError: ${"/very/long".repeat(400_000)}.so: undefined symbol: ${drift}`],
  ["a hundred thousand beginnings of a traceback", "Traceback (most recent call last):\n".repeat(100_000)],
  ["a hundred thousand open quotes", "undefined reference to `x ".repeat(100_000)],
  ["a hundred thousand lines that each say something", `${loaderSays}\n`.repeat(100_000)],
  ["a hundred thousand writers", Array.from({ length: 100_000 }, (_, at) => `[rank${at}]: x`).join("\n")],
  ["twenty thousand names that break off", Array.from({ length: 20_000 }, (_, at) => `ImportError: lib${at}.so.3: cannot open shared object file: No such file...`).join("\n")],
  ["nothing but escapes", "\x1b[".repeat(500_000)],
  ["nothing but brackets", "[".repeat(1_000_000)],
  ["nothing but spaces", " ".repeat(1_000_000)],
  ["a name that never ends", `undefined symbol: _ZN${"3abc".repeat(200_000)}`],
] as const) {
  test(`hostile: ${name}`, async () => {
    assert.equal((await explain(text, { catalogue })).schema, 1);
  });
}
