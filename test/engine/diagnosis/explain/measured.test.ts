/** The essential lines of errors that were provoked with real builds of torch, Python, CUDA and loaders, with what was wrong there. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CauseName } from "../../../../src/engine/diagnosis/explain/index.ts";
import { release, says, silent, verdictsOf } from "./loading/reading.ts";

type Verdict = readonly [CauseName, "certain" | "likely" | "possible", RegExp];

interface Measured {
  readonly name: string;
  readonly text: string;
  readonly alone: Verdict;
  /** In an environment: what settles it. */
  readonly against?: readonly [spec: string, ...Verdict];
}

const inFile = "OSError: Could not load this library: /w/ops.so\n  OSError: /w/ops.so: undefined symbol: ";
const call = "TypeError: n_inputs(): incompatible function arguments. The following argument types are supported:\n    1. (arg0: torch::jit::Graph) -> int\n\nInvoked with: graph(%x : Tensor):\n  return (%x)\n";

const all: readonly Measured[] = [
  { name: "torch was not imported, and a libtorch of the system is old", text: "ImportError: /w/ops.so: undefined symbol: _ZNK3c107SymBool10guard_boolEPKcl", alone: ["torch-drift", "likely", /torch that loads it is older, or it was loaded without import torch\.$/], against: ["torch==2.13.0+cpu", "torch-not-loaded", "likely", /torch was not imported before it/] },
  { name: "torch is too old, through torch.ops.load_library", text: `${inFile}_ZNK3c107SymBool10guard_boolEPKcl`, alone: ["torch-drift", "likely", /built for torch 2\.0 or newer/], against: ["torch==1.13.0", "torch-drift", "certain", /torch 1\.13\.0\S* loads it and is older/] },
  { name: "a stable ABI newer than torch", text: `${inFile}torch_has_storage`, alone: ["stable-shim", "likely", /needs torch 2\.14 or newer/], against: ["torch==2.13.0+cpu", "stable-shim", "certain", /torch 2\.13\.0\+cpu is older/] },
  { name: "a function of the stable ABI for CUDA", text: `${inFile}aoti_torch_get_current_cuda_stream`, alone: ["torch-cpu-only", "possible", /only a torch built with CUDA has/], against: ["torch==2.13.0+cpu", "torch-cpu-only", "certain", /is built without/] },
  { name: "the other std::string in an operator library", text: `${inFile}_ZN5torch7LibraryC1ENS0_4KindESsSt8optionalIN3c1011DispatchKeyEEPKcj`, alone: ["libstdcxx-abi", "likely", /ABI=0/], against: ["torch==2.13.0+cpu", "libstdcxx-abi", "certain", /2\.13\.0\+cpu is built with 1/] },
  { name: "two libtorch, one bundled", text: "terminate called after throwing an instance of 'c10::Error'\n  what():  Tried to register multiple backend fallbacks for the same dispatch key Batched; previous registration registered at a.cpp:4, new registration registered at a.cpp:4\nException raised from registerFallback (most recent call first):\nframe #0: c10::Error::Error() (0x7f in /w/ml.libs/libc10-0a1b2c3d.so)", alone: ["duplicate-libtorch", "certain", /^Two copies of libtorch/] },
  { name: "one namespace from two files", text: "terminate called after throwing an instance of 'c10::Error'\n  what():  Only a single TORCH_LIBRARY can be used to register the namespace my_ops; please put all of your definitions in a single TORCH_LIBRARY block.", alone: ["namespace-registered-twice", "certain", /namespace my_ops was registered twice/] },
  { name: "registries of two pybind11", text: call, alone: ["pybind11-internals", "likely", /refused an argument that is what it asks for: a Graph/] },
  { name: "a module for another Python, by its path", text: "ImportError: Python version mismatch: module was compiled for Python 3.11, but the interpreter version is incompatible: 3.12.4 (main, Jun 1 2026, 10:00:00) [GCC 12.2.0].", alone: ["python-abi", "certain", /compiled for Python 3\.11, and Python 3\.12 imports it/] },
  { name: "a module for another Python, by its name", text: "ModuleNotFoundError: No module named 'own_ops'", alone: ["module-missing", "possible", /finds no module named own_ops/] },
  { name: "an abi3 that is none", text: "ImportError: /w/ops.abi3.so: undefined symbol: PyList_GET_SIZE", alone: ["python-abi", "likely", /which Python's headers have as a macro/] },
  { name: "a library without the version", text: "OSError: old/libown.so.1: version `OWN_2' not found (required by ./ops.so)", alone: ["library-too-old", "certain", /needs OWN_2 of libown\.so\.1/] },
  { name: "another machine's file, which glibc calls absent", text: "OSError: /w/arm.so: cannot open shared object file: No such file or directory", alone: ["library-missing", "likely", /or finds it for another kind of processor/] },
  { name: "another class", text: "OSError: /w/c32.so: wrong ELF class: ELFCLASS32", alone: ["wrong-architecture", "certain", /32-bit library/] },
  { name: "an empty file", text: "OSError: /w/empty.so: file too short", alone: ["corrupt-file", "certain", /empty or cut off/] },
  { name: "static TLS", text: "OSError: /w/tls.so: cannot allocate memory in static TLS block", alone: ["static-tls", "certain", /thread-local/] },
  { name: "no driver, or an old one: the same words", text: "35 cudaErrorInsufficientDriver | CUDA driver version is insufficient for CUDA runtime version", alone: ["driver-too-old", "likely", /There is no NVIDIA driver here, or it is older/] },
  { name: "halves of a driver", text: "803 cudaErrorSystemDriverMismatch | system has unsupported display driver / cuda driver combination", alone: ["driver-mismatch", "certain", /Two halves/] },
  { name: "GPUs that are not ready", text: "802 cudaErrorSystemNotReady | system not yet initialized", alone: ["gpu-not-ready", "certain", /not ready yet/] },
  { name: "PTX that is too new", text: "222 cudaErrorUnsupportedPtxVersion | the provided PTX was compiled with an unsupported toolchain.", alone: ["ptx-too-new", "certain", /newer CUDA toolkit than the driver/] },
  { name: "no libcuda", text: "OSError: libcuda.so.1: cannot open shared object file: No such file or directory", alone: ["no-driver", "certain", /no NVIDIA driver/] },
  { name: "torch for CPUs", text: "AssertionError: Torch not compiled with CUDA enabled", alone: ["torch-cpu-only", "certain", /build without CUDA/] },
  { name: "an architecture that the toolkit dropped", text: "nvcc fatal   : Unsupported gpu architecture 'sm_70'", alone: ["gpu-architecture-unknown", "certain", /sm_70: CUDA 12\.9 is the last/] },
  { name: "no toolkit", text: "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.", alone: ["cuda-home-missing", "likely", /no CUDA toolkit/], against: ["torch==2.13.0+cpu", "torch-cpu-only", "certain", /built without CUDA/] },
  { name: "no GPU and no list of architectures", text: "  File \"/v/lib/python3.12/site-packages/torch/utils/cpp_extension.py\", line 2727, in _get_cuda_arch_flags\n    arch_list[-1] += '+PTX'\nIndexError: list index out of range", alone: ["gpu-architecture-unknown", "certain", /no GPU is visible and TORCH_CUDA_ARCH_LIST is not set/] },
  { name: "no ninja", text: "RuntimeError: Ninja is required to load C++ extensions (pip install ninja to get it)", alone: ["compiler-missing", "certain", /ninja is not there/] },
  { name: "no compiler", text: "RuntimeError: Error building extension 'ops': [1/2] /opt/none/g++ -MMD -MF ops.o.d -DTORCH_EXTENSION_NAME=ops [...]\nFAILED: [code=127] ops.o", alone: ["compiler-missing", "certain", /g\+\+ cannot be started/] },
  { name: "a check of the operator's own", text: "RuntimeError: gather, /w/ops/gather.cpp:12, table must be contiguous", alone: ["wrong-arguments", "likely", /gather checked what it was given/] },
  { name: "a producer before DLPack 1.0", text: "TypeError: Tensor.__dlpack__() got an unexpected keyword argument 'max_version'", alone: ["dlpack-version", "certain", /older than what asks for it/] },
  { name: "a wheel for a newer torch", text: "ImportError: ./build/_mlir_libs/_importer.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZNK3c1010TensorImpl27throw_data_ptr_access_errorEv", alone: ["torch-drift", "likely", /built for torch 2\.1 or newer/], against: ["torch==2.0.1", "torch-drift", "certain", /torch 2\.0\.1\S* loads it and is older/] },
  { name: "a nightly whose default ABI had changed", text: "ImportError: .../site-packages/_LAZYC.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN5torch4lazy13MetricFnValueEd", alone: ["libstdcxx-abi", "likely", /ABI=0/], against: ["torch==2.13.0+cpu", "libstdcxx-abi", "certain", /is built with 1/] },
  { name: "an NCCL in front of torch's", text: "ImportError: /v/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister", alone: ["cuda-library-skew", "likely", /newer libnccl/] },
  { name: "an NCCL that is old", text: "./GATHER_TEST: symbol lookup error: /opt/env/lib/libgather.so: undefined symbol: ncclCommSplit", alone: ["cuda-library-skew", "likely", /newer libnccl/] },
  { name: "pybind11 in a stable build", text: "torch/include/pybind11/functional.h:151:2: error: #error \"This file should not be included when either TORCH_STABLE_ONLY or TORCH_TARGET_VERSION is defined.\"", alone: ["stable-abi-headers", "certain", /not part of torch's stable ABI/] },
];

describe("errors that were measured", () => {
  for (const { name, text, alone, against } of all) {
    it(name, async () => {
      await says(text, ...alone);
      if (against === undefined) return;
      const [spec, ...settled] = against;
      await says(text, ...settled, await release(spec));
    });
  }

  it("tell nothing of torch by themselves, and stay unexplained", async () => {
    for (const text of ["terminate called after throwing an instance of 'std::system_error'\n  what():  Invalid argument", "IndexError: list index out of range", "", "runtime torch 2.14.1+cu130 | extension built with 2013 | load() took 0.0 s"]) await silent(text);
  });

  it("of a symbol's two causes without an environment name what settles which", async () => {
    const [verdict] = await verdictsOf(all[0]?.text ?? "");
    assert.match(verdict?.needs.join(" ") ?? "", /Which torch runs it.*Whether torch was imported before it, and which libc10\.so is in the process/);
    assert.match(verdict?.fixes.join(" ") ?? "", /Rebuild it.*import torch first/);
  });
});
