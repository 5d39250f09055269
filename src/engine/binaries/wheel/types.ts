import type { BuiltBody, WheelDisagreement } from "../../model/index.ts";
import type { Member } from "../archive/index.ts";
import type { LibraryImage } from "../library.ts";
import type { WheelFileName } from "./fileName.ts";
import type { Metadata } from "./metadata.ts";

/** An ELF file of a wheel, described. */
export interface WheelLibrary {
  /** Its name in the archive. */
  readonly member: string;
  /** Bytes unpacked. */
  readonly size: number;
  readonly body: BuiltBody;
  readonly image: LibraryImage;
}

/** What the judges of a wheel look at. */
export interface WheelContent {
  /** Path or address, for evidence. */
  readonly where: string;
  readonly name: WheelFileName;
  readonly members: ReadonlyMap<string, Member>;
  readonly metadata: Metadata;
  readonly libraries: readonly WheelLibrary[];
}

/** What one judge says. */
export interface Verdict {
  readonly disagreements: readonly WheelDisagreement[];
  readonly notKnown: readonly string[];
}
