import assert from "node:assert/strict";
import { test } from "node:test";
import { whyNotInstalled } from "../../../../src/workshop/combinations/cells/installing.ts";
import { compilerChoice, withCompilers } from "../../../../src/workshop/combinations/cells/compilers.ts";
import type { Ending, ProcessResult } from "../../../../src/workshop/process/types.ts";

function why(text: string, ending: Ending = { kind: "exited", code: 1 }): readonly [string, boolean] {
  const kept = { text, leftOut: 0 };
  const result: ProcessResult = { command: { file: "pip", arguments: [], folder: "/", environment: {} }, ending, started: new Date(0), duration: 0, stdout: kept, stderr: kept, output: kept, ended: 0 };
  const { message, isOfHere } = whyNotInstalled(result, "torch==9.9");
  return [message, isOfHere];
}

// The texts are recordings of pip 25 and uv 0.13.
test("what keeps torch from being installed is told apart: the combination, or this machine and this moment", () => {
  const none = "The index has no torch==9.9 for this Python and platform.";
  assert.deepEqual(why("ERROR: Could not find a version that satisfies the requirement torch==9.9 (from versions: 2.13.0)\nERROR: No matching distribution found for torch==9.9\n"), [none, false]);
  assert.deepEqual(why("error: No solution found when resolving dependencies\n  cause: Because there is no version of torch==9.9 and you require torch==9.9, we can conclude that your requirements are unsatisfiable.\n"), [none, false]);
  assert.deepEqual(why("  cause: Because nosuch-abc was not found in the package registry and you require nosuch-abc, we can conclude\n"), ["The index has no nosuch-abc for this Python and platform.", false]);
  const silent = "torch==9.9 could not be installed: the index did not answer, or the connection to it broke.";
  assert.deepEqual(why("WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(\"Failed to establish a new connection: [Errno 111] Connection refused\")': /simple/torch/\nERROR: Could not find a version that satisfies the requirement torch==9.9 (from versions: none)\nERROR: No matching distribution found for torch==9.9\n"), [silent, true]);
  assert.deepEqual(why("  cause: Failed to fetch: http://127.0.0.1:9/torch/\n  cause: error sending request for url\n  cause: tcp connect error\n"), [silent, true]);
  assert.deepEqual(why("ERROR: HTTP error 503 while getting http://x/torch.whl\n"), ["torch==9.9 could not be installed: the server answered with HTTP status 503.", true]);
  assert.deepEqual(why("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n"), ["There is no room left on the disk to install torch==9.9.", true]);
  assert.deepEqual(why("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n"), ["A file of torch==9.9 has another content than its index promises (its hash differs).", false]);
  assert.deepEqual(why("ERROR: Wheel 'torch' located at /tmp/a.whl is invalid.\n"), ["A file of torch==9.9 is no wheel that can be unpacked; it may have been cut short on the way.", true]);
  assert.deepEqual(why("  cause: Failed to unzip wheel: torch-9.9-cp311-cp311-linux_x86_64.whl\n"), ["A file of torch==9.9 is no wheel that can be unpacked; it may have been cut short on the way.", true]);
  assert.deepEqual(why("ERROR: ResolutionImpossible: for help visit\n"), ["torch==9.9 cannot be installed together: their requirements exclude each other.", false]);
  assert.deepEqual(why("ERROR: something that nobody has seen\n"), ["torch==9.9 could not be installed: something that nobody has seen.", true]);
  assert.deepEqual(why("", { kind: "signalled", signal: "SIGKILL" }), ["Installing torch==9.9 was ended by SIGKILL, as the system does when memory runs out.", true]);
});

test("a compiler is named by what people call it", () => {
  assert.deepEqual(compilerChoice("gcc-13"), { name: "gcc-13", cc: "gcc-13", cxx: "g++-13" });
  assert.deepEqual(compilerChoice("/opt/llvm/bin/clang++-18"), { name: "/opt/llvm/bin/clang++-18", cc: "/opt/llvm/bin/clang-18", cxx: "/opt/llvm/bin/clang++-18" });
  assert.deepEqual(compilerChoice("icpx"), { name: "icpx", cxx: "icpx" });
  assert.deepEqual(withCompilers({ PATH: process.env["PATH"] ?? "", A: "1" }, { name: "own", cc: "gcc", cxx: "g++", cudaHost: "/opt/g++" }), { environment: { PATH: process.env["PATH"] ?? "", A: "1", CC: "gcc", CXX: "g++", CUDAHOSTCXX: "/opt/g++", NVCC_CCBIN: "/opt/g++" } });
});
