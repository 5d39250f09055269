/** All words of the search, in any order and case; true for an empty search. */
export type Filter = (...texts: readonly (string | undefined)[]) => boolean;

export function filterOf(search: string): Filter {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return (...texts) => {
    if (words.length === 0) {
      return true;
    }
    const text = texts.join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
