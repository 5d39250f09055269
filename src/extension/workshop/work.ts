import * as vscode from "vscode";
import type { Command, ProcessResult, RunOptions, RunProcess } from "../../workshop/process/types.ts";
import type { Activity } from "../../workshop/workshop.ts";
import type { Screen } from "./screen.ts";

export type WorkKind = "build" | "smoke" | "benchmark" | "libtorch" | "stamp" | "discovery";

/** Something that runs because the user asked for it. */
export class Work {
  readonly kind: WorkKind;
  readonly title: string;
  readonly root: string;
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

/** How the last piece of work ended, for the status bar. */
export interface Outcome {
  readonly kind: WorkKind;
  readonly good: boolean;
  readonly text: string;
  /** More than the status bar has room for. */
  readonly details?: string;
  /** What a click shows. */
  readonly command: string | vscode.Command;
}

/** All that runs. */
export class Works implements vscode.Disposable {
  readonly #running = new Set<Work>();
  readonly #changed = new vscode.EventEmitter<void>();
  #outcome: Outcome | undefined;

  readonly onDidChange = this.#changed.event;

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
    } finally {
      subscriptions.forEach((one) => void one.dispose());
      this.#running.delete(work);
      work.end();
      this.#changed.fire();
    }
  }

  tell(outcome: Outcome): void {
    this.#outcome = outcome;
    this.#changed.fire();
  }

  cancelAll(): void {
    this.#running.forEach((work) => work.cancel());
  }

  dispose(): void {
    this.cancelAll();
    this.#changed.dispose();
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
