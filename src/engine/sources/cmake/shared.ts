import type { CompileArgument, LinkedLibrary } from "../../model/index.ts";
import type { Entry } from "./argumentList.ts";
import { conjunction } from "./guards.ts";
import type { Guard } from "./guards.ts";
import { splitList } from "./split.ts";
import type { Target } from "./target.ts";
import { render } from "./value.ts";
import type { Piece } from "./value.ts";

/** A name in a list of libraries, with the decisions under which it is there. */
export interface NamedLibrary {
  readonly pieces: readonly Piece[];
  readonly name: string;
  readonly guard: Guard;
  /** Wrapped in $<LINK_ONLY:...>. */
  readonly linkOnly: boolean;
  /** Targets of that name. */
  readonly targets: readonly Target[];
  /** By the decisions on the way to the list; undefined where they exclude the library. */
  ways?: Map<Guard, Way | undefined>;
}

interface NamedElement {
  readonly names: readonly NamedLibrary[];
}

/** A library as it is reached under some decisions. */
export interface Way {
  readonly guard: Guard;
  /** Name and guard as one text. */
  readonly key: string;
  /** The fact, where it has a place of its own. */
  library?: LinkedLibrary;
}

/**
 * What the targets of one evaluation have in common. Most of a command line comes from directories, flags variables and
 * libraries that hundreds of targets share: it is worked out for the first of them, and the facts are the same objects for all.
 */
export class SharedParts {
  readonly #entries = new Map<readonly Piece[], Map<string, readonly Entry[]>>();
  readonly #directories = new Map<readonly Piece[], readonly string[]>();
  readonly #names = new Map<readonly Piece[], readonly NamedLibrary[]>();
  readonly #elements = new Map<readonly Piece[], readonly (readonly Piece[] | NamedElement)[]>();
  readonly #conjunctions = new Map<Guard, Map<Guard, Guard | undefined>>();
  readonly arguments = new Map<Entry, CompileArgument>();
  /** Lists of libraries looked at so far, for all targets. */
  lists = 0;

  entries(pieces: readonly Piece[]): Map<string, readonly Entry[]> {
    return remembered(this.#entries, pieces, () => new Map<string, readonly Entry[]>());
  }

  /** Directories of a list, those left out that only an installed project has. */
  directories(pieces: readonly Piece[]): readonly string[] {
    return remembered(this.#directories, pieces, () => splitList(pieces).map((one) => render(one).replace(/^\$<BUILD_INTERFACE:(.*)>$/, "$1")).filter((one) => one !== "" && !one.startsWith("$<")));
  }

  /** Both guards together; the same object for the same two, so that what follows from it is found again. */
  both(a: Guard, b: Guard): Guard | undefined {
    if (b.length === 0) return a;
    let ofA = this.#conjunctions.get(a);
    if (ofA === undefined) this.#conjunctions.set(a, (ofA = new Map<Guard, Guard | undefined>()));
    if (!ofA.has(b)) ofA.set(b, conjunction(a, b));
    return ofA.get(b);
  }

  /**
   * The libraries of a list. `read` gives those of one element and is asked again where the answer depends on the target;
   * `choose` leaves out what is too much for one list.
   */
  names(pieces: readonly Piece[], read: (element: readonly Piece[]) => readonly NamedLibrary[], choose: (names: readonly NamedLibrary[]) => readonly NamedLibrary[]): readonly NamedLibrary[] {
    const known = this.#names.get(pieces);
    if (known !== undefined) return known;
    const elements = remembered(this.#elements, pieces, () => splitList(pieces).map((element) => (dependsOnTarget(element) ? element : { names: read(element) })));
    const names = choose(elements.flatMap((element) => ("names" in element ? element.names : read(element))));
    if (!dependsOnTarget(pieces)) this.#names.set(pieces, names);
    return names;
  }
}

/** A generator expression in the pieces asks for something of the target that it is evaluated for. */
export function dependsOnTarget(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => piece.text.includes("TARGET_PROPERTY"));
}

function remembered<T>(all: Map<readonly Piece[], T>, pieces: readonly Piece[], make: () => T): T {
  let known = all.get(pieces);
  if (known === undefined) all.set(pieces, (known = make()));
  return known;
}
