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

/**
 * The sources of a target and the project's headers that they include, each once, in order of reach. Headers
 * are looked for beside the file that includes them and in the target's include directories, never outside `root`.
 */
export function reachableSources(target: DeclaredTarget, root: string, files: Files, scan: (path: string) => SourceScan | undefined): readonly ReachedSource[] {
  const reached: ReachedSource[] = [];
  const seen = new Set<string>();
  const queue = target.sources.filter((source) => isAbsolute(source.path)).map((source) => ({ path: normalize(source.path), source, depth: 0 }));
  const directories = target.includeDirectories.filter((directory) => isAbsolute(directory) && isInside(directory, root));
  // A queue and not recursion: headers that include each other end here, and near files come first.
  for (let next = 0; next < queue.length && reached.length < maximumFiles; next++) {
    const item = queue[next];
    if (item === undefined || seen.has(item.path)) continue;
    seen.add(item.path);
    const found = scan(item.path);
    if (found === undefined) continue;
    reached.push({ scan: found, source: item.source });
    if (item.depth >= maximumDepth) continue;
    for (const { header, angled } of found.includes) {
      const path = resolveInclude(header, angled ? directories : [dirname(item.path), ...directories], root, files);
      if (path !== undefined && !seen.has(path)) queue.push({ path, source: item.source, depth: item.depth + 1 });
    }
  }
  return reached;
}

function resolveInclude(header: string, directories: readonly string[], root: string, files: Files): string | undefined {
  if (isAbsolute(header)) return undefined;
  for (const directory of directories) {
    const path = normalize(join(directory, header));
    if (isInside(path, root) && files.status(path)?.kind === "file") return path;
  }
  return undefined;
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
