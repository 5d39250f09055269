import type { VersionNeed } from "../model/index.ts";

/** One name of a dynamic symbol table. */
export interface DynamicSymbol {
  /** Mangled, without the version. */
  readonly name: string;
  readonly binding: "local" | "global" | "weak" | "unique" | "other";
  readonly type: "none" | "object" | "function" | "tls" | "ifunc" | "other";
  readonly visibility: "default" | "hidden" | "protected" | "internal";
  readonly defined: boolean;
  readonly value: number;
  readonly size: number;
  /** From DT_VERSYM: "GLIBC_2.34" and, for an undefined symbol, the library that verneed names for it. */
  readonly version?: { readonly name: string; readonly library?: string; readonly hidden: boolean };
}

/**
 * A shared library as the loading model sees it, wherever its bytes are: a file, a member of a wheel of which only the
 * head was fetched, or a row of the catalogue.
 */
export interface LibraryImage {
  /** Absolute; below a wheel for its members; "torch==2.8.0+cu128/libc10.so" for the catalogue. */
  readonly path: string;
  readonly machine: number | undefined;
  readonly soname: string | undefined;
  /** undefined: not known (the dynamic segment was not fetched). */
  readonly needed: readonly string[] | undefined;
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  /** "names": exact. "hashes": presence by hash, absent is exact and present right up to a collision; names cannot be listed. */
  readonly exportsKnownBy: "names" | "hashes";
  /** Whether a symbol of that name (and version, when given and known) can be bound to here. */
  defines(name: string, version?: string): boolean;
  /** Whether it may export a name although `defines` says no: what is known of it leaves out names of that kind. */
  mayDefine?(name: string): boolean;
  /** Names of symbols that others can bind to; empty when only hashes are known. */
  exportedNames(): Iterable<string>;
  /** Those of the names in which a text stands; absent: look through all. */
  exportedNamesContaining?(text: string): Iterable<string>;
  /** Names of DT_VERDEF, "GLIBCXX_3.4.30"; empty when none or not known. */
  versionDefinitions(): readonly string[];
  versionNeeds(): readonly VersionNeed[];
  /** Undefined symbols; undefined: not known. */
  imports(): Iterable<DynamicSymbol> | undefined;
  /** Names of undefined symbols in the order in which the loader binds them; absent: the order is not known. */
  relocationOrder?(): readonly string[];
  /** Whether it has a version for each symbol (DT_VERSYM), as it has when it defines versions or needs some; absent: not known. */
  readonly hasSymbolVersions?: boolean;
  /** True: ld.so.cache and the default folders are not searched for what it needs (DF_1_NODEFLIB). */
  readonly noDefaultLib?: boolean;
}
