/** The header strip: what can be started in a project, what runs, and how the last of each kind ended, wherever it was started. */
import * as vscode from "vscode";
import type { WorkKind, WorkState } from "../../protocol/panel.ts";
import type { Project } from "../../workshop/project/types.ts";
import type { Bench } from "../workshop/bench.ts";
import type { Work } from "../workshop/work.ts";
import { workKinds } from "./messages.ts";

/** Milliseconds: steps come faster than anybody reads them. */
const interval = 100;

export class Strip implements vscode.Disposable {
  readonly #bench: Bench;
  readonly #root: string;
  readonly #tell: (state: WorkState) => void;
  readonly #subscription: vscode.Disposable;
  readonly #told = new Map<WorkKind, string>();
  #project: Project | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(bench: Bench, root: string, tell: (state: WorkState) => void) {
    this.#bench = bench;
    this.#root = root;
    this.#tell = tell;
    this.#subscription = bench.works.onDidChange(() => this.#soon());
  }

  /** What can be done with the project, as far as it was read. */
  set project(project: Project) {
    this.#project = project;
    this.#soon();
  }

  /** All of it, for a page that knows nothing. */
  get all(): readonly WorkState[] {
    const states = workKinds.map((kind) => this.#stateOf(kind));
    states.forEach((state) => this.#told.set(state.kind, JSON.stringify(state)));
    return states;
  }

  /** What of a kind runs in the project. */
  running(kind: WorkKind): readonly Work[] {
    return this.#bench.works.running.filter((work) => work.kind === kind && work.root === this.#root);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const state of workKinds.map((kind) => this.#stateOf(kind))) {
        const text = JSON.stringify(state);
        if (this.#told.get(state.kind) !== text) {
          this.#told.set(state.kind, text);
          this.#tell(state);
        }
      }
    }, interval);
  }

  #stateOf(kind: WorkKind): WorkState {
    const [work] = this.running(kind);
    if (work !== undefined) {
      // In hundredths, so that it is told when it would look different.
      const fraction = work.fraction === undefined ? {} : { fraction: Math.round(work.fraction * 100) / 100 };
      return { kind, state: "running", since: work.since, hasLog: true, ...(work.step === "" ? {} : { step: work.step }), ...fraction };
    }
    const reason = unavailable(kind, this.#project);
    const cannot = reason === undefined ? {} : { unavailable: reason };
    const ending = this.#bench.works.lastEnding(kind, this.#root);
    if (ending === undefined) {
      return { kind, state: "idle", ...cannot };
    }
    const { outcome, headline, rule, when } = ending;
    return { kind, state: "ended", ...cannot, since: when, outcome, headline, ...(rule === undefined ? {} : { rule }), ...(this.#bench.works.hasOutput(kind, this.#root) ? { hasLog: true } : {}) };
  }
}

/** Why a kind of work cannot be started. */
function unavailable(kind: WorkKind, project: Project | undefined): string | undefined {
  if (!vscode.workspace.isTrusted) {
    return vscode.l10n.t("This workspace is not trusted: nothing of it is run.");
  }
  if (project === undefined) {
    return undefined;
  }
  const [problem] = project.problems;
  switch (kind) {
    case "build":
      // Where there is nothing at all, building offers the template.
      return project.builds.length === 0 ? problem?.message : undefined;
    case "combinations":
      return project.builds.length === 0 ? problem?.message ?? vscode.l10n.t("There is nothing to build here, so that nothing can be tried.") : undefined;
    case "smoke":
      return project.smoke.length === 0 ? vscode.l10n.t("No tests were found: neither CTest nor pytest, and abiding.json names none.") : undefined;
    case "benchmark":
      return project.benchmarks.length === 0 ? vscode.l10n.t("No benchmarks were found, and abiding.json names none.") : undefined;
    case "libtorch":
    case "bisect":
    case "predict":
      return undefined;
  }
}
