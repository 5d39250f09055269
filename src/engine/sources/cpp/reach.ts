import { dirname, isAbsolute, join, normalize, sep } from "node:path";
import type { DeclaredTarget, Files, TargetSource } from "../../model/index.ts";
import type { SourceScan } from "./types.ts";

/** A target that includes more of its own headers than this is judged by the first ones. */
const maximumFiles = 400;
const maximumDepth = 12;

/** A source of a target, or a header of the project that one of them includes. */
export interface ReachedSource {
  readonly scan: SourceScan;
  /** The source of the target through which it was reached. */
  readonly source: TargetSource;
}

interface Reached {
  readonly path: string;
  /** Index in the target's sources. */
  readonly source: number;
}

/**
 * What targets reach, kept between checks: which files a target's sources include changes only with includes and
 * with files that come and go, not with the build files' other texts.
 */
export class ReachCache {
  readonly #reached = new Map<string, readonly Reached[]>();
  readonly #isFile = new Map<string, boolean>();
  #ofTarget = new WeakMap<DeclaredTarget, readonly ReachedSource[]>();
  #answers = new WeakMap<DeclaredTarget, Map<unknown, unknown>>();

  /** A source was read anew. */
  sourceChanged(): void {
    this.#ofTarget = new WeakMap();
    this.#answers = new WeakMap();
  }

  /** An include was added or removed somewhere. */
  includesChanged(): void {
    this.#reached.clear();
    this.sourceChanged();
  }

  /** Files were created or deleted. */
  clear(): void {
    this.includesChanged();
    this.#isFile.clear();
  }

  isFile(path: string, files: Files): boolean {
    let known = this.#isFile.get(path);
    if (known === undefined) this.#isFile.set(path, (known = files.status(path)?.kind === "file"));
    return known;
  }

  ofTarget(target: DeclaredTarget, find: () => readonly ReachedSource[]): readonly ReachedSource[] {
    let known = this.#ofTarget.get(target);
    if (known === undefined) this.#ofTarget.set(target, (known = find()));
    return known;
  }

  /** What a question gave for a target; kept as long as its sources stay as they are. */
  remember<T>(target: DeclaredTarget, question: unknown, answer: () => T): T {
    let known = this.#answers.get(target);
    if (known === undefined) this.#answers.set(target, (known = new Map()));
    if (!known.has(question)) known.set(question, answer());
    return known.get(question) as T;
  }

  get(key: string, find: () => readonly Reached[]): readonly Reached[] {
    let known = this.#reached.get(key);
    if (known === undefined) this.#reached.set(key, (known = find()));
    return known;
  }
}

/**
 * The sources of a target and the project's headers that they include, each once, in order of reach. Headers
 * are looked for beside the file that includes them and in the target's include directories, never outside `root`.
 */
export function reachableSources(target: DeclaredTarget, root: string, files: Files, scan: (path: string) => SourceScan | undefined, cache = new ReachCache()): readonly ReachedSource[] {
  return cache.ofTarget(target, () => {
    const key = [...target.sources.map((source) => source.path), "", ...target.includeDirectories].join("\n");
    return cache.get(key, () => reach(target, root, files, scan, cache)).flatMap(({ path, source }) => {
      const [found, of] = [scan(path), target.sources[source]];
      return found === undefined || of === undefined ? [] : [{ scan: found, source: of }];
    });
  });
}

function reach(target: DeclaredTarget, root: string, files: Files, scan: (path: string) => SourceScan | undefined, cache: ReachCache): readonly Reached[] {
  const reached: Reached[] = [];
  const seen = new Set<string>();
  const queue = target.sources.flatMap((source, index) => (isAbsolute(source.path) ? [{ path: normalize(source.path), source: index, depth: 0 }] : []));
  const directories = target.includeDirectories.filter((directory) => isAbsolute(directory) && isInside(directory, root)).map(normalize);
  // Many files of a target include the same headers.
  const resolved = new Map<string, string | undefined>();
  // A queue and not recursion: headers that include each other end here, and near files come first.
  for (let next = 0; next < queue.length && reached.length < maximumFiles; next++) {
    const item = queue[next];
    if (item === undefined || seen.has(item.path)) continue;
    seen.add(item.path);
    const found = scan(item.path);
    if (found === undefined) continue;
    reached.push({ path: item.path, source: item.source });
    if (item.depth >= maximumDepth) continue;
    const own = dirname(item.path);
    for (const { header, angled } of found.includes) {
      const key = angled ? header : `${own}\n${header}`;
      if (!resolved.has(key)) resolved.set(key, resolveInclude(header, angled ? directories : [own, ...directories], root, files, cache));
      const path = resolved.get(key);
      if (path !== undefined && !seen.has(path)) queue.push({ path, source: item.source, depth: item.depth + 1 });
    }
  }
  return reached;
}

function resolveInclude(header: string, directories: readonly string[], root: string, files: Files, cache: ReachCache): string | undefined {
  if (isAbsolute(header)) return undefined;
  for (const directory of directories) {
    const path = join(directory, header);
    if (isInside(path, root) && cache.isFile(path, files)) return path;
  }
  return undefined;
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
