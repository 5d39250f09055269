import type { CudaArchitecture, CudaContent } from "../../model/index.ts";
import type { ElfFile } from "../elf/index.ts";
import type { Fatbin, FatbinEntry, ReadRange } from "./fatbin.ts";
import { findFatbins } from "./locate.ts";
import { toolkitOf } from "./toolkit.ts";
import type { ToolkitWitness } from "./toolkit.ts";

/** The cubin that nvcc's device link leaves where there is nothing to link has 1,456 to 1,728 bytes (toolkits 12.8 to 13.0), an empty kernel 2,856. */
const largestStub = 1900;

export interface DeviceCode {
  readonly content: CudaContent;
  readonly toolkit: ToolkitWitness | undefined;
  /** File ranges that hold device code. */
  readonly ranges: readonly { readonly offset: number; readonly end: number }[];
}

/** The CUDA device code of a file, by the headers of its fat binaries; undefined when it has none. */
export function readDeviceCode(elf: ElfFile, read: ReadRange): DeviceCode | undefined {
  const { fatbins, relocatable, notRead } = findFatbins(elf, read);
  const units = fatbins.filter((one) => one.entries.length > 0 && !isLinkStub(one));
  if (units.length === 0 && notRead === undefined) {
    return undefined;
  }
  const toolkit = toolkitOf([...fatbins, ...relocatable], read);
  return {
    content: {
      architectures: merge(units.flatMap((one) => one.entries)),
      fatbins: units.length,
      compressed: units.some((one) => one.entries.some((entry) => entry.compression !== "none")),
      toolkit: toolkit?.version,
      notEverywhere: partial(units),
      ...(notRead === undefined ? {} : { notRead }),
    },
    toolkit,
    ranges: [...fatbins, ...relocatable].map(({ offset, end }) => ({ offset, end })),
  };
}

/** nvcc links device code even where no translation unit asks for it; what comes out holds no kernel. */
function isLinkStub(fatbin: Fatbin): boolean {
  return fatbin.entries.every((one) => one.kind === "cubin" && one.fullSize <= largestStub);
}

function merge(entries: readonly FatbinEntry[]): readonly CudaArchitecture[] {
  const found = new Map<string, CudaArchitecture>();
  for (const one of entries) {
    const known = found.get(`${one.sm}${one.suffix}`);
    found.set(`${one.sm}${one.suffix}`, {
      sm: one.sm,
      suffix: one.suffix,
      real: one.kind === "cubin" || known?.real === true,
      ptx: one.kind === "ptx" || known?.ptx === true,
    });
  }
  return [...found.values()].sort((a, b) => a.sm - b.sm || (a.suffix < b.suffix ? -1 : 1));
}

/** The forms (cubin or PTX of an architecture) that some translation unit has and another lacks. */
function partial(units: readonly Fatbin[]): readonly CudaArchitecture[] {
  const counts = new Map<string, { readonly entry: FatbinEntry; count: number }>();
  for (const unit of units) {
    const own = new Map(unit.entries.map((one) => [`${one.kind} ${one.sm}${one.suffix}`, one]));
    for (const [key, entry] of own) {
      const known = counts.get(key);
      if (known === undefined) {
        counts.set(key, { entry, count: 1 });
      } else {
        known.count += 1;
      }
    }
  }
  return merge([...counts.values()].filter((one) => one.count < units.length).map((one) => one.entry));
}
