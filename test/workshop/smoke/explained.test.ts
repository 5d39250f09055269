/** What a failed test comes from, by what it prints; nothing is said of what is not understood, and of tests that pass. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ExplainReport, ExplainVerdict } from "../../../src/engine/model/index.ts";
import { Explainer } from "../../../src/workshop/smoke/explain.ts";
import type { Diagnostician, ExaminedFile } from "../../../src/workshop/workshop.ts";
import { byLabel, Project } from "./support.ts";

const missing = "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory";

it("a test that fails carries it, one that passes or says nothing of the kind does not", async () => {
  using project = new Project();
  const says = (words: string, status: number): readonly string[] => ["/bin/sh", "-c", `echo '${words}'; exit ${status}`];
  const results = byLabel(await project.run([project.command("fails", says(missing, 1)), project.command("passes", says(missing, 0)), project.command("own", says("AssertionError: 3 != 4", 1))]));
  const { fails, passes, own } = results;
  assert.equal(fails?.explanation?.cause, "cuda-runtime-missing", JSON.stringify(results));
  assert.equal(fails?.explanation?.rule, "cuda-version");
  assert.match(fails?.reason ?? "", /It said: ImportError: libcudart\.so\.12: cannot open shared object file: No such file or directory$/);
  assert.deepEqual([passes?.outcome, passes?.explanation, own?.outcome, own?.explanation], ["passed", undefined, "failed", undefined]);
});

describe("the explainer", () => {
  const verdict: ExplainVerdict = {
    cause: "libstdcxx-abi", rule: "libstdcxx-abi", confidence: "likely", headline: "It has the other ABI.", because: [], fixes: ["Rebuild it.", "Or not."], copy: "pip install .", needs: [], lines: { first: 2, last: 2 },
    words: "ext.so: undefined symbol: _ZN1fESs", occurrences: 1, file: "ext.so", symbols: [{ symbol: "_ZN1fESs", demangled: "f" }], consequences: [],
  };
  const start = { line: 0, character: 0 };
  const finding = { severity: "error" as const, location: { path: "/w/ext.so", range: { start, end: start } }, related: [], against: [], fixes: [] };

  /** What is answered by an engine that says so of a text and of the only file that is there. */
  async function told(said: readonly ExplainVerdict[], found: ExaminedFile["findings"], outputs: readonly string[] = ["one\nE   ImportError: ext.so: undefined symbol: _ZN1fESs\n"], loads: readonly string[] = []) {
    const asked: string[] = [];
    const diagnostician: Diagnostician = {
      check: () => Promise.reject(new Error("not asked")),
      examine: (_, [file = ""]) => Promise.resolve([{ file, verdict: "conflict", headline: "", findings: found }]),
      explain: (_, text): Promise<ExplainReport> => {
        asked.push(text);
        return Promise.resolve({ schema: 1, against: null, verdicts: said, notChecked: [] });
      },
    };
    using project = new Project();
    project.file("ext.so", "");
    const explainer = new Explainer({ ...project.workshop, diagnostician }, project.root, []);
    const answers = [];
    for (const output of outputs) answers.push(await explainer.explain(output, project.root, loads.map((one) => project.file(one, ""))));
    return { answers, asked };
  }

  it("takes the words of a rule that finds it in the file, and the fix of the text", async () => {
    const { answers: [answer] } = await told([verdict], [{ ...finding, rule: "cuda-version", message: "Something else." }, { ...finding, rule: "libstdcxx-abi", message: "ext.so asks for _ZN1fESs." }]);
    assert.deepEqual(answer, {
      words: "ImportError: ext.so: undefined symbol: _ZN1fESs", symbol: "_ZN1fESs",
      explanation: { rule: "libstdcxx-abi", cause: "libstdcxx-abi", message: "ext.so asks for _ZN1fESs.", headline: "It has the other ABI.", fix: "Rebuild it.", copy: "pip install ." },
    });
  });

  it("believes the file where it shows another cause than the text let suppose", async () => {
    const { answers: [answer] } = await told([{ ...verdict, cause: "wrong-arguments", rule: null, file: "ext.so" }], [{ ...finding, rule: "pybind11-internals", message: "The internals differ." }]);
    assert.deepEqual(answer?.explanation, { rule: "pybind11-internals", cause: "wrong-arguments", message: "The internals differ.", headline: "The internals differ." });
  });

  it("has the text alone where the file shows nothing, and a guess where several causes would explain it", async () => {
    assert.equal((await told([verdict], [])).answers[0]?.explanation?.message, "It has the other ABI.");
    const guessed = "Possible (others explain it as well): It has the other ABI.";
    assert.deepEqual((await told([{ ...verdict, confidence: "possible" }], [])).answers[0]?.explanation, { rule: "libstdcxx-abi", cause: "libstdcxx-abi", message: guessed, headline: guessed, fix: "Rebuild it.", copy: "pip install .", confidence: "possible" });
    assert.deepEqual((await told([{ ...verdict, confidence: "possible", cause: "wrong-arguments", rule: null }], [])).answers[0], { words: "ImportError: ext.so: undefined symbol: _ZN1fESs", symbol: "_ZN1fESs" });
    assert.deepEqual((await told([], [{ ...finding, rule: "libstdcxx-abi", message: "It does." }])).answers, [undefined]);
    const { file, ...nameless } = verdict;
    assert.equal(file, "ext.so");
    // What a rule only remarks on is not why it failed.
    for (const severity of ["hint", "info"] as const) assert.equal((await told([verdict], [{ ...finding, severity, rule: "libstdcxx-abi", message: "By the way." }])).answers[0]?.explanation?.message, "It has the other ABI.");
    assert.equal((await told([nameless], [{ ...finding, rule: "own-symbol", message: "What the test loads." }], undefined, ["loaded.so"])).answers[0]?.explanation?.rule, "own-symbol");
  });

  it("asks once for outputs that are the same, and not about thousands", async () => {
    assert.equal((await told([verdict], [], ["a", "a", "b"])).asked.length, 2);
    const { answers, asked } = await told([verdict], [], Array.from({ length: 60 }, (__, at) => `failure ${at}`));
    assert.deepEqual([asked.length, answers[0] === undefined, answers[59]], [50, false, undefined]);
  });
});
