import * as path from "node:path";
import type { Catalogue } from "../catalogue/index.ts";
import type { DeclaredBody, EvaluationContext, Files, Finding, Gap, InstalledBody, Observation, Reading, Requirement } from "../model/index.ts";
import { isRuleName, rules } from "../rules/index.ts";
import type { BuiltFile, RuleContext } from "../rules/index.ts";
import { CMakeFileCache, readCMake } from "../sources/cmake/index.ts";
import { namesOfInterest, ReachCache, scanSource } from "../sources/cpp/index.ts";
import type { SourceScan } from "../sources/cpp/index.ts";
import { declaredBody } from "../sources/flags/index.ts";
import { isPythonBuildFile, readPythonBuild } from "../sources/python/index.ts";
import { readRequirements } from "../sources/python/requirements/index.ts";
import { readPresets } from "../sources/cmake/presets.ts";
import { isLibraryName } from "./built/candidates.ts";
import { ProjectBuiltFiles } from "./built/projectFiles.ts";
import { applyConfiguredBuilds } from "./configuredBuilds.ts";
import type { ConfiguredBuild } from "./configuredBuilds.ts";
import { beside, cmakeEntries, contextOf, mergeEntries, numberOf, readCMakeFolders } from "./cmakeProjects.ts";
import type { CMakeEntry } from "./cmakeProjects.ts";
import { configurationName, isIgnored, matcherOf, readConfiguration } from "./configuration.ts";
import type { Configuration, ConfigurationReading, RuleSetting } from "./configuration.ts";
import { compareFindings } from "./diagnosis.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { discoverProject, isBuildFile, isListed } from "./discover.ts";
import type { ProjectFiles } from "./discover.ts";
import { contextFor, findEnvironment, stampOf } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { isPythonBuildName } from "./fileNames.ts";
import { notCheckedSentences } from "./notChecked.ts";
import { contextKey, joinReadings, ReadingCache, textOf } from "./readings.ts";
import { ReadWitness } from "./readWitness.ts";
import { mergePasses, runRules } from "./runRules.ts";
import { headersOf, identityOf } from "./scanIdentity.ts";
import { applySuppressions } from "./suppressions.ts";

export interface WorkspaceOptions {
  readonly catalogue: Catalogue;
  /** What to check against (see `resolveAgainst`); wins over abiding.json. */
  readonly against?: readonly string[];
  /** The interpreter that the editor or user chose. */
  readonly interpreter?: string;
  /** Torches that were read beforehand, by what names them. */
  readonly opened?: ReadonlyMap<string, InstalledBody>;
  /** The process environment: VIRTUAL_ENV, CONDA_PREFIX, CUDA_HOME, PATH. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Severities of the user; they win over abiding.json. */
  readonly rules?: ReadonlyMap<string, RuleSetting>;
  /** The build folder that is asked about, wherever it lies: its configuration counts, and no other. */
  readonly buildFolder?: string;
  /** Run only these rules, opt-in ones included. */
  readonly only?: readonly string[];
}

/**
 * One project folder: what its build files declare, compared with the torches it is meant for.
 * Reading is lazy and remembered; `invalidate` forgets what a changed file went into.
 */
export class Workspace {
  readonly root: string;
  readonly #files: ReadWitness;
  readonly #options: WorkspaceOptions;
  readonly #readings = new ReadingCache();
  readonly #cmakeFiles = new CMakeFileCache();
  readonly #scans = new Map<string, SourceScan | undefined>();
  readonly #reach = new ReachCache();
  readonly #pythonBuilds = new Map<string, boolean>();
  readonly #bodies = new WeakMap<object, DeclaredBody>();
  readonly #names: readonly string[];
  readonly #built: ProjectBuiltFiles;
  #configuration: ConfigurationReading | undefined;
  #layout: ProjectFiles | undefined;
  #environment: Environment | undefined;
  #diagnosis: Diagnosis | undefined;
  /** Counts changes, so that a diagnosis under way notices that it is outdated. */
  #revision = 0;

