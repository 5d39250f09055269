import type { Location } from "../../model/index.ts";

/** What a scan of one C++ or CUDA source or header shows. Comments and string contents do not count. */
export interface SourceScan {
  readonly path: string;
  readonly includes: readonly {
    /** As written between the brackets or quotes. */
    readonly header: string;
    readonly angled: boolean;
    readonly location: Location;
    /** Text of the innermost `#if` conditions around it, outermost first. */
    readonly guards: readonly string[];
  }[];
  /** Names that rules asked for (qualified names, macros), where they are used; made anew for each call, as there may be thousands. */
  namesWhere(wanted: (name: string) => boolean): readonly NameUse[];
  /** `#define NAME value`. */
  readonly defines: readonly { readonly name: string; readonly value: string; readonly location: Location; readonly guards: readonly string[] }[];
}

export interface NameUse {
  readonly name: string;
  readonly location: Location;
  readonly guards: readonly string[];
}
