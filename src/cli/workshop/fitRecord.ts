import { parseRemoteSpec } from "../../engine/binaries/remote/index.ts";
import type { FitReport, InstalledBody } from "../../engine/model/index.ts";
import type { Arguments } from "../arguments.ts";
import { printable } from "../reporters/printable.ts";
import type { Terminal } from "../terminal.ts";
import { recorded } from "./recording.ts";
import { makeWorkshop } from "./workshop.ts";

/** Records what `fits` found for a project, where it keeps records or where that was asked for. Answers the exit status. */
export async function recordedFit(status: number, report: FitReport, environment: InstalledBody, root: string, given: Arguments, terminal: Terminal): Promise<number> {
  const activity = {
    signal: new AbortController().signal,
    step: () => undefined,
    progress: () => undefined,
    output: () => undefined,
    note: (sentence: string) => terminal.say(`abiding: ${printable(sentence)}\n`),
  };
  const named = given.against[0] === undefined ? undefined : parseRemoteSpec(given.against[0]);
  const index = named?.kind === "index" ? named.url : undefined;
  return recorded(status, given.record, root, activity, (room, recording) => room.recordFit(report, environment, { ...recording, ...(index === undefined ? {} : { index }) }, makeWorkshop(terminal, activity)));
}
