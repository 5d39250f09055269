import { localLabel, publicVersion } from "../../engine/model/index.ts";
import type { LibtorchCandidate, LibtorchWanted } from "./types.ts";

/** How a libtorch differs from what is wanted, with both sides; undefined when it does not. */
export function mismatch(found: Omit<LibtorchCandidate, "remarks" | "because">, wanted: LibtorchWanted): string | undefined {
  const reasons = [versionMismatch(found.version, wanted.version), variantMismatch(found, wanted.variant), abiMismatch(found.abi, wanted.abi), linkageMismatch(found.linkage, wanted.linkage)];
  const said = reasons.filter((one) => one !== undefined);
  return said.length === 0 ? undefined : said.join(" ");
}

function versionMismatch(found: string | undefined, wanted: string | undefined): string | undefined {
  if (wanted === undefined) {
    return undefined;
  }
  if (found === undefined) {
    return `Its version is not known; ${wanted} is wanted.`;
  }
  return isVersion(found, wanted) ? undefined : `It is torch ${found}; ${wanted} is wanted.`;
}

/** "2.13.0+cpu" is "2.13.0+cpu", "2.13.0" and "2.13". */
export function isVersion(found: string, wanted: string): boolean {
  const [label, wantedLabel] = [localLabel(found), localLabel(wanted)];
  if (wantedLabel !== undefined && label !== undefined && label !== wantedLabel) {
    return false;
  }
  const [full, start] = [publicVersion(found) ?? found, publicVersion(wanted) ?? wanted];
  return full === start || (full.startsWith(`${start}.`) && /^\d+(?:\.\d+)*$/.test(full));
}

function variantMismatch(found: Pick<LibtorchCandidate, "version" | "cuda">, wanted: string | undefined): string | undefined {
  if (wanted === undefined) {
    return undefined;
  }
  const is = variantOf(found);
  if (is === undefined) {
    return `Which variant it is, is not known; ${wanted} is wanted.`;
  }
  return is === wanted ? undefined : `It is the variant ${is}; ${wanted} is wanted.`;
}

/** "cpu", "cu130", or the label of its version; undefined when its CUDA is not known. */
export function variantOf(found: Pick<LibtorchCandidate, "version" | "cuda">): string | undefined {
  const label = found.version === undefined ? undefined : localLabel(found.version);
  if (label !== undefined && /^(?:cpu|cu\d+|rocm[\d.]+|xpu)$/.test(label)) {
    return label;
  }
  return found.cuda === undefined ? undefined : found.cuda === null ? "cpu" : `cu${found.cuda.replace(".", "")}`;
}

function abiMismatch(found: 0 | 1 | undefined, wanted: 0 | 1 | undefined): string | undefined {
  if (wanted === undefined || found === wanted) {
    return undefined;
  }
  // Only libstdc++ has two.
  return found === undefined ? `Its _GLIBCXX_USE_CXX11_ABI is not known; ${wanted} is wanted.` : `Its libraries are built with _GLIBCXX_USE_CXX11_ABI=${found}; ${wanted} is wanted.`;
}

function linkageMismatch(found: LibtorchCandidate["linkage"], wanted: LibtorchCandidate["linkage"]): string | undefined {
  return wanted === undefined || found === wanted ? undefined : `Its libraries are ${found ?? "of unknown linkage"}; ${wanted} ones are wanted.`;
}
