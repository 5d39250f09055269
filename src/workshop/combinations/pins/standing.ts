import { compareVersions, isPrerelease, localLabel, parseVersion, publicVersion, satisfies } from "../../../engine/model/index.ts";
import type { PanelRecord } from "../../../protocol/panel.ts";
import { deciding } from "../../../views/deciding.ts";
import { plural, recordWords } from "../../../views/words.ts";
import { newestFirst } from "../nightlies/select.ts";
import type { CombinationReason, IndexKnowledge, WheelWanted } from "../types.ts";

/** Where a pin stands among the torches that are known and what the records say of them. */
export interface PinStanding {
  /** As pinned. */
  readonly torch: string;
  /** Days since the night of a nightly. */
  readonly days?: number;
  /** Versions that are known and newer, of the same kind: nightlies of a nightly, releases of a release. */
  readonly newer: number;
  /** Of them those with which the newest test of every kind of machine passed, the newest first. */
  readonly working: readonly string[];
  /** The oldest of them with which a test failed. */
  readonly firstFailing?: { readonly torch: string; readonly what: string; readonly when: string; readonly reason?: CombinationReason };
  /** Of those that nobody tried: predicted to have a conflict, and predicted to have none. */
  readonly predictedConflict: readonly string[];
  readonly predictedNoConflict: readonly string[];
  /** What the newest test with the pinned torch itself said. */
  readonly own?: "passed" | "failed";
  /** All of that for people. */
  readonly sentence: string;
}

interface Judged {
  readonly verdict: "passed" | "failed" | "no-conflict" | "conflict";
  readonly record: PanelRecord;
}

/** What the records of a torch, the newest first, say of it: of several machines, Pythons or compilers one failure counts. A test counts more than any prediction. */
export function judgementOf(records: readonly PanelRecord[]): Judged | undefined {
  const groups = new Map<string, PanelRecord[]>();
  for (const one of records.filter(({ outcome }) => outcome !== "unknown")) {
    const key = JSON.stringify([one.python, one.cuda, one.compiler, one.platform, one.gpu]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const settled = [...groups.values()].map(deciding);
  const tested = settled.filter((one) => one.how !== "predicted");
  const counting = tested.length > 0 ? tested : settled;
  const worst = counting.find((one) => one.outcome === "failed" || one.outcome === "conflict") ?? counting[0];
  return worst === undefined || worst.outcome === "unknown" ? undefined : { verdict: worst.outcome, record: worst };
}

/** `torch`: the pinned version, "2.15.0.dev20261101" or with its label. `records`: the newest first, as `panelRecords` has them. */
export function pinStanding(torch: string, knowledge: IndexKnowledge, wanted: WheelWanted, records: readonly PanelRecord[], now: Date): PinStanding {
  const version = parseVersion(torch);
  const isNightly = version?.dev !== undefined;
  const label = localLabel(torch);
  const about = (wheel: string): readonly PanelRecord[] => records.filter((one) => satisfies(one.torch, `==${wheel}`) === true);
  const newer = [...new Set(newestFirst(knowledge, wanted).filter((one) => {
    const other = parseVersion(one.version);
    return one.yanked === undefined && other !== undefined && (isNightly ? one.day !== undefined : !isPrerelease(other)) && compareVersions(publicVersion(other) ?? "", publicVersion(torch) ?? "") > 0
      && (label === undefined || localLabel(one.version) === undefined || localLabel(one.version) === label);
  }).map((one) => (label === undefined ? publicVersion(one.version) ?? one.version : one.version)))];
  const judged = newer.map((one) => ({ torch: one, judgement: judgementOf(about(one)) }));
  const of = (verdict: Judged["verdict"]): readonly string[] => judged.filter((one) => one.judgement?.verdict === verdict).map((one) => one.torch);
  const failing = judged.findLast((one) => one.judgement?.verdict === "failed");
  const own = judgementOf(about(torch))?.verdict;
  const days = isNightly ? daysSince(String(version.dev), now) : undefined;
  const standing: Omit<PinStanding, "sentence"> = {
    torch,
    ...(days === undefined ? {} : { days }),
    newer: newer.length,
    working: of("passed"),
    ...(failing?.judgement === undefined ? {} : { firstFailing: { torch: failing.torch, what: recordWords(failing.judgement.record.how, failing.judgement.record.outcome), when: failing.judgement.record.when, ...(failing.judgement.record.reason === undefined ? {} : { reason: failing.judgement.record.reason }) } }),
    predictedConflict: of("conflict"),
    predictedNoConflict: of("no-conflict"),
    ...(own === "passed" || own === "failed" ? { own } : {}),
  };
  return { ...standing, sentence: sentenceOf(standing, isNightly ? "nightly" : "release") };
}

function daysSince(day: string, now: Date): number | undefined {
  const at = /^\d{8}$/.test(day) ? Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6))) : Number.NaN;
  const days = Math.floor((now.getTime() - at) / 86_400_000);
  return Number.isNaN(days) || days < 0 ? undefined : days;
}

function sentenceOf(standing: Omit<PinStanding, "sentence">, kind: "nightly" | "release"): string {
  const { torch, days, newer, working, firstFailing, predictedConflict, predictedNoConflict } = standing;
  const kinds = kind === "nightly" ? "nightlies" : "releases";
  const age = days === undefined ? `torch ${torch} is pinned` : `The pin torch ${torch} is ${plural(days, "day")} old`;
  if (newer === 0) return `${age}; no newer ${kind} is known.`;
  const tested = working.length === 0 ? `${newer === 1 ? "it is not" : "none of them is"} recorded as working` : newer === 1 ? "it is recorded as working" : `${working.length === newer ? "all of them are" : `${working.length} of them ${working.length === 1 ? "is" : "are"}`} recorded as working, the newest is ${working[0]}`;
  const predicted = [predictedNoConflict.length === 0 ? "" : `${predictedNoConflict.length} without a conflict in what was compared`, predictedConflict.length === 0 ? "" : `${predictedConflict.length} with one`].filter((one) => one !== "");
  return [
    `${age}; ${plural(newer, `newer ${kind}`, `newer ${kinds}`)} ${newer === 1 ? "is" : "are"} known, and ${tested}.`,
    firstFailing === undefined ? "" : `The first that fails is ${firstFailing.torch} (${firstFailing.what}).${firstFailing.reason === undefined ? "" : ` ${firstFailing.reason.message}`}`,
    predicted.length === 0 ? "" : `Predicted, and not tested: ${predicted.join(", ")}.`,
  ].filter((one) => one !== "").join(" ");
}
