import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent } from "../loading/reading.ts";

describe("what conda's solvers say of torch", () => {
  it("names what excludes it", async () => {
    const verdict = await says("LibMambaUnsatisfiableError: Encountered problems while solving:\n  - package pytorch-2.3.1-cuda120_py39hd7d9b5e_300 requires python >=3.9,<3.10.0a0, but none of the providers can be installed\n", "torch-requirement", "certain", /^conda cannot install pytorch 2\.3\.1: it needs python >=3\.9,<3\.10\.0a0, which/);
    assert.deepEqual(verdict.needs, []);
    assert.equal(verdict.copy, undefined);
  });

  it("names what no channel has", async () => {
    await says("  - nothing provides __cuda needed by pytorch-2.5.1-cuda126_py312hb5dca36_301", "torch-requirement", "certain", /^conda cannot install pytorch 2\.5\.1: no channel that is asked has __cuda/);
  });

  it("is a tree", async () => {
    await says("error    libmamba Could not solve for environment specs\n    The following packages are incompatible\n    ├─ pytorch 2.3.1**  is requested and can be installed;\n    └─ torchvision 0.15.2**  is not installable because it requires\n       └─ pytorch 2.0.1 , which conflicts with any installable versions previously reported.", "torch-requirement", "certain", /^conda cannot install torchvision 0\.15\.2 beside/);
  });

  it("is no matter of others", async () => {
    await silent("LibMambaUnsatisfiableError: Encountered problems while solving:\n  - package gdal-3.6.2-py311h8c1a9d5_2 requires python >=3.11,<3.12.0a0, but none of the providers can be installed");
    await silent("  - nothing provides libpytorchlike needed by imagekit-2.5.1-py312_0");
    await silent("The following NEW packages will be INSTALLED:\n  pytorch 2.5.1-cuda126_py312hb5dca36_301 --> None");
  });
});
