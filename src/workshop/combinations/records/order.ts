import type { CombinationRecord } from "../types.ts";

/** Milliseconds that another machine's clock may be ahead. */
export const clockTolerance = 60 * 60 * 1000;

/**
 * The newest first. A record from the future, whose writer's clock was wrong, counts as old as the one before it in the
 * file, which only ever grows at its end; else it would stay the newest for years.
 */
export function newestRecordsFirst<T extends Pick<CombinationRecord, "when">>(records: readonly T[], now: Date): readonly T[] {
  const latest = now.getTime() + clockTolerance;
  let before = 0;
  const keyed = records.map((record, index) => {
    const time = Date.parse(record.when);
    before = time > latest ? before : time;
    return { record, index, time: before };
  });
  return keyed.sort((a, b) => b.time - a.time || b.index - a.index).map(({ record }) => record);
}
