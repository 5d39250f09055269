import * as path from "node:path";
import table from "../../../data/cuda-libraries.json" with { type: "json" };
import measured from "../../../data/nvidia-libraries.json" with { type: "json" };

interface Row {
  readonly stem: string;
  /** How the names of its functions begin. */
  readonly names?: readonly string[];
  /** The version in the soname by CUDA major. */
  readonly soname: Readonly<Record<string, string | undefined>>;
  readonly distribution: Readonly<Record<string, string | undefined>>;
}

const rows = new Map((table.libraries as readonly Row[]).map((row) => [row.stem, row]));
const driver = new Set(table.driver.libraries);

/** What a soname of CUDA says. */
export interface CudaLibrary {
  readonly stem: string;
  /** The version in its soname, "13"; undefined for a bare ".so". */
  readonly version: string | undefined;
  /** CUDA majors whose toolkit has it under this name. */
  readonly majors: readonly number[];
  readonly isDriver: boolean;
  /** A copy that a wheel carries under a name of its own: "libcudart-faf08d9a.so.13.0.96". */
  readonly isGrafted: boolean;
}

/**
 * Reads the name of a CUDA library; undefined when it is none of the table in data/. auditwheel grafts copies as
 * "libcudart-faf08d9a.so.13", torchvision's packaging script as "libcudart.faf08d9a.so.13".
 */
export function cudaLibrary(name: string): CudaLibrary | undefined {
  const match = /^(lib[A-Za-z_]+(?:-ml|-encode)?)([-.][0-9a-f]{8})?\.so(?:\.(\d+(?:\.\d+)*))?$/.exec(path.basename(name));
  const [, stem = "", hash, version] = match ?? [];
  const row = rows.get(stem);
  if (row === undefined) {
    return driver.has(stem) ? { stem, version, majors: [], isDriver: true, isGrafted: false } : undefined;
  }
  const majors = Object.entries(row.soname).filter(([, soname]) => version !== undefined && (soname === version || version.startsWith(`${soname}.`))).map(([major]) => Number(major));
  return { stem, version, majors, isDriver: false, isGrafted: hash !== undefined };
}

export function isCudaLibrary(name: string): boolean {
  return cudaLibrary(name) !== undefined;
}

/** libOpenCL is the loader of every vendor's OpenCL, and no part of CUDA. */
const toolkit = new Set([...rows.keys(), ...measured.libraries.map(({ soname }) => soname.split(".so", 1)[0] ?? "").filter((stem) => stem !== "libOpenCL")]);

/** Whether a library belongs to CUDA's toolkit, cuDNN, NCCL and their like, and bears its own name. */
export function isToolkitLibrary(name: string): boolean {
  return toolkit.has(/^(lib[\w-]+)\.so/.exec(name)?.[1] ?? "");
}

/** The distribution on PyPI that brings a library, for the CUDA of torch where the soname leaves it open. */
export function distributionOf(name: string, torchCudaMajor: number | undefined): string | undefined {
  const library = cudaLibrary(name);
  if (library === undefined) {
    return undefined;
  }
  if (library.isDriver) {
    return table.driver.brings;
  }
  const major = torchCudaMajor !== undefined && library.majors.includes(torchCudaMajor) ? torchCudaMajor : library.majors.at(-1);
  return major === undefined ? undefined : rows.get(library.stem)?.distribution[String(major)];
}

/** Beginnings of names with their libraries, the longest first. */
const homes = [...(table.libraries as readonly Row[]).flatMap((row) => (row.names ?? []).map((name) => [name, row.stem] as const)), ...Object.entries(table.driver.names).flatMap(([stem, names]) => names.map((name) => [name, stem] as const))]
  .sort((a, b) => b[0].length - a[0].length);

/** The library that a C function of CUDA belongs to, by its name: "libcublasLt" of cublasLtMatmul. */
export function homeOfCudaSymbol(name: string): string | undefined {
  return homes.find(([beginning]) => name.startsWith(beginning) && /^[A-Z_]/.test(name.slice(beginning.length)))?.[1];
}
