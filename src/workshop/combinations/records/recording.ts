/** Reports of other rooms as records in a project's file. */
import * as path from "node:path";
import { loadCatalogue } from "../../../engine/catalogue/index.ts";
import { isInside, NodeFiles } from "../../../engine/files/index.ts";
import { normaliseName } from "../../../engine/model/index.ts";
import type { FitReport, InstalledBody } from "../../../engine/model/index.ts";
import type { BenchmarkReport } from "../../benchmark/types.ts";
import type { BuildReport } from "../../build/types.ts";
import { sha256Of } from "../../libtorch/index.ts";
import type { BenchmarkPlan, SmokePlan } from "../../project/types.ts";
import type { SmokeReport } from "../../smoke/types.ts";
import type { Workshop } from "../../workshop.ts";
import { builtFiles } from "../predict/builtFiles.ts";
import type { CombinationRecord, CombinationSettings } from "../types.ts";
import { appendCombinations } from "./append.ts";
import { combinationOf, type Circumstances } from "./circumstances.ts";
import { saidByBenchmark, saidByBuild, saidByFit, saidBySmoke, type Said } from "./outcomes.ts";
import { recordsFile } from "./place.ts";
import { withoutPlaces } from "./withoutPrivate.ts";

export interface Recording {
  readonly root: string;
  readonly settings: CombinationSettings | undefined;
  /** The Python that was used, where one was chosen. */
  readonly interpreter?: string;
  /** Only a part of the project's tests or benchmarks was asked for. */
  readonly isPart?: boolean;
}

export interface Recorded {
  readonly record?: CombinationRecord;
  /** What became of it, in sentences. */
  readonly notes: readonly string[];
}

/** Records what smoke tests say. `plans`: those that ran; their build folders tell the compiler. */
export async function recordSmoke(report: SmokeReport, plans: readonly SmokePlan[], recording: Recording, workshop: Workshop): Promise<Recorded> {
  const { torch, noGpu } = report.circumstances;
  const said = saidBySmoke(report, recording.isPart === true);
  if (said === undefined) return nothing("The smoke tests are not recorded: ", report.outcome === "cancelled" ? "they were cancelled." : report.results.length === 0 ? "none ran." : "only a part of them ran.");
  return record(said, recording, workshop, {
    environment: recording.interpreter ?? torch?.interpreter ?? torch?.name,
    ...(noGpu === undefined ? {} : { gpu: null }),
    built: await builtFor(plans, recording, workshop),
  });
}

/** Records that benchmarks ran, or what regressed. */
export async function recordBenchmark(report: BenchmarkReport, plans: readonly BenchmarkPlan[], recording: Recording, workshop: Workshop): Promise<Recorded> {
  const said = saidByBenchmark(report, recording.isPart === true);
  if (said === undefined) return nothing("The benchmarks are not recorded: ", report.outcome === "cancelled" ? "they were cancelled." : report.outcome === "no-benchmarks" ? "none ran." : "only a part of them ran.");
  const gpu = report.runs[0]?.machine.gpus[0];
  return record(said, recording, workshop, {
    environment: recording.interpreter,
    gpu: gpu === undefined ? null : { name: gpu.name, ...(gpu.driver === undefined ? {} : { driver: gpu.driver }) },
    built: await builtFor(plans, recording, workshop),
  });
}

/** Records that a project was built, or why it was not. */
export async function recordBuild(report: BuildReport, recording: Recording, workshop: Workshop): Promise<Recorded> {
  const said = saidByBuild(report);
  if (said === undefined) return nothing("The build is not recorded: ", report.outcome === "cancelled" ? "it was cancelled." : "it was stopped before anything was built.");
  const [torch] = report.against;
  return record(said, recording, workshop, {
    environment: recording.interpreter ?? torch?.interpreter ?? torch?.name,
    built: [...(report.plan.folder === undefined ? [] : [report.plan.folder]), ...report.products.map((one) => one.file)],
  });
}

