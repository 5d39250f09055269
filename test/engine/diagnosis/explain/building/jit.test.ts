import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent, verdictsOf } from "../loading/reading.ts";

describe("extensions that torch compiles", () => {
  it("ninja is not there", async () => {
    const { copy } = await says("RuntimeError: Ninja is required to load C++ extensions (pip install ninja to get it)", "compiler-missing", "certain", /^ninja is not there/);
    assert.equal(copy, "pip install ninja");
  });

  it("a lock that a killed build left", async () => {
    const lock = await says('UserWarning: Waited on lock file "/home/k/.cache/torch_extensions/py312_cu128/ops/lock" for 60 seconds.', "jit-build", "likely", /waits for a lock/);
    assert.equal(lock.copy, "rm /home/k/.cache/torch_extensions/py312_cu128/ops/lock");
    await says('  File "/srv/v/lib/python3.11/site-packages/torch/utils/file_baton.py", line 50, in wait\n    time.sleep(self.wait_seconds)\nKeyboardInterrupt', "jit-build", "likely", /waits for a lock/);
    await silent('  File "/srv/app/train.py", line 50, in loop\n    time.sleep(1)\nKeyboardInterrupt');
  });

  it("a failed build without its reason asks for it; with it, it follows", async () => {
    await says("RuntimeError: Error building extension 'ops'", "jit-build", "possible", /^The extension ops stopped, and the reason is not in this text\.$/);
    const verdicts = await verdictsOf("FAILED: [code=127] ops.o\n/nonexistent/g++ -MMD -DTORCH_EXTENSION_NAME=ops -isystem /srv/torch/include -c ops.cpp -o ops.o\n/bin/sh: 1: /nonexistent/g++: not found\nninja: build stopped: subcommand failed.\nRuntimeError: Error building extension 'ops'");
    assert.deepEqual(verdicts.map((one) => [one.cause, one.headline]), [["compiler-missing", "The compiler /nonexistent/g++ cannot be started: it is not there."]]);
    assert.deepEqual(verdicts[0]?.consequences.map((one) => one.line), [4, 5]);
  });

  it("half operators that torch's helper switches off; not without its flags", async () => {
    const error = 'k.cu(3): error: no operator "+" matches these operands\n            operand types are: half + half';
    await says(`nvcc -DTORCH_EXTENSION_NAME=k -D__CUDA_NO_HALF_OPERATORS__ -c k.cu -o k.o\n${error}`, "source-error", "certain", /operators of CUDA's half types/);
    await silent(`nvcc -c k.cu -o k.o\n${error}`);
  });
});
