import table from "../../../../data/cuda-libraries.json" with { type: "json" };
import type { BinaryProfile, Evidence, VersionNeed } from "../../model/index.ts";

type CudaRuntime = NonNullable<BinaryProfile["cudaRuntime"]>;

/** What the question of the CUDA runtime depends on. */
export interface RuntimeClues {
  readonly path: string;
  readonly soname: string | undefined;
  readonly needed: readonly string[];
  readonly versionNeeds: readonly VersionNeed[];
  /** Whether the dynamic table defines __cudaRegisterFatBinary. */
  readonly definesRegistration: boolean;
  /** A text of the runtime's own among the constants. */
  readonly holdsRuntimeText: boolean;
  /** By the device code, where it tells: "13.0". */
  readonly toolkit: string | undefined;
}

/** "libcudart.so.13", "libcudart-faf08d9a.so.13.0.96" (auditwheel), "libcudart.faf08d9a.so.13" (torchvision's packaging). */
const runtimeName = /^libcudart(?:[-.][0-9a-f]{8})?\.so\.(\d+)/;
const sonames = new Map(table.libraries.map((row) => [row.stem, Object.entries(row.soname)]));

/** How the CUDA runtime comes into the process, and of which major version. */
export function cudaRuntimeOf(clues: RuntimeClues): CudaRuntime | undefined {
  if (/^libcudart(?:[-.]|$)/.test(clues.soname ?? "")) {
    return undefined;
  }
  const shared = clues.needed.find((one) => runtimeName.test(one));
  if (shared !== undefined) {
    return { linked: "shared", major: majorOf(runtimeName, shared), library: shared, evidence: seen(clues, `NEEDED ${shared}`) };
  }
  // A symbol version keeps its name where a packager renamed the library.
  const version = clues.versionNeeds.flatMap((one) => one.versions.map((name) => ({ name, library: one.library }))).find((one) => runtimeName.test(one.name));
  if (version !== undefined) {
    return { linked: "shared", major: majorOf(runtimeName, version.name), library: version.library, evidence: seen(clues, `needs the symbol version ${version.name} of ${version.library}`) };
  }
  if (clues.definesRegistration || clues.holdsRuntimeText) {
    const what = clues.definesRegistration ? "defines __cudaRegisterFatBinary" : 'holds the runtime\'s message "CUDA driver version is insufficient for CUDA runtime version" and needs no libcudart';
    const major = clues.toolkit === undefined ? clues.needed.map(toolkitMajor).find((one) => one !== undefined) : Number.parseInt(clues.toolkit, 10);
    return { linked: "static", major, library: undefined, evidence: seen(clues, what) };
  }
  const driver = clues.needed.find((one) => /^libcuda\.so(?:\.\d+)?$/.test(one));
  return driver === undefined ? undefined : { linked: "driver-only", major: undefined, library: driver, evidence: seen(clues, `NEEDED ${driver} and no CUDA runtime`) };
}

/** The CUDA major of a library of the toolkit; undefined where several have it under that soname: cuDNN and NCCL count on their own. */
function toolkitMajor(name: string): number | undefined {
  const [, stem = "", version = ""] = /^(lib[A-Za-z]+)(?:[-.][0-9a-f]{8})?\.so\.(\d+(?:\.\d+)*)$/.exec(name) ?? [];
  const majors = (sonames.get(stem) ?? []).filter(([, soname]) => version === soname || version.startsWith(`${soname}.`)).map(([major]) => Number(major));
  return majors.length === 1 ? majors[0] : undefined;
}

function majorOf(pattern: RegExp, name: string | undefined): number | undefined {
  const major = name === undefined ? undefined : pattern.exec(name)?.[1];
  return major === undefined ? undefined : Number(major);
}

function seen(clues: RuntimeClues, what: string): Evidence {
  return { kind: "file", path: clues.path, what };
}
