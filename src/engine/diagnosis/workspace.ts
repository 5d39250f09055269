import * as path from "node:path";
import picomatch from "picomatch";
import type { Catalogue } from "../catalogue/index.ts";
import { valueOf } from "../model/index.ts";
import type { DeclaredBody, EvaluationContext, Files, Finding, Gap, InstalledBody, Observation, Reading, Requirement, ToolchainBody } from "../model/index.ts";
import { describeDefault, findToolchains, resolveAgainst } from "../installed/index.ts";
import { ruleNamed, rules } from "../rules/index.ts";
import type { RuleContext } from "../rules/index.ts";
import { CMakeFileCache, readCMake } from "../sources/cmake/index.ts";
import { namesOfInterest, ReachCache, scanSource } from "../sources/cpp/index.ts";
import type { SourceScan } from "../sources/cpp/index.ts";
import { declaredBody } from "../sources/flags/index.ts";
import { isPythonBuildFile, readPythonBuild } from "../sources/python/index.ts";
import { isRequirementsFile, readRequirements } from "../sources/python/requirements/index.ts";
import { readPresets } from "../sources/cmake/presets.ts";
import { applyConfiguredBuilds } from "./configuredBuilds.ts";
import type { ConfiguredBuild } from "./configuredBuilds.ts";
import { cmakeEntries, contextOf, mergeEntries } from "./cmakeProjects.ts";
import { configurationName, readConfiguration } from "./configuration.ts";
import type { Configuration, RuleSetting } from "./configuration.ts";
import { compareFindings } from "./diagnosis.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { EncodingWitness } from "./encodingWitness.ts";
import { discoverProject } from "./discover.ts";
import type { ProjectFiles } from "./discover.ts";
import { contextKey, ReadingCache, textOf } from "./readings.ts";
import { mergePasses, runRules } from "./runRules.ts";
import { applySuppressions } from "./suppressions.ts";

export interface WorkspaceOptions {
  readonly catalogue: Catalogue;
  /** What to check against (see `resolveAgainst`); wins over abiding.json. */
  readonly against?: readonly string[];
  /** The interpreter that the editor or user chose. */
  readonly interpreter?: string;
  /** The process environment: VIRTUAL_ENV, CONDA_PREFIX, CUDA_HOME, PATH. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Severities of the user; they win over abiding.json. */
  readonly rules?: ReadonlyMap<string, RuleSetting>;
  /** Run only these rules, opt-in ones included. */
  readonly only?: readonly string[];
}

/**
 * One project folder: what its build files declare, compared with the torches it is meant for.
 * Reading is lazy and remembered; `invalidate` forgets what a changed file went into.
 */
export class Workspace {
  readonly root: string;
  readonly #files: EncodingWitness;
  readonly #options: WorkspaceOptions;
  readonly #readings = new ReadingCache();
  readonly #cmakeFiles = new CMakeFileCache();
  readonly #scans = new Map<string, SourceScan | undefined>();
  readonly #reach = new ReachCache();
  readonly #pythonBuilds = new Map<string, boolean>();
  readonly #bodies = new WeakMap<object, DeclaredBody>();
  readonly #names: readonly string[];
  #configuration: { readonly configuration: Configuration; readonly gaps: readonly Gap[] } | undefined;
  #layout: ProjectFiles | undefined;
  #environment: Environment | undefined;
  #diagnosis: Diagnosis | undefined;

  constructor(root: string, files: Files, options: WorkspaceOptions) {
    this.root = path.resolve(root);
    this.#files = new EncodingWitness(files);
    this.#options = options;
    this.#names = namesOfInterest(options.catalogue);
  }

  /** A file's text changed, or it was created or deleted. */
  invalidate(file: string): void {
    this.#diagnosis = undefined;
    this.#readings.invalidate(file);
    this.#forgetSource(file);
    this.#pythonBuilds.delete(file);
    const name = path.basename(file);
    if (name === configurationName) {
      this.#configuration = undefined;
      this.#layout = undefined;
      this.#environment = undefined;
    }
    if (name === "pyvenv.cfg" || name === "CMakeCache.txt") {
      this.#layout = undefined;
      this.#environment = undefined;
    } else if (this.#layout !== undefined && isBuildFile(file) && isListed(this.#layout, file) !== (this.#files.status(file) !== undefined)) {
      this.#layout = undefined;
    }
  }

