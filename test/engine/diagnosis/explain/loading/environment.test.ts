/** What reading the file that failed adds. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { fitReader } from "../../../../../src/engine/diagnosis/explain/fitReader.ts";
import { explain } from "../../../../../src/engine/diagnosis/explain/index.ts";
import { NodeFiles } from "../../../../../src/engine/files/index.ts";
import type { ExplainVerdict } from "../../../../../src/engine/model/index.ts";
import { compile, temporaryFolder } from "../../../binaries/elf/compile.ts";
import { catalogue, release } from "./reading.ts";

const folder = temporaryFolder();

async function settled(text: string, against: string): Promise<ExplainVerdict> {
  const environment = await release(against);
  const { verdicts } = await explain(text, { catalogue, environment, fit: fitReader({ environment, catalogue, files: new NodeFiles(), roots: [folder] }) });
  const [first] = verdicts;
  assert.equal(verdicts.length, 1);
  assert.ok(first !== undefined);
  return first;
}

/** As torch.ops.load_library tells it (torch/_ops.py of 2.13). */
function chained(library: string, file: string): string {
  return `Traceback (most recent call last):
  File "/v/torch/_ops.py", line 1516, in load_library
    ctypes.CDLL(path)
OSError: ${library}: cannot open shared object file: No such file or directory

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/w/run.py", line 2, in <module>
    torch.ops.load_library("ops.so")
  File "/v/torch/_ops.py", line 1518, in load_library
    raise OSError(f"Could not load this library: {path}") from e
OSError: Could not load this library: ${file}`;
}

describe("the file that failed is here", () => {
  const runtime = compile(folder, "libcudart.so.12", 'extern "C" int cudaMalloc(void**, unsigned long) { return 0; }', "-Wl,-soname,libcudart.so.12");
  const ops = compile(folder, "ops.so", 'extern "C" int cudaMalloc(void**, unsigned long); int go() { void* p; return cudaMalloc(&p, 4); }', runtime);
  fs.rmSync(runtime);

  it("its dependency is shown, and what the environment has instead", async () => {
    const verdict = await settled(chained("libcudart.so.12", ops), "torch==2.14.1+cu130");
    assert.deepEqual([verdict.cause, verdict.confidence, verdict.file], ["cuda-runtime-missing", "certain", ops]);
    assert.match(verdict.because[0] ?? "", /ops\.so loads libcudart\.so\.12, the library of CUDA 12, and torch 2\.14\.1\+cu130 is built with CUDA 13\.0/);
    assert.equal(verdict.fit?.missingDependencies[0]?.name, "libcudart.so.12");
    assert.deepEqual(verdict.needs, []);
  });

  it("where it needs no such library, the text is of another file or another day", async () => {
    const verdict = await settled(chained("libfoo.so.1", ops), "torch==2.14.1+cu130");
    assert.equal(verdict.cause, "library-missing");
    assert.ok(verdict.because.some((one) => /ops\.so was read and compared with .*lacks nothing of the kind/.test(one)));
  });

  it("a file that is not here changes nothing", async () => {
    const verdict = await settled(chained("libcudart.so.12", path.join(folder, "gone.so")), "torch==2.14.1+cu130");
    assert.equal(verdict.fit, undefined);
    assert.equal(verdict.confidence, "certain");
  });
});
