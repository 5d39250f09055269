import type { RecordedSymbols } from "../../catalogue/index.ts";
import type { BoundingSymbol, BuiltAgainst } from "../../model/index.ts";
import type { LibraryImage } from "../library.ts";
import { abiTwinCandidates, demangle, familyOf } from "../mangling/index.ts";

/** Of the symbols that bound the releases on one side so many are told; which of them says nothing more. */
const mostTold = 3;
/** Not libtorchaudio, libtorchcodec4, libtorch_npu: those are built against torch. */
const torchItself = /^lib(?:c10(?:_(?:cuda|hip|xpu))?|torch(?:_(?:cpu|cuda(?:_cpp|_cu|_linalg)?|hip|xpu|python|global_deps|nvshmem))?|shm|caffe2\w*)(?:[-.][0-9a-f]{8})?\.so(?:\.|$)/;
const isNewSpelling = /__cxx11|B5cxx11/;

interface Need {
  readonly symbol: string;
  readonly columns: ReadonlySet<number>;
}

/**
 * Releases of torch that have all that a file needs of it: one of them, or one between, it was built against. undefined when
 * nothing bounds them: it needs nothing of torch, or what every recorded release has. `beside` are the libraries that come
 * with the file. Builds with the newer std::string of releases whose recorded wheel has the older count as having its names.
 */
export function builtAgainst(image: LibraryImage, beside: readonly LibraryImage[], history: RecordedSymbols): BuiltAgainst | undefined {
  if (torchItself.test(image.soname ?? "")) return undefined;
  const needs: Need[] = [];
  let unrecorded = 0;
  let isStable = true;
  for (const { name, binding } of image.imports() ?? []) {
    const family = binding === "weak" ? undefined : familyOf(name);
    if ((family !== "torch" && family !== "torch-stable") || beside.some((one) => one.defines(name))) continue;
    isStable = isStable && family === "torch-stable";
    const columns = columnsOf(name, history);
    if (columns.size > 0) needs.push({ symbol: name, columns });
    // Of names of which nothing is recorded it is not known whether a release exports them.
    else if (history.isRecorded(name)) unrecorded++;
  }
  const all = history.releases.map((_, column) => column);
  const having = all.filter((column) => needs.every((one) => one.columns.has(column)));
  if (needs.length === 0 || having.length === all.length) return undefined;
  const first = having[0] ?? Math.max(...needs.map((one) => Math.min(...one.columns)));
  const last = having.at(-1) ?? Math.min(...needs.map((one) => Math.max(...one.columns)));
  const newest = all.length - 1;
  const told = (those: readonly Need[]): readonly BoundingSymbol[] => those.slice(0, mostTold).map(({ symbol }) => ({ symbol, demangled: demangle(symbol) ?? symbol }));
  const isBound = (one: Need, outside: number, edge: number): boolean => (having.length > 0 ? !one.columns.has(outside) : edge === outside);
  const lower = first === 0 ? [] : needs.filter((one) => isBound(one, first - 1, Math.min(...one.columns) - 1));
  const upper = last === newest ? [] : needs.filter((one) => isBound(one, last + 1, Math.max(...one.columns) + 1));
  return {
    releases: having.map((column) => history.releases[column] ?? ""),
    since: history.releases[first] ?? "",
    until: last === newest ? null : history.releases[last] ?? "",
    kind: isStable ? "stable-abi" : "unstable-abi",
    lower: told(lower), lowerCount: lower.length,
    upper: told(upper), upperCount: upper.length,
    symbols: needs.length,
    unrecorded,
    unrecordedReleases: history.missing.map((one) => one.version),
    source: history.source,
  };
}

function columnsOf(symbol: string, history: RecordedSymbols): ReadonlySet<number> {
  const releases = new Set(history.releasesExporting(symbol));
  const twins = isNewSpelling.test(symbol) ? abiTwinCandidates(symbol) : [];
  for (const release of twins.flatMap((one) => history.releasesExporting(one) ?? [])) {
    if (history.libstdcxxAbiOf(release) === 0) releases.add(release);
  }
  return new Set([...releases].map((one) => history.releases.indexOf(one)));
}
