/** CUDA errors that tell of a fault of a program, of memory or of a machine, not of versions. */
import { clueOf, verdict } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import type { Saying } from "../sayings.ts";

const byItself = "Versions, ABI and build are not what this error tells of.";

export function memoryFault(what: string): () => Explanation {
  return () => verdict("gpu-fault", "likely", `A kernel failed on the GPU: ${what}.`, [
    `${byItself} A kernel read or wrote where it must not, mostly by an index, a stride or a pointer that is wrong; the line of Python that is shown is often a later one.`,
    "Only if it began when torch changed and the extension was not rebuilt is skew worth a look: a tensor's layout read by old code gives wrong pointers.",
  ], { fixes: ["Check shapes, dtypes and contiguity of what the kernel is given."], needs: ["Which kernel: CUDA_LAUNCH_BLOCKING=1 gives the true line, compute-sanitizer the access"] });
}

export function assertion(): Explanation {
  return verdict("gpu-fault", "certain", "An assertion in a kernel failed, as it does for an index out of range.", [
    `${byItself} The assertion itself stands some lines before ("Assertion \`...\` failed").`,
  ], { fixes: ["Look for labels or indices outside their range; run it with CUDA_LAUNCH_BLOCKING=1, or on the CPU for a plain message."] });
}

export function outOfMemory(): Explanation {
  return verdict("out-of-memory", "certain", "The GPU's memory did not suffice.", [byItself], {
    fixes: ["Take smaller batches or inputs, free what is held, and see who else uses the GPU (nvidia-smi)."],
  });
}

export function invalidImage(): Explanation {
  return verdict("no-kernel-image", "likely", "GPU code was given to the driver in a form that it cannot use on this GPU.", [
    "Error 200 (device kernel image is invalid): the code is for another architecture, or damaged, or made by a newer toolkit than the driver reads. Kernels that are compiled at run time for a newer GPU than their compiler knows end so too.",
  ], {
    fixes: ["Rebuild the extension for the GPU's architecture; clear caches of compiled kernels (~/.triton/cache, ~/.nv/ComputeCache, torch_extensions) after a change of GPU, driver or toolkit."],
    needs: ["The architectures in the extension's file: abiding inspect FILE"],
  });
}

export function symbolNotFound(): Explanation {
  return verdict("no-kernel-image", "possible", "A kernel or device variable was not found in the GPU code that was loaded.", [
    "Error 500 (named symbol not found): the code for this GPU lacks it, as when a cache holds a kernel under another name, or a file was built for other architectures.",
  ], { fixes: ["Clear caches of compiled kernels and rebuild the extension for the GPU's architecture."], needs: ["The architectures in the extension's file: abiding inspect FILE"] });
}

/** 46: exclusive mode. */
export function busy(): Explanation {
  return verdict("gpu-not-ready", "likely", "All GPUs are in use by others or unavailable.", [`${byItself} In exclusive mode a second process is refused (error 46).`], { needs: ["Who holds the GPU, and in which compute mode it is: nvidia-smi"] });
}

/** cublas before anything else: mostly no memory left. */
export const cublasNotInitialized: Saying = {
  pattern: /CUDA error: CUBLAS_STATUS_(?<status>NOT_INITIALIZED|ALLOC_FAILED|ARCH_MISMATCH|NOT_SUPPORTED|INTERNAL_ERROR|EXECUTION_FAILED|INVALID_VALUE)/,
  read(said) {
    const status = said.match.groups?.["status"] ?? "";
    return clueOf(said, (knowledge) => cublas(status, knowledge));
  },
};

function cublas(status: string, { clues }: Knowledge): Explanation {
  if (status === "ARCH_MISMATCH") {
    return verdict("no-kernel-image", "likely", "cuBLAS has no code for this GPU.", ["CUBLAS_STATUS_ARCH_MISMATCH: the operation does not exist for the GPU's architecture, or this cuBLAS is older than the GPU."], { needs: ['python -c "import torch; print(torch.version.cuda, torch.cuda.get_device_capability())"'] });
  }
  const isOutOfMemory = status === "ALLOC_FAILED" || clues.some((one) => /out of memory/.test(one.words));
  return verdict(isOutOfMemory ? "out-of-memory" : "gpu-fault", isOutOfMemory ? "likely" : "possible", isOutOfMemory ? "cuBLAS found no memory left on the GPU." : "cuBLAS could not work.", [
    `CUBLAS_STATUS_${status} by itself does not tell of versions: most often the GPU's memory is full when cuBLAS starts, or an earlier kernel failed and this is only the first call that noticed.`,
  ], {
    fixes: ["Run it with CUDA_LAUNCH_BLOCKING=1, and with a smaller batch."],
    needs: ["Whether another libcublas is found before torch's: LD_LIBRARY_PATH, and ldd on torch/lib/libtorch_cuda.so"],
  });
}

/** A process that was killed or crashed for memory on the host. */
export const allocated: Saying = {
  pattern: /(?:CUDA|HIP) out of memory\. (?:Tried to allocate|Allocation was)|torch\.(?:cuda\.)?OutOfMemoryError: |DefaultCPUAllocator: (?:can't allocate memory|not enough memory)/,
  read(said) {
    if (said.match[0].startsWith("Default")) {
      return clueOf(said, () => verdict("out-of-memory", "certain", "The machine's memory did not suffice.", [byItself], { fixes: ["Take smaller inputs, or a machine or container with more memory."] }));
    }
    return clueOf(said, outOfMemory);
  },
};
