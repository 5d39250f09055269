import { RangeCache, Spending, userCacheFolder } from "../../../engine/binaries/remote/index.ts";
import { findEnvironments } from "../../../engine/installed/find.ts";
import { exclusively, isInUse, sentenceOf } from "../../process/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { Workshop } from "../../workshop.ts";
import { readIndexes } from "../nightlies/index.ts";
import { asUser, indexReading, judgeOf, surroundingsOf } from "../predict/asking.ts";
import { openSubjects } from "../predict/subjects.ts";
import type { Subjects } from "../predict/subjects.ts";
import { wantedFor } from "../predict/torches.ts";
import { appendCombinations } from "../records/append.ts";
import { recordsFile } from "../records/place.ts";
import { removeTrials } from "../run/torchTrier.ts";
import type { BisectReport, WheelWanted } from "../types.ts";
import { conclude } from "./conclude.ts";
import type { Bounds } from "./narrow.ts";
import { Questions } from "./questions.ts";
import { torchRow } from "./row.ts";
import type { TorchRow } from "./row.ts";
import { searchBySymbols, searchByTrying } from "./search.ts";
import { BisectState } from "./state.ts";
import { Stopped } from "./types.ts";
import type { BisectRequest, MakeTrier, TryTorch } from "./types.ts";

/**
 * Finds the first torch between a good and a bad one with which the project breaks: by symbols in seconds, and where it has
 * to be tried, only at the place that symbols point to, as long as they are right. Goes on where an earlier, interrupted
 * bisect of the same question stopped. Throws `CannotDo`.
 */
export async function bisect(given: BisectRequest, workshop: Workshop, makeTrier: MakeTrier): Promise<BisectReport> {
  const request = asUser(given, workshop);
  const { root, by } = request;
  const { activity } = workshop;
  activity.step("Looking for what is built");
  const subjects = await openSubjects(request.files, surroundingsOf(request, workshop), request.wanted.python, activity.signal);
  try {
    if (by === "fits" && subjects.all.length === 0) throw new CannotDo(`Nothing that uses torch was found built in ${root}, and so there are no symbols to compare. Build the project with the good torch first, or name a file.`);
    activity.step("Reading indexes");
    const wanted = wantedBy(request, subjects, workshop);
    const knowledge = await readIndexes({ root, wanted, packages: [], offline: request.offline, ...indexReading(request) }, workshop);
    const row = torchRow(request.good, request.bad, knowledge, wanted, subjects);
    const asked = { good: row.torches[0]?.version, bad: row.torches.at(-1)?.version, by, python: wanted.python, files: subjects.all.map((one) => one.sha256), indexes: [...(wanted.firstIndex === undefined ? [] : [wanted.firstIndex]), ...wanted.indexes] };
    const state = await BisectState.open(root, asked, workshop.now(), request.restart);
    await clearAfterKilled(state, activity);
    const report = await exclusively(state.folder, `combinations bisect of ${root}`, activity, async () => {
      const trier = makeTrier({ folder: state.folder, wanted, knowledge });
      try {
        return await search({ request, workshop, tries: trier.tries, subjects, row, state });
      } finally {
        await trier.end();
      }
    });
    await state.unlocked();
    return report;
  } finally {
    subjects.dispose();
  }
}

/** What bisects of other questions left that were killed: copies of the project and environments, which are large. */
async function clearAfterKilled(state: BisectState, activity: Workshop["activity"]): Promise<void> {
  for (const folder of await state.othersInTrial()) {
    try {
      if (!await isInUse(folder)) await exclusively(folder, "clearing up after a bisect", activity, () => removeTrials(folder), "What an interrupted bisect left");
    } catch (error) {
      activity.signal.throwIfAborted();
      activity.note(sentenceOf(error, `remove what a bisect left in ${folder}`));
    }
  }
}

/** What is tried needs a Python that is here: of the environment, else the one on PATH. */
function wantedBy(request: BisectRequest, subjects: Subjects, workshop: Workshop): WheelWanted {
  const wanted = wantedFor(request.wanted, subjects);
  if (request.by === "fits" || wanted.python !== undefined) return wanted;
  const python = findEnvironments(surroundingsOf(request, workshop)).map((one) => one.pythonVersion).find((one) => one !== undefined);
  return { ...wanted, ...(python === undefined ? {} : { python }) };
}

export interface Search {
  readonly request: BisectRequest;
  readonly workshop: Workshop;
  readonly tries: TryTorch;
  readonly subjects: Subjects;
  readonly row: TorchRow;
  readonly state: BisectState;
}

async function search(given: Search): Promise<BisectReport> {
  const { request, workshop, tries, subjects, row: { torches }, state } = given;
  const { by, root } = request;
  const spending = new Spending(request.budget);
  const records = recordsFile(root, request.settings);
  const questions = new Questions({
    torches, spending, tries, state, workshop,
    ...(subjects.all.length === 0 ? {} : { judge: judgeOf(subjects, request, workshop, spending) }),
    tried: async (result) => {
      if (request.record) await appendCombinations(records, result.records);
    },
  });
  if (state.earlier.size > 0) {
    workshop.activity.note(`Going on from a bisect of ${state.started.slice(0, 16).replace("T", " ")} UTC that had asked ${state.earlier.size} ${state.earlier.size === 1 ? "torch" : "torches"}; --restart begins anew.`);
  }
  workshop.activity.note(`${torches.length} torches from ${torches[0]?.version} to ${torches.at(-1)?.version}: ${asks(torches.length)}`);
  const means = { ...given, questions, records, remote: { ...request.network, budget: spending, signal: workshop.activity.signal, cache: new RangeCache(`${request.cacheFolder ?? userCacheFolder(workshop.environment)}/predictions`) } };
  try {
    const hint = await symbolsOf(given, questions);
    const bounds = by === "fits" ? hint : await searchByTrying(torches, by, hint, questions);
    if (bounds === undefined) throw new Error("a bisect by symbols ended without an answer");
    return await conclude(means, bounds);
  } catch (error) {
    if (workshop.activity.signal.aborted) return await conclude(means, new Stopped("cancelled", "It was cancelled."));
    if (error instanceof Stopped) return await conclude(means, error);
    throw error;
  }
}

/** Halving, and where something was found two looks beyond it. What cannot be told asks for more. */
function asks(count: number): string {
  if (count <= 4) return "all of them may be asked.";
  return `the two ends and about ${Math.min(count - 2, Math.ceil(Math.log2(count - 1)) + 2)} between them are asked.`;
}

/** Where symbols break; undefined where they do not tell, which ends only a bisect that goes by them. */
async function symbolsOf({ request, workshop, subjects, row }: Search, questions: Questions): Promise<Bounds | undefined> {
  if (subjects.all.length === 0) return undefined;
  try {
    return await searchBySymbols(row.torches, questions);
  } catch (error) {
    if (!(error instanceof Stopped) || error.outcome === "cancelled" || request.by === "fits") throw error;
    workshop.activity.note(`Symbols do not tell where it breaks, so that torches have to be tried. ${error.message}`);
    return undefined;
  }
}