  constructor(root: string, files: Files, options: WorkspaceOptions) {
    this.root = path.resolve(root);
    this.#files = new ReadWitness(files);
    this.#options = options;
    this.#names = namesOfInterest(options.catalogue);
    this.#built = new ProjectBuiltFiles(this.root, { files, catalogue: options.catalogue, environment: options.environment });
  }

  /**
   * A file's text changed, or it was created or deleted. False when that cannot matter to the diagnosis, as with a
   * file that nothing was asked of.
   */
  invalidate(file: string): boolean {
    const name = path.basename(file);
    if (isLibraryName(name)) {
      return this.#invalidateLibrary(file);
    }
    const isListing = isBuildFile(file) && this.#layout !== undefined && isListed(this.#layout, file) !== (this.#files.base.status(file) !== undefined);
    const isSpecial = name === configurationName || name === "pyvenv.cfg" || name === "CMakeCache.txt";
    if (!isListing && !isSpecial && !this.#scans.has(file) && !this.#pythonBuilds.has(file) && !this.#files.wasAsked(file)) {
      return false;
    }
    // Both are done in any case: they forget what is outdated.
    const isSame = [this.#forgetSource(file), this.#forgetPythonSource(file)].includes(true);
    if (isSame && !isListing && !this.#files.wasRead(file) && this.#diagnosis !== undefined) {
      return false;
    }
    this.#revision += 1;
    this.#diagnosis = undefined;
    this.#readings.invalidate(file);
    this.#files.forget(file);
    if (name === configurationName) {
      this.#configuration = undefined;
    }
    if (isSpecial) {
      this.#environment = undefined;
    }
    if (isSpecial || isListing) {
      this.#layout = undefined;
      this.#built.forget();
    }
    return true;
  }

  #invalidateLibrary(file: string): boolean {
    const layout = this.#layout && this.#built.notice(file, this.#layout, matcherOf(this.#configuration?.configuration.exclude ?? []));
    if (layout === undefined) {
      return false;
    }
    this.#layout = layout;
    this.#revision += 1;
    this.#diagnosis = undefined;
    return true;
  }

  /** Forgets everything, environments included. */
  invalidateAll(): void {
    this.#revision += 1;
    this.#readings.clear();
    this.#files.forget();
    this.#scans.clear();
    this.#reach.clear();
    this.#pythonBuilds.clear();
    this.#configuration = undefined;
    this.#layout = undefined;
    this.#built.forget(true);
    this.#environment = undefined;
    this.#diagnosis = undefined;
  }

  /** What names the torches to check against, in the options or in abiding.json; empty: what is found. */
  against(): readonly string[] {
    this.#configuration ??= readConfiguration(this.root, this.#files, isRuleName);
    return this.#options.against ?? this.#configuration.configuration.against;
  }

  /** Why an environment that was asked for cannot be checked against; undefined when all can. */
  environmentProblem(): string | undefined {
    this.#configuration ??= readConfiguration(this.root, this.#files, isRuleName);
    this.#environment ??= this.#findEnvironment(this.#configuration.configuration);
    return this.#environment.problems[0];
  }

