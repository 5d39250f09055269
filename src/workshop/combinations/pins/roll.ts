import { Spending } from "../../../engine/binaries/remote/index.ts";
import { NodeFiles } from "../../../engine/files/index.ts";
import { compareVersions, localLabel, parseVersion, publicVersion } from "../../../engine/model/index.ts";
import type { Fix, ReadResult } from "../../../engine/model/index.ts";
import { latestWorking } from "../../../views/latest.ts";
import { recordWords } from "../../../views/words.ts";
import { applyFixes } from "../../build/index.ts";
import type { Workshop } from "../../workshop.ts";
import { gitVersionOf } from "../bisect/gitRange.ts";
import { companions } from "../nightlies/companions.ts";
import { readIndexes } from "../nightlies/readIndexes.ts";
import { newestFirst, selectTorches, unmatched } from "../nightlies/select.ts";
import { torchSets } from "../nightlies/sets.ts";
import { asUser } from "../predict/asking.ts";
import { panelRecords } from "../records/panel.ts";
import { readCombinations } from "../records/read.ts";
import type { CombinationRecord, IndexKnowledge, KnownWheel, WheelWanted } from "../types.ts";
import { canonical, mainVersion, ownPins, pinsOf } from "./choose.ts";
import type { Pin } from "./choose.ts";
import { commitFiles } from "./otherFiles.ts";
import { patchOf } from "./patch.ts";
import { planPins } from "./plan.ts";
import { readProjectPins } from "./projectPins.ts";
import { judgementOf, pinStanding } from "./standing.ts";
import type { RollReport, RollRequest, RollTarget } from "./types.ts";

/** Reading torch/version.py of a wheel takes about 2 MB of its directory. */
const gitVersionBudget = 16 * 1024 * 1024;

/**
 * Rewrites all pins of a project to one set that goes together: planned as one edit, and written only where that is asked for
 * and no file was changed meanwhile. Throws CannotDo for texts that name nothing, and CouldNotWrite.
 */
export async function rollPins(request: RollRequest, workshop: Workshop): Promise<RollReport> {
  const { root } = request;
  const files = new ReadOnce();
  const project = readProjectPins(root, files);
  const names = new Set(["torch", ...companions, ...(request.packages ?? [])]);
  const pins = pinsOf(project.requirements, names);
  const torches = pins.filter((one) => canonical(one.requirement.name) === "torch");
  const from = request.from === undefined ? mainVersion(torches, root) : publicVersion(request.from);
  const nothing = { root, changes: [], left: [], notes: [], patch: "", problems: [] };
  if (from === undefined || !torches.some((one) => one.public === from)) {
    const pinned = [...new Set(torches.map((one) => one.public))].sort((a, b) => compareVersions(b, a));
    return { ...nothing, outcome: "stopped", reason: pinned.length === 0 ? "No file of the project pins torch to one version (torch==…), so that there is nothing to roll." : `No file of the project pins torch ${request.from}; pinned are ${pinned.join(", ")}.` };
  }
  const { own } = ownPins(pins, from, root);
  const siblings = [...new Set(own.map((one) => canonical(one.requirement.name)))].filter((one) => one !== "torch");
  const labels = [...new Set(own.flatMap((one) => (canonical(one.requirement.name) === "torch" ? localLabel(one.version) ?? [] : [])))];
  const wanted: WheelWanted = { ...request.wanted, ...(request.wanted.variant === undefined && labels.length === 1 && labels[0] !== undefined ? { variant: labels[0] } : {}) };
  const knowledge = await readIndexes({ ...request, packages: siblings }, workshop);
  const read = await readCombinations(request.records);
  const records = panelRecords(read, workshop.now());
  const standing = pinStanding(own.find((one) => canonical(one.requirement.name) === "torch")?.version ?? from, knowledge, request.wanted, records, workshop.now());
  const known = { ...nothing, from, standing, problems: knowledge.problems };
  const chosen = chooseTarget(request, { from, own, siblings, wanted, knowledge, records, all: read.records });
  if ("reason" in chosen) return { ...known, outcome: "stopped", reason: chosen.reason };
  const target = await withCommit(chosen, request, workshop, commitFiles(root, files).length > 0);
  const plan = planPins({ root, pins, project, from, target, knowledge, wanted }, files);
  const judged = judgementOf(records.filter((one) => one.torch === target.torch));
  const because = chosen.because ?? (judged === undefined ? undefined : `${recordWords(judged.record.how, judged.record.outcome)} on ${judged.record.when.slice(0, 10)}`);
  const notes = [...(judged?.verdict === "passed" ? [] : [judged === undefined ? `No record says anything of this project with torch ${target.torch}: it is not tested.` : `The records do not say that this project works with torch ${target.torch}: ${because ?? ""}.`]), ...plan.notes];
  const report = { ...known, to: target, ...(because === undefined ? {} : { because }), left: plan.left, notes };
  if (plan.changes.length === 0) {
    return plan.atTarget === 0 && plan.left.some((one) => one.byHand) ? { ...report, outcome: "stopped", reason: "No pin could be rewritten." } : { ...report, outcome: "up-to-date" };
  }
  const fix: Fix = { title: `Roll torch ${from} to ${target.torch}`, preferred: true, edits: plan.changes.map((one) => one.edit) };
  const texts = new Map(plan.changes.flatMap(({ path }) => {
    // As it was when the pins were read: what became of it since is seen before anything is written.
    const result = files.readText(path);
    return result.ok ? [[path, result.text] as const] : [];
  }));
  const planned: RollReport = { ...report, outcome: "planned", changes: plan.changes, fix, patch: patchOf(root, fix.edits, texts) };
  return request.write ? written(planned, fix, texts) : planned;
}

