import * as path from "node:path";
import type { DeclaredBody, InstalledBody } from "../../model/index.ts";
import type { BuiltFile } from "../../rules/index.ts";
import type { ProjectFiles } from "../discover.ts";
import { isWalked } from "../discover.ts";
import { builtLimits, cachedBuilds, isInBuildFolder, isLibraryName, librariesBelow, ownInstalls } from "./candidates.ts";
import type { Candidate } from "./candidates.ts";
import { BuiltFileReader } from "./reader.ts";
import type { ReaderOptions } from "./reader.ts";

/** What was built from one project, wherever it lies: build folders, beside packages, installed from here, torch's JIT cache. */
export class ProjectBuiltFiles {
  readonly #root: string;
  readonly #options: ReaderOptions;
  readonly #reader: BuiltFileReader;
  /** Libraries in configured build folders; undefined: to be listed anew. */
  #inBuilds: readonly string[] | undefined;
  #seen = "";

  constructor(root: string, options: ReaderOptions) {
    this.#root = root;
    this.#options = options;
    this.#reader = new BuiltFileReader({ ...options, root });
  }

  /** Forgets which files there are in build folders, and with `everything` what was read of all. */
  forget(everything = false): void {
    this.#inBuilds = undefined;
    if (everything) {
      this.#reader.clear();
    }
  }

  /** True when a file that went into the last reading is another by now: what compilers write is in no editor, and seldom watched. */
  hasChanged(): boolean {
    return this.#seen !== this.#reader.stamp();
  }

  /** A library came, went or changed: the layout with it, or undefined when it is none of the project's. Nothing is walked again. */
  notice(file: string, layout: ProjectFiles, excluded: (relativePath: string) => boolean): ProjectFiles | undefined {
    if (layout.configuredBuilds.some((folder) => file.startsWith(folder + path.sep))) {
      this.#inBuilds = undefined;
      return layout;
    }
    if (!isLibraryName(path.basename(file)) || !isWalked(this.#root, file, excluded)) {
      return undefined;
    }
    const others = layout.libraries.filter((one) => one !== file);
    return { ...layout, libraries: this.#options.files.status(file) === undefined ? others : [...others, file] };
  }

  /** Reads what there is, one file for each step, and compares it with a torch; `key` is the state of the environment. */
  *read(layout: ProjectFiles, declared: readonly DeclaredBody[], installed: InstalledBody | undefined, key: string): Generator<string, readonly BuiltFile[], undefined> {
    const { files, environment } = this.#options;
    const inBuilds = this.#inBuilds ??= librariesBelow(layout.configuredBuilds, files);
    const candidates: readonly Candidate[] = [
      ...cachedBuilds(declared, installed, files, environment),
      ...ownInstalls(this.#root, installed, files),
      ...inBuilds.map((file): Candidate => ({ path: file, origin: "build-folder" })),
      ...layout.libraries.map((file): Candidate => ({ path: file, origin: isInBuildFolder(this.#root, file) ? "build-folder" : "beside-package" })),
    ];
    const built = yield* this.#reader.read(candidates.slice(0, builtLimits.files), declared, installed, `${installed?.name ?? ""} ${installed?.torchRoot ?? ""} ${key}`);
    this.#seen = this.#reader.stamp();
    return built.filter((one) => one.target !== undefined || one.origin !== "beside-package" || !isForTests(this.#root, one.body.path));
  }
}

/** Libraries that tests of the project read are not what it ships. */
function isForTests(root: string, file: string): boolean {
  return path.relative(root, path.dirname(file)).split(path.sep).some((part) => /^(?:tests?|testing|testdata|fixtures?|__fixtures__|examples?|samples?)$/i.test(part));
}
