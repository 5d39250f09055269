import type { PanelRecord } from "../../../protocol/panel.ts";
import type { ReadCombinations } from "../types.ts";
import { newestRecordsFirst } from "./order.ts";

/** Records as the panel and published pages have them, the newest first. A time from the future is that of the record before. */
export function panelRecords({ records }: Pick<ReadCombinations, "records">, now = new Date()): readonly PanelRecord[] {
  return newestRecordsFirst(records, now).map(({ record, when }) => {
    const { combination: { project, torch, packages, python, cuda, compiler, platform, gpu } } = record;
    return {
      id: record.id,
      torch: torch.version,
      ...(torch.index === undefined ? {} : { index: torch.index }),
      ...(packages === undefined ? {} : { packages }),
      project: project.name,
      ...(project.version === undefined ? {} : { version: project.version }),
      ...(project.commit === undefined ? {} : { commit: project.commit }),
      ...(python === undefined ? {} : { python }),
      ...(cuda === undefined ? {} : { cuda }),
      ...(compiler === undefined ? {} : { compiler }),
      platform,
      ...(gpu === undefined ? {} : { gpu: gpu?.name ?? null }),
      how: record.how,
      outcome: record.outcome,
      when,
      ...(record.reason === undefined ? {} : { reason: record.reason }),
      ...(record.note === undefined ? {} : { note: record.note }),
      ...(record.run === undefined ? {} : { run: record.run }),
    };
  });
}
