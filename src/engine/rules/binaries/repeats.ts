/** Libraries of one package mostly have one fault in common: it is said once, and then whose it is too. */
import { basename } from "node:path";
import type { Finding, RelatedPlace } from "../../model/index.ts";
import { listed } from "./words.ts";

/** Places at which the same is said of other files, the finding itself included, become one that names the files. */
export function withoutRepeats(finding: Finding): Finding {
  return { ...finding, related: sameSaidOnce(finding.related, finding) };
}

/** `lead` is what is said before them. Places whose message does not name their own file stay as they are. */
export function sameSaidOnce(places: readonly RelatedPlace[], lead?: RelatedPlace): readonly RelatedPlace[] {
  const groups = new Map<string, RelatedPlace[]>();
  for (const place of places) {
    const said = saidOf(place);
    const key = said ?? `alone ${groups.size}`;
    groups.set(key, [...(groups.get(key) ?? []), place]);
  }
  const before = lead === undefined ? undefined : saidOf(lead);
  return [...groups].flatMap(([said, group]) => {
    const repeats = before?.startsWith(said) === true ? group : group.slice(1);
    const [first] = repeats;
    return first === undefined ? group : [...group.slice(0, group.length - repeats.length), { message: `The same holds for ${listed(repeats.map((one) => basename(one.location.path)))}.`, location: first.location }];
  });
}

/** A message without the file that it speaks of; undefined when it does not name it. */
function saidOf({ message, location }: RelatedPlace): string | undefined {
  const name = basename(location.path);
  const words = message.split(" ");
  const isFile = (word: string): boolean => word === name || /[\\/]/.test(word.at(-name.length - 1) ?? "") && word.endsWith(name);
  return words.some(isFile) ? words.map((word) => (isFile(word) ? "*" : word)).join(" ") : undefined;
}
