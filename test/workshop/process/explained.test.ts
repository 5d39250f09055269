import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, it } from "node:test";
import { explainedFailure, explanationOf } from "../../../src/workshop/process/index.ts";
import type { ExplainVerdict } from "../../../src/engine/model/index.ts";
import type { ProcessResult } from "../../../src/workshop/process/types.ts";
import type { Diagnostician } from "../../../src/workshop/workshop.ts";
import { bench, scratchFolder } from "../build/support.ts";

const { folder, remove } = scratchFolder("explained");
after(remove);

/** What was asked about a failure, and what came of it. */
async function asked(log: ProcessResult["log"]): Promise<readonly unknown[]> {
  const questions: unknown[] = [];
  const diagnostician: Diagnostician = {
    check: () => Promise.reject(new Error("not asked")), examine: () => Promise.reject(new Error("not asked")),
    explain: (...[root, text, against]) => {
      questions.push([root, text, against]);
      return Promise.reject(new Error("the server is gone"));
    },
  };
  const result: ProcessResult = {
    command: { file: "make", arguments: [], folder, environment: {} }, ending: { kind: "exited", code: 2 }, started: new Date(0), duration: 1, ended: 0,
    output: { text: "the end", leftOut: 9 }, stdout: { text: "", leftOut: 0 }, stderr: { text: "", leftOut: 0 }, ...(log === undefined ? {} : { log }),
  };
  const explanation = await explainedFailure(result, "/w", ["/venv"], { ...bench(), diagnostician });
  return [...questions, explanation];
}

it("a failure is explained by its whole log where there is one; what nobody can explain has failed all the same", async () => {
  const log = path.join(folder, "build.log");
  fs.writeFileSync(log, "the first error\n…\nthe end");
  assert.deepEqual(await asked({ path: log }), [["/w", "the first error\n…\nthe end", ["/venv"]], undefined]);
  assert.deepEqual(await asked({ path: log, problem: "No space left on device" }), [["/w", "the end", ["/venv"]], undefined]);
  assert.deepEqual(await asked({ path: path.join(folder, "gone.log") }), [["/w", "the end", ["/venv"]], undefined]);
  assert.deepEqual(await asked(undefined), [["/w", "the end", ["/venv"]], undefined]);
});

it("the first that is sure explains; else the one to look at first, as a guess, where it says more than the output", () => {
  const verdict: ExplainVerdict = { cause: "torch-drift", rule: "torch-symbols", confidence: "possible", headline: "Another torch.", because: [], fixes: [], needs: ["Which torch."], lines: { first: 1, last: 1 }, words: "", occurrences: 1, consequences: [] };
  const sure: ExplainVerdict = { ...verdict, confidence: "likely", headline: "The other ABI.", fixes: ["Rebuild."] };
  assert.equal(explanationOf([]), undefined);
  assert.deepEqual(explanationOf([verdict, sure]), { cause: "torch-drift", rule: "torch-symbols", headline: "The other ABI.", message: "The other ABI.", fix: "Rebuild." });
  const headline = "Possible (others explain it as well): Another torch.";
  assert.deepEqual(explanationOf([verdict]), { cause: "torch-drift", rule: "torch-symbols", headline, message: headline, fix: "What would settle it: Which torch.", confidence: "possible" });
  for (const cause of ["source-error", "jit-build", "link-failed", "module-missing"]) assert.equal(explanationOf([{ ...verdict, cause, rule: null }, verdict]), undefined);
});
