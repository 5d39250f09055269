import * as path from "node:path";
import type { Catalogue } from "../engine/catalogue/index.ts";
import { Workspace } from "../engine/diagnosis/index.ts";
import type { Diagnosis } from "../engine/diagnosis/index.ts";
import type { Surroundings } from "../engine/installed/index.ts";
import type { Files } from "../engine/model/index.ts";
import { joinWords, torchName } from "../engine/rules/support.ts";
import { inSlices, within } from "./slices.ts";
import { defaultSettings } from "./settings.ts";
import type { Settings } from "./settings.ts";

/** What a project shares with its brothers. */
export interface ProjectHost {
  readonly files: Files;
  readonly catalogue: Catalogue;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called before each look at a project. */
  beforeCheck(): void;
  /** A first scan begins. */
  progress(root: string): { report(next: string): void; done(): void };
  /** For whoever wants to know everything. */
  log(message: string): void;
  /** For whoever opens the log. */
  info(message: string): void;
  warn(message: string): void;
}

/** How often, at most, the files of the environment are looked at for changes: a pull comes several times a second. */
const environmentCheckInterval = 500;

/** Who points at a word would rather have what held a moment ago than wait longer than this. */
const patience = 100;

/** One folder that is checked: its settings, its choice of environment, and its last diagnosis. */
export class Project {
  readonly root: string;
  readonly #host: ProjectHost;
  #workspace: Workspace | undefined;
  #running: Promise<Diagnosis> | undefined;
  #settings = defaultSettings;
  #settingsProblems: readonly string[] = [];
  #selected: string | undefined;
  #interpreter: string | undefined;
  #last: Diagnosis | undefined;
  #fingerprint = "";
  #fingerprintTime = 0;
  #environmentChanged = false;
  #announced = "";
  readonly #reported = new Set<string>();

  constructor(root: string, host: ProjectHost) {
    this.root = root;
    this.#host = host;
  }

  get settings(): Settings {
    return this.#settings;
  }

  get problems(): readonly string[] {
    const problem = this.environmentProblem;
    return problem === undefined ? this.#settingsProblems : [...this.#settingsProblems, problem];
  }

  /** Why the environment that was asked for cannot be checked against, as of the last diagnosis. */
  get environmentProblem(): string | undefined {
    return this.#last === undefined ? undefined : this.#workspace?.environmentProblem();
  }

  /** What the user chose, by command or by setting; undefined: what is found. */
  get against(): string | undefined {
    return this.#selected ?? this.#settings.environment;
  }

