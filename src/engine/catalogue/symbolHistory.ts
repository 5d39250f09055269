import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { isRecordedSymbol } from "./recordedSymbols.ts";
import { releaseNumber } from "./releaseNumber.ts";
import { SortedNames } from "./sortedNames.ts";

/** A library of a recorded release: as much of it as the loading model asks for. */
export interface RecordedLibrary {
  /** "libtorch_cpu.so". */
  readonly name: string;
  readonly needed: readonly string[];
  /** undefined: names of this kind were not recorded. */
  exports(symbol: string): boolean | undefined;
  /** The recorded names that it exports, sorted. */
  exportedNames(): Iterable<string>;
}

/**
 * Which release of torch exports what: the dynamic symbol tables of the wheels that PyPI serves for Linux x86_64.
 * A release may be named with its label, "2.8.0+cu128"; the recorded wheel stands for all its builds.
 */
export interface RecordedSymbols {
  /** Public versions, oldest first. */
  readonly releases: readonly string[];
  readonly source: string;
  /** Whether the table would have a row for this name if any release exported it. */
  isRecorded(symbol: string): boolean;
  /**
   * Releases whose wheel exports the symbol, oldest first; [] when none does; undefined: not recorded. Releases below
   * 2.7 spell std::string in the old way: ask for the twin of a symbol to know of their builds in the other ABI.
   */
  releasesExporting(symbol: string): readonly string[] | undefined;
  /** "libc10.so"; [] when the release does not export it; undefined: symbol or release not recorded. */
  librariesOf(symbol: string, release: string): readonly string[] | undefined;
  /** The std::string ABI of the recorded wheel; other builds of the release may have the other. */
  libstdcxxAbiOf(release: string): 0 | 1 | undefined;
  /** Recorded names that begin so and that the release exports: _ZN3c104cuda9SetDeviceE finds every overload. */
  namesStartingWith(prefix: string, release: string): readonly string[];
  /**
   * [] when the release is not recorded. Of a build without CUDA ("2.8.0+cpu", by its label) those libraries that only
   * builds with CUDA have are left out; that its libtorch_cpu was built apart, and differs in little, is not recorded.
   */
  librariesOfRelease(release: string): readonly RecordedLibrary[];
}

interface Head {
  readonly source: string;
  readonly symbols: number;
  readonly classes: number;
  /** By bit of a class's mask. */
  readonly libraries: readonly string[];
  readonly releases: readonly ReleaseHead[];
}

interface ReleaseHead {
  readonly version: string;
  readonly libstdcxxAbi: 0 | 1;
  /** NEEDED by library. */
  readonly needed: Readonly<Record<string, readonly string[] | undefined>>;
}

/** In the bundles the table lies beside them. */
const places = [join(import.meta.dirname, "torch-symbols.br"), join(import.meta.dirname, "..", "..", "..", "data", "torch-symbols.br")];
const cudaOnly = /^lib(?:c10_cuda|torch_cuda|torch_nvshmem|cu|nv|nccl)/;

let table: RecordedSymbols | undefined;

/** Reads the file at the first question: most files that are looked at lack nothing, and nobody asks. */
const lazily: RecordedSymbols = {
  get releases() {
    return opened().releases;
  },
  get source() {
    return opened().source;
  },
  isRecorded: (symbol) => opened().isRecorded(symbol),
  releasesExporting: (symbol) => opened().releasesExporting(symbol),
  librariesOf: (symbol, release) => opened().librariesOf(symbol, release),
  libstdcxxAbiOf: (release) => opened().libstdcxxAbiOf(release),
  namesStartingWith: (prefix, release) => opened().namesStartingWith(prefix, release),
  librariesOfRelease: (release) => opened().librariesOfRelease(release),
};

/**
 * The table of torch's exports (data/torch-symbols.br, made by scripts/data/build-torch-symbols.ts, which describes it).
 * Where the file is missing or broken nothing is recorded, and `source` says so.
 */
export function loadSymbolHistory(): RecordedSymbols {
  return lazily;
}

function opened(): RecordedSymbols {
  table ??= read();
  return table;
}

