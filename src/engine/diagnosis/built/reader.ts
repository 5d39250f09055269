import * as path from "node:path";
import { openElf } from "../../binaries/elf/index.ts";
import type { LibraryImage } from "../../binaries/library.ts";
import { describeBinary } from "../../binaries/profile/index.ts";
import { loadSymbolHistory } from "../../catalogue/index.ts";
import type { Catalogue } from "../../catalogue/index.ts";
import { fit } from "../../fit/index.ts";
import type { FitEnvironment, FitResult } from "../../fit/index.ts";
import type { BuiltBody, DeclaredBody, Files, InstalledBody } from "../../model/index.ts";
import type { BuiltFile } from "../../rules/index.ts";
import { ofBody } from "../fitEnvironment.ts";
import { torchOfBuild } from "./builtWith.ts";
import type { Candidate } from "./candidates.ts";
import { targetOf } from "./match.ts";

interface Known {
  readonly stamp: string;
  readonly modified: number;
  /** With links resolved. */
  readonly real: string;
  /** undefined: no file that the rules could say anything of. */
  readonly body: BuiltBody | undefined;
  readonly fits: Map<string, FitResult>;
}

export interface ReaderOptions {
  /** The project, in whose build folders accounts of the build are looked for; absent for what is installed. */
  readonly root?: string;
  readonly files: Files;
  readonly catalogue: Catalogue;
  /** The process environment: LD_LIBRARY_PATH counts for the loader. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What built files say and whether they would load, kept as long as neither they nor the environment change. */
export class BuiltFileReader {
  readonly #options: ReaderOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  clear(): void {
    this.#known.clear();
  }

  /** Sizes and times of the files that were looked at: changes when one of them does. */
  stamp(): string {
    return [...this.#known.keys()].map((file) => this.#stampOf(file)?.stamp ?? "-").join(" ");
  }

  /**
   * Reads the candidates, one for each step, and compares those that concern torch or a target with the torch. `key` is
   * the state of the environment. What opens the environment's libraries lives for one run: they are large.
   */
  *read(candidates: readonly Candidate[], declared: readonly DeclaredBody[], installed: InstalledBody | undefined, key: string): Generator<string, readonly BuiltFile[], undefined> {
    const built: BuiltFile[] = [];
    const seen = new Set<string>();
    let environment: FitEnvironment | undefined;
    for (const candidate of candidates) {
      const stamped = this.#stampOf(candidate.path);
      if (stamped === undefined) {
        continue;
      }
      if (this.#known.get(candidate.path)?.stamp !== stamped.stamp) {
        yield candidate.path;
      }
      const { known, image } = this.#describe(candidate.path, stamped);
      if (seen.has(known.real)) {
        continue;
      }
      seen.add(known.real);
      const { body } = known;
      const target = body === undefined ? undefined : targetOf(candidate, declared, body.profile.modules.map((one) => one.name));
      if (body === undefined || (target === undefined && !concernsTorch(body)) || body.profile.kind === "object") {
        continue;
      }
      let result = installed === undefined ? undefined : known.fits.get(key);
      if (installed !== undefined && result === undefined) {
        yield candidate.path;
        environment ??= ofBody(installed, this.#options);
        result = this.#fit(body, image, known.modified, environment);
        if (result !== undefined) {
          known.fits.set(key, result);
        }
      }
      built.push({
        body,
        fit: result,
        origin: candidate.origin,
        ...(target === undefined ? {} : { target }),
        ...(candidate.distribution === undefined ? {} : { distribution: candidate.distribution }),
        modified: known.modified,
      });
    }
    return built;
  }

  #stampOf(file: string): { readonly stamp: string; readonly modified: number } | undefined {
    const status = this.#options.files.status(file);
    return status?.kind === "file" ? { stamp: `${status.size}:${status.modified}`, modified: status.modified } : undefined;
  }

  /** The image comes with a file that was opened just now, and is not kept: its tables are large. */
  #describe(file: string, { stamp, modified }: { readonly stamp: string; readonly modified: number }): { readonly known: Known; readonly image?: LibraryImage } {
    const before = this.#known.get(file);
    if (before?.stamp === stamp) {
      return { known: before };
    }
    const described = describeBinary(file, this.#options.files);
    const known: Known = { stamp, modified, real: this.#options.files.realPath(file) ?? file, body: described.ok ? described.body : undefined, fits: new Map() };
    this.#known.set(file, known);
    return described.ok ? { known, image: described.image } : { known };
  }

  #fit(body: BuiltBody, given: LibraryImage | undefined, modified: number, environment: FitEnvironment): FitResult | undefined {
    const { files, catalogue, root } = this.#options;
    const image = given ?? this.#open(body.path);
    const builtWith = root === undefined ? undefined : torchOfBuild(body.path, modified, root, files);
    return image === undefined ? undefined : fit(body, image, environment, { catalogue, history: loadSymbolHistory(), ...(builtWith === undefined ? {} : { builtWith }) });
  }

  #open(file: string): LibraryImage | undefined {
    const opened = openElf(file, this.#options.files);
    return opened.ok ? opened.elf : undefined;
  }
}

/** Whether a file uses torch, through the loader or through names that torch's process has. */
function concernsTorch({ profile }: BuiltBody): boolean {
  return (profile.imports.torch ?? 0) + (profile.imports["torch-stable"] ?? 0) > 0 || profile.needed.some((name) => /^lib(?:torch|c10)/.test(path.basename(name)));
}
