import type { Files } from "../engine/model/index.ts";

/** Places at which a text is looked at, and what of a line before each may be a path. */
const mostPlaces = 500;
const longestPath = 300;

/**
 * Environments whose files a text names, the one that it names most often first: where a traceback was printed. Only those
 * that are on this machine; what pip made for a build and removed is not.
 */
export function environmentsNamedIn(text: string, files: Files): readonly string[] {
  const counts = new Map<string, number>();
  let places = 0;
  for (const name of ["site-packages", "dist-packages"]) {
    for (let at = text.indexOf(name); at >= 0 && places < mostPlaces; at = text.indexOf(name, at + name.length)) {
      places += 1;
      const prefix = prefixBefore(text.slice(Math.max(0, at - longestPath), at));
      if (prefix !== undefined) {
        counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
      }
    }
  }
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([prefix]) => prefix).filter((prefix) => files.status(prefix)?.kind === "directory");
}

/** "/opt/venv" of `  File "/opt/venv/lib/python3.11/`. A path with spaces is one only in quotes. */
function prefixBefore(before: string): string | undefined {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const path = line.slice(line.lastIndexOf("\"") + 1);
  const whole = /^(?:[A-Za-z]:)?[\\/]/.test(path) ? path : /(?:[A-Za-z]:)?[\\/][^\s'"()<>|*?=]*$/.exec(line)?.[0];
  return whole === undefined ? undefined : /^(.+?)[\\/]lib(?:64)?[\\/](?:python3[\w.]*[\\/])?$/i.exec(whole)?.[1];
}
