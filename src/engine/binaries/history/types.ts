/** Releases in a row, both included; `until` null: on to the newest recorded one. */
export interface ReleaseRange {
  readonly since: string;
  readonly until: string | null;
}

/** One mangled form of a symbol: of one string ABI, of one variant of a constructor. */
export interface Spelling extends ReleaseRange {
  readonly symbol: string;
  /** The std::string that it speaks of; null: of none, it is the same in both. */
  readonly libstdcxxAbi: 0 | 1 | null;
}

/** Another signature of the same name. */
export interface OtherSignature extends ReleaseRange {
  readonly symbol: string;
  readonly demangled: string;
}

/** From when to when releases of torch export a symbol: all its spellings, and all variants of a constructor, as one. */
export interface SymbolLife extends ReleaseRange {
  /** As it was asked for; of a name, the newest spelling. */
  readonly symbol: string;
  readonly demangled: string;
  /** Recorded releases between that do not export it. */
  readonly gaps: readonly ReleaseRange[];
  /**
   * Official releases of which nothing is recorded and that border the range or lie in it: `before` the nearest older than
   * `since`, so that it may be older; `after` likewise; `within` those between.
   */
  readonly unrecorded: { readonly before: string | null; readonly after: string | null; readonly within: readonly string[] };
  /** "libc10.so": those that export it in the last of its releases. */
  readonly libraries: readonly string[];
  /** Oldest first. */
  readonly spellings: readonly Spelling[];
  /** The overload that appears where this one ends; absent: none does, or it has not ended. */
  readonly successor?: OtherSignature;
  /** The overload that ends where this one appears. */
  readonly predecessor?: OtherSignature;
}

/** The JSON of `abiding symbols` without its frame: what the record says of a name. */
export interface SymbolAnswer {
  readonly query: string;
  /** "symbol": a mangled name or C name; "name": a qualified name; "part": names in which it stands. */
  readonly asked: "symbol" | "name" | "part";
  /** "not-recorded": no name of torch that is recorded. "none": recorded, and no recorded release exports it. */
  readonly known: "found" | "none" | "not-recorded";
  /** Oldest first within a name; at most `mostLives`. */
  readonly lives: readonly SymbolLife[];
  /** How many more there are. */
  readonly more: number;
  /** Names that are recorded and resemble it. */
  readonly suggestions: readonly string[];
}
