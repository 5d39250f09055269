import type * as combinations from "../../workshop/combinations/index.ts";
import { readSettings } from "../../workshop/combinations/cells/settings.ts";
import { keepsRecords } from "../../workshop/combinations/records/place.ts";
import type { Activity } from "../../workshop/workshop.ts";
import type { Arguments } from "../arguments.ts";

/** The options of commands whose results are worth a record. */
export const recordOptions = { record: { type: "boolean" }, "no-record": { type: "boolean" } } as const;

/**
 * Writes a record where the project keeps records, or where it was asked for, and answers the exit status: that of the work,
 * unless a record was asked for and there is none. What was found out was delivered before, and is lost in no case.
 */
export async function recorded(status: number, choice: Arguments["record"], root: string, activity: Activity, work: (room: typeof combinations, recording: Pick<combinations.Recording, "root" | "settings">) => Promise<combinations.Recorded>): Promise<number> {
  if (choice === "no-record" || activity.signal.aborted) return status;
  try {
    const { settings, isWritten } = readSettings(root);
    const used = isWritten ? settings : undefined;
    if (choice === undefined && !keepsRecords(root, used)) return status;
    // The room is large, and most commands end without it.
    const { record, notes } = await work(await import("../../workshop/combinations/index.ts"), { root, settings: used });
    for (const note of notes) activity.note(note);
    return choice === "record" && record === undefined && status === 0 ? 2 : status;
  } catch (error) {
    activity.note(error instanceof Error ? error.message : String(error));
    return choice === "record" && status === 0 ? 2 : status;
  }
}
