import { loadCatalogue } from "../../catalogue/index.ts";
import { compareVersions } from "../../model/index.ts";
import { cubinsOf, openCubin } from "./cubin.ts";
import type { Fatbin, FatbinEntry, ReadRange } from "./fatbin.ts";

/** Cubins that are asked; several, since parts of a library may come from another toolkit. */
const maximumAsked = 16;

export interface ToolkitWitness {
  /** "13.0"; "12" when several releases of one major write the same PTX. */
  readonly version: string;
  readonly what: string;
}

/**
 * The toolkit that made the device code. A cubin names its compiler in .note.nv.tkinfo (seen from toolkit
 * 12.8 on, not with 12.6); PTX has the version that its toolkit writes.
 */
export function toolkitOf(fatbins: readonly Fatbin[], read: ReadRange): ToolkitWitness | undefined {
  return mostFrequent(noted(fatbins, read)) ?? byPtx(fatbins.flatMap((one) => one.entries));
}

function noted(fatbins: readonly Fatbin[], read: ReadRange): readonly ToolkitWitness[] {
  return cubinsOf(fatbins).slice(0, maximumAsked).flatMap((cubin) => {
    const text = noteOf(cubin, read);
    const found = text === undefined ? null : /Cuda compilation tools, release (\d+\.\d+)/.exec(text);
    return found?.[1] === undefined ? [] : [{ version: found[1], what: `"${found[0]}" in .note.nv.tkinfo of the cubin for sm_${cubin.sm}${cubin.suffix}` }];
  });
}

function noteOf(cubin: FatbinEntry, read: ReadRange): string | undefined {
  const elf = openCubin(cubin, read);
  const section = elf?.section(".note.nv.tkinfo");
  const bytes = section === undefined ? undefined : elf?.bytes(section.offset, section.size);
  return bytes === undefined ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function mostFrequent(witnesses: readonly ToolkitWitness[]): ToolkitWitness | undefined {
  const count = (version: string): number => witnesses.filter((one) => one.version === version).length;
  return witnesses.reduce<ToolkitWitness | undefined>((best, one) => (best === undefined || count(one.version) > count(best.version) ? one : best), undefined);
}

function byPtx(entries: readonly FatbinEntry[]): ToolkitWitness | undefined {
  const versions = entries.filter((one) => one.kind === "ptx").map((one) => one.version).sort(compareVersions);
  // Code that a library brings as PTX of its own is older than what its build wrote.
  const newest = versions.at(-1);
  const releases = newest === undefined ? [] : loadCatalogue().cudaToolkits.filter((one) => one.ptx === newest).map((one) => one.version);
  const [first] = releases;
  if (newest === undefined || first === undefined) {
    return undefined;
  }
  const version = releases.length === 1 ? first : commonMajor(releases);
  return version === undefined ? undefined : { version, what: `PTX of version ${newest}, which CUDA ${releases.join(" and ")} ${releases.length === 1 ? "writes" : "write"}` };
}

function commonMajor(releases: readonly string[]): string | undefined {
  const majors = new Set(releases.map((one) => one.split(".", 1)[0]));
  return majors.size === 1 ? [...majors][0] : undefined;
}
