import { loadCatalogue } from "../../catalogue/index.ts";
import type { Fatbin, FatbinEntry, ReadRange } from "./fatbin.ts";

/** Cubins above this are not searched for the note; the smallest ones say the same. */
const maximumCubin = 256 * 1024;
const maximumCubins = 16;

export interface ToolkitWitness {
  /** "13.0"; "12" when several releases of one major write the same PTX. */
  readonly version: string;
  readonly what: string;
}

/**
 * The toolkit that made the device code. A cubin that is stored plainly names its compiler in .note.nv.tkinfo
 * (from toolkit 12.8 on); PTX has the version that its toolkit writes.
 */
export function toolkitOf(fatbins: readonly Fatbin[], read: ReadRange): ToolkitWitness | undefined {
  return mostFrequent(noted(fatbins, read)) ?? byPtx(fatbins.flatMap((one) => one.entries));
}

function noted(fatbins: readonly Fatbin[], read: ReadRange): readonly ToolkitWitness[] {
  const cubins = fatbins.flatMap((one) => one.entries).filter((one) => one.kind === "cubin" && one.compression === "none" && one.size <= maximumCubin).sort((a, b) => a.size - b.size);
  return cubins.slice(0, maximumCubins).flatMap((cubin) => {
    const bytes = read(cubin.offset, cubin.size);
    const text = bytes === undefined ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    const found = /Cuda compilation tools, release (\d+\.\d+)/.exec(text);
    return found?.[1] === undefined ? [] : [{ version: found[1], what: `"${found[0]}" in .note.nv.tkinfo of the cubin for sm_${cubin.sm}${cubin.suffix}` }];
  });
}

function mostFrequent(witnesses: readonly ToolkitWitness[]): ToolkitWitness | undefined {
  const count = (version: string): number => witnesses.filter((one) => one.version === version).length;
  return witnesses.reduce<ToolkitWitness | undefined>((best, one) => (best === undefined || count(one.version) > count(best.version) ? one : best), undefined);
}

function byPtx(entries: readonly FatbinEntry[]): ToolkitWitness | undefined {
  const versions = entries.filter((one) => one.kind === "ptx").map((one) => one.version).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
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
