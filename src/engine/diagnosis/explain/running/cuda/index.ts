/** CUDA and HIP at run time. */
import { clueOf, textAt } from "../../reading.ts";
import type { Said } from "../../reading.ts";
import type { Clue, Explanation, Knowledge } from "../../types.ts";
import { recogniserOf } from "../sayings.ts";
import type { Saying } from "../sayings.ts";
import { cpuOnly, driverMismatch, forwardCompatibility, foundNoDriver, insufficientDriver, noDevice, noDriver, noSuchDevice, notReady, nvml, tooOldDriver, unknownInitialization } from "./driver.ts";
import { allocated, assertion, busy, cublasNotInitialized, invalidImage, memoryFault, outOfMemory, symbolNotFound } from "./faults.ts";
import { capabilityWarning, newPtx, noKernelImage, refusedGpu, rocblas } from "./kernels.ts";
import { cudnnStatus, cudnnVersion, nccl } from "./libraries.ts";

interface CudaError {
  readonly code: number;
  /** cudaError…, CUDA_ERROR_…, hipError…: without the beginnings. */
  readonly names: string;
  /** What cudaGetErrorString and cuGetErrorString say, as part of an expression. */
  readonly text: string;
  /** Such words stand in other texts too: they count behind "CUDA error" alone. */
  readonly isPlain?: true;
  explain(knowledge: Knowledge): Explanation;
}

/** driver_types.h and cuda.h of CUDA 13.0, with the texts that its runtime prints. */
const errors: readonly CudaError[] = [
  { code: 209, names: "NoKernelImageForDevice|NO_BINARY_FOR_GPU|NoBinaryForGpu", text: "no kernel image is available for execution on the device", explain: noKernelImage(false) },
  { code: 98, names: "InvalidDeviceFunction", text: "[Ii]nvalid device function", isPlain: true, explain: noKernelImage(true) },
  { code: 222, names: "UnsupportedPtxVersion|UNSUPPORTED_PTX_VERSION", text: "the provided PTX was compiled with an unsupported toolchain", explain: newPtx },
  { code: 200, names: "InvalidKernelImage|INVALID_IMAGE|InvalidImage", text: "device kernel image is invalid", explain: invalidImage },
  { code: 500, names: "SymbolNotFound|NOT_FOUND", text: "named symbol not found", isPlain: true, explain: symbolNotFound },
  { code: 35, names: "InsufficientDriver|SYSTEM_DRIVER_INSUFFICIENT", text: "(?:CUDA )?driver version is insufficient for (?:CUDA )?runtime version", explain: insufficientDriver },
  { code: 803, names: "SystemDriverMismatch|SYSTEM_DRIVER_MISMATCH", text: "system has unsupported display driver / cuda driver combination", explain: driverMismatch },
  { code: 804, names: "CompatNotSupportedOnDevice|COMPAT_NOT_SUPPORTED_ON_DEVICE", text: "forward compatibility was attempted on non supported HW", explain: forwardCompatibility },
  { code: 802, names: "SystemNotReady|SYSTEM_NOT_READY", text: "system not yet initialized", explain: notReady },
  { code: 34, names: "StubLibrary|STUB_LIBRARY", text: "CUDA driver is a stub library", explain: noDriver("The libcuda.so that was found is a stub of the CUDA toolkit, which only serves to link (…/lib64/stubs in LD_LIBRARY_PATH).") },
  { code: 100, names: "NoDevice|NO_DEVICE", text: "no CUDA-capable device is detected|no ROCm-capable device is detected", explain: noDevice },
  { code: 101, names: "InvalidDevice|INVALID_DEVICE", text: "invalid device ordinal", explain: noSuchDevice },
  { code: 46, names: "DevicesUnavailable|DEVICE_UNAVAILABLE", text: "(?:all )?CUDA-capable device\\(s\\) is/are busy or unavailable", explain: busy },
  { code: 700, names: "IllegalAddress|ILLEGAL_ADDRESS", text: "an illegal memory access was encountered", explain: memoryFault("an illegal memory access") },
  { code: 716, names: "MisalignedAddress|MISALIGNED_ADDRESS", text: "misaligned address", isPlain: true, explain: memoryFault("a misaligned address") },
  { code: 719, names: "LaunchFailure|LAUNCH_FAILED", text: "unspecified launch failure", explain: memoryFault("an unspecified launch failure") },
  { code: 710, names: "Assert|ASSERT", text: "device-side assert triggered", explain: assertion },
  { code: 2, names: "MemoryAllocation|OUT_OF_MEMORY|OutOfMemory", text: "out of memory", isPlain: true, explain: outOfMemory },
];

