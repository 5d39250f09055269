import type { CompileArgument, LinkedLibrary } from "../../model/index.ts";
import type { Guard } from "./guards.ts";
import type { Entry } from "./argumentList.ts";
import { splitList } from "./split.ts";
import { render } from "./value.ts";
import type { Piece } from "./value.ts";

/** A name in a list of libraries, with the decisions under which it is there. */
export interface NamedLibrary {
  readonly pieces: readonly Piece[];
  readonly name: string;
  readonly guard: Guard;
  /** Wrapped in $<LINK_ONLY:...>. */
  readonly linkOnly: boolean;
}

/**
 * What the targets of one evaluation have in common. Most of a command line comes from directories, flags variables and
 * libraries that hundreds of targets share: it is worked out for the first of them, and the facts are the same objects for all.
 */
export class SharedParts {
  readonly #entries = new WeakMap<readonly Piece[], Map<string, readonly Entry[]>>();
  readonly #texts = new WeakMap<readonly Piece[], readonly string[]>();
  readonly #names = new WeakMap<readonly Piece[], readonly NamedLibrary[]>();
  readonly #libraries = new WeakMap<readonly Piece[], Map<string, LinkedLibrary>>();
  readonly arguments = new WeakMap<Entry, CompileArgument>();

  entries(pieces: readonly Piece[]): Map<string, readonly Entry[]> {
    return mapOf(this.#entries, pieces);
  }

  libraries(pieces: readonly Piece[]): Map<string, LinkedLibrary> {
    return mapOf(this.#libraries, pieces);
  }

  /** Elements of a list as texts. */
  texts(pieces: readonly Piece[]): readonly string[] {
    return remembered(this.#texts, pieces, () => splitList(pieces).map(render));
  }

  names(pieces: readonly Piece[], read: () => readonly NamedLibrary[]): readonly NamedLibrary[] {
    return dependsOnTarget(pieces) ? read() : remembered(this.#names, pieces, read);
  }
}

/** A generator expression in the pieces asks for something of the target that it is evaluated for. */
export function dependsOnTarget(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => piece.text.includes("TARGET_PROPERTY"));
}

function mapOf<T>(all: WeakMap<readonly Piece[], Map<string, T>>, pieces: readonly Piece[]): Map<string, T> {
  return remembered(all, pieces, () => new Map<string, T>());
}

function remembered<T>(all: WeakMap<readonly Piece[], T>, pieces: readonly Piece[], make: () => T): T {
  let known = all.get(pieces);
  if (known === undefined) all.set(pieces, (known = make()));
  return known;
}
