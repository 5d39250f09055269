import * as path from "node:path";
import { Spending } from "../../../engine/binaries/remote/index.ts";
import type { Workshop } from "../../workshop.ts";
import { ageOf, readIndexes, selectTorches, unmatched } from "../nightlies/index.ts";
import { recordsFile } from "../records/place.ts";
import type { KnownWheel, PredictReport, Prediction } from "../types.ts";
import { askAll, asUser, indexReading, judgeOf, megabytes, surroundingsOf } from "./asking.ts";
import type { Row } from "./asking.ts";
import { circumstancesOf, predictionRecord, recordPredictions } from "./records.ts";
import type { Circumstances } from "./records.ts";
import { openSubjects } from "./subjects.ts";
import { oneForEachTorch, wantedFor } from "./torches.ts";
import type { Judged, PredictRequest } from "./types.ts";

/** What is asked about when nobody says it: the releases that people have, and the nightlies that they will have. */
const usualTorches = ["release:5", "nightly:10"];
/** Bytes: sixty nightlies of a CPU build, forty with CUDA. */
export const defaultBudget = 300_000_000;

/**
 * Compares what is built of a project with every torch of a range by what their wheels on the network export, within a
 * budget. Nothing is installed, loaded or run, and so nothing is called tested. Throws `CannotDo`.
 */
export async function predict(given: PredictRequest, workshop: Workshop): Promise<PredictReport> {
  const request = asUser(given, workshop);
  const { root, settings, budget } = request;
  const { activity } = workshop;
  const records = recordsFile(root, settings);
  activity.step("Looking for what is built");
  const subjects = await openSubjects(request.files, surroundingsOf(request, workshop), request.wanted.python, activity.signal);
  try {
    const shared = {
      schema: 1, root, files: subjects.all.map(({ file, sha256 }) => ({ file, sha256 })), budget, records,
    } as const;
    if (subjects.all.length === 0) {
      return { ...shared, outcome: "nothing-to-predict", reason: `Nothing that uses torch was found built in ${root}: no library in a build folder or beside its package, and no wheel in dist. Build the project first, or name a file.`, predictions: [], estimated: 0, spent: 0, notChecked: subjects.said };
    }
    activity.step("Reading indexes");
    const wanted = wantedFor(request.wanted, subjects);
    const knowledge = await readIndexes({ root, wanted, packages: [], offline: request.offline, ...indexReading(request) }, workshop);
    const asked = request.torch.length > 0 ? request.torch : settings?.matrix?.torch ?? usualTorches;
    const torches = oneForEachTorch(selectTorches(knowledge, wanted, asked), wanted, subjects);
    const said = [...subjects.said, ...knowledge.problems, ...knowledge.indexes.flatMap((one) => one.problem ?? []), ...(request.offline || knowledge.indexes.some((one) => one.problem !== undefined) ? ageOf(knowledge, workshop.now()) : []), ...(request.torch.length === 0 ? [] : unmatched(knowledge, wanted, asked))];
    if (torches.length === 0) {
      return { ...shared, outcome: "nothing-to-predict", reason: `No torch ${asked.join(", ")} for ${[wanted.python === undefined ? undefined : `Python ${wanted.python}`, wanted.platform].filter((one) => one !== undefined).join(" on ")} is known at ${indexesOf(knowledge.indexes)}.`, predictions: [], estimated: 0, spent: 0, notChecked: said };
    }
    const spending = new Spending(budget);
    const judge = judgeOf(subjects, request, workshop, spending);
    const costs = await Promise.all(torches.map(async (one) => judge.estimate(one)));
    const estimated = costs.reduce((sum, one) => sum + one, 0);
    activity.note(beforehand(torches.length, costs, estimated, request));
    activity.step(`Comparing with ${torches.length} torches`);
    // Asked for before: git is not asked after a cancel.
    const circumstances = request.record ? await circumstancesOf(root, subjects, path.relative(root, records), workshop) : undefined;
    const row = await askAll(torches, judge, spending, workshop);
    const judged = torches.flatMap((torch, index) => {
      const answer = row.answers.get(index);
      return answer?.kind === "judged" ? [{ torch, ...answer }] : [];
    });
    // Even of a cancelled run, what was found out is worth keeping.
    if (circumstances !== undefined) await keep(judged, circumstances, records, workshop);
    return {
      ...shared, ...outcomeOf(row, torches, costs, budget), estimated, spent: spending.spent,
      predictions: judged.map(({ torch, judged: { verdict, reason }, fromCache, bytes }): Prediction => ({ torch, verdict, ...(reason === undefined ? {} : { reason }), fromCache, bytes })),
      notChecked: [...new Set([...said, ...judged.flatMap((one) => one.judged.notChecked.filter((sentence) => !isOfOneTorch(sentence, one.torch)))])],
    };
  } finally {
    subjects.dispose();
  }
}

async function keep(all: readonly { readonly torch: KnownWheel; readonly judged: Judged }[], circumstances: Circumstances, records: string, workshop: Workshop): Promise<void> {
  // Why a wheel could not be read is no knowledge of the project.
  const told = all.filter(({ judged }) => judged.torch !== undefined);
  await recordPredictions(records, told.map(({ torch, judged }) => predictionRecord(torch, judged, circumstances)), workshop);
}

function beforehand(count: number, costs: readonly number[], estimated: number, { budget, offline }: Pick<PredictRequest, "budget" | "offline">): string {
  const known = costs.filter((one) => one === 0).length;
  const what = `${count} ${count === 1 ? "torch" : "torches"}${known === 0 ? "" : `, ${known === count ? (count === 1 ? "known" : "all of them known") : `${known} of them known`} from before`}`;
  if (estimated === 0) return `${what}: nothing is left to read.`;
  if (offline) return `${what}. Offline, nothing is read of the others.`;
  return `${what}: about ${megabytes(estimated)} are to be read, and at most ${megabytes(budget)} may be.`;
}

function outcomeOf({ answers, stopped }: Row, torches: readonly KnownWheel[], costs: readonly number[], budget: number): Pick<PredictReport, "outcome" | "reason"> {
  const open = torches.flatMap((_, index) => (answers.get(index)?.kind === "judged" ? [] : [index]));
  if (open.length === 0) return { outcome: "predicted" };
  const cost = open.reduce((sum, index) => sum + (costs[index] ?? 0), 0);
  const left = `${open.length} of ${torches.length} torches ${open.length === 1 ? "is" : "are"} left`;
  const on = "What was found out is kept; the same command goes on from there";
  if (stopped === "cancelled") return { outcome: "cancelled", reason: `It was cancelled: ${left}. ${on}.` };
  if (stopped === "budget") return { outcome: "partial", reason: `A further torch would cost more than the budget of ${megabytes(budget)} leaves: ${left}, about ${megabytes(cost)}. ${on}, and --budget allows more.` };
  const refusal = open.flatMap((index) => answers.get(index) ?? []).find((one) => one.kind === "left");
  if (refusal?.because === "offline") return { outcome: "partial", reason: `${left}: they were not compared before, and offline nothing is read.` };
  return { outcome: "partial", reason: `${left}: ${refusal?.message ?? "they were not asked for."} ${on}.` };
}

/** Sentences that name a wheel would be as many as there are torches. */
function isOfOneTorch(sentence: string, torch: KnownWheel): boolean {
  return sentence.includes(torch.file) && !sentence.includes("changed under its name") || sentence.includes(`torch ${torch.version}`);
}

function indexesOf(indexes: readonly { readonly index: string }[]): string {
  return [...new Set(indexes.map((one) => one.index))].join(", ") || "the indexes";
}