async function written(planned: RollReport, fix: Fix, texts: ReadonlyMap<string, string>): Promise<RollReport> {
  const { refused } = await applyFixes([fix], texts);
  return refused.length === 0 ? { ...planned, outcome: "written" } : { ...planned, outcome: "changed-meanwhile", reason: `${refused.join(" ")} Nothing was written.` };
}

/** Each file as it was when it was first read: places in it hold for that text. */
class ReadOnce extends NodeFiles {
  readonly #texts = new Map<string, ReadResult>();

  override readText(path: string): ReadResult {
    const known = this.#texts.get(path) ?? super.readText(path);
    this.#texts.set(path, known);
    return known;
  }
}

interface Surroundings {
  readonly from: string;
  readonly own: readonly Pin[];
  readonly siblings: readonly string[];
  readonly wanted: WheelWanted;
  readonly knowledge: IndexKnowledge;
  readonly records: ReturnType<typeof panelRecords>;
  readonly all: readonly (CombinationRecord & { readonly id: string })[];
}

type Chosen = RollTarget & { readonly wheel?: KnownWheel; readonly because?: string };

function chooseTarget(request: RollRequest, around: Surroundings): Chosen | { readonly reason: string } {
  const { from, wanted, knowledge } = around;
  const to = request.to ?? (parseVersion(from)?.dev === undefined ? "latest" : "latest-nightly");
  if (to !== "latest" && to !== "latest-nightly") {
    // The variant of the pins is preferred; an index may have no variants at all.
    const same = selectTorches(knowledge, wanted, [to]);
    const others = same.length > 0 ? [] : selectTorches(knowledge, request.wanted, [to]);
    const [other] = others;
    if (other !== undefined && wanted.variant !== undefined && !to.includes("+") && others.every((one) => localLabel(one.version) !== undefined)) {
      return { reason: `The pins are of the build ${wanted.variant}, and no torch ${to} of it is known; there are ${others.slice(0, 5).map((one) => one.version).join(", ")}. To change to another build, name it, as --to ${other.version}, or name an index that has it with --index.` };
    }
    const wheel = preferred(same.length > 0 ? same : others, around.own);
    if (wheel === undefined) return { reason: unmatched(knowledge, request.wanted, [to])[0] ?? "" };
    return withSiblings({ torch: wheel.version, packages: {}, index: wheel.index, wheel }, request.wanted, around);
  }
  const channel = to === "latest" ? "release" : "nightly";
  const working = latestWorking(around.records).find((one) => one.channel === channel);
  const record = around.all.find((one) => one.id === working?.record);
  if (working === undefined || record === undefined) {
    const [newest] = newestFirst(knowledge, wanted).filter((one) => (channel === "nightly") === (one.day !== undefined) && one.yanked === undefined);
    return { reason: `No record says that any ${channel} of torch works with this project. ${newest === undefined ? "Try some with abiding combinations run, or name one with --to." : `Try some with abiding combinations run, or name one with --to, as --to ${newest.version}, the newest that is known.`}` };
  }
  const version = publicVersion(working.torch) ?? working.torch;
  if (compareVersions(version, from) < 0) {
    return { reason: `The newest ${channel} that is recorded as working is ${working.torch} (${working.because}), which is older than the pin ${from}. To go back to it, say --to ${working.torch}.` };
  }
  const { torch, packages = {} } = record.combination;
  const wheel = knowledge.wheels.find((one) => one.package === "torch" && one.version === torch.version);
  const index = torch.index ?? wheel?.index;
  return withSiblings({ torch: torch.version, packages, because: working.because, ...(index === undefined ? {} : { index }), ...(torch.gitVersion === undefined ? {} : { gitVersion: torch.gitVersion }), ...(wheel === undefined ? {} : { wheel }) }, request.wanted, around);
}

