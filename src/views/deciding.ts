/** Which of several records of one combination counts. */
import type { PanelRecord } from "../protocol/panel.ts";
import type { Method } from "../workshop/combinations/types.ts";

/** How much more a method tells than those before it. */
export const strength: Readonly<Record<Method, number>> = { predicted: 0, built: 1, loaded: 2, smoke: 3, benchmark: 4 };

/**
 * Of the records of one combination, the newest first and not none: the newest by the strongest method, unless a weaker method
 * has failed since and has not passed again: what no longer builds passes no tests.
 */
export function deciding(newestFirst: readonly PanelRecord[]): PanelRecord {
  const newest = new Map<Method, PanelRecord>();
  for (const record of newestFirst) if (!newest.has(record.how)) newest.set(record.how, record);
  const each = [...newest.values()];
  const strongest = each.reduce((best, one) => (strength[one.how] > strength[best.how] ? one : best));
  return each.slice(0, each.indexOf(strongest)).find(({ outcome }) => outcome === "failed") ?? strongest;
}
