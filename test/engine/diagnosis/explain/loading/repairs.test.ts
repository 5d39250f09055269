import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent } from "./reading.ts";

describe("tools that make wheels portable", () => {
  it("leave torch's and CUDA's libraries out", async () => {
    const torch = await says('ValueError: Cannot repair wheel, because required library "libc10.so" could not be located', "torch-library-missing", "certain", /^auditwheel does not find libc10\.so, .* which torch bring/);
    assert.equal(torch.copy, "--exclude libc10.so");
    assert.match(torch.fixes.join(" "), /Do not put torch's folder on the search path/);
    await says('ValueError: Cannot repair wheel, because required library "libcudart.so.13" could not be located', "cuda-runtime-missing", "certain", /libcudart\.so\.13/);
    await says("ERROR:delocate.libsana:\n@rpath/libtorch_cpu.dylib not found:\n  Needed by: /private/tmp/w/ops/_C.so", "torch-library-missing", "certain", /^delocate does not find libtorch_cpu\.dylib/);
  });

  it("need what else the files ask for", async () => {
    const other = await says('ValueError: Cannot repair wheel, because required library "libhwloc.so.15" could not be located', "library-missing", "certain", /libhwloc\.so\.15/);
    assert.doesNotMatch(other.fixes.join(" "), /torch/);
  });

  it("refuse what was built on a newer system", async () => {
    const text = 'auditwheel: error: cannot repair "/project/dist/ops-1.2-cp312-cp312-linux_aarch64.whl" to "manylinux2014_aarch64" ABI because of the presence of too-recent versioned symbols. You\'ll need to compile the wheel on an older toolchain.';
    const verdict = await says(text, "wheel-tag", "certain", /^ops-1\.2-cp312-cp312-linux_aarch64\.whl was built on a newer Linux than manylinux2014_aarch64 allows/);
    assert.match(verdict.fixes[0] ?? "", /manylinux_2_28_aarch64/);
    assert.deepEqual(verdict.needs, ["Which symbols: auditwheel show ops-1.2-cp312-cp312-linux_aarch64.whl"]);
  });

  it("are silent where nothing failed", async () => {
    await silent("INFO:auditwheel.main_repair:Repairing ops-1.2-cp312-cp312-linux_x86_64.whl\nINFO:auditwheel.repair:Excluding libc10.so\nFixed-up wheel written to /project/wheelhouse/ops-1.2-cp312-cp312-manylinux_2_28_x86_64.whl");
    await silent("    raise ValueError(f'Cannot repair wheel, because required library \"{soname}\" could not be located')");
  });
});
