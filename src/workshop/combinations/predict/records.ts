import { normaliseName } from "../../../engine/model/index.ts";
import type { Workshop } from "../../workshop.ts";
import { appendCombinations } from "../records/append.ts";
import { combinationOf } from "../records/circumstances.ts";
import { projectNameOf } from "../records/project.ts";
import { readCombinations } from "../records/read.ts";
import { withoutPlaces } from "../records/withoutPrivate.ts";
import type { Combination, CombinationRecord, KnownWheel } from "../types.ts";
import type { Subjects } from "./subjects.ts";
import type { Judged } from "./types.ts";

/** What all predictions of one run have in common. */
export interface Circumstances {
  readonly root: string;
  readonly project: Combination["project"];
  readonly compiler?: string;
  readonly platform: string;
  readonly isBoundToPython: boolean;
  /** Of the only file; of several there is none. */
  readonly file?: string;
  readonly now: string;
  readonly by: string;
}

/** Undefined: the files are of several distributions, and a record is of one. */
export async function circumstancesOf(root: string, subjects: Subjects, records: string, workshop: Workshop): Promise<Circumstances | undefined> {
  const [first, ...others] = subjects.all;
  const [distribution, ...more] = distributionsOf(root, subjects);
  if (more.length > 0) {
    workshop.activity.note(`Nothing is recorded: the files are of ${[distribution, ...more].map((one) => one?.name).join(" and ")}, and a record is of one project.`);
    return undefined;
  }
  // The machine's GPU is no part of a prediction.
  const combination = await combinationOf({ root, torch: { version: "0" }, packages: {}, gpu: null, built: subjects.all.map((one) => one.file), ...(distribution === undefined ? {} : { project: distribution }), ...(subjects.target.platform === undefined ? {} : { platform: subjects.target.platform }), unchanging: [records] }, workshop);
  if (combination === undefined) throw new Error("a combination whose torch is known was not described");
  return {
    root,
    project: combination.project,
    platform: combination.platform,
    isBoundToPython: subjects.isBoundToPython,
    ...(combination.compiler === undefined ? {} : { compiler: combination.compiler }),
    ...(first === undefined || others.length > 0 ? {} : { file: first.sha256 }),
    now: workshop.now().toISOString(),
    by: workshop.version,
  };
}

/** Whose the files are: a wheel says it, and a library is of the project in the folder. */
function distributionsOf(root: string, subjects: Subjects): readonly Combination["project"][] {
  const all = subjects.all.map(({ examined: { wheel } }): Combination["project"] => (wheel === undefined ? { name: projectNameOf(root).name } : { name: normaliseName(wheel.name), version: wheel.version }));
  return [...new Map(all.map((one) => [normaliseName(one.name), one])).values()];
}

/** What a prediction says, as a record. */
export function predictionRecord(wheel: KnownWheel, judged: Judged, { root, project, compiler, platform, isBoundToPython, file, now, by }: Circumstances): CombinationRecord {
  const python = !isBoundToPython ? null : /^cp(\d)(\d+)(?=$|[.-])/.exec(wheel.python);
  const isFree = wheel.abi.endsWith("t") && /^cp\d+t$/.test(wheel.abi);
  return {
    schema: 1,
    combination: {
      project,
      torch: { version: judged.torch ?? wheel.version, ...(judged.gitVersion === undefined ? {} : { gitVersion: judged.gitVersion }), index: wheel.index },
      ...(python === null ? {} : { python: `${python[1]}.${python[2]}${isFree ? "t" : ""}` }),
      ...(judged.cuda === undefined ? {} : { cuda: judged.cuda }),
      ...(compiler === undefined ? {} : { compiler }),
      platform,
    },
    how: "predicted", outcome: judged.verdict, when: now, by,
    ...(judged.reason === undefined ? {} : { reason: { ...judged.reason, message: withoutPlaces(judged.reason.message, root) } }),
    ...(file === undefined ? {} : { file }),
  };
}

/** Adds those predictions that say anything new: what the last one of the same combination said need not be said again. */
export async function recordPredictions(file: string, records: readonly CombinationRecord[], workshop: Workshop): Promise<void> {
  if (records.length === 0) return;
  const last = new Map<string, string>();
  const before = await readCombinations(file, { now: workshop.now() });
  for (const record of before.records) {
    if (record.how === "predicted") last.set(subjectOf(record), saying(record));
  }
  const { notes } = await appendCombinations(file, records.filter((record) => last.get(subjectOf(record)) !== saying(record)));
  for (const note of notes) workshop.activity.note(note);
}

/** A commit more or less does not make another prediction of the same file. */
function subjectOf({ combination: { project, torch, python, platform } }: CombinationRecord): string {
  return JSON.stringify([project.name, torch.version, torch.index, python, platform]);
}

function saying({ outcome, reason, file, combination }: CombinationRecord): string {
  return JSON.stringify([outcome, reason?.message, reason?.rule, reason?.symbols, file ?? [combination.project.commit, combination.project.version]]);
}
