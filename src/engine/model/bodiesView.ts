import type { Certainty } from "./fact.ts";
import type { ReportedTrait } from "./fitReport.ts";
import type { Finding, Fix } from "./finding.ts";
import type { Location } from "./text.ts";

/** A body of one target: a column. */
export interface BodyColumn {
  readonly role: "declared" | "built" | "linked" | "installed" | "also";
  readonly name: string;
  /** Why it is empty: nothing was built yet, no torch was found. */
  readonly absent?: string;
}

export interface BodyCell {
  /** As people write it; absent: not known. */
  readonly value?: string;
  readonly certainty?: Certainty;
  readonly evidence?: string;
  readonly location?: Location;
}

/** Whether the bodies of a target agree in one trait, and what says so. */
export interface Agreement {
  /** null: there is nothing to compare, or it could not be. */
  readonly agrees: boolean | null;
  /** Why they disagree, or why it could not be told. */
  readonly because?: string;
  /** Indexes into `findings`. */
  readonly findings: readonly number[];
  readonly weight?: ReportedTrait["weight"];
}

export interface BodyRow extends Agreement {
  readonly trait: string;
  /** For people: "C++ string ABI". */
  readonly title: string;
  /** One for each column. */
  readonly cells: readonly BodyCell[];
  /** The same with the environment of the column "also" in the place of the installed one. */
  readonly also?: Agreement;
}

/** What is declared, built, linked and installed, target by target. */
export interface BodiesView {
  readonly root: string;
  readonly targets: readonly {
    readonly name: string;
    /** "cmake", "setuptools", "torch-jit"; "unknown" for a file that no build file was seen to make; "project" for what concerns no single target. */
    readonly builder: string;
    readonly location?: Location;
    readonly columns: readonly BodyColumn[];
    readonly rows: readonly BodyRow[];
  }[];
  readonly findings: readonly (Finding & { readonly fixes?: readonly Fix[] })[];
  readonly notChecked: readonly string[];
}
