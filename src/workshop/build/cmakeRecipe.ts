import * as fs from "node:fs";
import * as path from "node:path";
import { NodeFiles } from "../../engine/files/index.ts";
import type { InstalledBody } from "../../engine/model/index.ts";
import { presetFileNames } from "../../engine/sources/cmake/presetFiles.ts";
import { commandLine, codeOf, sentenceOf } from "../process/index.ts";
import { isMultiConfig } from "../project/buildFolders.ts";
import type { CMakeBuild } from "../project/types.ts";
import { CannotDo } from "../workshop.ts";
import { artifactsOf, askFileApi, readCMakeFolder, setCacheAside } from "./buildFolder.ts";
import type { CMakeFolder } from "./buildFolder.ts";
import { commandOf } from "./recipe.ts";
import type { Circumstances, Recipe, Step } from "./recipe.ts";
import { lacksTorch, torchConfigFolder } from "./torchArgument.ts";
import type { BuildRequest } from "./types.ts";

/** The torches that a first configuration may be told of. */
export interface Torches {
  /** Of the environment that the user selected for this build. */
  readonly selected: InstalledBody | undefined;
  /** That the project was checked against. */
  readonly found: InstalledBody | undefined;
}

/**
 * Configures where nobody has, and builds. A configured folder keeps its generator, compilers, prefix and flags: they are
 * in its cache, and nothing of the kind is passed again; what the project leaves open stays open (no generator, no build
 * type of ours). Sets things up in the folder, which has to be locked.
 */
export function cmakeRecipe(plan: CMakeBuild, request: BuildRequest, circumstances: Circumstances, torches: Torches): Recipe {
  const files = new NodeFiles();
  const folder = request.buildFolder ?? plan.folder;
  const notes: string[] = [];
  if (files.status(path.join(plan.source, "CMakeLists.txt"))?.kind !== "file") {
    throw new CannotDo(`${plan.source} has no CMakeLists.txt: there is nothing to configure.`);
  }
  const before = readCMakeFolder(folder, files);
  if (request.fresh) {
    notes.push(...startAnew(folder));
  } else if (before !== undefined) {
    refuseForeign(before, folder, plan);
  }
  const known = request.fresh ? undefined : before;
  prepare(folder);
  const isConfigured = known?.isGenerated === true;
  const added = request.arguments ?? [];
  const passed = isConfigured ? [] : firstArguments(plan, added, circumstances);
  const torch = isConfigured ? undefined : torchArgument(plan, [...passed, ...added], circumstances, torches);
  if (isConfigured) {
    notes.push(...keptNotes(plan, known, files));
  }
  if (torch?.isPassed === true) {
    notes.push(`${torch.argument} is passed: the project asks for torch, nothing else says where it is, and that environment was selected.`);
  }
  const cmake = cmakeProgram(known, files);
  const steps: (() => Step)[] = [];
  if (!isConfigured || added.length > 0 || !known.hasReply) {
    const isQuestion = isConfigured && added.length === 0;
    steps.push(() => ({
      name: "configure", title: isQuestion ? "Asking CMake for its targets" : "Configuring", source: plan.source,
      command: commandOf([cmake, ...configureArguments(plan, folder, isConfigured, request), ...passed, ...(torch?.isPassed === true ? [torch.argument] : []), ...added], plan.source, circumstances.environment),
    }));
  }
  steps.push(() => {
    const configured = readCMakeFolder(folder, files);
    return { name: "build", title: "Building", source: plan.source, command: commandOf([cmake, ...buildArguments(plan, folder, request, configured, circumstances)], plan.source, circumstances.environment) };
  });
  return {
    steps, notes, productFolders: [folder],
    products: () => artifactsOf(folder, plan.configuration ?? readCMakeFolder(folder, files)?.values.get("CMAKE_BUILD_TYPE"), files) ?? [],
    advice: torch === undefined || torch.isPassed ? [] : [`The environment's torch is found with ${commandLine(commandOf(["cmake", torch.argument], folder, {})).slice("cmake ".length)}: add it after "--", or select the environment.`],
  };
}

/** The CMake that made the folder goes on with it; another version would generate all of it anew. */
function cmakeProgram(known: CMakeFolder | undefined, files: NodeFiles): string {
  return known?.cmake !== undefined && path.isAbsolute(known.cmake) && files.status(known.cmake)?.kind === "file" ? known.cmake : "cmake";
}

function startAnew(folder: string): readonly string[] {
  const aside = inWords(`set the cache of ${folder} aside`, () => setCacheAside(folder));
  return aside === undefined ? [] : [`The cache of ${folder} was set aside as ${aside}.`];
}

function prepare(folder: string): void {
  inWords(`write into the build folder ${folder}`, () => {
    let first = folder;
    while (!fs.existsSync(path.dirname(first))) {
      first = path.dirname(first);
    }
    if (!fs.existsSync(first)) {
      // Alone: of a file system that is for reading only, Node's recursion says that it does not exist.
      fs.mkdirSync(first);
    }
    fs.mkdirSync(folder, { recursive: true });
    askFileApi(folder);
  });
}

