import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { says, silent, verdictsOf } from "../loading/reading.ts";

function xformers(built: string, has: string): string {
  return `WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:\n    PyTorch ${built} with CUDA 1201 (you have ${has})\n    Python  3.10.13 (you have 3.10.12)\n  Please reinstall xformers (see https://github.com/facebookresearch/xformers#installing-xformers)\n`;
}

describe("packages that compare versions themselves", () => {
  it("xformers", async () => {
    const verdict = await says(xformers("2.2.0+cu121", "2.3.0+cu121"), "version-gate", "certain", /built for torch 2\.2\.0\+cu121, and torch 2\.3\.0\+cu121 runs/);
    assert.equal(verdict.rule, "package-pair");
    assert.deepEqual(verdict.lines, { first: 1, last: 2 });
    assert.match(verdict.fixes[0] ?? "", /xformers release that was built for torch 2\.3\.0/);
    assert.equal(verdict.copy, "pip install torch==2.2.0 --index-url https://download.pytorch.org/whl/cu121");
    const cpu = await says(xformers("2.1.2+cu121", "2.1.2+cpu"), "version-gate", "certain", /2\.1\.2\+cpu runs/);
    assert.match(cpu.because.join(" "), /a build without CUDA/);
    assert.equal(cpu.fixes.length, 1);
    const same = await says(xformers("2.5.1+cu124", "2.5.1+cu124"), "version-gate", "possible", /this very torch/);
    assert.ok(same.needs[0]?.includes("XFORMERS_MORE_DETAILS=1"));
  });

  it("dgl", async () => {
    const verdict = await says("FileNotFoundError: Cannot find DGL C++ graphbolt library at /w/v/lib/python3.10/site-packages/dgl/graphbolt/libgraphbolt_pytorch_2.3.0.post300.so", "version-gate", "certain", /no graphbolt library for torch 2\.3\.0\.post300/);
    assert.match(verdict.fixes.join(" "), /Take torch 2\.3\.0 from pip/);
    await says("FileNotFoundError: Unable to locate the DGL C++ GraphBolt library at /w/dgl/graphbolt/libgraphbolt_pytorch_2.4.1.so. This error typically occurs due to a version mismatch", "version-gate", "certain", /torch 2\.4\.1/);
  });

  it("bitsandbytes", async () => {
    const verdict = await says("RuntimeError: Configured CUDA binary not found at /w/v/bitsandbytes/libbitsandbytes_cuda129.so", "version-gate", "certain", /no library for CUDA 12\.9/);
    assert.ok(!verdict.fixes.some((one) => /ln -s|symlink|LD_LIBRARY_PATH/.test(one)));
    const both = await verdictsOf("bitsandbytes library load error: Configured CUDA binary not found at /w/v/bitsandbytes/libbitsandbytes_cuda118.so\nTraceback (most recent call last):\n  File \"/w/v/bitsandbytes/cextension.py\", line 267, in get_native_library\n    raise RuntimeError(f\"Configured CUDA binary not found at {cuda_binary_path}\")\nRuntimeError: Configured CUDA binary not found at /w/v/bitsandbytes/libbitsandbytes_cuda118.so");
    assert.deepEqual(both.map((one) => [one.cause, one.occurrences]), [["version-gate", 2]]);
    await says("Could not find the bitsandbytes CUDA binary at PosixPath('/w/v/bitsandbytes/libbitsandbytes_cuda121.so')", "version-gate", "certain", /CUDA 12\.1/);
  });

  it("k2", async () => {
    const verdict = await says("ImportError: k2 was built using PyTorch 2.3.1+cpu\nBut you are using PyTorch 2.4.0+cpu to run it", "version-gate", "certain", /k2 was built for torch 2\.3\.1\+cpu, and 2\.4\.0\+cpu runs/);
    assert.equal(verdict.copy, "pip install torch==2.3.1 --index-url https://download.pytorch.org/whl/cpu");
    assert.deepEqual(verdict.lines, { first: 1, last: 2 });
    await says("ImportError: k2 was built using CUDA 12.1\nBut you are using CUDA 12.4 to run it.", "version-gate", "certain", /CUDA 12\.1, and 12\.4 runs/);
    await silent("The demo was built using PyTorch 2.3 and love.");
  });

  it("torchcodec", async () => {
    const text = (line: string) => `RuntimeError: Could not load libtorchcodec. Likely causes:\n          1. FFmpeg is not properly installed in your environment.\n          2. The PyTorch version (2.8.0+cu128) is not compatible with\n             this version of TorchCodec.\n[start of libtorchcodec loading traceback]\nFFmpeg version 7: libavutil.so.59: cannot open shared object file: No such file or directory\n${line}\n[end of libtorchcodec loading traceback].`;
    const skew = await verdictsOf(text("FFmpeg version 6: /w/v/torchcodec/libtorchcodec_core6.so: undefined symbol: _ZN3c1013MessageLoggerC1ENS_14SourceLocationEib"));
    assert.deepEqual(skew.map((one) => [one.cause, one.confidence]), [["torch-drift", "likely"], ["library-missing", "certain"]]);
    assert.match(skew[0]?.headline ?? "", /^libtorchcodec_core6\.so was built for .*; torch 2\.8\.0\+cu128, which the text names, is not one of them/);
    const cuda = await verdictsOf(text("FFmpeg version 6: libnvrtc.so.13: cannot open shared object file: No such file or directory"));
    assert.equal(cuda[0]?.cause, "cuda-runtime-missing");
    const missing = await verdictsOf(text("FFmpeg version 6: libavutil.so.58: cannot open shared object file: No such file or directory"));
    assert.deepEqual(missing.map((one) => [one.cause, one.confidence, one.headline]), [["library-missing", "certain", "torchcodec finds no FFmpeg that it can use."]]);
    const cut = await verdictsOf("RuntimeError: Could not load libtorchcodec. Likely causes:\n          1. FFmpeg is not properly installed in your environment.");
    assert.deepEqual(cut.map((one) => [one.cause, one.confidence]), [["version-gate", "possible"]]);
  });

  it("others that name both versions", async () => {
    await says("ImportError: fastkit requires torch>=2.6.0, but you have torch 2.4.1 installed", "torch-requirement", "certain", /fastkit asks for torch >=2\.6\.0, and 2\.4\.1 runs/);
    await silent("This example requires torch>=2.0 and a GPU");
  });

  it("are silent in code and prose", async () => {
    await silent("        f\"k2 was built using PyTorch {k2_torch_version}\\n\"");
    await silent("            raise FileNotFoundError(f\"Cannot find DGL C++ graphbolt library at {path}\")");
  });
});
