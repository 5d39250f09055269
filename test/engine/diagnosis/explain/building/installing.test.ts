import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, silent, verdictsOf } from "../loading/reading.ts";

const pip = (folder: string, end = ""): string => [
  "Processing /srv/ops", "  Getting requirements to build wheel: finished with status 'error'", "  error: subprocess-exited-with-error", "", "  × Getting requirements to build wheel did not run successfully.", "  │ exit code: 1", "  ╰─> [21 lines of output]", "      Traceback (most recent call last):",
  `        File "${folder}/lib/python3.11/site-packages/setuptools/build_meta.py", line 333, in get_requires_for_build_wheel`, '        File "<string>", line 2, in <module>', "      ModuleNotFoundError: No module named 'torch'", "      [end of output]", end,
].join("\n");

describe("builds in an environment of their own", () => {
  it("pip's does not hold torch", async () => {
    const verdict = await says(pip("/tmp/pip-build-env-e4r0/overlay"), "build-isolation", "certain", /^The build of the package imports torch, which is not in the environment that it is built in\.$/);
    assert.deepEqual([verdict.rule, verdict.copy], ["build-isolation", "pip install --no-build-isolation ."]);
  });

  it("without isolation the environment itself lacks it", async () => {
    const { needs } = await says(pip("/srv/v"), "build-isolation", "likely", /imports torch/);
    assert.equal(needs.length, 1);
  });

  it("uv's, with its hint, is one matter", async () => {
    const verdict = await says([
      "  × Failed to build `rasterfield==0.4.1`", "  ├─▶ The build backend returned an error", "  ╰─▶ Call to `setuptools.build_meta:__legacy__.build_wheel` failed (exit status: 1)", "", "      [stderr]", "      Traceback (most recent call last):", '        File "<string>", line 14, in <module>',
      '        File "/home/k/.cache/uv/builds-v0/.tmpQk/lib/python3.12/site-packages/setuptools/build_meta.py", line 331, in get_requires_for_build_wheel', "      ModuleNotFoundError: No module named 'torch'", "",
      "      hint: This error likely indicates that `rasterfield@0.4.1` depends on `torch`, but doesn't declare it as a build dependency. If `rasterfield` is a first-party package, consider adding `torch` to its `build-system.requires`.",
    ].join("\n"), "build-isolation", "certain", /^The build of rasterfield imports torch/);
    assert.equal(verdict.copy, "pip install --no-build-isolation rasterfield");
  });

  it("uv's hint alone is enough, and names a package by its address", async () => {
    const verdict = await says("ModuleNotFoundError: No module named 'torch'\n\nhint: This error likely indicates that `git+https://git.example.org/u/fast` depends on `torch`, but doesn't declare it as a build dependency.", "build-isolation", "certain", /^The build of git\+https:\/\/git\.example\.org\/u\/fast imports torch/);
    assert.equal(verdict.copy, "pip install --no-build-isolation git+https://git.example.org/u/fast");
  });

  it("a setup.py that asks for torch in words of its own", async () => {
    const words = "      Building cuda extension requires PyTorch (>=1.13.0) being installed, please install PyTorch first: No\n      module named 'torch'";
    await says(`  × Failed to build \`quantkit==0.7.1\`\n  ├─▶ The build backend returned an error\n\n      [stdout]\n${words}`, "build-isolation", "likely", /^The build of quantkit imports torch/);
    await says(words, "module-missing", "certain", /no torch/);
  });

  it("another module than torch; and a program that runs is no build", async () => {
    await says(pip("/tmp/pip-build-env-e4r0/overlay").replace("'torch'", "'packaging'"), "build-isolation", "certain", /imports packaging/);
    assert.ok((await verdictsOf("Traceback (most recent call last):\n  File \"/srv/app/main.py\", line 1, in <module>\n    import torch\nModuleNotFoundError: No module named 'torch'")).every((one) => one.cause !== "build-isolation"));
  });

  it("setup.py that is run by itself", async () => {
    await says('Traceback (most recent call last):\n  File "/srv/ops/setup.py", line 3, in <module>\n    import torch\nModuleNotFoundError: No module named \'torch\'', "module-missing", "certain", /^setup\.py imports torch, and the Python that runs it has none/);
  });

  it("a failed wheel follows from what failed inside, and alone asks for it", async () => {
    const verdicts = await verdictsOf(pip("/tmp/pip-build-env-e4r0/overlay", "ERROR: Failed building wheel for ops"));
    assert.deepEqual(verdicts.map((one) => one.cause), ["build-isolation"]);
    await says("  ERROR: Failed building wheel for flash-attn", "jit-build", "possible", /^The build of flash-attn stopped, and the reason is not in this text\.$/);
    await silent("  ERROR: Failed building wheel for lxml");
  });
});

