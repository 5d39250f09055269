import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, silent, verdictsOf } from "../loading/reading.ts";

const asked = (file: string, error: string) => `Traceback (most recent call last):\n  File "/w/app.py", line 1, in <module>\n    import kit\n  File "${file}", line 3, in <module>\n    from torch import x\n${error}\n`;

describe("names that Python does not find", () => {
  it("torch", async () => {
    const verdict = await says("Traceback (most recent call last):\n  File \"/w/app.py\", line 1, in <module>\n    import torch\nModuleNotFoundError: No module named 'torch'\n", "module-missing", "certain", /The Python that ran has no torch/);
    assert.match(verdict.because.join(" "), /nothing about versions or ABI/);
    await says("ModuleNotFoundError: No module named 'torch'", "module-missing", "certain", /no torch/, await release("torch==2.8.0"));
  });

  it("torch in an isolated build is no matter of this", async () => {
    const all = await verdictsOf("Getting requirements to build wheel: finished with status 'error'\nerror: subprocess-exited-with-error\n  File \"/tmp/pip-build-env-1/overlay/lib/python3.11/site-packages/setuptools/build_meta.py\", line 3, in run_setup\n  File \"<string>\", line 4, in <module>\nModuleNotFoundError: No module named 'torch'\n");
    assert.ok(!all.some((one) => one.cause === "module-missing"), JSON.stringify(all.map((one) => one.cause)));
  });

  it("compiled modules", async () => {
    const verdict = await says("ModuleNotFoundError: No module named 'pointnet2_ops._ext'", "extension-not-loaded", "possible", /pointnet2_ops\._ext, the compiled module of pointnet2_ops/);
    assert.ok(verdict.needs[0]?.includes("EXT_SUFFIX"));
    await says("ModuleNotFoundError: No module named 'flash_attn_2_cuda'", "extension-not-loaded", "possible", /flash_attn_2_cuda/);
    await says("Traceback (most recent call last):\n  File \"/home/u/kit/kit/__init__.py\", line 2, in <module>\n    from . import _C\nImportError: cannot import name '_C' from 'kit' (/home/u/kit/kit/__init__.py)\n", "extension-not-loaded", "likely", /kit\._C/);
  });

  it("names of torch that another release has", async () => {
    const verdict = await says(asked("/w/v/lib/python3.11/site-packages/kit/x.py", "ImportError: cannot import name 'DeviceMesh' from 'torch.distributed.device_mesh' (/w/v/lib/python3.11/site-packages/torch/distributed/device_mesh.py)"), "torch-requirement", "likely", /no torch\.distributed\.device_mesh\.DeviceMesh, which kit asks for/);
    assert.match(verdict.because.join(" "), /recompiling does not help/);
    await says("AttributeError: module 'torch' has no attribute 'float8_e8m0fnu'", "torch-requirement", "possible", /torch\.float8_e8m0fnu/);
    const six = await says("ModuleNotFoundError: No module named 'torch._six'", "torch-requirement", "possible", /torch\._six/);
    assert.equal(six.because[0], "torch._six is gone since torch 2.0.0.");
    const abi = await says("AttributeError: module 'torch._C' has no attribute '_PYBIND11_BUILD_ABI'", "torch-requirement", "possible", /_PYBIND11_BUILD_ABI/);
    assert.match(abi.because[0] ?? "", /since torch 2\.9\.0/);
    assert.match(abi.fixes[0] ?? "", /Take the flag out/);
  });

  it("torch that is not there yet", async () => {
    await says("AttributeError: partially initialized module 'torch' has no attribute 'nn' (most likely due to a circular import)", "module-missing", "likely", /before it was there/);
  });

  it("any other module is only a guess", async () => {
    await says("ModuleNotFoundError: No module named 'pbmod'", "module-missing", "possible", /pbmod/);
    await silent("UserWarning: Failed to initialize NumPy: No module named 'numpy' (Triggered internally at tensor_numpy.cpp:84.)");
    await silent("except ModuleNotFoundError: # No module named 'torch'");
  });

  it("one that its user can do without is not missing", async () => {
    const traceback = "Traceback (most recent call last):\n  File \"/v/lib/python3.10/site-packages/attnkit/__init__.py\", line 57, in _has_triton\n    import triton\nModuleNotFoundError: No module named 'triton'";
    await silent(`A matching Triton is not available, some optimizations will not be enabled\n${traceback}`);
    await says(traceback, "module-missing", "possible", /triton/);
  });

  it("NumPy's own ABI", async () => {
    const verdict = await says("ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 88 from C header, got 96 from PyObject", "numpy-abi", "certain", /an older NumPy/);
    assert.equal(verdict.copy, 'pip install "numpy<2"');
    assert.equal((await says("ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject", "numpy-abi", "certain", /a newer NumPy/)).copy, "pip install --upgrade numpy");
    await says("A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.1.3 as it may crash. To support both 1.x and 2.x\nversions of NumPy, modules must be compiled with NumPy 2.0.\nAttributeError: _ARRAY_API not found", "numpy-abi", "certain", /an older NumPy/);
    await says("RuntimeError: module compiled against ABI version 0x1000009 but this version of numpy is 0x2000000", "numpy-abi", "certain", /an older NumPy/);
  });

  it("DLPack's versions", async () => {
    await says("TypeError: Tensor.__dlpack__() got an unexpected keyword argument 'max_version'", "dlpack-version", "certain", /does not know "max_version"/);
    await silent("TypeError: Tensor.__dlpack__() got an unexpected keyword argument 'foo'");
  });

  it("checks of the extension itself", async () => {
    const verdict = await says("RuntimeError: gather_rows, /w/ext/stable.cpp:12, table must be contiguous float32 [V,D]", "wrong-arguments", "likely", /gather_rows checked what it was given/);
    assert.match(verdict.because[0] ?? "", /no ABI conflict/);
    await silent("RuntimeError: shape '[2, 3]' is invalid for input of size 5");
    await silent("AttributeError: 'list' object has no attribute 'shape'");
    await silent("_pickle.UnpicklingError: Weights only load failed.");
  });
});
