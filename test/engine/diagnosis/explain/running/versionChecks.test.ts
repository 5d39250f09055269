import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent } from "../loading/reading.ts";

describe("packages that check versions in a sentence of their own", () => {
  it("Rust's tch", async () => {
    const verdict = await says("error: failed to run custom build command for `torch-sys v0.20.0`\n  --- stderr\n  Error: this tch version expects PyTorch 2.7.0, got 2.4.1+cpu, this check can be bypassed by setting the LIBTORCH_BYPASS_VERSION_CHECK environment variable", "version-gate", "certain", /written for libtorch 2\.7\.0, and 2\.4\.1\+cpu is found/);
    assert.match(verdict.fixes.at(-1) ?? "", /^Leave the check in/);
  });

  it("OpenMMLab's", async () => {
    const verdict = await says("AssertionError: MMCV==2.2.0 is used but incompatible. Please install mmcv>=2.0.0rc4, <2.2.0.", "version-gate", "certain", /^MMCV 2\.2\.0 is installed, and the package that imports it takes mmcv>=2\.0\.0rc4, <2\.2\.0 only/);
    assert.match(verdict.fixes[0] ?? "", /for this torch and CUDA/);
    const pure = await says("AssertionError: MMEngine==0.10.1 is used but incompatible. Please install mmengine>=0.0.0, <0.10.0.", "version-gate", "certain", /mmengine>=0\.0\.0, <0\.10\.0 only/i);
    assert.doesNotMatch(pure.because.join(" "), /compiled/);
  });

  it("are silent in code", async () => {
    await silent("    f'MMCV=={mmcv.__version__} is used but incompatible. ' \\\n    f'Please install mmcv>={mmcv_minimum_version}, <{mmcv_maximum_version}.'");
    await silent("            anyhow::bail!(\"this tch version expects PyTorch {TORCH_VERSION}, got {version}\")");
  });
});
