import { brotliDecompressSync } from "node:zlib";
import { SortedNames } from "./sortedNames.ts";

/*
 * data/torch-symbols.br, made by scripts/data/torch-symbols.ts: a line of JSON (`Index`), then parts that are packed each by
 * itself, so that a question unpacks the one that it is about. First the head; then the rows of the classes, one byte for each
 * release, a bit for each library that exports the symbols of the class; then the sections of the sorted names: low and high
 * bytes of the names' classes, and the names as `SortedNames` reads them. Whole names, since hashes would be little smaller,
 * could be mistaken, and could not show the overload that a release has instead.
 */

interface Index {
  /** Packed bytes of head and classes. */
  readonly head: number;
  readonly masks: number;
  readonly sections: readonly { readonly first: string; readonly names: number; readonly size: number }[];
}

export interface Head {
  readonly source: string;
  readonly classes: number;
  /** By bit of a class's mask. */
  readonly libraries: readonly string[];
  readonly releases: readonly {
    readonly version: string;
    readonly isPreview?: true;
    readonly libstdcxxAbi: 0 | 1;
    /** NEEDED by library. */
    readonly needed: Readonly<Record<string, readonly string[] | undefined>>;
  }[];
  readonly missing: readonly { readonly version: string; readonly why: string }[];
  /** Regular expressions for names that this table leaves out, though others have them: of a package that shall be small. */
  readonly leftOut?: readonly string[];
}

export interface TableParts {
  readonly head: Head;
  readonly masks: Buffer;
  readonly sections: readonly Section[];
}

/** Unpacked, no part is larger. */
const largestPart = 32 << 20;

/** Throws where the file is not such a table. */
export function openParts(file: Buffer): TableParts {
  const headStart = file.indexOf(10) + 1;
  const index = JSON.parse(file.toString("utf8", 0, headStart)) as Index;
  const masksStart = headStart + index.head;
  let at = masksStart + index.masks;
  const sections = index.sections.map(({ first, names, size }) => {
    const packed = file.subarray(at, at + size);
    at += size;
    return new Section(first, names, packed);
  });
  return {
    head: JSON.parse(unpacked(file.subarray(headStart, masksStart)).toString("utf8")) as Head,
    masks: unpacked(file.subarray(masksStart, masksStart + index.masks)),
    sections,
  };
}

/** The place of the section that would hold a name; -1 for one below all. */
export function sectionOf(sections: readonly Section[], name: string): number {
  return sections.findLastIndex((one) => one.first <= name);
}

/** Names in a row, unpacked at the first question about one of them. */
export class Section {
  readonly first: string;
  readonly #count: number;
  readonly #packed: Buffer;
  #opened: { readonly data: Buffer; readonly names: SortedNames } | undefined;

  constructor(first: string, count: number, packed: Buffer) {
    this.first = first;
    this.#count = count;
    this.#packed = packed;
  }

  classOf(name: string): number | undefined {
    const index = this.#open().names.find(name);
    return index === undefined ? undefined : this.#class(index);
  }

  /** Names that are not below the prefix, with their classes. */
  *from(prefix: string): Iterable<{ readonly name: string; readonly class: number }> {
    for (const [index, name] of this.#open().names.from(prefix)) yield { name, class: this.#class(index) };
  }

  #class(index: number): number {
    const { data } = this.#open();
    return (data[index] ?? 0) | ((data[this.#count + index] ?? 0) << 8);
  }

  #open(): { readonly data: Buffer; readonly names: SortedNames } {
    if (this.#opened === undefined) {
      const data = unpacked(this.#packed);
      this.#opened = { data, names: new SortedNames(data, 2 * this.#count, this.#count) };
    }
    return this.#opened;
  }
}

function unpacked(packed: Buffer): Buffer {
  return brotliDecompressSync(packed, { maxOutputLength: largestPart });
}