describe("what installers refuse", () => {
  it("a build with a label, which PyPI does not have", async () => {
    const { copy } = await says("ERROR: Could not find a version that satisfies the requirement torch==2.8.0+cu128 (from versions: 2.7.1, 2.8.0)\nERROR: No matching distribution found for torch==2.8.0+cu128", "torch-requirement", "likely", /kept on download\.pytorch\.org/);
    assert.equal(copy, "pip install torch==2.8.0 --index-url https://download.pytorch.org/whl/cu128");
    await says("ERROR: Could not find a version that satisfies the requirement torch==2.8.0+cu999 (from versions: 2.8.0)", "torch-requirement", "certain", /^There is no build \+cu999 of torch 2\.8\.0\.$/);
  });

  it("a release without a file for this Python, and one that there is none of", async () => {
    const { because } = await says("ERROR: Could not find a version that satisfies the requirement torch==1.4.0 (from versions: 1.13.0, 2.0.0)", "torch-requirement", "likely", /^torch 1\.4\.0 exists, but not for the Python or the platform/);
    assert.ok(because.some((one) => one.startsWith("torch 1.4.0 has wheels for Python ")));
    await says("ERROR: Could not find a version that satisfies the requirement torch==2.99 (from versions: 2.8.0)", "torch-requirement", "likely", /^torch 2\.99 is no release that Abiding knows/);
    await says("  cause: Because torch==1.4.0 has no wheels with a matching Python ABI tag (e.g., `cp311`) and you require torch==1.4.0, we can conclude that your requirements are unsatisfiable.", "torch-requirement", "certain", /^torch 1\.4\.0 has no wheel for this Python \(cp311\)\.$/);
    await says("  cause: Because there is no version of torch==2.99 and you require torch==2.99, we can conclude that your requirements are unsatisfiable.", "torch-requirement", "likely", /2\.99 is no release/);
    await silent("ERROR: Could not find a version that satisfies the requirement requests==99 (from versions: 2.31.0)");
  });

  it("what the package itself did not build is not asked for by its build", async () => {
    const verdicts = await verdictsOf("ERROR: Failed building wheel for flashzone\n$ python -c 'import flashzone_cuda'\nModuleNotFoundError: No module named 'flashzone_cuda'");
    assert.ok(verdicts.every((one) => one.cause !== "build-isolation"), verdicts.map((one) => one.headline).join("\n"));
  });

  it("versions that exclude each other", async () => {
    const pip = await says("ERROR: Cannot install torch==2.8.0 and torchvision==0.22.0 because these package versions have conflicting dependencies.\n\nThe conflict is caused by:\n    The user requested torch==2.8.0\n    torchvision 0.22.0 depends on torch==2.7.0\n\nTo fix this you could try to:\n\nERROR: ResolutionImpossible: for help visit https://pip.pypa.io/", "package-pair", "certain", /^torchvision of that version belongs to another torch than 2\.8\.0\.$/);
    assert.equal(pip.copy, "pip install torch==2.8.0 torchvision==0.23.0");
    await says("Because torchvision==0.22.0 depends on torch==2.7.0 and you require torch==2.8.0, we can conclude that your requirements and torchvision==0.22.0 are incompatible.", "package-pair", "certain", /torchvision/);
    await says("ERROR: Cannot install -r req.txt (line 2) and torch==2.1.0 because these package versions have conflicting dependencies.\n\nThe conflict is caused by:\n    The user requested torch==2.1.0\n    torchvision 0.16.0 depends on torch==2.1.0\n    xformers 0.0.26.post1 depends on torch==2.3.0", "torch-requirement", "certain", /^xformers 0\.0\.26\.post1 asks for torch 2\.3\.0, and torch 2\.1\.0 is requested/);
    await silent("ERROR: Cannot install django==5 and celery==4 because these package versions have conflicting dependencies.\nThe conflict is caused by:\n    The user requested django==5");
  });

  it("a pair that an installation broke", async () => {
    const verdicts = await verdictsOf("torchvision 0.23.0 requires torch==2.8.0, but you have torch 2.9.0 which is incompatible.\nxformers 0.0.32 requires torch==2.8.0, but you have torch 2.9.0 which is incompatible.\nfoo 1.0 requires bar==2, but you have bar 3 which is incompatible.\nSuccessfully installed torch-2.9.0");
    assert.deepEqual(verdicts.map((one) => [one.cause, one.copy]), [["package-pair", "pip install torch==2.9.0 torchvision==0.24.0"], ["torch-requirement", undefined]]);
  });

  it("what has nothing to do with torch's ABI says so", async () => {
    for (const text of ["error: externally-managed-environment\n\n× This environment is externally managed", "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes.", "ERROR: Requested flash-attn from https://x/flash_attn-2.7.4-cp311-cp311-linux_x86_64.whl has inconsistent version: expected '2.7.4', but metadata has '2.7.4+cu12torch2.5'"]) {
      await says(text, "install-refused", "certain", /./);
    }
  });

  it("an environment tells which Python it is", async () => {
    const { because } = await says("ERROR: Could not find a version that satisfies the requirement torchvision==0.23.0 (from versions: none)", "torch-requirement", "likely", /^torchvision 0\.23\.0 exists/, await release("torch==2.8.0+cpu"));
    assert.ok(because.some((one) => one.startsWith('"from versions: none"')));
  });
});