  /** Where environments of this project are looked for. */
  get surroundings(): Surroundings {
    const { files, catalogue, environment } = this.#host;
    return { root: this.root, files, catalogue, environment, ...(this.#interpreter === undefined ? {} : { interpreter: this.#interpreter }) };
  }

  configure(settings: Settings, problems: readonly string[]): void {
    if (JSON.stringify(settings) !== JSON.stringify(this.#settings)) {
      this.#settings = settings;
      this.#rebuild();
    }
    this.#settingsProblems = problems;
  }

  select(spec: string | undefined): void {
    if (spec !== this.#selected) {
      this.#selected = spec;
      this.#rebuild();
    }
  }

  setInterpreter(interpreter: string | undefined): void {
    if (interpreter !== this.#interpreter) {
      this.#interpreter = interpreter;
      this.#rebuild();
    }
  }

  /** Looks whether the environment changed on disk. True once for each change, also for one that a question found first. */
  noticeEnvironment(): boolean {
    this.#fingerprintTime = 0;
    this.#noticeEnvironmentChange();
    const isNews = this.#environmentChanged;
    this.#environmentChanged = false;
    return isNews;
  }

  /** A file changed, on disk or in an editor. True when that can matter here. */
  invalidate(file: string): boolean {
    return this.#workspace?.invalidate(file) ?? false;
  }

  invalidateAll(): void {
    this.#workspace?.invalidateAll();
  }

  /**
   * The project as it is now; the same object as before when nothing changed. All who ask meanwhile share one
   * diagnosis, and what changes meanwhile is in it.
   */
  current(): Promise<Diagnosis> {
    this.#host.beforeCheck();
    this.#noticeEnvironmentChange();
    this.#running ??= this.#diagnose().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** The project as it is now or, when that takes longer than a moment, as it was when it was last diagnosed. */
  async recent(): Promise<Diagnosis> {
    const current = this.current();
    const last = this.#last;
    return last === undefined ? current : within(patience, current, () => this.#last ?? last);
  }

  /** A diagnosis is under way. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** The last diagnosis, without a new one. */
  get last(): Diagnosis | undefined {
    return this.#last;
  }

  async #diagnose(): Promise<Diagnosis> {
    const started = performance.now();
    const progress = this.#workspace === undefined ? this.#host.progress(this.root) : undefined;
    let diagnosis: Diagnosis | undefined;
    try {
      while (diagnosis === undefined) {
        const workspace = this.#workspace ??= this.#createWorkspace();
        diagnosis = await inSlices(workspace.diagnoseInSteps(), (next) => {
          progress?.report(next);
          return workspace === this.#workspace;
        });
      }
    } finally {
      progress?.done();
    }
    if (diagnosis !== this.#last) {
      this.#last = diagnosis;
      this.#fingerprint = this.#environmentFingerprint(diagnosis);
      this.#announce(diagnosis, performance.now() - started);
      this.#reportFailures(diagnosis);
    }
    return diagnosis;
  }

  /** Each check is news for the curious; the first one, and another torch, for everybody. */
  #announce({ installed, findings, files }: Diagnosis, milliseconds: number): void {
    const against = this.environmentProblem ?? (installed.length === 0 ? "No torch was found." : `Against ${joinWords(installed.map(torchName))}.`);
    const message = `Checked ${this.root}. ${against} Findings: ${findings.length}, build files: ${files.length}, ${milliseconds.toFixed(1)} ms.`;
    if (this.#announced === against) {
      this.#host.log(message);
    } else {
      this.#announced = against;
      this.#host.info(message);
    }
  }

  #createWorkspace(): Workspace {
    return new Workspace(this.root, this.#host.files, {
      catalogue: this.#host.catalogue,
      environment: this.#host.environment,
      rules: new Map(Object.entries(this.#settings.rules)),
      ...(this.against === undefined ? {} : { against: [this.against] }),
      ...(this.#interpreter === undefined ? {} : { interpreter: this.#interpreter }),
    });
  }

  #rebuild(): void {
    this.#workspace = undefined;
  }

  /** pip and conda change environments behind every editor's back; a few stats tell. */
  #noticeEnvironmentChange(): void {
    if (this.#last === undefined || performance.now() - this.#fingerprintTime < environmentCheckInterval) {
      return;
    }
    const fingerprint = this.#environmentFingerprint(this.#last);
    if (fingerprint !== this.#fingerprint) {
      this.#fingerprint = fingerprint;
      this.#environmentChanged = true;
      this.#host.info(`The environment of ${this.root} changed on disk.`);
      this.#rebuild();
    }
  }

  #environmentFingerprint(diagnosis: Diagnosis): string {
    this.#fingerprintTime = performance.now();
    const places = [
      ...diagnosis.installed.flatMap(({ torchRoot, prefix }) => [
        ...(torchRoot === undefined ? [] : [path.join(torchRoot, "version.py"), path.dirname(torchRoot)]),
        ...(prefix === undefined ? [] : [path.join(prefix, "pyvenv.cfg"), path.join(prefix, "conda-meta")]),
      ]),
      ...[".venv", "venv"].flatMap((name) => this.#emptyEnvironment(path.join(this.root, name))),
      // What was asked for may get its torch later.
      ...(this.against === undefined || /^torch\b/.test(this.against) ? [] : this.#emptyEnvironment(path.resolve(this.root, this.against))),
      ...(this.#interpreter === undefined ? [] : this.#emptyEnvironment(path.dirname(path.dirname(this.#interpreter)))),
    ];
    return places.map((place) => {
      const status = this.#host.files.status(place);
      return status === undefined ? "-" : `${status.size}:${status.modified}`;
    }).join(" ");
  }

  /** What changes when an environment is created, or gets its first torch. */
  #emptyEnvironment(prefix: string): string[] {
    const library = path.join(prefix, "lib");
    const pythons = this.#host.files.list(library).filter((name) => name.startsWith("python"));
    return [path.join(prefix, "pyvenv.cfg"), ...pythons.map((name) => path.join(library, name, "site-packages"))];
  }

  /** A rule that failed has no place in a file, so it is not a diagnostic; the log keeps it. */
  #reportFailures(diagnosis: Diagnosis): void {
    for (const gap of diagnosis.gaps) {
      if (gap.kind === "evaluation" && gap.path === this.root && !this.#reported.has(gap.message)) {
        this.#reported.add(gap.message);
        this.#host.warn(gap.message);
      }
    }
  }
}
