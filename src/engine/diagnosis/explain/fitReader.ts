import * as path from "node:path";
import type { Catalogue } from "../../catalogue/index.ts";
import type { FitEnvironment, FitOptions } from "../../fit/index.ts";
import type { Files, FitReport } from "../../model/index.ts";
import { examine } from "../examination.ts";
import { judge } from "../judgement.ts";

export interface FitReaderOptions {
  /** The environment in which it failed. */
  readonly environment: FitEnvironment;
  readonly catalogue: Catalogue;
  readonly files: Files;
  /** Folders in which relative paths may start, the likeliest first: where the command ran, the workspace. */
  readonly roots: readonly string[];
  readonly gpu?: FitOptions["gpu"];
  /** Takes a path of another machine for the same file below this environment's site-packages. */
  readonly elsewhere?: boolean;
  /** Ends it early: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Answers for so many files are remembered. */
const mostRemembered = 64;
/** In milliseconds, between pauses in which others run. */
const slice = 30;
/** What is never loaded: sources, objects, archives, texts. */
const neverLoaded = /\.(?:py[cdi]?|c|cc|cpp|cxx|cu|cuh|h|hh|hpp|inl|o|a|obj|lib|txt|log|cmake|toml|json|whl|zip)$/i;

/**
 * Reads the files that error texts name and compares them with the environment in which they failed: the port of `explain`.
 * Answers undefined for what is not here or is no shared library. A file that was written since is read anew.
 */
export function fitReader(options: FitReaderOptions): (file: string) => Promise<FitReport | undefined> {
  const answers = new Map<string, { readonly version: string; readonly report: FitReport | undefined }>();
  return async (named) => {
    const file = placeOf(named, options);
    const status = file === undefined ? undefined : options.files.status(file);
    if (file === undefined || status === undefined) {
      return undefined;
    }
    const version = `${status.size} ${status.modified}`;
    const known = answers.get(file);
    const report = known?.version === version ? known.report : await compare(file, options);
    answers.delete(file);
    answers.set(file, { version, report });
    for (const oldest of answers.size > mostRemembered ? [...answers.keys()].slice(0, 1) : []) {
      answers.delete(oldest);
    }
    return report;
  };
}

/** The file here that a text means; undefined: none. */
function placeOf(named: string, { environment: { body }, files, roots, elsewhere = false }: FitReaderOptions): string | undefined {
  if (named.includes("\0") || neverLoaded.test(named)) {
    return undefined;
  }
  const isFile = (one: string): boolean => files.status(one)?.kind === "file";
  if (path.isAbsolute(named) && isFile(named)) {
    return path.normalize(named);
  }
  const isCut = /^(?:\.{3}|…)/.test(named);
  const relative = isCut ? undefined : roots.map((root) => path.resolve(root, named)).find(isFile);
  if (relative !== undefined && !path.isAbsolute(named)) {
    return relative;
  }
  const packages = body.torchRoot === undefined || body.source === "libtorch" ? undefined : path.dirname(body.torchRoot);
  const below = /(?:^|[\\/])(?:site|dist)-packages[\\/](.+)$/.exec(named)?.[1]?.replaceAll("\\", "/") ?? (path.isAbsolute(named) || isCut || !/[\\/]/.test(named) ? undefined : named);
  if (packages === undefined || below === undefined || below.split("/").includes("..") || (path.isAbsolute(named) && !elsewhere)) {
    return undefined;
  }
  const place = path.join(packages, below);
  return isFile(place) ? place : undefined;
}

async function compare(file: string, { environment, catalogue, files, gpu, signal }: FitReaderOptions): Promise<FitReport | undefined> {
  const answer = await examine(file, { files, root: path.dirname(file) });
  if (!answer.ok) {
    return undefined;
  }
  try {
    const steps = judge(answer.examined, environment, { catalogue, files, ...(gpu === undefined ? {} : { gpu }) });
    for (let paused = performance.now(); ;) {
      signal?.throwIfAborted();
      const step = steps.next();
      if (step.done === true) {
        return step.value;
      }
      if (performance.now() - paused >= slice) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        paused = performance.now();
      }
    }
  } finally {
    answer.examined.dispose();
  }
}
