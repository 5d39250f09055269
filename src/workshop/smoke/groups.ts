/** Things by their keys, in their order; without a key in no group. */
export function grouped<T>(things: readonly T[], keys: (thing: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    for (const key of keys(thing)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [thing]);
      else group.push(thing);
    }
  }
  return groups;
}
