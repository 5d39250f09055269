import { setTimeout } from "node:timers/promises";
import { CouldNotWrite, endEverything } from "../../workshop/process/index.ts";
import { CannotDo } from "../../workshop/workshop.ts";
import type { Activity } from "../../workshop/workshop.ts";
import { UsageError } from "../arguments.ts";
import { printable } from "../reporters/printable.ts";
import type { Terminal } from "../terminal.ts";

/** Status as shells give it, 128 and the signal's number. */
const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const words = { SIGINT: "Interrupted", SIGTERM: "Asked to end", SIGHUP: "The terminal was closed" } as const;
type Interruption = keyof typeof statuses;
const interruptions = Object.keys(statuses) as readonly Interruption[];

/**
 * Does a piece of the workshop's work and answers the exit status: the one that `work` answers or, after Ctrl-C or a request
 * to end, the shell's for that signal. Then the work is told to stop, and the process stays until it has and all that it
 * started is gone; what it reports so far is still delivered. A second signal ends everything at once.
 */
export async function withActivity(terminal: Terminal, work: (activity: Activity) => Promise<number>): Promise<number> {
  const stop = new AbortController();
  const screen = new Screen(terminal);
  let interrupted: Interruption | undefined;
  const onSignal = (signal: Interruption): void => {
    if (interrupted !== undefined) {
      void endAtOnce(statuses[interrupted]);
      return;
    }
    interrupted = signal;
    screen.note(`${words[signal]}; waiting for what was started to end.`);
    stop.abort();
  };
  for (const signal of interruptions) {
    process.on(signal, onSignal);
  }
  try {
    const status = await work({
      signal: stop.signal,
      step: (title) => screen.step(title),
      progress: (fraction) => screen.progress(fraction),
      output: (text) => screen.output(text),
      note: (sentence) => screen.note(sentence),
    });
    return statusOf(interrupted) ?? status;
  } catch (error) {
    const status = statusOf(interrupted);
    if (status !== undefined) {
      return status;
    }
    throw error instanceof CannotDo || error instanceof CouldNotWrite ? new UsageError(error.message) : error;
  } finally {
    screen.end();
    if (interrupted !== undefined) {
      await endEverything();
    }
    for (const signal of interruptions) {
      process.off(signal, onSignal);
    }
  }
}

function statusOf(interrupted: Interruption | undefined): number | undefined {
  return interrupted === undefined ? undefined : statuses[interrupted];
}

/** Milliseconds that an impatient user waits at most. */
const patience = 5000;

async function endAtOnce(status: number): Promise<never> {
  await Promise.race([endEverything(), setTimeout(patience)]);
  process.exit(status);
}

/** Standard error, shared by what children print, sentences of ours and one line at the bottom that says how far it is. */
class Screen {
  readonly #terminal: Terminal;
  #title = "";
  #fraction: number | undefined;
  #isLineStart = true;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  step(title: string): void {
    this.#title = title;
    this.#fraction = undefined;
    this.#show();
  }

  progress(fraction: number): void {
    this.#fraction = Math.min(1, Math.max(0, fraction));
    this.#show();
  }

  output(text: string): void {
    if (text === "") {
      return;
    }
    this.#hide();
    this.#terminal.say(text);
    this.#isLineStart = text.endsWith("\n");
    this.#show();
  }

  note(sentence: string): void {
    this.output(`${this.#isLineStart ? "" : "\n"}abiding: ${printable(sentence)}\n`);
  }

  end(): void {
    this.#hide();
    if (!this.#isLineStart) {
      this.#terminal.say("\n");
    }
    this.#title = "";
  }

  #show(): void {
    if (this.#isLineStart && this.#title !== "") {
      const percent = this.#fraction === undefined ? "" : `[${String(Math.floor(this.#fraction * 100)).padStart(3)} %] `;
      this.#terminal.progress(printable(`${percent}${this.#title}`));
    }
  }

  #hide(): void {
    if (this.#isLineStart && this.#title !== "") {
      this.#terminal.progress("");
    }
  }
}
