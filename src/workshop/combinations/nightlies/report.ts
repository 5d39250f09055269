import { NodeFiles } from "../../../engine/files/index.ts";
import { exactVersion } from "../../../engine/model/index.ts";
import type { Requirement } from "../../../engine/model/index.ts";
import type { Workshop } from "../../workshop.ts";
import { readProjectPins } from "../pins/projectPins.ts";
import { pinStanding } from "../pins/standing.ts";
import type { PinStanding } from "../pins/standing.ts";
import { panelRecords } from "../records/panel.ts";
import { readCombinations } from "../records/read.ts";
import type { IndexKnowledge, TorchSet } from "../types.ts";
import { ageOf } from "./age.ts";
import { companions } from "./companions.ts";
import { readIndexes } from "./readIndexes.ts";
import { newestFirst, noneFits, selectTorches, unmatched } from "./select.ts";
import { torchSets } from "./sets.ts";
import type { IndexRequest } from "./types.ts";

export interface NightliesRequest extends Omit<IndexRequest, "packages"> {
  /** Absent: those companions of torch that the project pins. */
  readonly packages?: readonly string[];
  /** As `selectTorches` takes them; empty: all. */
  readonly torch: readonly string[];
  /** The file of records. */
  readonly records: string;
}

/** The JSON of `combinations nightlies` (docs/schema/combinations-nightlies.schema.json). */
export interface NightliesReport {
  readonly schema: 1;
  readonly root: string;
  /** The newest first. */
  readonly sets: readonly TorchSet[];
  readonly indexes: IndexKnowledge["indexes"];
  /** How old what is known is, in sentences. */
  readonly age: readonly string[];
  /** Where the project's pins of torch stand, each version once. */
  readonly pins: readonly (PinStanding & { readonly places: readonly { readonly path: string; readonly line: number }[] })[];
  readonly problems: readonly string[];
}

/** What indexes have and had of torch, which sets there are, and where the project's pins stand among them. */
export async function nightlies(request: NightliesRequest, workshop: Workshop): Promise<NightliesReport> {
  const { requirements } = readProjectPins(request.root, new NodeFiles());
  const packages = request.packages ?? companions.filter((one) => requirements.some(({ name }) => name === one));
  const knowledge = await readIndexes({ ...request, packages }, workshop);
  const chosen = request.torch.length === 0 ? undefined : new Set(selectTorches(knowledge, request.wanted, request.torch).map((one) => one.version));
  const now = workshop.now();
  const records = panelRecords(await readCombinations(request.records), now);
  return {
    schema: 1,
    root: request.root,
    sets: torchSets(knowledge, request.wanted, packages).filter((one) => chosen?.has(one.torch.version) ?? true),
    indexes: knowledge.indexes,
    age: ageOf(knowledge, now),
    pins: [...torchPins(requirements)].map(([version, places]) => ({ ...pinStanding(version, knowledge, request.wanted, records, now), places })),
    problems: [...knowledge.problems, ...unmatched(knowledge, request.wanted, request.torch), ...(request.torch.length === 0 && knowledge.wheels.length > 0 && newestFirst(knowledge, request.wanted).length === 0 ? [noneFits(knowledge, request.wanted)] : [])],
  };
}

/** Versions of torch that are pinned, each with its places; lines from 1. */
function torchPins(requirements: readonly Requirement[]): ReadonlyMap<string, readonly { readonly path: string; readonly line: number }[]> {
  const pins = new Map<string, { readonly path: string; readonly line: number }[]>();
  for (const one of requirements) {
    const version = one.name === "torch" && one.known ? exactVersion(one.specifier) : undefined;
    if (version === undefined) continue;
    pins.set(version, [...(pins.get(version) ?? []), { path: one.location.path, line: one.location.range.start.line + 1 }]);
  }
  return pins;
}
