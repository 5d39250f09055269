/** An error about a symbol, in whatever dialect it was printed. */
export interface SymbolError {
  /** Mangled, or demangled where `isDemangled`; without the leading underscore that Mach-O adds. */
  readonly symbol: string;
  readonly isDemangled: boolean;
  /** The library of which it is asked, and the version: "libnvJitLink.so.12", "libnvJitLink.so.12"; of Mach-O's "Expected in". */
  readonly from?: string;
  readonly version?: string;
  /** "load": a loader refused a finished file. "link": a linker could not make one. */
  readonly when: "load" | "link";
  /** load: the file that needs it. link: the object or library. */
  readonly file?: string;
  readonly system: "linux" | "macos" | "windows";
  /** The end of the name is missing. */
  readonly isCut: boolean;
}