function inWords<T>(doing: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (codeOf(error) === undefined) {
      throw error;
    }
    throw new CannotDo(sentenceOf(error, doing), { cause: error });
  }
}

/** CMake itself refuses such folders, after it has begun. */
function refuseForeign(known: CMakeFolder, folder: string, plan: CMakeBuild): void {
  if (known.madeAs !== undefined && !isSame(known.madeAs, folder)) {
    throw new CannotDo(`${known.cacheFile} was made for the folder ${known.madeAs}: the build folder was moved or copied, and CMake refuses to go on with it. Configure it anew (--fresh), or name another one (--build-dir).`);
  }
  if (!isSame(known.source, plan.source)) {
    throw new CannotDo(`${folder} was configured for the source ${known.source}, not for ${plan.source}. Name another build folder (--build-dir), or configure this one anew (--fresh).`);
  }
}

function isSame(a: string, b: string): boolean {
  const real = (one: string): string => {
    try {
      return fs.realpathSync(one);
    } catch {
      return path.resolve(one);
    }
  };
  return real(a) === real(b);
}

function configureArguments(plan: CMakeBuild, folder: string, isConfigured: boolean, request: BuildRequest): readonly string[] {
  if (plan.configurePreset === undefined || isConfigured) {
    return ["-S", plan.source, "-B", folder];
  }
  return ["--preset", plan.configurePreset, ...(request.buildFolder === undefined ? [] : ["-B", folder])];
}

/** What a first configuration gets beside its preset; the build type only where the plan names one and nothing else does. */
function firstArguments(plan: CMakeBuild, added: readonly string[], { environment }: Circumstances): readonly string[] {
  const given = [...plan.arguments, ...added];
  const generator = given.map((one, index) => (one === "-G" ? given[index + 1] : /^-G(.+)$/.exec(one)?.[1])).findLast((one) => one !== undefined) ?? environment["CMAKE_GENERATOR"] ?? "";
  const namesType = plan.configurePreset !== undefined || environment["CMAKE_BUILD_TYPE"] !== undefined || isMultiConfig(generator) || given.some((one) => /^-D\s*CMAKE_BUILD_TYPE\b/.test(one));
  return [...plan.arguments, ...(plan.configuration === undefined || namesType ? [] : [`-DCMAKE_BUILD_TYPE=${plan.configuration}`])];
}

function torchArgument(plan: CMakeBuild, given: readonly string[], { environment }: Circumstances, { selected, found }: Torches): { readonly argument: string; readonly isPassed: boolean } | undefined {
  const files = new NodeFiles();
  const chosen = torchConfigFolder(selected, files);
  const folder = chosen ?? torchConfigFolder(found, files);
  return folder === undefined || !lacksTorch(plan, given, environment, files) ? undefined : { argument: `-DTorch_DIR=${folder}`, isPassed: chosen !== undefined };
}

function keptNotes(plan: CMakeBuild, known: CMakeFolder, files: NodeFiles): readonly string[] {
  const cacheTime = files.status(known.cacheFile)?.modified ?? 0;
  const newer = plan.configurePreset === undefined ? undefined : presetFileNames.find((name) => (files.status(path.join(plan.source, name))?.modified ?? 0) > cacheTime);
  return [
    ...(plan.arguments.length > 0 ? [`${known.cacheFile} is there and counts: ${plan.arguments.join(" ")} was not passed again. Configure anew (--fresh) to apply it.`] : []),
    ...(newer === undefined ? [] : [`${newer} is newer than ${known.cacheFile}; the cache counts. Configure anew (--fresh) to apply the preset ${plan.configurePreset ?? ""}.`]),
  ];
}

function buildArguments(plan: CMakeBuild, folder: string, request: BuildRequest, configured: CMakeFolder | undefined, { environment }: Circumstances): readonly string[] {
  const usesPreset = plan.buildPreset !== undefined && request.buildFolder === undefined;
  // CMake reads CMAKE_BUILD_PARALLEL_LEVEL by itself (cmake-env-variables(7)); MAX_JOBS is the habit of torch's builds.
  const jobs = request.jobs ?? (environment["CMAKE_BUILD_PARALLEL_LEVEL"] === undefined ? Number(environment["MAX_JOBS"] ?? "") : 0);
  return [
    "--build", ...(usesPreset ? ["--preset", plan.buildPreset ?? ""] : [folder]),
    ...(plan.configuration !== undefined && configured?.isMultiConfig === true ? ["--config", plan.configuration] : []),
    ...(Number.isInteger(jobs) && jobs > 0 ? ["--parallel", String(jobs)] : []),
    ...(plan.targets.length > 0 ? ["--target", ...plan.targets] : []),
  ];
}
