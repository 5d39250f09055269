import type { IndexRequest } from "../../../../src/workshop/combinations/index.ts";
import { readIndexes } from "../../../../src/workshop/combinations/index.ts";
import type { IndexKnowledge, KnownWheel } from "../../../../src/workshop/combinations/types.ts";
import type { Workshop } from "../../../../src/workshop/workshop.ts";

/** A workshop that only knows the time: these pieces of work start no process. */
export function clockWorkshop(when: () => Date, signal: AbortSignal = new AbortController().signal, environment: Readonly<Record<string, string>> = {}): Workshop & { readonly notes: string[] } {
  const notes: string[] = [];
  return {
    notes,
    run: () => { throw new Error("no process is started"); },
    diagnostician: { check: () => { throw new Error("nothing is checked"); }, examine: () => { throw new Error("nothing is examined"); }, explain: () => { throw new Error("nothing is explained"); } },
    activity: { signal, step: () => undefined, progress: () => undefined, output: () => undefined, note: (sentence) => { notes.push(sentence); } },
    environment, version: "1.2.3", now: when,
  };
}

export const patience = { silence: 5000, retries: 1, backOff: 1 } as const;

/** Reads at a given time; servers that fail are not waited for. */
export async function readAt(when: string, request: Pick<IndexRequest, "wanted" | "memory" | "root"> & Partial<IndexRequest>): Promise<IndexKnowledge> {
  return readIndexes({ packages: [], network: patience, ...request }, clockWorkshop(() => new Date(when)));
}

/** "2.16.0.dev20261003+cu130 listed", in the order of versions. */
export function seenIn(knowledge: IndexKnowledge, packageName = "torch"): readonly string[] {
  return knowledge.wheels.filter((one) => one.package === packageName).map(wheelWords).sort();
}

export function wheelWords(one: KnownWheel): string {
  return [one.version, one.listed ? "listed" : "hidden", ...(one.yanked === undefined ? [] : [`yanked ${one.yanked}`]), ...(one.gone === undefined ? [] : ["gone"])].join(" ");
}
