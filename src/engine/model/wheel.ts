import type { Evidence } from "./evidence.ts";

/** The tags that a wheel's name promises (PEP 425), each set expanded. */
export interface WheelTags {
  readonly pythons: readonly string[];
  readonly abis: readonly string[];
  readonly platforms: readonly string[];
}

/** A promise of a wheel's name or metadata that its content breaks, or a content that its metadata should tell. */
export interface WheelDisagreement {
  readonly kind:
    /** The manylinux or musllinux tag allows less than the libraries need. */
    | "platform-tag"
    /** WHEEL and file name differ, or the tag is not one for the content (cp310 tag on a cp311 module). */
    | "python-tag"
    /** Tagged abi3 and uses functions beyond the limited API, or newer than the tag's Python. */
    | "abi3"
    /** Tagged pure and holds libraries, or the other way round. */
    | "pure"
    /** File missing from RECORD, or whose hash or size differs. */
    | "record"
    /** "+cu128" or "cxx11abiTRUE" or "torch2.8" in the name against the libraries. */
    | "name"
    /** A copy of a CUDA or driver library, or of libtorch, inside. */
    | "grafted"
    /** Requires-Dist: torch admits releases that its symbols cannot load with, or shuts out such as they can. */
    | "requires-torch";
  /** Full sentences, both sides named. */
  readonly message: string;
  readonly weight: "error" | "warning" | "info";
  /** Name of the member that shows it. */
  readonly member?: string;
  readonly evidence: readonly Evidence[];
}

/** A library of a wheel. */
export interface WheelMember {
  readonly member: string;
  readonly size: number;
  readonly isGrafted: boolean;
  /** False: not looked into, or no ELF file; what is said of the wheel is said without it. */
  readonly isRead: boolean;
}

/** What a wheel says of itself and what it holds. JSON-safe. */
export interface WheelProfile {
  /** Absolute path or address. */
  readonly path: string;
  readonly fileName: string;
  readonly size: number;
  readonly name: string;
  readonly version: string;
  readonly tags: WheelTags;
  /** Tag lines of WHEEL. */
  readonly wheelTags: readonly string[];
  readonly generator: string | undefined;
  readonly isPurelib: boolean | undefined;
  readonly requiresPython: string | undefined;
  readonly requires: readonly string[];
  /** Members that are libraries by their names or first bytes, with their sizes unpacked; grafted: copies of libraries from elsewhere, by their names. */
  readonly libraries: readonly WheelMember[];
  /** The strictest policy that all libraries keep, as auditwheel names it: "manylinux_2_28_x86_64", "linux_x86_64". */
  readonly platformTag: string | undefined;
  /** The same when what torch and NVIDIA's wheels bring does not count as missing. */
  readonly platformTagBesideTorch: string | undefined;
  /** The lowest CPython whose limited API has all that the modules use; undefined: not limited to it. */
  readonly abi3Floor: string | undefined;
  readonly disagreements: readonly WheelDisagreement[];
  readonly notKnown: readonly string[];
}
