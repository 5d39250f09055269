import type { LoadedObject } from "./process.ts";

/**
 * The order in which glibc relocates what one dlopen has brought: each object after those it needs, as far as that goes. In
 * circles it depends on where the walk begins: at the object that came last, along DT_NEEDED in its order
 * (elf/dl-sort-maps.c, _dl_sort_maps_dfs, the default since glibc 2.35; elf/dl-open.c relocates from the end). The file
 * itself is the last in any case. `added`: breadth-first, as the search brought them.
 */
export function relocationOrder(added: readonly LoadedObject[], root: LoadedObject, dependenciesOf: (one: LoadedObject) => readonly LoadedObject[]): readonly LoadedObject[] {
  const isAdded = new Set(added);
  const visited = new Set<LoadedObject>();
  const order: LoadedObject[] = [];
  for (const start of added.toReversed()) {
    const open = visited.has(start) ? [] : [{ one: start, rest: dependenciesOf(start).values() }];
    visited.add(start);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const { value: next } = top.rest.next();
      if (next === undefined) {
        order.push(top.one);
        open.pop();
      } else if (isAdded.has(next) && !visited.has(next)) {
        visited.add(next);
        open.push({ one: next, rest: dependenciesOf(next).values() });
      }
    }
  }
  return [...order.filter((one) => one !== root), root];
}
