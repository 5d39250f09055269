import * as path from "node:path";
import type { RemoteOptions, Spending } from "../../../engine/binaries/remote/index.ts";
import { appendCombinations } from "../records/append.ts";
import { circumstancesOf, predictionRecord, recordPredictions } from "../predict/records.ts";
import type { Circumstances } from "../predict/records.ts";
import type { BisectReport, CombinationRecord, KnownWheel } from "../types.ts";
import type { Search } from "./bisect.ts";
import { gitRange, gitVersionOf } from "./gitRange.ts";
import type { Bounds } from "./narrow.ts";
import { decisive } from "./questions.ts";
import type { Questions } from "./questions.ts";
import { Stopped } from "./types.ts";

export interface Means extends Search {
  readonly questions: Questions;
  readonly records: string;
  readonly remote: RemoteOptions & { readonly budget: Spending };
}

/** The report, and the records with it. What was found out before the bisect was stopped is in it too. */
export async function conclude(means: Means, found: Bounds | Stopped): Promise<BisectReport> {
  const { request: { root, by }, row: { torches }, questions, remote, state } = means;
  const shared = { schema: 1, root, by, good: torches[0]?.version ?? "", bad: torches.at(-1)?.version ?? "" } as const;
  if (found instanceof Stopped) {
    await keepPredictions(means);
    if (found.outcome !== "cancelled") await state.end();
    return { ...shared, outcome: found.outcome, reason: found.message, symbols: [], steps: questions.steps, skipped: [], bytes: remote.budget.spent };
  }
  const [lastGood, firstBad] = [torches[found.good], torches[found.bad]];
  if (lastGood === undefined || firstBad === undefined) throw new Error("the bounds of a bisect lie outside of its row");
  const range = await rangeOf(means, found);
  const judged = await questions.judgementOf(firstBad);
  const before = new Set(((await questions.judgementOf(lastGood))?.lacking ?? []).map((one) => one.symbol));
  const symbols = (judged?.lacking ?? []).filter((one) => !before.has(one.symbol));
  const failing = questions.known(found.bad, by)?.reason;
  const skipped = torches.slice(found.good + 1, found.bad).map((one) => one.version);
  const circumstances = await keepPredictions(means);
  await keepFirstBad(means, firstBad, found, range, circumstances);
  await state.end();
  const reason = remarks(means, found, skipped);
  return {
    ...shared, outcome: "found", ...(reason === "" ? {} : { reason }), lastGood, firstBad, ...(range === undefined ? {} : { range }),
    symbols, ...(failing === undefined ? {} : { failing }), steps: questions.steps, skipped, bytes: remote.budget.spent,
  };
}

async function rangeOf({ row: { torches, isBackwards }, questions, request: { by }, remote }: Means, { good, bad }: Bounds): Promise<BisectReport["range"]> {
  const commitOf = async (place: number): Promise<string | undefined> => {
    const torch = torches[place];
    return questions.known(place, by)?.gitVersion ?? questions.known(place, "fits")?.gitVersion ?? (torch === undefined ? undefined : gitVersionOf(torch, remote));
  };
  const [older, newer] = isBackwards ? [bad, good] : [good, bad];
  return gitRange(await commitOf(older), await commitOf(newer));
}

/** Suspects that could not be told, days without a torch, and verdicts that do not go with what was found. */
function remarks({ row: { torches, isBackwards }, questions, request: { by } }: Means, { good, bad }: Bounds, skipped: readonly string[]): string {
  const said: string[] = [];
  if (skipped.length > 0) said.push(`Between the last good and the first bad torch ${skipped.length === 1 ? "lies one that" : `lie ${skipped.length} that`} could not be told: it broke with ${skipped.length === 1 ? "that one" : "one of those"} or with the first bad one.`);
  const gap = daysBetween(torches[good], torches[bad]);
  const missing = gap - 1 - skipped.length;
  if (missing > 0) said.push(`The indexes have no torch of ${missing === 1 ? "one day" : `${missing} days`} between them.`);
  const again = torches.flatMap((torch, place) => {
    const verdict = questions.known(place, by)?.verdict;
    return (place > bad && verdict === "good") || (place < good && verdict === "bad") ? [`torch ${torch.version} is ${verdict}`] : [];
  });
  if (again.length > 0) said.push(`It did not break once and for all: ${again.join(", ")}. What was found is one of several changes.`);
  if (isBackwards) said.push("The bad torch is the older one: the change is what made it good.");
  return said.join(" ");
}

function daysBetween(one: KnownWheel | undefined, other: KnownWheel | undefined): number {
  if (one?.day === undefined || other?.day === undefined) return 0;
  const dateOf = (day: string): number => Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6, 8)));
  return Math.abs(Math.round((dateOf(other.day) - dateOf(one.day)) / 86_400_000));
}

/** Answers what all predictions have in common; undefined: nothing that was predicted is to be recorded. */
async function keepPredictions(means: Means): Promise<Circumstances | undefined> {
  const { request, questions, subjects, records, workshop } = means;
  if (!request.record || subjects.all.length === 0) return undefined;
  const told = [...questions.judged].filter(([, judged]) => judged.torch !== undefined);
  const circumstances = await circumstancesOf(request.root, subjects, path.relative(request.root, records), workshop);
  if (circumstances !== undefined) await recordPredictions(records, told.map(([torch, judged]) => predictionRecord(torch, judged, circumstances)), workshop);
  return circumstances;
}

/** The record that says what the bisect came to: the first bad torch, with what leads to the change. */
async function keepFirstBad(means: Means, torch: KnownWheel, { good, bad }: Bounds, range: BisectReport["range"], circumstances: Circumstances | undefined): Promise<void> {
  const { request: { by, record }, questions, row: { torches }, records, workshop } = means;
  if (!record) return;
  const note = `First bad torch of a bisect; the last good one is ${torches[good]?.version}.${range === undefined ? "" : ` ${range.url}`}`;
  if (by === "fits") {
    const judged = await questions.judgementOf(torch);
    if (judged === undefined || circumstances === undefined) return;
    await appendCombinations(records, [{ ...predictionRecord(torch, judged, circumstances), note }]);
    return;
  }
  const { records: made = [], reason } = questions.known(bad, by) ?? {};
  const last = made.findLast((one) => one.outcome === "failed") ?? made.at(-1);
  if (last === undefined) return;
  const isMeasured = last.outcome !== "failed" && decisive[by] === "benchmark";
  const { combination, run } = last;
  const kept: CombinationRecord = { ...(isMeasured ? { schema: 1, combination, how: "benchmark", outcome: "failed", by: last.by, ...(run === undefined ? {} : { run }) } : last), when: workshop.now().toISOString(), ...(reason === undefined ? {} : { reason }), note };
  await appendCombinations(records, [kept]);
}
