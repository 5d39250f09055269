/** The three spellings of GPU architectures: nvcc flags, TORCH_CUDA_ARCH_LIST and CMAKE_CUDA_ARCHITECTURES. */
import type { CudaArchitecture } from "../../model/index.ts";
import type { Flag } from "./parse.ts";

/**
 * Code asked for by one nvcc flag; undefined for `native`, `all` and what could not be evaluated.
 * Spellings: CUDA Compiler Driver NVCC, "Options for Steering GPU Code Generation".
 */
export function architecturesOfFlag(flag: Flag): readonly CudaArchitecture[] | undefined {
  const value = flag.value;
  if (value === undefined || !flag.known) return undefined;
  if (flag.name === "-gencode" || flag.name === "--generate-code") {
    const codes = /code=\[?["']?([^\]"']+)/.exec(value)?.[1] ?? /arch=([^,]+)/.exec(value)?.[1];
    if (codes === undefined) return undefined;
    return merge(codes.split(",").map(oneCode));
  }
  // -arch=sm_80 is short for -gencode arch=compute_80,code=[sm_80,compute_80].
  const one = oneCode(value.trim());
  if (one === undefined) return undefined;
  return [flag.name === "-arch" || flag.name === "--gpu-architecture" ? { ...one, ptx: true } : one];
}

function oneCode(text: string): CudaArchitecture | undefined {
  const parts = /^\s*(sm|compute|lto)_(\d{2,3})([af]?)\s*$/.exec(text);
  if (parts === null) return undefined;
  const ptx = parts[1] === "compute";
  return { sm: Number(parts[2]), suffix: suffixOf(parts[3]), real: !ptx, ptx };
}

function suffixOf(text: string | undefined): "" | "a" | "f" {
  return text === "a" || text === "f" ? text : "";
}

/** One entry per architecture and suffix; undefined when any part was not understood. */
function merge(codes: readonly (CudaArchitecture | undefined)[]): readonly CudaArchitecture[] | undefined {
  const all: CudaArchitecture[] = [];
  for (const code of codes) {
    if (code === undefined) return undefined;
    const at = all.findIndex((one) => one.sm === code.sm && one.suffix === code.suffix);
    const known = all[at];
    if (known === undefined) all.push(code);
    else all[at] = { ...known, real: known.real || code.real, ptx: known.ptx || code.ptx };
  }
  return all;
}

/** Names that torch accepts in TORCH_CUDA_ARCH_LIST (torch/utils/cpp_extension.py, `named_arches`). */
const namedArchitectures: Readonly<Record<string, string>> = {
  "Kepler+Tesla": "3.7",
  Kepler: "3.5+PTX",
  Maxwell: "5.0;5.2+PTX",
  "Maxwell+Tegra": "5.3",
  Pascal: "6.0;6.1+PTX",
  "Pascal+Tegra": "6.2",
  Volta: "7.0+PTX",
  "Volta+Tegra": "7.2",
  Turing: "7.5+PTX",
  Ampere: "8.0;8.6+PTX",
  "Ampere+Tegra": "8.7",
  Ada: "8.9+PTX",
  Hopper: "9.0+PTX",
  Blackwell: "10.0;10.3;12.0;12.1+PTX",
  "Blackwell+Tegra": "11.0",
};

/** "8.0;9.0a;12.0+PTX" as torch reads it; undefined when an item is not understood ("Common", "All"). */
export function parseTorchArchitectureList(text: string): readonly CudaArchitecture[] | undefined {
  const codes: (CudaArchitecture | undefined)[] = [];
  for (const item of text.trim().split(/[;\s]+/)) {
    if (item === "") continue;
    const expanded = namedArchitectures[item]?.split(";") ?? [item];
    for (const one of expanded) {
      const parts = /^(\d{1,2})\.(\d)([af]?)(\+PTX)?$/.exec(one);
      codes.push(parts === null ? undefined : { sm: Number(parts[1]) * 10 + Number(parts[2]), suffix: suffixOf(parts[3]), real: true, ptx: parts[4] !== undefined });
    }
  }
  return merge(codes);
}

/** "80;90a-real;120-virtual" as CMake reads it; undefined for native, all, all-major, OFF and the unknown. */
export function parseCMakeArchitectureList(text: string): readonly CudaArchitecture[] | undefined {
  const codes: (CudaArchitecture | undefined)[] = [];
  for (const item of text.trim().split(/[;\s]+/)) {
    if (item === "") continue;
    const parts = /^(\d{2,3})([af]?)(?:-(real|virtual))?$/.exec(item);
    codes.push(parts === null ? undefined : { sm: Number(parts[1]), suffix: suffixOf(parts[2]), real: parts[3] !== "virtual", ptx: parts[3] !== "real" });
  }
  return merge(codes);
}

/** "8.6", "9.0a". */
export function capabilityName(architecture: CudaArchitecture): string {
  return `${Math.floor(architecture.sm / 10)}.${architecture.sm % 10}${architecture.suffix}`;
}
