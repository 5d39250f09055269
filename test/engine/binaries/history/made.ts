/** A record of torch's exports that a test makes up, packed and opened like the real one. */
import { packTable } from "../../../../scripts/data/torchSymbolsTable.ts";
import { symbolHistoryOf } from "../../../../src/engine/catalogue/symbolHistory.ts";
import type { RecordedSymbols } from "../../../../src/engine/catalogue/index.ts";

export interface MadeHistory {
  /** "2.1.0 2.2.0" by symbol; all in libc10.so, or in the library after a slash: "_ZN..../libtorch_cpu.so". */
  readonly exports: Readonly<Record<string, string>>;
  readonly releases?: string;
  readonly missing?: readonly string[];
  readonly preview?: string;
  /** The releases from this one on have the newer std::string. */
  readonly newStrings?: string;
}

const libraries = ["libc10.so", "libtorch_cpu.so"];

export function made({ exports, releases = "2.1.0 2.2.0 2.3.0 2.4.0 2.5.0", missing = [], preview, newStrings }: MadeHistory): RecordedSymbols {
  const official = releases.split(" ");
  const all = [...official, ...(preview === undefined ? [] : [preview])];
  const newFrom = newStrings === undefined ? all.length : all.indexOf(newStrings);
  const masks = new Map<string, Uint8Array>();
  for (const [place, those] of Object.entries(exports)) {
    const [name = "", library = "libc10.so"] = place.split("/");
    const row = masks.get(name) ?? new Uint8Array(all.length);
    for (const release of those.split(" ")) row[all.indexOf(release)] = (row[all.indexOf(release)] ?? 0) | (1 << libraries.indexOf(library));
    masks.set(name, row);
  }
  return symbolHistoryOf(packTable({
    source: "a test", libraries, masks,
    releases: all.map((version, at) => ({ version, libstdcxxAbi: at >= newFrom ? 1 : 0, needed: { "libc10.so": ["libc.so.6"] }, ...(version === preview ? { isPreview: true as const } : {}) })),
    missing: missing.map((version) => ({ version, why: "Its wheel was not read." })),
  }));
}