  /** Everything about the project; only what is stale is computed again. */
  diagnose(): Diagnosis {
    const steps = this.diagnoseInSteps();
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        return step.value;
      }
    }
  }

  /**
   * The same in steps, for a host that has other things to do in between; each names what is done next. What changes
   * between two steps is taken into account: the diagnosis begins anew, keeping the readings that still hold.
   */
  *diagnoseInSteps(): Generator<string, Diagnosis, undefined> {
    if (this.#environment !== undefined && this.#environment.stamp !== stampOf(this.#environment.installed, this.#files)) {
      this.#environment = undefined;
      this.#diagnosis = undefined;
    }
    if (this.#diagnosis !== undefined && this.#built.hasChanged()) {
      this.#diagnosis = undefined;
    }
    while (this.#diagnosis === undefined) {
      const revision = this.#revision;
      const work = this.#compute();
      let step = work.next();
      while (step.done !== true && revision === this.#revision) {
        yield step.value;
        step = revision === this.#revision ? work.next() : step;
      }
      if (step.done === true) {
        this.#diagnosis = step.value;
      }
    }
    return this.#diagnosis;
  }

  *#compute(): Generator<string, Diagnosis, undefined> {
    this.#configuration ??= readConfiguration(this.root, this.#files, isRuleName);
    const { configuration } = this.#configuration;
    yield "folders";
    this.#layout ??= discoverProject(this.root, this.#files, matcherOf(configuration.exclude));
    yield "environments";
    this.#environment ??= this.#findEnvironment(configuration);
    const { installed, problems, toolchains } = this.#environment;
    // What was asked for elsewhere (a setting, an option) is no mistake in a file.
    const { buildFolder } = this.#options;
    const inFile = this.#options.against === undefined ? problems : [];
    const gaps: Gap[] = [...this.#configuration.gaps, ...this.#layout.gaps, ...inFile.map((message): Gap => ({ kind: "file", path: path.join(this.root, configurationName), message }))];
    const passes: (readonly Finding[])[] = [];
    const declared: DeclaredBody[] = [];
    const observations: Observation[] = [];
    const requirements: Requirement[] = [];
    const configured: ConfiguredBuild[] = [];
    const built: BuiltFile[] = [];
    const readFiles = new Set<string>();
    const settings = new Map([...configuration.rules, ...(this.#options.rules ?? [])]);
    const only = this.#options.only === undefined ? {} : { only: new Set(this.#options.only) };
    for (const [index, body] of (installed.length === 0 ? [undefined] : installed).entries()) {
      const { reading: project, configured: builds } = applyConfiguredBuilds(yield* this.#read(contextFor(body)), buildFolder === undefined ? this.#layout.configuredBuilds : [buildFolder], this.#files);
      const bodies = project.targets.map((target) => this.#bodyOf(target));
      const products = yield* this.#built.read(this.#layout, bodies, body, this.#environment.stamp);
      const context: RuleContext = {
        root: this.root,
        declared: bodies,
        observations: project.observations,
        requirements: project.requirements,
        built: products,
        installed: body,
        toolchains,
        catalogue: this.#options.catalogue,
        files: this.#files,
        scan: (file) => this.#scan(file),
        ofText: (file, read) => this.#files.ofText(file, read),
        reach: this.#reach,
      };
      const run = yield* runRules({ rules, settings, ...only }, context);
      passes.push(run.findings);
      gaps.push(...run.gaps);
      if (index === 0) {
        declared.push(...context.declared);
        built.push(...products);
        configured.push(...builds);
        observations.push(...project.observations);
        requirements.push(...project.requirements);
        gaps.push(...project.gaps);
      }
      for (const file of project.files) {
        readFiles.add(file);
      }
    }
    const allowed = mergePasses(passes).filter((finding) => !isIgnored(configuration, finding.rule, relativePath(this.root, finding.location.path)));
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
      built,
      scanned: false,
      configured,
      findings: [...suppression.kept].sort(compareFindings),
      suppressed: passes.flat().length === 0 ? 0 : mergePasses(passes).length - suppression.kept.length,
      gaps,
      notChecked: notCheckedSentences({
        installed, problems, gaps, built,
        unread: this.#layout.cmakeLists.filter((file) => !readFiles.has(file)).map((file) => relativePath(this.root, file)),
        wheels: this.#layout.wheels.map((file) => relativePath(this.root, file)),
      }),
      files: [...readFiles].sort(),
    };
  }

  /** All readings of the project under one set of circumstances, as one. */
  *#read(context: EvaluationContext): Generator<string, Reading, undefined> {
    const layout = this.#layout ?? discoverProject(this.root, this.#files, () => false);
    const key = contextKey(context);
    const readings: Reading[] = [];
    for (const file of layout.requirements) {
      yield file;
      readings.push(this.#readings.get(`requirements:${file}`, file, () => readRequirements(file, this.#files)));
    }
    for (const file of layout.presets) {
      yield file;
      readings.push(this.#readings.get(`presets:${file}`, file, () => readPresets(file, this.#files)));
    }
    for (const file of [...layout.pythonBuilds, ...layout.pythonSources]) {
      if (!isPythonBuildName(path.basename(file))) {
        if (!this.#pythonBuilds.has(file)) {
          yield file;
        }
        if (!this.#isPythonBuild(file)) {
          continue;
        }
      }
      yield file;
      readings.push(this.#readings.get(`python:${file}:${key}`, file, () => readPythonBuild(file, this.#files, context, { catalogue: this.#options.catalogue })));
    }
    const handed = readings.flatMap((reading) => reading.observations);
    readings.push(...yield* readCMakeFolders(layout.cmakeLists, this.#files, (folder) => this.#readCMakeProject(folder, context, handed)));
    return joinReadings(readings);
  }

  *#readCMakeProject(folder: string, context: EvaluationContext, handed: readonly Observation[]): Generator<string, Reading, undefined> {
    const list = path.join(folder, "CMakeLists.txt");
    const read = (entry: CMakeEntry, than: string, what: (reading: Reading) => Reading): Reading => {
      const circumstances = contextOf(entry, context);
      return this.#readings.get(`cmake:${folder}:${than}:${contextKey(circumstances)}`, list, () => what(readCMake(folder, this.#files, circumstances, this.#cmakeFiles)));
    };
    const [first, ...others] = cmakeEntries(folder, this.root, handed);
    yield list;
    const plain = read(first, "", (reading) => reading);
    const rest = beside(plain);
    const readings = [{ entry: first, reading: plain }];
    for (const entry of others) {
      yield list;
      readings.push({ entry, reading: read(entry, String(numberOf(plain)), rest) });
    }
    return mergeEntries(folder, readings);
  }

  #findEnvironment(configuration: Configuration): Environment {
    const { catalogue, environment, interpreter, opened } = this.#options;
    return findEnvironment(this.#options.against ?? configuration.against, {
      root: this.root, files: this.#files, catalogue, environment,
      ...(interpreter === undefined ? {} : { interpreter }),
      ...(opened === undefined ? {} : { opened }),
    });
  }

  #bodyOf(target: Reading["targets"][number]): DeclaredBody {
    let body = this.#bodies.get(target);
    if (body === undefined) {
      body = declaredBody(target);
      this.#bodies.set(target, body);
    }
    return body;
  }

  /** Reads without a trace in the witness: what else reads a source tells that more of it than its scan matters. */
  #scan(file: string): SourceScan | undefined {
    if (!this.#scans.has(file)) {
      const text = textOf(this.#files.base, file);
      this.#scans.set(file, text === undefined ? undefined : scanSource(file, text, this.#names));
    }
    return this.#scans.get(file);
  }

  /**
   * Typing in a source seldom touches its includes; only when it does is it asked anew what the targets reach.
   * True when its scan is as it was.
   */
  #forgetSource(file: string): boolean {
    const before = this.#scans.get(file);
    this.#scans.delete(file);
    if (before === undefined) {
      if (!isBuildFile(file) && !file.endsWith(".cmake")) {
        this.#reach.clear();
      }
      return false;
    }
    const after = this.#scan(file);
    this.#reach.sourceChanged();
    if (after === undefined) {
      this.#reach.clear();
    } else if (headersOf(after) !== headersOf(before)) {
      this.#reach.includesChanged();
    }
    return identityOf(after) === identityOf(before);
  }

  /** True when it was no build file and still is none. */
  #forgetPythonSource(file: string): boolean {
    const before = this.#pythonBuilds.get(file);
    this.#pythonBuilds.delete(file);
    return before === false && !this.#isPythonBuild(file);
  }

  #isPythonBuild(file: string): boolean {
    let known = this.#pythonBuilds.get(file);
    if (known === undefined) {
      const text = textOf(this.#files.base, file);
      known = text !== undefined && isPythonBuildFile(file, text);
      this.#pythonBuilds.set(file, known);
    }
    return known;
  }
}

function relativePath(root: string, file: string): string {
  return path.relative(root, file).split(path.sep).join("/");
}
