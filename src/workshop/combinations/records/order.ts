import type { CombinationRecord } from "../types.ts";

/** Milliseconds that another machine's clock may be ahead. */
export const clockTolerance = 60 * 60 * 1000;

export interface Ordered<T> {
  readonly record: T;
  /** What the record's time counts as, ISO 8601. */
  readonly when: string;
}

/**
 * The newest first; of the same moment, the later of the file. A record from the future, whose writer's clock was wrong, counts
 * as old as the one before it in the file, which only ever grows at its end; else it would stay the newest for years.
 */
export function newestRecordsFirst<T extends Pick<CombinationRecord, "when">>(records: readonly T[], now: Date): readonly Ordered<T>[] {
  const latest = now.getTime() + clockTolerance;
  const sensible = records.find((one) => Date.parse(one.when) <= latest)?.when ?? now.toISOString();
  let before = { when: sensible, time: Date.parse(sensible) };
  const keyed = records.map((record, index) => {
    const time = Date.parse(record.when);
    if (time <= latest) before = { when: record.when, time };
    return { record, index, ...before };
  });
  return keyed.sort((a, b) => b.time - a.time || b.index - a.index).map(({ record, when }) => ({ record, when }));
}
