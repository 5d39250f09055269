import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runningRecognisers } from "../../../../../src/engine/diagnosis/explain/running/index.ts";
import type { Log } from "../../../../../src/engine/diagnosis/explain/types.ts";

describe("hostile texts", () => {
  const pieces = ["CUDA error: ", "cudaError", "No module named '", "TypeError: f(): incompatible function arguments. The following argument types are supported:", "Invoked with: ", "((((<<<<[[[[", "1. (", "operator a::", "Could not run 'a::b' with arguments from the 'CUDA' backend. ", "Detected that PyTorch and ", "requires torch ", "NCCL error", "xFormers was built for:", "PyTorch 2.0 with CUDA (you have ", "\u0007\u001b[31m", "Found GPU0 ", "with CUDA capability sm_", "libbitsandbytes_cuda", "Tried to register an operator (", "torch.", "a a ", "::", "\"", "'", "`"];

  it("are read without an error, and quotes stay bounded", () => {
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    const line = (): string => Array.from({ length: 1 + next(25) }, () => (pieces[next(pieces.length)] ?? "").repeat(next(12) === 0 ? 150 : 1)).join("");
    let clues = 0;
    for (let round = 0; round < 300; round += 1) {
      const log: Log = { exceptions: [], lines: Array.from({ length: 6 }, (_, at) => ({ text: line(), first: at + 1, last: at + 1 })) };
      for (const [at, { text }] of log.lines.entries()) {
        for (const one of runningRecognisers.filter(({ hint }) => hint.test(text))) {
          const clue = one.read(log, at);
          if (clue === undefined) continue;
          clues += 1;
          assert.ok(clue.words.length <= 601 && clue.first <= clue.last && clue.last < log.lines.length, clue.words);
        }
      }
    }
    assert.ok(clues > 50, String(clues));
  });
});
