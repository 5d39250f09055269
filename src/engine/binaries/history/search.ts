import type { RecordedSymbols } from "../../catalogue/index.ts";
import { keyOf } from "./names.ts";
import type { WrittenName } from "./names.ts";

/** Shorter parts stand in everything. */
const shortestPart = 3;
const mostSuggestions = 5;

/** Recorded names that begin with a part of a mangled name, or in whose qualified name a part of one stands. */
export function namesContaining(part: string, history: RecordedSymbols): readonly string[] {
  if (part.length < shortestPart) return [];
  if (part.startsWith("_Z")) return [...history.namesFrom(part)];
  const pieces = part.split("::").filter((one) => one !== "");
  const longest = pieces.reduce((best, one) => (one.length > best.length ? one : best), "");
  if (longest === "") return [];
  return [...history.namesFrom("")].filter((name) => name.includes(longest) && keyOf(name)?.includes(part) === true);
}

/** Recorded names like one that is not: written with other capitals, or with a few letters else. */
export function suggestionsFor(text: string, name: WrittenName | undefined, history: RecordedSymbols): readonly string[] {
  const wanted = (name?.key ?? text).toLowerCase();
  const last = (name?.components.at(-1) ?? text).toLowerCase();
  if (last.length < shortestPart || last.length > 100) return [];
  const scope = (name?.components ?? []).slice(0, -1).map((one) => `${one.length}${one}`).join("");
  const near = new Map<string, number>();
  for (const symbol of (scope === "" ? [""] : [`_ZN${scope}`, `_ZNK${scope}`]).flatMap((start) => [...history.namesFrom(start)])) {
    // Names in namespaces are no names without.
    const candidate = scope === "" && /^_Z\D/.test(symbol) ? undefined : keyOf(symbol);
    if (candidate === undefined || near.has(candidate)) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), Math.max(2, Math.floor(last.length / 4)));
    if (distance !== undefined) near.set(candidate, distance);
  }
  return [...near].sort(([, one], [, other]) => one - other).slice(0, mostSuggestions).map(([candidate]) => candidate);
}

/** How many letters must be put in, left out or changed; undefined: more than `most`. */
function editDistance(one: string, other: string, most: number): number | undefined {
  if (Math.abs(one.length - other.length) > most) return undefined;
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const change = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    if (Math.min(...current) > most) return undefined;
    previous = current;
  }
  const distance = previous.at(-1) ?? 0;
  return distance > most ? undefined : distance;
}