/** Of the variants of a version the one that the pins take: by its label, then by its index. */
function preferred(candidates: readonly KnownWheel[], own: readonly Pin[]): KnownWheel | undefined {
  const newest = candidates[0] === undefined ? undefined : publicVersion(candidates[0].version);
  const labels = new Set(own.map((one) => localLabel(one.version)));
  const urls = own.flatMap((one) => one.requirement.indexUrls);
  const fits = (one: KnownWheel): number => (labels.has(localLabel(one.version)) ? 2 : 0) + (urls.some((url) => `${url}/`.includes(one.index.replace(/^https?:/, ""))) ? 1 : 0);
  return candidates.filter((one) => publicVersion(one.version) === newest).toSorted((a, b) => fits(b) - fits(a))[0];
}

/** What was tried together stays together; of the rest METADATA decides. */
function withSiblings(chosen: Chosen, wanted: WheelWanted, { siblings, knowledge }: Pick<Surroundings, "siblings" | "knowledge">): Chosen | { readonly reason: string } {
  const open = siblings.filter((one) => chosen.packages[one] === undefined);
  if (open.length === 0) return chosen;
  const variant = localLabel(chosen.torch);
  const set = torchSets(knowledge, { ...wanted, ...(variant === undefined ? {} : { variant }) }, open).find((one) => one.torch.version === chosen.torch);
  const missing = set === undefined ? open.map((name) => `No index that was read has torch ${chosen.torch}, so that nobody knows which ${name} goes with it.`) : set.without.map((one) => one.because);
  if (missing.length > 0) {
    return { reason: `${open.join(" and ")} ${open.length === 1 ? "is" : "are"} pinned beside torch. ${missing.join(" ")} Nothing is rolled, for the pins would no longer go together.` };
  }
  return { ...chosen, packages: { ...chosen.packages, ...Object.fromEntries((set?.siblings ?? []).map((one) => [one.package, one.version])) } };
}

async function withCommit({ wheel, because: _, ...target }: Chosen, request: RollRequest, workshop: Workshop, isWanted: boolean): Promise<RollTarget> {
  if (!isWanted || target.gitVersion !== undefined || wheel === undefined || request.offline === true) return target;
  workshop.activity.step(`Reading which commit torch ${target.torch} was built from`);
  const gitVersion = await gitVersionOf(wheel, { ...asUser(request, workshop).network, budget: new Spending(gitVersionBudget), signal: workshop.activity.signal });
  return { ...target, ...(gitVersion === undefined ? {} : { gitVersion }) };
}
