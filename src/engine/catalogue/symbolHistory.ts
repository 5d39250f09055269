import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecordedSymbol } from "./recordedSymbols.ts";
import { releaseNumber } from "./releaseNumber.ts";
import { openParts, sectionOf } from "./symbolTable.ts";
import type { Head, Section, TableParts } from "./symbolTable.ts";

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
  /** Official releases, and builds between them that an index should offer, of which nothing is recorded: never take what they export as absent. */
  readonly missing: readonly UnrecordedRelease[];
  /** Nightlies and release candidates, recorded beside the releases: `releasesExporting` leaves them out. */
  readonly previews: readonly string[];
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
  /** Every recorded name that begins so, sorted, whichever release exports it. */
  namesFrom(prefix: string): Iterable<string>;
  /**
   * [] when the release is not recorded. Of a build without CUDA ("2.8.0+cpu", by its label) those libraries that only
   * builds with CUDA have are left out; that its libtorch_cpu was built apart, and differs in little, is not recorded.
   */
  librariesOfRelease(release: string): readonly RecordedLibrary[];
}

interface UnrecordedRelease {
  /** "1.7.0", or "nightly". */
  readonly version: string;
  /** A sentence. */
  readonly why: string;
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
  get missing() {
    return opened().missing;
  },
  get previews() {
    return opened().previews;
  },
  get source() {
    return opened().source;
  },
  isRecorded: (symbol) => opened().isRecorded(symbol),
  releasesExporting: (symbol) => opened().releasesExporting(symbol),
  librariesOf: (symbol, release) => opened().librariesOf(symbol, release),
  libstdcxxAbiOf: (release) => opened().libstdcxxAbiOf(release),
  namesStartingWith: (prefix, release) => opened().namesStartingWith(prefix, release),
  namesFrom: (prefix) => opened().namesFrom(prefix),
  librariesOfRelease: (release) => opened().librariesOfRelease(release),
};

/**
 * The table of torch's exports (data/torch-symbols.br, made by scripts/data/torch-symbols.ts, described in symbolTable.ts).
 * Where the file is missing or broken nothing is recorded, and `source` says so.
 */
export function loadSymbolHistory(): RecordedSymbols {
  return lazily;
}

function opened(): RecordedSymbols {
  table ??= read();
  return table;
}

/** A table as scripts/data/torch-symbols.ts makes it. Throws where it is none. */
export function symbolHistoryOf(file: Buffer): RecordedSymbols {
  return new SymbolTable(openParts(file));
}

function read(): RecordedSymbols {
  let cause: unknown;
  for (const place of places) {
    try {
      return symbolHistoryOf(readFileSync(place));
    } catch (error) {
      cause = error;
    }
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  const head = { source: `The table of torch's exports could not be read (${reason}).`, classes: 0, libraries: [], releases: [], missing: [] };
  return new SymbolTable({ head, masks: Buffer.alloc(0), sections: [] });
}

/** The table as it lies in memory. */
class SymbolTable implements RecordedSymbols {
  readonly releases: readonly string[];
  readonly missing: readonly UnrecordedRelease[];
  readonly previews: readonly string[];
  readonly source: string;
  readonly #head: Head;
  readonly #masks: Buffer;
  readonly #sections: readonly Section[];
  readonly #leftOut: readonly RegExp[];

  constructor({ head, masks, sections }: TableParts) {
    this.#head = head;
    this.#masks = masks;
    this.#sections = sections;
    this.#leftOut = (head.leftOut ?? []).map((one) => new RegExp(one));
    this.releases = head.releases.filter((one) => one.isPreview !== true).map((one) => one.version);
    this.previews = head.releases.filter((one) => one.isPreview === true).map((one) => one.version);
    this.missing = head.missing;
    this.source = head.source;
  }

  isRecorded(symbol: string): boolean {
    return this.releases.length > 0 && isRecordedSymbol(symbol) && !this.#leftOut.some((one) => one.test(symbol));
  }

  releasesExporting(symbol: string): readonly string[] | undefined {
    if (!this.isRecorded(symbol)) return undefined;
    const found = this.#find(symbol);
    return found === undefined ? [] : this.releases.filter((_, release) => this.#mask(found, release) !== 0);
  }

  librariesOf(symbol: string, release: string): readonly string[] | undefined {
    const column = this.#column(release);
    if (column < 0 || !this.isRecorded(symbol)) return undefined;
    const found = this.#find(symbol);
    if (found === undefined) return [];
    return this.#head.libraries.filter((_, bit) => ((this.#mask(found, column) >> bit) & 1) === 1);
  }

  libstdcxxAbiOf(release: string): 0 | 1 | undefined {
    return this.#head.releases[this.#column(release)]?.libstdcxxAbi;
  }

  namesStartingWith(prefix: string, release: string): readonly string[] {
    const column = this.#column(release);
    return column < 0 ? [] : [...this.#from(prefix)].filter((one) => this.#mask(one.class, column) !== 0).map((one) => one.name);
  }

  *namesFrom(prefix: string): Iterable<string> {
    for (const { name } of this.#from(prefix)) yield name;
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
          const found = bit < 0 ? undefined : this.#find(symbol);
          return found !== undefined && ((this.#mask(found, column) >> bit) & 1) === 1;
        },
        exportedNames: () => this.#exportedNames(column, bit),
      };
    });
  }

  #column(release: string): number {
    const number = releaseNumber(release);
    return this.#head.releases.findIndex((one) => one.version === number || one.version === release);
  }

  *#exportedNames(column: number, bit: number): Iterable<string> {
    if (bit < 0) return;
    for (const one of this.#from("")) {
      if (((this.#mask(one.class, column) >> bit) & 1) === 1) yield one.name;
    }
  }

  /** The class of a name; undefined when it is not there. */
  #find(name: string): number | undefined {
    return this.#sections[sectionOf(this.#sections, name)]?.classOf(name);
  }

  *#from(prefix: string): Iterable<{ readonly name: string; readonly class: number }> {
    for (let at = Math.max(0, sectionOf(this.#sections, prefix)); at < this.#sections.length; at++) {
      const section = this.#sections[at];
      // Without unpacking it: nothing of what follows begins so.
      if (section === undefined || (section.first > prefix && !section.first.startsWith(prefix))) return;
      for (const one of section.from(prefix)) {
        if (!one.name.startsWith(prefix)) return;
        yield one;
      }
    }
  }

  #mask(id: number, release: number): number {
    return this.#masks[id * this.#head.releases.length + release] ?? 0;
  }
}
