import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, silent, verdictsOf } from "./reading.ts";

describe("modules for another Python", () => {
  it("say so themselves", async () => {
    await says("ImportError: Python version mismatch: module was compiled for Python 3.11, but the interpreter version is incompatible: 3.12.1 (main, May  9 2026, 07:36:11) [GCC 12.2.0].", "python-abi", "certain", /compiled for Python 3\.11, and Python 3\.12 imports it/);
    await says("ImportError: Module use of python310.dll conflicts with this version of Python.", "python-abi", "certain", /built for Python 3\.10/);
  });

  it("are not seen", async () => {
    const text = "copying build/lib/pk/_fast.cpython-310-x86_64-linux-gnu.so -> pk\nModuleNotFoundError: No module named 'pk._fast'";
    const [first] = await verdictsOf(text);
    assert.deepEqual([first?.cause, first?.confidence], ["python-abi", "likely"]);
    assert.match(first?.headline ?? "", /_fast\.cpython-310-x86_64-linux-gnu\.so is pk\._fast for Python 3\.10/);
  });

  it("define another name", async () => {
    const verdict = await says("ImportError: dynamic module does not define module export function (PyInit_ops)", "module-name", "certain", /PyInit_ops/);
    assert.equal(verdict.rule, null);
  });

  it("pip refuses by their tags", async () => {
    const text = "ERROR: fused_ops-1.0-cp27-cp27-linux_x86_64.whl is not a supported wheel on this platform.";
    await says(text, "wheel-tag", "certain", /another Python, ABI or platform/);
    assert.equal((await verdictsOf(text, await release("torch==2.13.0+cpu")))[0]?.cause, "wheel-tag");
  });

  it("uv refuses by their tags, with an address or a path", async () => {
    await says("error: Failed to determine installation plan\n  Caused by: A URL dependency is incompatible with the current platform: https://example.org/whl/ops-1.4.0+pt29cu128-cp310-cp310-linux_x86_64.whl#sha256=00", "wheel-tag", "certain", /another Python, ABI or platform/);
    await says("  Caused by: A path dependency is incompatible with the current platform: dist/ops-1.4.0-cp310-cp310-win_amd64.whl", "wheel-tag", "certain", /another Python, ABI or platform/);
    await silent("The path dependency is incompatible with the current platform: see the manual");
  });

  it("near misses are silent", async () => {
    await silent('raise ImportError("dynamic module does not define module export function (PyInit_ops)")');
    await silent("Requires a Python compiled for speed, version 3.");
  });
});
