import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { release, says, silent, verdictOf, verdictsOf } from "./reading.ts";

const cannot = "cannot open shared object file: No such file or directory";

describe("libraries of CUDA that are not found", () => {
  it("tell the major that the extension was built with", async () => {
    for (const [name, major] of [["libcudart.so.12", 12], ["libcudart.so.11.0", 11], ["libcublas.so.13", 13], ["libcudart.so.10.1", 10]] as const) {
      const verdict = await says(`ImportError: ${name}: ${cannot}`, "cuda-runtime-missing", "likely", new RegExp(`built with CUDA ${major}, and ${name.replaceAll(".", "\\.")} is not found`));
      assert.ok(verdict.fixes.some((one) => one.startsWith("Do not link or rename")));
      assert.ok(!verdict.fixes.some((one) => /ln -s|symlink/.test(one)));
      assert.notEqual(verdict.needs.length, 0);
    }
  });

  it("against the torch that is there", async () => {
    const text = `ImportError: libcudart.so.12: ${cannot}`;
    const other = await says(text, "cuda-runtime-missing", "certain", /built with CUDA 12, and torch 2\.14\.1\+cu130 is built with CUDA 13\.0/, await release("torch==2.14.1+cu130"));
    assert.deepEqual(other.needs, []);
    await says(text, "cuda-runtime-missing", "certain", /torch 2\.13\.0\+cpu is built without CUDA/, await release("torch==2.13.0+cpu"));
    await says(text, "cuda-runtime-missing", "likely", /torch 2\.8\.0\+cu128 loads when it is imported/, await release("torch==2.8.0+cu128"));
  });

  it("cuDNN 8, and what is missing to torch itself", async () => {
    const cudnn = await says(`ImportError: libcudnn.so.8: ${cannot}`, "cuda-runtime-missing", "likely", /libcudnn\.so\.8, which is not found/);
    assert.ok(cudnn.because.some((one) => /until 2\.3/.test(one)));
    const traceback = `Traceback (most recent call last):\n  File "/w/run.py", line 1, in <module>\n    import torch\n  File "/v/lib/python3.11/site-packages/torch/__init__.py", line 416, in <module>\n    from torch._C import *  # noqa: F403\nImportError: libcublas.so.12: ${cannot}`;
    const verdict = await says(traceback, "cuda-runtime-missing", "certain", /torch itself does not find libcublas\.so\.12 of CUDA 12/);
    assert.equal(verdict.copy, "pip check");
  });

  it("as R's torch prints it: behind the file that it loads", async () => {
    const verdict = await says("Error in cpp_lantern_init(install_path) : /home/r/torch/lib/liblantern.so - libcudart.so.11.0: cannot open shared object file: No such file or directory", "cuda-runtime-missing", "likely", /CUDA 11, and libcudart\.so\.11\.0 is not found/);
    assert.equal(verdict.words, "libcudart.so.11.0: cannot open shared object file: No such file or directory");
  });

  it("are silent in prose, which leaves the system's reason out", async () => {
    await silent("* If you see `libcudart.so.12: cannot open shared object file`, take the wheel for your CUDA.");
    await silent("Fixed: libcudart.so.12: cannot open shared object file on machines without CUDA");
    await says("libcudart.so.12: cannot open shared object file", "cuda-runtime-missing", "likely", /libcudart\.so\.12/);
  });

  it("the driver's are in no package", async () => {
    const verdict = await says(`OSError: libcuda.so.1: ${cannot}`, "no-driver", "certain", /no NVIDIA driver/);
    assert.ok(!verdict.fixes.some((one) => /pip install|conda install/.test(one)));
    await says(`OSError: libnvidia-ml.so.1: ${cannot}`, "no-driver", "certain", /libnvidia-ml/);
  });
});

