/** The NVIDIA driver: absent, older than the CUDA runtime, in two halves, or not ready (driver_types.h, cudaError; CUDA Compatibility guide). */
import { valueOf } from "../../../../model/index.ts";
import { clueOf, textAt, verdict } from "../../reading.ts";
import type { Explanation, Knowledge } from "../../types.ts";
import type { Saying } from "../sayings.ts";
import { cudaOfNumber, majorOf, oldestDriver, torchOf } from "../torchBuilds.ts";

const seeDriver = "What the driver is, and whether there is one: nvidia-smi";
const containers = "In a container the driver is the host's, brought in by the NVIDIA Container Toolkit: start it with --gpus all (Docker) or --nv (Apptainer).";

/** The CUDA version of the environment's torch. */
function cudaOf({ environment }: Knowledge): string | null | undefined {
  return environment === undefined ? undefined : valueOf(environment.body.facts, "cuda-version");
}

/** 35: no driver at all, or one older than the runtime: the text is the same. */
export function insufficientDriver(knowledge: Knowledge): Explanation {
  const cuda = cudaOf(knowledge);
  const oldest = typeof cuda === "string" ? oldestDriver(cuda) : undefined;
  const other = knowledge.clues.find((one) => /(?:no NVIDIA driver on your system|driver on your system is too old|libcuda\.so\.1: cannot open)/.test(one.words));
  const isAbsent = other !== undefined && !/too old/.test(other.words);
  if (isAbsent) return noDriver(`Beside it the text says "${other.words}".`)();
  return verdict("driver-too-old", "likely", "There is no NVIDIA driver here, or it is older than the CUDA runtime that the program uses.", [
    "CUDA error 35 says the same in both cases: without any driver the runtime finds version 0.",
    typeof cuda === "string" ? `torch ${torchOf(knowledge) ?? ""} uses CUDA ${cuda}${oldest === undefined ? "" : `, which needs a driver of at least ${oldest} (Linux)`}.` : undefined,
    "Neither the C++ ABI nor the extension has to do with it.",
  ], {
    fixes: [
      "Where nvidia-smi finds no driver: install one, or give the container or job a GPU.",
      "Where it shows an older CUDA version than the program's: update the driver, or install a build of torch for a CUDA major version that the driver serves.",
    ],
    needs: [seeDriver],
  });
}

export function noDriver(seen: string): () => Explanation {
  return () => verdict("no-driver", "certain", "No NVIDIA driver is to be found where the program ran.", [
    seen,
    "torch and its extensions are not at fault: libcuda.so.1 comes with the driver, and with nothing that pip or conda install.",
  ], {
    fixes: [
      "Run it on a machine with an NVIDIA GPU and its driver (nvidia-smi must work there).",
      containers,
      "Without a GPU, use the CPU: device=\"cpu\", or a +cpu build of torch.",
    ],
  });
}

/** 100: a driver that has no GPU to offer. */
export function noDevice(knowledge: Knowledge): Explanation {
  return verdict("no-driver", "likely", "The NVIDIA driver shows no GPU to the program.", [
    "The driver is there and answers that no device is usable (error 100): CUDA_VISIBLE_DEVICES hides them all, the container or job has none, or the driver lost them.",
    cudaOf(knowledge) === undefined ? undefined : "The build of torch does not matter here.",
  ], { fixes: ["Check CUDA_VISIBLE_DEVICES, and what nvidia-smi lists in the same shell, container or job.", containers], needs: [seeDriver] });
}

/** 101: a number that no GPU has. */
export function noSuchDevice(): Explanation {
  return verdict("wrong-arguments", "certain", "The program asks for a GPU by a number that none has here.", ["GPUs are counted from 0 among those that CUDA_VISIBLE_DEVICES shows (error 101). Versions and ABI have nothing to do with it."], {
    fixes: ["Ask for fewer GPUs or processes than are visible: torch.cuda.device_count(), CUDA_VISIBLE_DEVICES, --nproc_per_node."],
  });
}

/** 803: libcuda and the kernel module are of two drivers. */
export function driverMismatch(): Explanation {
  return verdict("driver-mismatch", "certain", "Two halves of the NVIDIA driver differ: libcuda.so.1 and the kernel's module are of different versions.", [
    "CUDA (error 803) and NVML compare both. After an update of the driver the old module stays loaded until a restart; or an image brings a libcuda.so.1 of its own (cuda-compat, a driver package inside the container) that is found first.",
  ], {
    fixes: [
      "Restart the machine after the update of the driver (or unload and load its kernel modules).",
      "In a container: remove driver packages from the image, and take folders with another libcuda.so.1 (cuda/compat, stubs) out of LD_LIBRARY_PATH.",
    ],
  });
}

/** 804: cuda-compat on hardware that it does not serve. */
export function forwardCompatibility(): Explanation {
  return verdict("driver-mismatch", "certain", "A libcuda.so.1 for forward compatibility (cuda-compat) was found first, and this GPU or driver does not allow it.", [
    "CUDA error 804: forward compatibility serves data centre GPUs alone; on others, or with a driver that is newer than the package, it is refused.",
  ], {
    fixes: [
      "Take the folder of cuda-compat (/usr/local/cuda/compat) out of LD_LIBRARY_PATH and ld.so.conf of the image, or choose an image whose CUDA the host's driver serves.",
      "Or update the driver of the host.",
    ],
  });
}

/** 802: NVSwitch machines without their fabric manager. */
export function notReady(): Explanation {
  return verdict("gpu-not-ready", "certain", "The driver is there and the GPUs are not ready yet.", [
    "CUDA error 802: on machines with NVSwitch the fabric manager has to run, of the very version of the driver; or the GPUs are still starting.",
  ], { fixes: ["Start it: systemctl status nvidia-fabricmanager, and install the version of the driver.", "With MIG or confidential computing, see that an instance is ready (nvidia-smi)."] });
}

