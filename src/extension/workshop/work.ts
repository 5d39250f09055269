import * as vscode from "vscode";
import type { Command, ProcessResult, RunOptions, RunProcess } from "../../workshop/process/types.ts";
import type { Activity } from "../../workshop/workshop.ts";
import type { LastEndings } from "./lastEndings.ts";
import { isCancellation } from "./cancellation.ts";
import type { Screen } from "./screen.ts";

export type WorkKind = "build" | "smoke" | "benchmark" | "libtorch" | "stamp" | "discovery" | "combinations" | "bisect" | "predict" | "indexes";

/** Something that runs because the user asked for it. */
export class Work {
  readonly kind: WorkKind;
  readonly title: string;
  readonly root: string;
  /** ISO 8601. */
  readonly since = new Date().toISOString();
  readonly #stop = new AbortController();
  readonly #changed = new vscode.EventEmitter<void>();
  #step = "";
  #fraction: number | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(kind: WorkKind, title: string, root: string) {
    this.kind = kind;
    this.title = title;
    this.root = root;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** What is done now. */
  get step(): string {
    return this.#step;
  }

  /** From 0 to 1, where that is known. */
  get fraction(): number | undefined {
    return this.#fraction;
  }

  cancel(): void {
    this.#stop.abort();
    this.#changed.fire();
  }

  activity(screen: Screen): Activity {
    return {
      signal: this.signal,
      step: (title) => {
        this.#step = title;
        this.#fraction = undefined;
        this.#changed.fire();
      },
      progress: (fraction) => {
        this.#fraction = fraction;
        this.#changed.fire();
      },
      output: (text) => screen.output(text),
      note: (sentence) => screen.note(sentence),
    };
  }

  end(): void {
    this.#changed.dispose();
  }
}

/** How a piece of work ended, for the status bar and for the panel. */
export interface Outcome {
  readonly kind: WorkKind;
  readonly root: string;
  readonly ending: Ending["outcome"];
  readonly text: string;
  /** More than the status bar has room for. */
  readonly details?: string;
  /** A sentence or two: what came of it, with the explanation where there is one. */
  readonly headline: string;
  readonly rule?: string;
  /** Absolute: the file that has all that was printed. */
  readonly log?: string;
  /** What a click shows. */
  readonly command: string | vscode.Command;
}

/** How the last piece of work of a kind ended in a project. */
export interface Ending {
  readonly kind: WorkKind;
  readonly root: string;
  readonly outcome: "passed" | "failed" | "cancelled" | "stopped";
  readonly headline: string;
  readonly rule?: string;
  readonly log?: string;
  /** ISO 8601. */
  readonly when: string;
}

/** All that runs. */
export class Works implements vscode.Disposable {
  readonly #running = new Set<Work>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #ended = new vscode.EventEmitter<Work>();
  readonly #endings: LastEndings;
  #outcome: Outcome | undefined;

  readonly onDidChange = this.#changed.event;
  readonly onDidEnd = this.#ended.event;

  constructor(endings: LastEndings) {
    this.#endings = endings;
  }

  get running(): readonly Work[] {
    return [...this.#running];
  }

  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Does a piece of work; `signal` and `token` cancel it. */
  async do<T>(work: Work, cancelledBy: readonly (vscode.CancellationToken | undefined)[], job: () => Promise<T>): Promise<T> {
    const subscriptions = cancelledBy.flatMap((token) => (token === undefined ? [] : [token.onCancellationRequested(() => work.cancel())]));
    if (cancelledBy.some((token) => token?.isCancellationRequested === true)) {
      work.cancel();
    }
    subscriptions.push(work.onDidChange(() => this.#changed.fire()));
    this.#running.add(work);
    this.#changed.fire();
    try {
      return await job();
    } catch (error) {
      const cancelled = work.signal.aborted || isCancellation(error);
      this.#endings.set({
        kind: work.kind, root: work.root, outcome: cancelled ? "cancelled" : "failed", when: new Date().toISOString(),
        headline: cancelled ? vscode.l10n.t("Cancelled.") : error instanceof Error ? error.message : String(error),
      });
      throw error;
    } finally {
      subscriptions.forEach((one) => void one.dispose());
      this.#running.delete(work);
      work.end();
      this.#ended.fire(work);
      this.#changed.fire();
    }
  }

  /** Says what came of a piece of work, while it is still among those that run. */
  tell(outcome: Outcome): void {
    this.#outcome = outcome;
    const { kind, root, ending, headline, rule, log } = outcome;
    this.#endings.set({ kind, root, outcome: ending, headline, when: new Date().toISOString(), ...(rule === undefined ? {} : { rule }), ...(log === undefined ? {} : { log }) });
    this.#changed.fire();
  }

  /** How the last piece of work of a kind ended in a project, also before the window was loaded anew. */
  lastEnding(kind: WorkKind, root: string): Ending | undefined {
    return this.#endings.get(kind, root);
  }

  /** Whether what it printed can still be shown. */
  hasOutput(kind: WorkKind, root: string): boolean {
    return this.#endings.get(kind, root)?.log !== undefined || this.#endings.isOfThisWindow(kind, root);
  }

  cancelAll(): void {
    this.#running.forEach((work) => work.cancel());
  }

  dispose(): void {
    this.cancelAll();
    this.#changed.dispose();
    this.#ended.dispose();
  }
}

/** What was run last where a person could see it: questions to tools, whose output nobody sees, are not meant. */
export class LastCommand {
  #command: Command | undefined;

  get command(): Command | undefined {
    return this.#command;
  }

  watching(run: RunProcess): RunProcess {
    return (command: Command, options?: RunOptions): Promise<ProcessResult> => {
      if (options?.onText !== undefined || options?.onLine !== undefined || options?.logFile !== undefined) {
        this.#command = command;
      }
      return run(command, options);
    };
  }
}