const plain = errors.filter((one) => one.isPlain).map((one) => one.text).join("|");
const telling = errors.filter((one) => !one.isPlain).map((one) => one.text).join("|");
const names = errors.map((one) => one.names).join("|");
const raised = String.raw`(?:\b(?:CUDA|Cuda|cuda|HIP|hip|NVRTC)[^\n"]{0,60}?(?:[Ee]rror|ERROR|[Ff]ailure|[Ff]ailed)\b[^\n"]{0,60}?|AcceleratorError|GPUassert)[:'" ]{1,3}`;
const errorText = new RegExp(`(?<telling>${telling})|(?<=${raised})(?<plain>(?:${plain})\\b)`);
/** A name alone, before its text, or where something failed with it; elsewhere it is code. */
const errorName = new RegExp(`(?<=^\\s*["']?|^\\d{1,3} |\\b(?:[Ee]rror|ERROR|[Ff]ailed|[Ff]ailure|returned|code|status)\\b[^"'\\n]{0,40}[ :(=])(?:cudaError|CUDA_ERROR_|hipError)(?<name>${names})\\b(?=\\s*$|: \\w| \\(\\d|[).](?:\\s|$)| \\| )`);

const ofError: Saying = {
  pattern: errorText,
  read(said) {
    const text = said.match.groups?.["telling"] ?? said.match.groups?.["plain"] ?? "";
    return explained(said, errors.find((one) => new RegExp(`^(?:${one.text})$`).test(text)));
  },
};

const ofName: Saying = {
  pattern: errorName,
  read(said) {
    const name = said.match.groups?.["name"] ?? "";
    return explained(said, errors.find((one) => one.names.split("|").includes(name)));
  },
};

/** What torch and CUDA print behind their message. */
const advice = /^\s*(?:Search for [`'‘]|CUDA kernel errors might|HIP kernel errors might|For debugging consider|Compile with [`'‘]?TORCH_USE|Device-side assertion tracking|$)/;

function explained(said: Said, error: CudaError | undefined): Clue | undefined {
  if (error === undefined) return undefined;
  const { log, at } = said;
  let last = at;
  for (let next = at + 1; next <= at + 7 && next < log.lines.length && advice.test(textAt(log, next)); next += 1) {
    if (textAt(log, next).trim() !== "") last = next;
  }
  const line = textAt(log, at);
  return clueOf(said, (knowledge) => error.explain(knowledge), { last, words: line.length < 300 ? line : said.text });
}

const hint = new RegExp([
  ...errors.map((one) => one.text), "cudaError[A-Z]", "CUDA_ERROR_", "hipError[A-Z]",
  "with CUDA capability sm_", "Found GPU\\d", "driver on your system", "compiled with CUDA enabled", "initialize NVML", "on a CUDA device but", "CUDA unknown error",
  "OutOfMemoryError", "DefaultCPUAllocator", "cuDNN version", "CUDNN_STATUS", "libcudnn_", "CUBLAS_STATUS", "NCCL (?:error|Error|failure)", "nccl[A-Z]",
  "[Cc]apability (?:>=|at least|of at least)", "(?:Ampere|Hopper) GPUs", "of compute capability \\d", "rocBLAS error",
].join("|"));

export const cudaRecogniser = recogniserOf(hint, [
  capabilityWarning, tooOldDriver, foundNoDriver, cpuOnly, unknownInitialization, allocated, cudnnVersion, cudnnStatus, cublasNotInitialized, ofError, ofName, nccl, nvml, refusedGpu, rocblas,
]);
