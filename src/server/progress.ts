import * as path from "node:path";
import type { Connection, WorkDoneProgressServerReporter } from "vscode-languageserver/node";

/** Shorter scans would only flicker. In milliseconds. */
const quietTime = 300;
const reportInterval = 100;

/** Shows in the client that a project is being read for the first time, once that takes a while. */
export class ScanProgress {
  readonly #connection: Pick<Connection, "window" | "console">;
  readonly #root: string;
  readonly #now: () => number;
  readonly #started: number;
  #reporter: Promise<WorkDoneProgressServerReporter> | undefined;
  #reported = Number.NEGATIVE_INFINITY;

  constructor(connection: Pick<Connection, "window" | "console">, root: string, now = (): number => performance.now()) {
    this.#connection = connection;
    this.#root = root;
    this.#now = now;
    this.#started = now();
  }

  /** `next` is a file or a few words. */
  report(next: string): void {
    const now = this.#now();
    if (now - this.#started < quietTime || now - this.#reported < reportInterval) {
      return;
    }
    this.#reported = now;
    const message = path.isAbsolute(next) ? path.relative(this.#root, next) : next;
    this.#reporter ??= this.#begin(message);
    this.#tell((reporter) => reporter.report(message));
  }

  done(): void {
    this.#tell((reporter) => reporter.done());
  }

  async #begin(message: string): Promise<WorkDoneProgressServerReporter> {
    // A client without progress gets none: the reporter says nothing then.
    const reporter = await this.#connection.window.createWorkDoneProgress();
    reporter.begin(`Abiding reads ${path.basename(this.#root)}`, undefined, message, false);
    return reporter;
  }

  #tell(say: (reporter: WorkDoneProgressServerReporter) => void): void {
    this.#reporter?.then(say).catch((error: unknown) => this.#connection.console.debug(`The client did not show progress: ${String(error)}`));
  }
}
