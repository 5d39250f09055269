import { loadCatalogue } from "../../../engine/catalogue/index.ts";
import { NodeFiles } from "../../../engine/files/index.ts";
import { describeDefault, resolveAgainst } from "../../../engine/installed/index.ts";
import { localLabel, normaliseName, publicVersion, valueOf } from "../../../engine/model/index.ts";
import type { InstalledBody } from "../../../engine/model/index.ts";
import { describeGpus, systemFiles } from "../../benchmark/index.ts";
import { thisPlatform } from "../../libtorch/index.ts";
import { commitOf } from "../../process/index.ts";
import type { Workshop } from "../../workshop.ts";
import type { Combination } from "../types.ts";
import { compilerOfBuild, compilerOfFile } from "./compiler.ts";
import { projectNameOf } from "./project.ts";
import { withoutCredentials } from "./withoutPrivate.ts";

/** What is known of a combination beforehand; the rest is looked up. What is given goes before what is found. */
export interface Circumstances {
  readonly root: string;
  /** The environment: its Python, its folder, or whatever else `--against` takes, or as it was described; absent: the one found around the root. */
  readonly environment?: string | InstalledBody;
  readonly torch?: Partial<Combination["torch"]>;
  readonly packages?: Readonly<Record<string, string>>;
  readonly python?: string;
  readonly cuda?: string | null;
  /** Build folders of CMake, and files that were built: the first that tells its compiler does. */
  readonly built?: readonly string[];
  readonly compiler?: string;
  readonly platform?: string;
  /** Absent: this machine is asked; "irrelevant": nothing ran. */
  readonly gpu?: Combination["gpu"] | "irrelevant";
  readonly project?: Partial<Combination["project"]>;
  /** Names of the packages whose versions matter, beside those that are released with torch. */
  readonly beside?: readonly string[];
  /** Files whose changes are none of the project: the records themselves. Relative to the root. */
  readonly unchanging?: readonly string[];
}

/** Packages of the PyTorch project that are released for one torch each, as its own installation instructions have them: https://pytorch.org/get-started/previous-versions/ */
const companions = ["torchvision", "torchaudio", "torchtext", "torchcodec"];

/**
 * The combination as it is, by files and by git; torch is not imported. Undefined: nobody knows which torch it is, and without
 * that there is nothing to record.
 */
export async function combinationOf(given: Circumstances, workshop: Workshop): Promise<Combination | undefined> {
  const found = bodyOf(given, workshop);
  // What is installed here says nothing of another torch that was tried elsewhere.
  const body = given.torch?.version === undefined || isOf(found, given.torch.version) ? found : undefined;
  const facts = body?.facts ?? [];
  const version = valueOf(facts, "torch-version") ?? given.torch?.version;
  if (version === undefined) return undefined;
  const gitVersion = given.torch?.gitVersion ?? valueOf(facts, "torch-git-version");
  const index = given.torch?.index;
  const packages = given.packages ?? (body === undefined ? {} : packagesIn(body, [...companions, ...(given.beside ?? [])]));
  const python = given.python ?? pythonOf(body);
  const cuda = given.cuda === undefined ? valueOf(facts, "cuda-version") : given.cuda;
  const compiler = given.compiler ?? await compilerOf(given.built ?? []);
  const gpu = given.gpu === undefined ? await gpuOf(given.root, workshop) : given.gpu;
  return {
    project: await projectOf(given, workshop),
    torch: { version, ...(gitVersion === undefined ? {} : { gitVersion }), ...(index === undefined ? {} : { index: withoutCredentials(index) }) },
    ...(Object.keys(packages).length === 0 ? {} : { packages }),
    ...(python === undefined ? {} : { python }),
    ...(cuda === undefined ? {} : { cuda }),
    ...(compiler === undefined ? {} : { compiler }),
    platform: given.platform ?? valueOf(facts, "platform") ?? thisPlatform(),
    ...(gpu === "irrelevant" ? {} : { gpu }),
  };
}

function bodyOf({ root, environment }: Circumstances, workshop: Workshop): InstalledBody | undefined {
  const where = { root, files: new NodeFiles(), catalogue: loadCatalogue(), environment: workshop.environment };
  if (environment === undefined) return describeDefault(where);
  if (typeof environment !== "string") return environment;
  const answer = resolveAgainst(environment, where);
  return answer.ok ? answer.body : undefined;
}

/** A version without a label is also that of every build of it. */
function isOf(body: InstalledBody | undefined, version: string): boolean {
  const installed = body === undefined ? undefined : valueOf(body.facts, "torch-version");
  return installed !== undefined && (installed === version || (localLabel(version) === undefined && publicVersion(installed) === publicVersion(version)));
}

function packagesIn({ distributions }: InstalledBody, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(distributions.filter((one) => names.includes(one.name)).map((one) => [one.name, one.version]));
}

/** "3.13t" is the free-threaded build (PEP 703), whose suffix has the "t" too. */
function pythonOf(body: InstalledBody | undefined): string | undefined {
  const version = body === undefined ? undefined : /^\d+\.\d+/.exec(valueOf(body.facts, "python-version") ?? "")?.[0];
  return version === undefined ? undefined : `${version}${/^cpython-\d+t/.test(valueOf(body?.facts ?? [], "python-suffix") ?? "") ? "t" : ""}`;
}

async function compilerOf(built: readonly string[]): Promise<string | undefined> {
  for (const one of built) {
    const compiler = new NodeFiles().status(one)?.kind === "directory" ? compilerOfBuild(one) : await compilerOfFile(one);
    if (compiler !== undefined) return compiler;
  }
  return undefined;
}

async function gpuOf(root: string, workshop: Workshop): Promise<Combination["gpu"]> {
  const { gpus: [first] } = await describeGpus(systemFiles(), workshop, root);
  return first === undefined ? null : { name: first.name, ...(first.driver === undefined ? {} : { driver: first.driver }) };
}

async function projectOf({ root, project, unchanging }: Circumstances, workshop: Workshop): Promise<Combination["project"]> {
  const own = projectNameOf(root);
  // What is said of somebody else's wheel is of none of this project's commits.
  if (project?.name !== undefined && normaliseName(project.name) !== normaliseName(own.name)) return { ...project, name: project.name };
  // A wheel of another version was made of other files than lie here.
  const isOther = project?.version !== undefined && own.version !== undefined && publicVersion(project.version) !== publicVersion(own.version);
  const commit = project?.commit === undefined && !isOther ? await commitOf(root, workshop, [".abiding", ...(unchanging ?? [])]) : undefined;
  return { ...own, ...(commit === undefined ? {} : { commit: commit.hash, ...(commit.isChanged ? { changed: true } : {}) }), ...project, name: own.name };
}