/** Records a prediction. `environment`: what the file was compared with. */
export async function recordFit(report: FitReport, environment: InstalledBody, recording: Recording & { readonly index?: string }, workshop: Workshop): Promise<Recorded> {
  const isHere = new NodeFiles().status(report.file)?.kind === "file";
  const file = isHere ? await sha256Of(report.file) : undefined;
  return record({ ...saidByFit(report), ...(file === undefined ? {} : { file }) }, recording, workshop, {
    environment,
    ...(report.against.torch === null ? {} : { torch: { version: report.against.torch, ...(recording.index === undefined ? {} : { index: recording.index }) } }),
    gpu: "irrelevant",
    built: isHere ? [report.file] : [],
    ...wheelOf(report.file),
  });
}

function nothing(begin: string, because: string): Recorded {
  return { notes: [`${begin}${because}`] };
}

async function record(said: Said & Pick<CombinationRecord, "file">, { root, settings }: Recording, workshop: Workshop, given: Omit<Circumstances, "root" | "environment"> & { readonly environment: Circumstances["environment"] | undefined }): Promise<Recorded> {
  const file = recordsFile(root, settings);
  const { environment, ...known } = given;
  const combination = await combinationOf({ root, ...known, ...(environment === undefined ? {} : { environment }), beside: settings?.packages ?? [], unchanging: [path.relative(root, file)] }, workshop);
  if (combination === undefined) return nothing("Nothing is recorded: ", "no torch was found that it could be of. Name its Python with --interpreter.");
  const run = ciRun(workshop.environment);
  const made: CombinationRecord = {
    schema: 1, combination, ...said, when: workshop.now().toISOString(), by: workshop.version,
    ...(said.reason === undefined ? {} : { reason: { ...said.reason, message: withoutPlaces(said.reason.message, root) } }),
    ...(run === undefined ? {} : { note: run }),
  };
  const { notes } = await appendCombinations(file, [made], workshop.activity.signal);
  return { record: made, notes: [`Recorded in ${path.relative(root, file)}: torch ${combination.torch.version}, ${said.how}, ${said.outcome}.`, ...notes] };
}

/** The page of the CI run: https://docs.github.com/en/actions/reference/workflows-and-actions/variables */
function ciRun(environment: Readonly<Record<string, string>>): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = environment;
  return server === undefined || repository === undefined || run === undefined ? undefined : `${server}/${repository}/actions/runs/${run}`;
}

/** Where the compiler can be seen: configured build folders around the programs that ran, else what is built in the project. */
async function builtFor(plans: readonly (SmokePlan | BenchmarkPlan)[], { root, interpreter }: Recording, workshop: Workshop): Promise<readonly string[]> {
  const files = new NodeFiles();
  const folders = new Set(plans.flatMap((plan) => {
    const program = plan.kind === "benchmark" || plan.kind === "command" ? plan.command[0] : undefined;
    const start = program === undefined ? plan.folder : path.dirname(path.resolve(plan.folder, program));
    return configuredAbove(start, root, files) ?? [];
  }));
  if (folders.size > 0) return [...folders];
  const where = { root, files, catalogue: loadCatalogue(), environment: workshop.environment, ...(interpreter === undefined ? {} : { interpreter }) };
  return (await builtFiles(where, workshop.activity.signal)).files;
}

function configuredAbove(start: string, root: string, files: NodeFiles): string | undefined {
  for (let folder = start; isInside(folder, root); folder = path.dirname(folder)) {
    if (files.status(path.join(folder, "CMakeCache.txt"))?.kind === "file") return folder;
    if (folder === path.dirname(folder)) return undefined;
  }
  return undefined;
}

/** A wheel says whose it is. */
function wheelOf(file: string): Pick<Circumstances, "project"> {
  const [, name, version] = /(?:^|\/)([^-/]+)-([^-/]+)-[^/]+\.whl$/i.exec(file.replaceAll(/%2b/gi, "+")) ?? [];
  return name === undefined || version === undefined ? {} : { project: { name: normaliseName(name), version } };
}
