import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runningRecognisers } from "../../../../../src/engine/diagnosis/explain/running/index.ts";
import { isPrinted } from "../../../../../src/engine/diagnosis/explain/running/sayings.ts";
import type { Log } from "../../../../../src/engine/diagnosis/explain/types.ts";

const message = "CUDA error: out of memory";
const printed = (line: string): boolean => isPrinted(line.slice(0, line.indexOf(message)), line);

describe("messages", () => {
  it("are printed behind nothing, labels, brackets and quotes", () => {
    for (const line of [message, `RuntimeError: ${message}`, `E       RuntimeError: ${message}`, `  what():  ${message}`, `[rank0]: RuntimeError: ${message}`, `worker died ("${message}")`, `error="${message}"`, `level=error msg='x: ${message}'`, `RayTaskError(RuntimeError('${message}'))`, `I get RuntimeError: ${message}`, `**${message}**`, `- ${message}`, `209 | ${message}`]) {
      if (line.includes(message)) assert.ok(printed(line), line);
    }
  });

  it("are not what code holds, comments mention or prose tells", () => {
    for (const line of [`raise RuntimeError("${message}")`, `    raise RuntimeError(f"${message}")`, `TORCH_CHECK(false, "${message}");`, `if "${message}" in str(e):`, `with pytest.raises(RuntimeError, match="${message}"):`, `# ${message}`, `// RuntimeError: ${message}`, `TEXT = "${message}"`, `When it prints ${message}`, `If you see: ${message}`, `Fixes RuntimeError: ${message}`, `- Fixed: ${message}`, `you may see errors like ${message}`, `we observed ${message}`, `the log has ${message}`]) {
      assert.ok(!printed(line), line);
    }
    assert.ok(!isPrinted("", `${message} PASSED`));
  });
});

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
