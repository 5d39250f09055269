import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { installLine } from "../../src/views/installLine.ts";

describe("installLine", () => {
  it("is what pytorch.org would write", () => {
    assert.equal(installLine({ torch: "2.15.0" }), "pip install torch==2.15.0");
    assert.equal(installLine({ torch: "2.15.0", index: "https://pypi.org/simple", packages: { torchvision: "0.29.2" } }), "pip install torch==2.15.0 torchvision==0.29.2");
    // As torch calls itself once it is installed from there.
    assert.equal(installLine({ torch: "2.15.0+cu130", index: "https://pypi.org/simple", packages: { torchvision: "0.30.0+cu130" } }), "pip install torch==2.15.0 torchvision==0.30.0");
    assert.equal(installLine({ torch: "2.13.0+cpu", index: "https://download.pytorch.org/whl/cpu" }), "pip install torch==2.13.0+cpu --index-url https://download.pytorch.org/whl/cpu");
    assert.equal(
      installLine({ torch: "2.16.0.dev20261101+cu130", index: "https://download.pytorch.org/whl/nightly/cu130", packages: { torch: "1", torchvision: "0.31.0.dev20261102+cu130" } }),
      "pip install --pre torch==2.16.0.dev20261101+cu130 torchvision==0.31.0.dev20261102+cu130 --index-url https://download.pytorch.org/whl/nightly/cu130",
    );
  });

  it("asks for pre-releases only where there is one, and shows no password", () => {
    assert.match(installLine({ torch: "2.15.0rc3" }), /--pre/);
    assert.match(installLine({ torch: "2.15.0", packages: { torchvision: "0.30.0.dev20261101" } }), /--pre/);
    assert.doesNotMatch(installLine({ torch: "2.15.0+gitb1" }), /--pre/);
    assert.equal(installLine({ torch: "2.15.0", index: "https://me:secret@example.org/simple" }), "pip install torch==2.15.0 --index-url https://example.org/simple");
    assert.equal(installLine({ torch: "2.15.0", index: "https://me:s@cret@example.org/simple" }), "pip install torch==2.15.0 --index-url https://example.org/simple");
    assert.equal(installLine({ torch: "2.15.0", index: "https://example.org/s?a=1&b='$(x)" }), `pip install torch==2.15.0 --index-url 'https://example.org/s?a=1&b='\\''$(x)'`);
  });
});
