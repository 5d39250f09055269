import * as path from "node:path";
import type { LibraryImage } from "../binaries/library.ts";
import { searchLibrary } from "./search.ts";
import type { Places, Requester } from "./search.ts";
import type { Refusal } from "./types.ts";

/** A chain of dependencies of hostile files ends here. */
const maximumObjects = 2000;

/** A shared object in the modelled process. */
export interface LoadedObject extends Requester {
  /** Its soname, or the name by which it was asked for. */
  readonly name: string;
  readonly path: string;
  readonly how: string;
  /** undefined: it is there, and cannot be looked into. */
  readonly image: LibraryImage | undefined;
  readonly loader: LoadedObject | undefined;
}

/** What a process could not find. */
export interface Unfound {
  readonly name: string;
  readonly neededBy: LoadedObject;
  readonly searched: readonly string[];
  /** A file of that name is there and is no library. */
  readonly refusal?: Refusal;
}

/** What one dlopen brings. */
export interface Opened {
  /** The object and its dependencies breadth-first: where its symbols are looked for after the global scope. */
  readonly scope: readonly LoadedObject[];
  /** Those of the scope that were not in the process before. */
  readonly added: readonly LoadedObject[];
  readonly unfound: readonly Unfound[];
}

/** Answers for a name that nothing on disk answers: an object that is there for all that is known, or undefined. */
export type Assume = (name: string, neededBy: LoadedObject) => { readonly image?: LibraryImage; readonly path: string; readonly how: string } | undefined;

/** The objects of a process as glibc keeps them: names that are taken, the global scope, and what each dlopen adds. */
export class ProcessModel {
  readonly #places: Places;
  readonly #named = new Map<string, LoadedObject>();
  readonly #images = new Map<LibraryImage, LoadedObject>();
  readonly #dependencies = new Map<LoadedObject, readonly LoadedObject[]>();
  readonly #global: LoadedObject[] = [];

  constructor(places: Places) {
    this.#places = places;
  }

  /** A process that goes its own way from here. */
  fork(companions: ReadonlyMap<string, LibraryImage>): ProcessModel {
    const copy = new ProcessModel({ ...this.#places, companions });
    for (const [name, one] of this.#named) copy.#named.set(name, one);
    for (const [image, one] of this.#images) copy.#images.set(image, one);
    for (const [one, needed] of this.#dependencies) copy.#dependencies.set(one, needed);
    copy.#global.push(...this.#global);
    return copy;
  }

  /** In search order: the executable with its dependencies, then what was opened with RTLD_GLOBAL. */
  get global(): readonly LoadedObject[] {
    return this.#global;
  }

  /** Everything that is loaded, in the order in which it came. */
  get objects(): readonly LoadedObject[] {
    return [...new Set(this.#named.values())];
  }

  /** What an object needs, in the order of its DT_NEEDED; of what was opened so far. */
  dependenciesOf(one: LoadedObject): readonly LoadedObject[] {
    return this.#dependencies.get(one) ?? [];
  }

  /** What bears a name: a soname, or a name or path by which something was asked for. */
  loaded(name: string): LoadedObject | undefined {
    return this.#named.get(name);
  }

  /** Loads an image with its dependencies, as the program itself or by dlopen. */
  open(image: LibraryImage, options: { readonly loader: LoadedObject | undefined; readonly how: string; readonly isGlobal: boolean; readonly assume: Assume }): Opened {
    const known = this.#images.get(image) ?? this.#named.get(image.path);
    const root = known ?? this.#add({ image, name: image.soname ?? path.basename(image.path), path: image.path, how: options.how, loader: options.loader }, image.path);
    const scope: LoadedObject[] = [root];
    const added: LoadedObject[] = known === undefined ? [root] : [];
    const unfound: Unfound[] = [];
    const members = new Set(scope);
    for (let index = 0; index < scope.length && scope.length < maximumObjects; index += 1) {
      const one = scope[index];
      for (const needed of one === undefined ? [] : this.#needed(one, options.assume, added, unfound)) {
        if (!members.has(needed)) {
          members.add(needed);
          scope.push(needed);
        }
      }
    }
    if (options.isGlobal) {
      const present = new Set(this.#global);
      this.#global.push(...scope.filter((one) => !present.has(one)));
    }
    return { scope, added, unfound };
  }

  /** Takes an object for loaded that cannot be looked into. */
  assumeLoaded(name: string, how: string, image?: LibraryImage): LoadedObject {
    return this.#named.get(name) ?? this.#add({ image, name: image?.soname ?? name, path: image?.path ?? name, how, loader: undefined }, name);
  }

  #needed(one: LoadedObject, assume: Assume, added: LoadedObject[], unfound: Unfound[]): readonly LoadedObject[] {
    const known = this.#dependencies.get(one);
    if (known !== undefined) {
      return known;
    }
    const found = (one.image?.needed ?? []).flatMap((name) => this.#resolve(name, one, assume, added, unfound) ?? []);
    this.#dependencies.set(one, found);
    return found;
  }

  #resolve(name: string, requester: LoadedObject, assume: Assume, added: LoadedObject[], unfound: Unfound[]): LoadedObject | undefined {
    const loaded = this.#named.get(name);
    if (loaded !== undefined) {
      return loaded;
    }
    const searched: string[] = [];
    const found = searchLibrary(name, requester, this.#places, searched);
    if (found !== undefined && "refusal" in found) {
      unfound.push({ name, neededBy: requester, searched: [...new Set(searched)], refusal: found.refusal });
      return undefined;
    }
    if (found !== undefined) {
      // The same file under another name is one object.
      const same = this.#images.get(found.image) ?? this.#named.get(found.image.path);
      if (same !== undefined) {
        this.#named.set(name, same);
        return same;
      }
    }
    const assumed = found ?? assume(name, requester);
    if (assumed === undefined) {
      unfound.push({ name, neededBy: requester, searched: [...new Set(searched)] });
      return undefined;
    }
    const { image } = assumed;
    const object = this.#add({ image, name: image?.soname ?? name, path: image?.path ?? ("path" in assumed ? assumed.path : name), how: assumed.how, loader: requester }, name);
    added.push(object);
    return object;
  }

  /** The first to bear a name keeps it. */
  #add(object: LoadedObject, asked: string): LoadedObject {
    for (const name of [asked, object.image?.soname, object.path]) {
      if (name !== undefined && !this.#named.has(name)) {
        this.#named.set(name, object);
      }
    }
    if (object.image !== undefined && !this.#images.has(object.image)) {
      this.#images.set(object.image, object);
    }
    return object;
  }
}
