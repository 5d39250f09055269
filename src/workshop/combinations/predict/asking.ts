import type { Spending } from "../../../engine/binaries/remote/index.ts";
import * as path from "node:path";
import { userCacheFolder, RangeCache } from "../../../engine/binaries/remote/index.ts";
import { loadCatalogue } from "../../../engine/catalogue/index.ts";
import { NodeFiles } from "../../../engine/files/index.ts";
import type { Surroundings } from "../../../engine/installed/index.ts";
import type { Workshop } from "../../workshop.ts";
import type { KnownWheel } from "../types.ts";
import { IndexUsers } from "../nightlies/index.ts";
import type { IndexRequest } from "../nightlies/index.ts";
import { PredictionCache } from "./cache.ts";
import { Judge } from "./judge.ts";
import { nextToAsk } from "./order.ts";
import type { Standing } from "./order.ts";
import type { Subjects } from "./subjects.ts";
import type { Asked, PredictRequest } from "./types.ts";

/** Ranges of wheels that predictions keep: about two hundred torches. Apart from those of `fits`, which may be few. */
const keptRanges = 1024 * 1024 * 1024;
/** Wheels that are read at the same time; the room for remote files opens no more connections to a server than four. */
const atOnce = 4;

export interface Asking {
  readonly root: string;
  /** Without one nothing can be read. */
  readonly budget: number;
  readonly offline: boolean;
  readonly cacheFolder?: string;
  readonly interpreter?: string;
  readonly network?: PredictRequest["network"];
}

/** The request of somebody whom the indexes' servers know. */
export function asUser<T extends Pick<PredictRequest, "root" | "wanted" | "network">>(request: T, workshop: Workshop): T {
  const { authorization } = new IndexUsers(request.root, request.wanted.indexes, workshop.environment);
  return { ...request, network: { authorization, ...request.network } };
}

/** How indexes are read: what was seen is remembered beside what was predicted. */
export function indexReading({ cacheFolder, network }: Asking): Pick<IndexRequest, "memory" | "network"> {
  return { ...(cacheFolder === undefined ? {} : { memory: path.join(cacheFolder, "indexes") }), ...(network === undefined ? {} : { network }) };
}

/** Where the project's files and environments are looked for. */
export function surroundingsOf(asking: Asking, workshop: Workshop): Surroundings {
  return { root: asking.root, files: new NodeFiles(), catalogue: loadCatalogue(), environment: workshop.environment, ...(asking.interpreter === undefined ? {} : { interpreter: asking.interpreter }) };
}

/** The judge of some files. `spending` is only looked at, to tell how far it is. */
export function judgeOf(subjects: Subjects, asking: Asking, workshop: Workshop, spending: Spending): Judge {
  const folder = asking.cacheFolder ?? userCacheFolder(workshop.environment);
  const where = surroundingsOf(asking, workshop);
  return new Judge(subjects.all, {
    where,
    cache: new PredictionCache(folder, `${workshop.version} ${where.catalogue.torchReleases.at(-1)?.version ?? ""}`),
    ranges: new RangeCache(`${folder}/predictions`, keptRanges),
    offline: asking.offline || asking.budget === 0,
    signal: workshop.activity.signal,
    network: asking.network ?? {},
    tell: (bytes, wheel) => { workshop.activity.step(`torch ${wheel.version}: ${megabytes(bytes)} read, ${megabytes(spending.spent)} in all`); },
  });
}

export interface Row {
  /** By the index of the torch. */
  readonly answers: ReadonlyMap<number, Asked>;
  /** Why it ended before all were asked. */
  readonly stopped?: Extract<Asked, { readonly kind: "left" }>["because"];
}

/**
 * Asks for all torches of a row, newest first in the list: those that are known already at once, the others a few at a time,
 * until the budget would not do for a further one.
 */
export async function askAll(torches: readonly KnownWheel[], judge: Judge, spending: Spending, workshop: Workshop): Promise<Row> {
  const { activity } = workshop;
  const answers = new Map<number, Asked>();
  const row: Standing[] = torches.map(() => undefined);
  const underway = new Map<Promise<void>, number>();
  let stopped: Row["stopped"];
  const take = async (index: number, torch: KnownWheel): Promise<void> => {
    const answer = await judge.ask(torch, spending);
    answers.set(index, answer);
    if (answer.kind === "judged") row[index] = answer.judged.verdict;
    else if (answer.because === "budget" || answer.because === "cancelled") stopped ??= answer.because;
    activity.progress(answers.size / torches.length);
  };
  /** False: not before something that is underway has ended, or not at all. */
  const begin = async (index: number): Promise<boolean> => {
    const torch = torches[index];
    if (torch === undefined) return false;
    const cost = await judge.estimate(torch);
    const promised = [...underway.values()].reduce((sum, one) => sum + one, 0);
    if (cost > spending.left - promised) {
      if (underway.size === 0) stopped = "budget";
      return false;
    }
    row[index] = "asked";
    const work = take(index, torch);
    underway.set(work, cost);
    void work.then(() => underway.delete(work), () => undefined);
    return true;
  };
  for (const [index, torch] of torches.entries()) {
    if (activity.signal.aborted || stopped !== undefined) break;
    if (await judge.estimate(torch) > 0) continue;
    row[index] = "asked";
    await take(index, torch);
  }
  for (;;) {
    if (activity.signal.aborted) stopped = "cancelled";
    const next = stopped === undefined && underway.size < atOnce ? nextToAsk(row) : undefined;
    if (next !== undefined && await begin(next)) continue;
    if (underway.size === 0) break;
    await Promise.race(underway.keys());
  }
  return { answers, ...(stopped === undefined ? {} : { stopped }) };
}

export function megabytes(bytes: number): string {
  return bytes < 1e5 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
