import { NodeFiles } from "../../../engine/files/index.ts";
import { loadCatalogue } from "../../../engine/catalogue/index.ts";
import { describeDefault } from "../../../engine/installed/index.ts";
import { valueOf } from "../../../engine/model/index.ts";
import { readProject } from "../../project/index.ts";
import { CannotDo } from "../../workshop.ts";
import type { Workshop } from "../../workshop.ts";
import { planCells } from "../cells/plan.ts";
import type { PlannedCells } from "../cells/plan.ts";
import { stepNames } from "../cells/files.ts";
import { findPython } from "../cells/pythons.ts";
import { ageOf, readIndexes } from "../nightlies/index.ts";
import type { IndexRequest } from "../nightlies/types.ts";
import type { CellStepName, CombinationSettings } from "../types.ts";

/** What a run is asked for. What is named here goes before the settings. */
export interface RunRequest {
  readonly root: string;
  readonly settings: CombinationSettings;
  /** As the matrix takes them: "Try it" names one version. */
  readonly torch?: readonly string[];
  readonly python?: readonly string[];
  readonly indexes?: readonly string[];
  /** One that goes before the others. */
  readonly firstIndex?: string;
  readonly steps?: readonly CellStepName[];
  /** Ids of cells, or beginnings of them. */
  readonly only?: readonly string[];
  readonly executor?: "local" | "slurm";
  readonly jobs?: number;
  /** When environments and build trees stay; absent: never. */
  readonly keep?: "never" | "failed" | "always";
  /** Indexes are not asked; what was read before counts. */
  readonly offline?: boolean;
  /** How indexes are read: for those who know it already, and for tests. */
  readonly reading?: Pick<IndexRequest, "memory" | "network" | "refresh">;
}

export interface RunPlan extends PlannedCells {
  readonly warnings: readonly string[];
}

/** The cells that a run would try. Reads the indexes and starts nothing of the project. */
export async function planRun(request: RunRequest, workshop: Workshop): Promise<RunPlan> {
  const settings = settingsOf(request);
  await requireWork(settings, request.root, workshop);
  const { matrix = {}, indexes = [] } = settings;
  const one = <T>(values: readonly T[] | undefined): T | undefined => (values?.length === 1 ? values[0] : undefined);
  const variant = one(matrix.cuda);
  const installed = describeDefault({ root: request.root, files: new NodeFiles(), catalogue: loadCatalogue(), environment: workshop.environment });
  const torch = installed === undefined ? undefined : valueOf(installed.facts, "torch-version");
  const python = matrix.python === undefined ? await pythonOf(workshop, installed === undefined ? undefined : valueOf(installed.facts, "python-version")) : undefined;
  const wantedPython = one(matrix.python) ?? python;
  const knowledge = await readIndexes({
    root: request.root, packages: settings.packages ?? [], ...(request.offline === undefined ? {} : { offline: request.offline }), ...request.reading,
    wanted: { indexes, ...(request.firstIndex === undefined ? {} : { firstIndex: request.firstIndex }), ...(wantedPython === undefined ? {} : { python: wantedPython }), ...(variant === undefined ? {} : { variant }) },
  }, workshop);
  const planned = planCells(settings, knowledge, { commits: await commitsOf(request, workshop), ...(torch === undefined ? {} : { torch }), ...(python === undefined ? {} : { python }) });
  const withdrawn = [...new Set(planned.wheels.values())].flatMap(({ version, yanked, changed }) => [...(yanked === undefined ? [] : [`torch ${version} was withdrawn (yanked)${yanked === "" ? "" : `: ${yanked}`}; it is tried because it was named.`]), ...(changed === undefined ? [] : [changed])]);
  const unread = knowledge.indexes.flatMap(({ problem }) => problem ?? []);
  return {
    ...planned,
    cells: request.only === undefined ? planned.cells : planned.cells.filter(({ id }) => request.only?.some((wish) => id.startsWith(wish))),
    warnings: [...new Set([...unread, ...(unread.length > 0 ? ageOf(knowledge, workshop.now()) : []), ...withdrawn, ...knowledge.problems])],
  };
}

/** An installation alone says nothing of a project: a folder that is none would pass. Of other commits this is not known yet. */
async function requireWork({ steps = stepNames, matrix }: CombinationSettings, root: string, { environment }: Workshop): Promise<void> {
  if (steps.every((one) => one === "install") || matrix?.commit?.some((one) => one !== ".") === true) {
    return;
  }
  const { builds, smoke, benchmarks } = await readProject(root, { environment });
  if (builds.length === 0 && !(steps.includes("smoke") && smoke.length > 0) && !(steps.includes("benchmark") && benchmarks.length > 0)) {
    throw new CannotDo(`${root} has nothing that could be tried: no build was found in it${steps.includes("smoke") ? ", no smoke test" : ""}${steps.includes("benchmark") ? ", no benchmark" : ""}. If it is the project's folder, abiding.json can name them.`);
  }
}

/** The settings with what the request names in their place. */
export function settingsOf({ settings, torch, python, indexes, steps }: RunRequest): CombinationSettings {
  const matrix = { ...settings.matrix, ...(torch === undefined ? {} : { torch }), ...(python === undefined ? {} : { python }) };
  return { ...settings, matrix, ...(indexes === undefined ? {} : { indexes }), ...(steps === undefined ? {} : { steps }) };
}

/** That of the project's environment, else the one on PATH. */
async function pythonOf(workshop: Workshop, installed: string | undefined): Promise<string | undefined> {
  const short = /^\d+\.\d+/.exec(installed ?? "")?.[0];
  if (short !== undefined) {
    return short;
  }
  const found = await findPython(undefined, workshop);
  return "version" in found ? found.version : undefined;
}

/** Hashes of the commits that the matrix names; those that there are none of are left out. */
async function commitsOf({ root, settings }: RunRequest, { run, environment, activity }: Workshop): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of new Set(settings.matrix?.commit?.filter((one) => one !== ".") ?? [])) {
    const answer = await run({ file: "git", arguments: ["-C", root, "rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`], folder: root, environment }, { signal: activity.signal });
    const hash = answer.stdout.text.trim();
    if (/^[0-9a-f]{40,64}$/.test(hash)) {
      found.set(name, hash);
    }
  }
  return found;
}