/** torch's own words on the driver (c10/cuda/CUDAFunctions.cpp, torch/cuda/__init__.py). */
export const tooOldDriver: Saying = {
  pattern: /The NVIDIA driver on your system is too old \(found version(?: (?<found>\d{4,6})\)|\s*$)/,
  read(said) {
    const number = said.match.groups?.["found"] ?? /^\s*(\d{4,6})\)/.exec(textAt(said.log, said.at + 1))?.[1];
    if (number === undefined) return undefined;
    const has = cudaOfNumber(Number(number));
    return clueOf(said, (knowledge) => {
      const cuda = cudaOf(knowledge);
      const oldest = typeof cuda === "string" ? oldestDriver(cuda) : undefined;
      const usable = knowledge.catalogue.torchReleases.findLast((one) => one.variants.some(({ cudaVersion }) => cudaVersion !== null && majorOf(cudaVersion) === majorOf(has)));
      return verdict("driver-too-old", "certain", `The NVIDIA driver knows CUDA up to ${has}, and torch is built with a newer one.`, [
        `"found version ${number}" is the newest CUDA that the driver serves: ${has}. It is no version of a driver.`,
        typeof cuda === "string" ? `torch ${torchOf(knowledge) ?? ""} uses CUDA ${cuda}.` : undefined,
        "Within a CUDA major version an older driver serves newer runtimes, so torch's CUDA is of a later major version.",
      ], {
        fixes: [
          oldest === undefined ? "Update the NVIDIA driver." : `Update the NVIDIA driver to ${oldest} or newer (Linux).`,
          usable === undefined ? `Or install a build of torch for CUDA ${majorOf(has)}.` : `Or install a build of torch for CUDA ${majorOf(has)}: torch ${usable.version} is the newest release known to have one.`,
        ],
      });
    }, { words: said.match[0] });
  },
};

export const foundNoDriver: Saying = {
  pattern: /Found no NVIDIA driver on your system\./,
  read: (said) => clueOf(said, noDriver('torch looked for the driver and says "Found no NVIDIA driver on your system".'), { words: said.match[0] }),
};

/** torch/cuda/__init__.py, `_lazy_init`. */
export const cpuOnly: Saying = {
  pattern: /Torch not compiled with CUDA enabled|Attempting to deserialize object on a CUDA device but torch\.cuda\.is_available\(\) is False/,
  read(said) {
    if (said.match[0].startsWith("Attempting")) {
      return clueOf(said, () => verdict("no-driver", "possible", "A file was saved with GPU tensors, and torch sees no GPU here.", ["Either this torch is a CPU build, or there is no driver or GPU."], {
        fixes: ['Load it for the CPU: torch.load(..., map_location="cpu").'],
        needs: ['python -c "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())"'],
      }), { words: said.match[0] });
    }
    return clueOf(said, (knowledge) => {
      const torch = torchOf(knowledge);
      const cuda = cudaOf(knowledge);
      const isOther = typeof cuda === "string";
      return verdict("torch-cpu-only", isOther ? "likely" : "certain", isOther ? `The torch that ran is a build without CUDA, not the torch ${torch ?? ""} of ${knowledge.environment?.body.name ?? "the environment"}.` : "The installed torch is a build without CUDA.", [
        "torch says so itself: it was compiled without CUDA, so neither the driver nor the GPU nor an extension is at fault.",
        cuda === null && torch !== undefined ? `${knowledge.environment?.body.name ?? "The environment"} has torch ${torch}, which has no CUDA.` : undefined,
        isOther ? `That one is built with CUDA ${cuda}: another Python or another environment ran.` : undefined,
        "pip takes the CPU build on Windows, macOS and from the cpu index, and installers replace a CUDA build when another package asks for a torch of another version.",
      ], {
        fixes: ["Install a CUDA build of the same version of torch, from the index of its CUDA version (https://download.pytorch.org/whl/cu…), together with torchvision and torchaudio.", "Or ask for the CPU: device=\"cpu\"."],
        needs: isOther ? ['Which torch ran: python -c "import torch; print(torch.__version__, torch.__file__)"'] : [],
      });
    }, { words: said.match[0] });
  },
};

/** nvidia-smi and NVML (nvml.h, nvmlErrorString). */
export const nvml: Saying = {
  pattern: /(?:Failed|failed|Unable|Can't) (?:to )?initialize NVML: (?<why>Driver\/library version mismatch|Driver [Nn]ot [Ll]oaded)/,
  read: (said) => clueOf(said, said.match.groups?.["why"]?.startsWith("Driver/") === true ? driverMismatch : noDriver("NVML says that the driver's kernel module is not loaded."), { words: said.match[0] }),
};

/** torch's catch-all when CUDA does not start (c10/cuda/CUDAFunctions.cpp). */
export const unknownInitialization: Saying = {
  pattern: /CUDA (?:initialization: CUDA )?unknown error - this may be due to an incorrectly set up environment/,
  read: (said) => clueOf(said, () => verdict("gpu-not-ready", "possible", "CUDA did not start, and the driver does not say why (error 999).", [
    "Often the module nvidia_uvm is not loaded (after suspend, or in a container started before it), CUDA_VISIBLE_DEVICES was changed after CUDA started, or a GPU has failed. Versions of torch and the C++ ABI have nothing to do with it.",
  ], { fixes: ["Load the module (nvidia-modprobe -u), or restart the machine or container.", "Set CUDA_VISIBLE_DEVICES before Python starts."], needs: ["nvidia-smi, and the kernel's log (dmesg | grep -i nvrm)"] }), { words: said.match[0] }),
};