describe("libraries of torch that are not found", () => {
  it("libc10.so: loaded before torch", async () => {
    const verdict = await says(`ImportError: libc10.so: ${cannot}`, "torch-library-missing", "likely", /loaded before torch/);
    assert.ok(verdict.because.some((one) => /no ABI mismatch/.test(one)));
    await says(`ImportError: libtorch_cpu.so: ${cannot}`, "torch-library-missing", "certain", /loaded before torch/, await release("torch==2.13.0+cpu"));
  });

  it("libc10_cuda.so: a torch without CUDA", async () => {
    await says(`ImportError: libc10_cuda.so: ${cannot}`, "torch-cpu-only", "likely", /most likely built without CUDA/);
    await says(`ImportError: libtorch_cuda.so: ${cannot}`, "torch-cpu-only", "certain", /torch 2\.13\.0\+cpu has no libtorch_cuda\.so/, await release("torch==2.13.0+cpu"));
    await says(`ImportError: libc10_hip.so: ${cannot}`, "torch-cpu-only", "likely", /ROCm/);
    await says(`ImportError: libc10_cuda.so: ${cannot}`, "torch-library-missing", "certain", /loaded before torch/, await release("torch==2.14.1+cu130"));
  });

  it("names that wheels never bear, and names of long ago", async () => {
    await says(`ImportError: libc10.so.1.13: ${cannot}`, "torch-library-missing", "likely", /distribution's libtorch 1\.13/);
    const split = await says(`ImportError: libtorch_cuda_cu.so: ${cannot}`, "torch-library-missing", "likely", /much older torch/);
    assert.ok(split.because.includes("Official builds of torch 1.8.0 to 1.13.1 had libtorch_cuda_cu.so; none since has it."));
    const caffe2 = await says(`ImportError: libcaffe2.so: ${cannot}`, "torch-library-missing", "likely", /much older torch/);
    assert.ok(caffe2.because.includes("Official builds of torch 1.0.0 to 1.1.0 had libcaffe2.so; none since has it."));
  });

  it("libcaffe2_nvrtc.so is still one of them", async () => {
    await says(`ImportError: libcaffe2_nvrtc.so: ${cannot}`, "torch-library-missing", "likely", /loaded before torch/);
  });

  it("libraries of other projects are not taken for torch's by how their names begin", async () => {
    for (const name of ["libtorch_npu.so", "libtorch_tensorrt.so", "libtorch_ops.so"]) {
      await says(`ImportError: ${name}: ${cannot}`, "library-missing", "certain", new RegExp(`${name.replace(".", "\\.")}, which the loader does not find`));
    }
    await says('ValueError: Cannot repair wheel, because required library "libtorch_npu.so" could not be located', "library-missing", "certain", /auditwheel does not find libtorch_npu\.so/);
  });

  it("that torio tries in turn are no failure once one loads", async () => {
    const tried = `OSError: libavutil.so.58: ${cannot}\n10:15:24 - torio._extension.utils - DEBUG - Loading FFmpeg4`;
    await silent(`${tried}\n10:15:24 - torio._extension.utils - DEBUG - Successfully loaded FFmpeg4`);
    await says(tried, "library-missing", "certain", /libavutil\.so\.58/);
  });

  it("of ROCm and oneAPI come with torch's wheels for them", async () => {
    assert.match((await says(`ImportError: libamdhip64.so.6: ${cannot}`, "library-missing", "certain", /libamdhip64\.so\.6/)).fixes[0] ?? "", /AMD's ROCm.* import torch first/);
    assert.match((await says(`ImportError: libsycl.so.8: ${cannot}`, "library-missing", "certain", /libsycl\.so\.8/)).fixes[0] ?? "", /oneAPI/);
  });

  it("a program needs a path", async () => {
    const verdict = await says(`./demo: error while loading shared libraries: libtorch.so: ${cannot}`, "torch-library-missing", "certain", /^The program needs libtorch\.so/);
    assert.match(verdict.fixes[0] ?? "", /-Wl,-rpath/);
  });
});

describe("other libraries", () => {
  it("are missing, and no version disagrees", async () => {
    const verdict = await says(`OSError: libfoo.so.1: ${cannot}`, "library-missing", "certain", /libfoo\.so\.1, which the loader does not find/);
    assert.equal(verdict.rule, "missing-library");
    await says(`ImportError: libGL.so.1: ${cannot}`, "library-missing", "certain", /libGL\.so\.1/);
    await says(`ImportError: libpython3.10.so.1.0: ${cannot}`, "python-abi", "certain", /library of Python 3\.10/);
    const musl = await says("Error loading shared library libfoo.so.1: No such file or directory (needed by ./bar.so)", "library-missing", "certain", /^bar\.so needs libfoo\.so\.1/);
    assert.equal(musl.file, "./bar.so");
    await says("\tlinux-vdso.so.1 (0x00007ffd)\n\tlibfoo.so.1 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x7f)", "library-missing", "certain", /libfoo\.so\.1/);
  });

  it("ldd does not know what import torch loads", async () => {
    const usual = await says("/w/_C.so:\n\tlibc10.so => not found\n\tlibtorch_cpu.so => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x7f)", "harmless", "possible", /usual for extensions of torch/);
    assert.deepEqual(usual.fixes, []);
    assert.equal(usual.file, "/w/_C.so");
  });

  it("glibc and musl do not stand in for each other", async () => {
    await says("Error loading shared library ld-linux-x86-64.so.2: No such file or directory (needed by /w/_C.so)", "wrong-architecture", "certain", /^_C\.so was built for glibc, and this Linux has musl/);
    await says("Error relocating /w/_C.so: __memcpy_chk: symbol not found", "wrong-architecture", "certain", /built for glibc/);
    await says("ImportError: libc.musl-x86_64.so.1: cannot open shared object file: No such file or directory", "wrong-architecture", "certain", /built for musl/);
  });

  it("TensorFlow's wishes are remarks", async () => {
    const verdicts = await verdictsOf(`W tensorflow/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: ${cannot}\nImportError: /w/k.so: undefined symbol: _ZN3own4geluEi`);
    assert.equal(verdicts[0]?.cause, "own-symbol");
  });

  it("the file that torch was asked to load is taken from the exception that followed", async () => {
    const text = `Traceback (most recent call last):
  File "/v/site-packages/torch/_ops.py", line 1516, in load_library
    ctypes.CDLL(path)
  File "/usr/lib/python3.11/ctypes/__init__.py", line 376, in __init__
    self._handle = _dlopen(self._name, mode)
OSError: libfoo.so.1: ${cannot}

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/w/run.py", line 2, in <module>
    torch.ops.load_library("/w/ops/bar.so")
  File "/v/site-packages/torch/_ops.py", line 1518, in load_library
    raise OSError(f"Could not load this library: {path}") from e
OSError: Could not load this library: /w/ops/bar.so`;
    const [first] = await verdictsOf(text);
    assert.equal(first?.cause, "library-missing");
    assert.equal(first?.file, "/w/ops/bar.so");
    assert.match(first?.headline ?? "", /^bar\.so needs libfoo\.so\.1/);
    assert.equal(first?.lines.first, 6);
  });

  it("a path: absent, or for another processor", async () => {
    const verdict = await says(`OSError: /w/ver/arm.so: ${cannot}`, "library-missing", "likely", /arm\.so at the path/);
    assert.match(verdict.needs[0] ?? "", /file \/w\/ver\/arm\.so/);
  });
});

describe("files that the loader refuses", () => {
  it("torch opens its own libraries by ctypes; a traceback is quoted without its head", async () => {
    const { fixes } = await says(['  File "/v/torch/__init__.py", line 149, in _load_global_deps', "    ctypes.CDLL(lib_path, mode=ctypes.RTLD_GLOBAL)", '  File "/usr/lib/python3.6/ctypes/__init__.py", line 348, in __init__', "    self._handle = _dlopen(self._name, mode)", `OSError: libcurand.so.10: ${cannot}`].join("\n"), "cuda-runtime-missing", "certain", /^torch itself does not find libcurand/);
    assert.ok(fixes.some((one) => one.includes("Jetson")));
  });

  it("glibc's old limit of libraries with thread-local variables names no file", async () => {
    await says("ImportError: dlopen: cannot load any more object with static TLS", "static-tls", "certain", /^A library needs room/);
    await silent("we saw dlopen: cannot load any more object with static TLS before");
  });

  it("each for its reason", async () => {
    await says("OSError: /w/c32.so: wrong ELF class: ELFCLASS32", "wrong-architecture", "certain", /^c32\.so is a 32-bit library/);
    await says("OSError: /w/e.so: file too short", "corrupt-file", "certain", /empty or cut off/);
    await says("OSError: /w/e.so: invalid ELF header", "corrupt-file", "certain", /no library that this system can load/);
    await says("OSError: /w/e.so: ELF file OS ABI invalid", "wrong-architecture", "certain", /another operating system/);
    await says("OSError: /w/e.so: ELF load command alignment not page-aligned", "wrong-architecture", "certain", /memory pages/);
    const tls = await says("ImportError: /v/scikit_learn.libs/libgomp-d22c30c5.so.1.0.0: cannot allocate memory in static TLS block", "static-tls", "certain", /thread-local/);
    assert.match(tls.copy ?? "", /glibc\.rtld\.optional_static_tls/);
    const stack = await says("ImportError: libops.so: cannot enable executable stack as shared object requires: Invalid argument", "loading-refused", "certain", /executable stack/);
    assert.equal(stack.copy, "patchelf --clear-execstack libops.so");
    await says("ImportError: /tmp/x/k.so: failed to map segment from shared object: Operation not permitted", "loading-refused", "likely", /mapped as code/);
    await says("ImportError: /w/k.so: cannot open shared object file: Permission denied", "loading-refused", "likely", /mapped as code/);
    await says("ImportError: /w/k.so: CPU ISA level is lower than required", "wrong-architecture", "certain", /newer processor/);
    await says("Error relocating ./tls.so: big: initial-exec TLS resolves to dynamic definition in ./tls.so", "static-tls", "certain", /thread-local/);
    await says("OSError: ./app: cannot dynamically load position-independent executable", "corrupt-file", "certain", /is a program/);
  });

  it("near misses are silent", async () => {
    for (const text of [
      'raise OSError("libfoo.so: cannot open shared object file: No such file or directory")',
      "cat: notes.txt: No such file or directory",
      "gzip: data.gz: file too short to be a gzip archive",
      "The loader says 'wrong ELF class: ELFCLASS32' for such files.",
      "libfoo.so.1 => /usr/lib/libfoo.so.1 (0x7f)",
      'if "cannot open shared object file" in str(e):',
    ]) await silent(text);
  });

  it("one machine's paths are not another's: a path that is here too says nothing of the text", async () => {
    const verdict = await verdictOf(`OSError: /bin/sh.so: ${cannot}`);
    assert.equal(verdict.confidence, "likely");
  });
});