  /** Forgets everything, environments included. */
  invalidateAll(): void {
    this.#readings.clear();
    this.#scans.clear();
    this.#reach.clear();
    this.#pythonBuilds.clear();
    this.#configuration = undefined;
    this.#layout = undefined;
    this.#environment = undefined;
    this.#diagnosis = undefined;
  }

  /** Why an environment that was asked for cannot be checked against; undefined when all can. */
  environmentProblem(): string | undefined {
    this.#configuration ??= readConfiguration(this.root, this.#files, isRuleName);
    this.#environment ??= this.#findEnvironment(this.#configuration.configuration);
    return this.#environment.gaps[0]?.message;
  }

  /** Everything about the project; only what is stale is computed again. */
  diagnose(): Diagnosis {
    if (this.#environment !== undefined && this.#environment.stamp !== this.#stampOf(this.#environment.installed)) {
      this.#environment = undefined;
      this.#diagnosis = undefined;
    }
    this.#diagnosis ??= this.#compute();
    return this.#diagnosis;
  }

  #compute(): Diagnosis {
    this.#configuration ??= readConfiguration(this.root, this.#files, isRuleName);
    const { configuration } = this.#configuration;
    this.#layout ??= discoverProject(this.root, this.#files, matcherOf(configuration.exclude));
    this.#environment ??= this.#findEnvironment(configuration);
    const { installed, toolchains } = this.#environment;
    const gaps: Gap[] = [...this.#configuration.gaps, ...this.#layout.gaps, ...this.#environment.gaps];
    const passes: (readonly Finding[])[] = [];
    const declared: DeclaredBody[] = [];
    const observations: Observation[] = [];
    const requirements: Requirement[] = [];
    const configured: ConfiguredBuild[] = [];
    const readFiles = new Set<string>();
    const settings = new Map([...configuration.rules, ...(this.#options.rules ?? [])]);
    const only = this.#options.only === undefined ? {} : { only: new Set(this.#options.only) };
    for (const [index, body] of (installed.length === 0 ? [undefined] : installed).entries()) {
      const { reading: project, configured: builds } = applyConfiguredBuilds(this.#read(contextFor(body)), this.#layout.configuredBuilds, this.#files);
      const context: RuleContext = {
        root: this.root,
        declared: project.targets.map((target) => this.#bodyOf(target)),
        observations: project.observations,
        requirements: project.requirements,
        installed: body,
        toolchains,
        catalogue: this.#options.catalogue,
        files: this.#files,
        scan: (file) => this.#scan(file),
        reach: this.#reach,
      };
      const run = runRules({ rules, settings, ...only }, context);
      passes.push(run.findings);
      gaps.push(...run.gaps);
      if (index === 0) {
        declared.push(...context.declared);
        configured.push(...builds);
        observations.push(...project.observations);
        requirements.push(...project.requirements);
        gaps.push(...project.gaps);
      }
      for (const file of project.files) {
        readFiles.add(file);
      }
    }
    const allowed = mergePasses(passes).filter((finding) => !configuration.ignore.some((one) => one.rule === finding.rule && picomatch.isMatch(relativePath(this.root, finding.location.path), one.path, { dot: true })));
    const suppression = applySuppressions(allowed, this.#files, isRuleName, [...readFiles]);
    gaps.push(...suppression.gaps);
    for (const file of readFiles) {
      if (this.#files.isLossy(file)) {
        gaps.push({ kind: "file", path: file, message: "The file is not UTF-8; the bytes that could not be decoded were replaced, and the rest was read." });
      }
    }
    return {
      root: this.root,
      declared,
      observations,
      requirements,
      installed,
      toolchains,
      configured,
      findings: [...suppression.kept].sort(compareFindings),
      suppressed: passes.flat().length === 0 ? 0 : mergePasses(passes).length - suppression.kept.length,
      gaps,
      notChecked: this.#notChecked(installed, gaps, readFiles),
      files: [...readFiles].sort(),
    };
  }

  /** All readings of the project under one set of circumstances, as one. */
  #read(context: EvaluationContext): Reading {
    const layout = this.#layout ?? discoverProject(this.root, this.#files, () => false);
    const key = contextKey(context);
    const readings: Reading[] = [];
    for (const file of layout.requirements) {
      readings.push(this.#readings.get(`requirements:${file}`, file, () => readRequirements(file, this.#files)));
    }
    for (const file of layout.presets) {
      readings.push(this.#readings.get(`presets:${file}`, file, () => readPresets(file, this.#files)));
    }
    for (const file of [...layout.pythonBuilds, ...layout.pythonSources.filter((one) => this.#isPythonBuild(one))]) {
      readings.push(this.#readings.get(`python:${file}:${key}`, file, () => readPythonBuild(file, this.#files, context, { catalogue: this.#options.catalogue })));
    }
    const handed = readings.flatMap((reading) => reading.observations);
    const reached = new Set<string>();
    for (const file of layout.cmakeLists) {
      if (reached.has(file)) {
        continue;
      }
      const text = this.#files.readText(file);
      if (!text.ok) {
        readings.push(unreadable(file, text.message));
      }
      if (!text.ok || !isTopLevel(text.text)) {
        continue;
      }
      const reading = this.#readCMakeProject(path.dirname(file), context, handed);
      readings.push(reading);
      for (const one of [file, ...reading.files]) {
        reached.add(one);
      }
    }
    return joinReadings(readings);
  }

  #readCMakeProject(folder: string, context: EvaluationContext, handed: readonly Observation[]): Reading {
    const list = path.join(folder, "CMakeLists.txt");
    const entries = cmakeEntries(folder, this.root, handed);
    return mergeEntries(folder, entries.map((entry) => {
      const circumstances = contextOf(entry, context);
      return { entry, reading: this.#readings.get(`cmake:${folder}:${contextKey(circumstances)}`, list, () => readCMake(folder, this.#files, circumstances, this.#cmakeFiles)) };
    }));
  }

  #findEnvironment(configuration: Configuration): Environment {
    const specs = this.#options.against ?? configuration.against;
    const where = { root: this.root, files: this.#files, catalogue: this.#options.catalogue, environment: this.#options.environment, ...(this.#options.interpreter === undefined ? {} : { interpreter: this.#options.interpreter }) };
    const installed: InstalledBody[] = [];
    const gaps: Gap[] = [];
    for (const spec of specs) {
      const answer = resolveAgainst(spec, where);
      if (answer.ok) {
        installed.push(answer.body);
      } else {
        gaps.push({ kind: "file", path: path.join(this.root, configurationName), message: answer.message });
      }
    }
    if (specs.length === 0) {
      const found = describeDefault(where);
      if (found !== undefined) {
        installed.push(found);
      }
    }
    return { installed, gaps, toolchains: findToolchains(where), stamp: this.#stampOf(installed) };
  }

  /** Changes when an environment is reinstalled or replaced. */
  #stampOf(installed: readonly InstalledBody[]): string {
    const witnesses = installed.flatMap((body) => [
      ...(body.torchRoot === undefined ? [] : [path.join(body.torchRoot, "version.py"), path.join(body.torchRoot, "build-version")]),
      ...(body.prefix === undefined ? [] : [path.join(body.prefix, "pyvenv.cfg"), path.join(body.prefix, "conda-meta", "history")]),
    ]);
    return witnesses.map((file) => this.#files.status(file)?.modified ?? "-").join(" ");
  }

  #bodyOf(target: Reading["targets"][number]): DeclaredBody {
    let body = this.#bodies.get(target);
    if (body === undefined) {
      body = declaredBody(target);
      this.#bodies.set(target, body);
    }
    return body;
  }

  #scan(file: string): SourceScan | undefined {
    if (!this.#scans.has(file)) {
      const text = textOf(this.#files, file);
      this.#scans.set(file, text === undefined ? undefined : scanSource(file, text, this.#names));
    }
    return this.#scans.get(file);
  }

  /** Typing in a source seldom touches its includes; only when it does is it asked anew what the targets reach. */
  #forgetSource(file: string): void {
    const before = this.#scans.get(file);
    this.#scans.delete(file);
    if (before === undefined) {
      if (!isBuildFile(file) && !file.endsWith(".cmake")) {
        this.#reach.clear();
      }
      return;
    }
    const after = this.#scan(file);
    if (after === undefined) {
      this.#reach.clear();
    } else if (headersOf(after) !== headersOf(before)) {
      this.#reach.includesChanged();
    }
  }

  #isPythonBuild(file: string): boolean {
    let known = this.#pythonBuilds.get(file);
    if (known === undefined) {
      const text = textOf(this.#files, file);
      known = text !== undefined && isPythonBuildFile(file, text);
      this.#pythonBuilds.set(file, known);
    }
    return known;
  }

  #notChecked(installed: readonly InstalledBody[], gaps: readonly Gap[], readFiles: ReadonlySet<string>): readonly string[] {
    const sentences: string[] = [];
    if (installed.length === 0) {
      sentences.push("No torch was found or named, so nothing was compared with an installed torch; name one with --against or in abiding.json.");
    }
    for (const body of installed) {
      sentences.push(...body.notKnown);
    }
    sentences.push("Built files were not read: check reads build files and sources only.");
    const unread = (this.#layout?.cmakeLists ?? []).filter((file) => !readFiles.has(file)).map((file) => relativePath(this.root, file));
    if (unread.length > 0) {
      sentences.push(`No project leads to ${unread.length === 1 ? "this CMake file, which was" : `these ${unread.length} CMake files, which were`} not read: ${shorten(unread)}.`);
    }
    const open = gaps.filter((gap) => gap.kind === "evaluation").length;
    if (open > 0) {
      sentences.push(`${open} ${open === 1 ? "value" : "values"} in build files could not be evaluated; what depends on them was not compared.`);
    }
    return sentences;
  }
}

interface Environment {
  readonly installed: readonly InstalledBody[];
  readonly toolchains: readonly ToolchainBody[];
  readonly gaps: readonly Gap[];
  readonly stamp: string;
}

function isRuleName(name: string): boolean {
  return ruleNamed(name) !== undefined;
}

function contextFor(body: InstalledBody | undefined): EvaluationContext {
  const facts = body?.facts ?? [];
  const torchVersion = valueOf(facts, "torch-version");
  const torchCudaVersion = valueOf(facts, "cuda-version");
  const torchLibstdcxxAbi = valueOf(facts, "libstdcxx-abi");
  const pythonVersion = valueOf(facts, "python-version");
  return {
    platform: platformOf(valueOf(facts, "platform")),
    ...(torchVersion === undefined ? {} : { torchVersion }),
    ...(torchCudaVersion === undefined ? {} : { torchCudaVersion }),
    ...(torchLibstdcxxAbi === undefined ? {} : { torchLibstdcxxAbi }),
    ...(pythonVersion === undefined ? {} : { pythonVersion }),
  };
}

/** The platform of the torch, else of this machine: the project is going to be built here. */
function platformOf(platform: string | undefined): EvaluationContext["platform"] {
  const name = platform?.split("-", 1)[0] ?? { linux: "linux", darwin: "macos", win32: "windows" }[process.platform as string];
  return name === "linux" || name === "macos" || name === "windows" ? name : undefined;
}

function matcherOf(globs: readonly string[]): (relativePath: string) => boolean {
  if (globs.length === 0) {
    return () => false;
  }
  const matches = picomatch([...globs], { dot: true });
  return (one) => matches(one.split(path.sep).join("/"));
}

function unreadable(file: string, message: string): Reading {
  return { targets: [], observations: [], requirements: [], gaps: [{ kind: "file", path: file, message }], files: [file] };
}

function isTopLevel(text: string): boolean {
  return /^[ \t]*(?:project|cmake_minimum_required)[ \t]*\(/im.test(text);
}

function isListed(layout: ProjectFiles, file: string): boolean {
  return [layout.cmakeLists, layout.presets, layout.pythonBuilds, layout.pythonSources, layout.requirements].some((list) => list.includes(file));
}

/** A file that discovery would list if it exists. */
function isBuildFile(file: string): boolean {
  return file.endsWith(".py") || /^CMake(?:Lists\.txt|Presets\.json|UserPresets\.json)$/.test(path.basename(file)) || isRequirementsFile(file);
}

function headersOf(scan: SourceScan): string {
  return scan.includes.map((one) => `${one.angled ? "<" : '"'}${one.header}`).join("\n");
}

function joinReadings(readings: readonly Reading[]): Reading {
  const requirements: Requirement[] = readings.flatMap((reading) => reading.requirements);
  return {
    targets: readings.flatMap((reading) => reading.targets),
    observations: readings.flatMap((reading) => reading.observations),
    requirements,
    gaps: readings.flatMap((reading) => reading.gaps),
    files: [...new Set(readings.flatMap((reading) => reading.files))],
  };
}

function relativePath(root: string, file: string): string {
  return path.relative(root, file).split(path.sep).join("/");
}

function shorten(names: readonly string[]): string {
  return names.length <= 5 ? names.join(", ") : `${names.slice(0, 5).join(", ")} and ${names.length - 5} more`;
}