function read(): RecordedSymbols {
  let cause: unknown;
  for (const place of places) {
    try {
      return new SymbolTable(brotliDecompressSync(readFileSync(place), { maxOutputLength: 64 << 20 }));
    } catch (error) {
      cause = error;
    }
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SymbolTable(Buffer.from(`${JSON.stringify({ source: `The table of torch's exports could not be read (${reason}).`, symbols: 0, classes: 0, libraries: [], releases: [] })}\n`));
}

/** The table as it lies in memory. */
class SymbolTable implements RecordedSymbols {
  readonly releases: readonly string[];
  readonly source: string;
  readonly #data: Buffer;
  readonly #head: Head;
  readonly #masks: number;
  readonly #ids: number;
  readonly #names: SortedNames;

  constructor(data: Buffer) {
    this.#data = data;
    const headEnd = data.indexOf(10);
    this.#head = JSON.parse(data.toString("utf8", 0, headEnd)) as Head;
    const { symbols, classes, releases, source } = this.#head;
    this.releases = releases.map((one) => one.version);
    this.source = source;
    this.#masks = headEnd + 1;
    this.#ids = this.#masks + classes * releases.length;
    this.#names = new SortedNames(data, this.#ids + 2 * symbols, symbols);
  }

  isRecorded(symbol: string): boolean {
    return this.releases.length > 0 && isRecordedSymbol(symbol);
  }

  releasesExporting(symbol: string): readonly string[] | undefined {
    if (!this.isRecorded(symbol)) return undefined;
    const index = this.#names.find(symbol);
    return index === undefined ? [] : this.releases.filter((_, release) => this.#mask(index, release) !== 0);
  }

  librariesOf(symbol: string, release: string): readonly string[] | undefined {
    const column = this.#column(release);
    if (column < 0 || !this.isRecorded(symbol)) return undefined;
    const index = this.#names.find(symbol);
    if (index === undefined) return [];
    return this.#head.libraries.filter((_, bit) => ((this.#mask(index, column) >> bit) & 1) === 1);
  }

  libstdcxxAbiOf(release: string): 0 | 1 | undefined {
    return this.#head.releases[this.#column(release)]?.libstdcxxAbi;
  }

  namesStartingWith(prefix: string, release: string): readonly string[] {
    const column = this.#column(release);
    const names: string[] = [];
    if (column < 0) return names;
    for (const [index, name] of this.#names.from(prefix)) {
      if (!name.startsWith(prefix)) break;
      if (this.#mask(index, column) !== 0) names.push(name);
    }
    return names;
  }

  librariesOfRelease(release: string): readonly RecordedLibrary[] {
    const column = this.#column(release);
    const head = this.#head.releases[column];
    if (head === undefined) return [];
    const withoutCuda = /\+(?:cpu|rocm|xpu)/.test(release);
    const kept = (name: string): boolean => !withoutCuda || !cudaOnly.test(name);
    return Object.entries(head.needed).filter(([name]) => kept(name)).map(([name, needed]) => {
      const bit = this.#head.libraries.indexOf(name);
      return {
        name,
        needed: (needed ?? []).filter(kept),
        exports: (symbol) => {
          if (!this.isRecorded(symbol)) return undefined;
          // Of libtorch_global_deps, libshm and _C only what they load is recorded: they export nothing of these names.
          const index = bit < 0 ? undefined : this.#names.find(symbol);
          return index !== undefined && ((this.#mask(index, column) >> bit) & 1) === 1;
        },
        exportedNames: () => this.#exportedNames(column, bit),
      };
    });
  }

  #column(release: string): number {
    return this.releases.indexOf(releaseNumber(release) ?? "");
  }

  *#exportedNames(column: number, bit: number): Iterable<string> {
    if (bit < 0) return;
    for (const [index, name] of this.#names.from("")) {
      if (((this.#mask(index, column) >> bit) & 1) === 1) yield name;
    }
  }

  #mask(index: number, release: number): number {
    const { symbols, releases } = this.#head;
    const id = (this.#data[this.#ids + index] ?? 0) | ((this.#data[this.#ids + symbols + index] ?? 0) << 8);
    return this.#data[this.#masks + id * releases.length + release] ?? 0;
  }
}
