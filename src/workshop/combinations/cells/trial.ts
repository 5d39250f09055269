import * as path from "node:path";
import { LogFile, shown } from "../../process/index.ts";
import type { Command, ProcessResult, RunOptions, Variables } from "../../process/types.ts";
import type { Activity, Workshop } from "../../workshop.ts";
import type { IndexUsers } from "../nightlies/index.ts";
import type { CellEvent, CellStep, CellStepName, CellTask, CombinationReason } from "../types.ts";
import { logsOf } from "./files.ts";
import type { CellFile } from "./files.ts";

/** How a step ended; its name, time and log are added where it is run. */
export interface Ended {
  readonly outcome: CellStep["outcome"];
  readonly reason?: CombinationReason;
  readonly counts?: CellStep["counts"];
  /** The project has nothing of the kind: the step says nothing of the cell. */
  readonly isNothing?: boolean;
  /** It is this machine or this moment (a full disk, no network, no such compiler) and not the combination: it is not recorded. */
  readonly isOfHere?: boolean;
}

/** A cell while it is tried: what its steps share. */
export interface Trial {
  readonly task: CellTask;
  readonly file: CellFile;
  readonly tell: (event: CellEvent) => void;
  /** The environment is the cell's: compilers named, nothing of another Python in it. */
  readonly workshop: Workshop;
  /** The copy of the project, and the folder in it that the project is. */
  readonly source: string;
  readonly root: string;
  /** The scratch environment, and its Python. */
  readonly environment: string;
  readonly interpreter: string;
  readonly users: IndexUsers;
  readonly log: StepLog;
}

/** What a step prints, in a file of its own that can be read while it runs. */
export class StepLog {
  readonly file: string;
  readonly #log: LogFile;

  constructor(folder: string, step: CellStepName) {
    this.file = path.join(logsOf(folder), `${step}.log`);
    this.#log = new LogFile(this.file);
  }

  add(text: string): void {
    void this.#log.add(Buffer.from(text));
  }

  async close(): Promise<void> {
    await this.#log.close();
  }
}

/** The activity of a step: what it prints goes into its log as well, and its progress is told as the cell's. */
export function activityOf(outer: Activity, log: StepLog, tell: (fraction?: number) => void): Activity {
  return {
    signal: outer.signal,
    step: () => tell(),
    progress: (fraction) => tell(fraction),
    output: (text) => {
      log.add(text);
      outer.output(text);
    },
    note: (sentence) => {
      log.add(`abiding: ${sentence}\n`);
      outer.note(sentence);
    },
  };
}

/** Runs a process of a step: its command line and its output are in the step's log. */
export async function runIn(trial: Pick<Trial, "workshop">, argv: readonly string[], folder: string, environment: Variables, options: RunOptions = {}): Promise<ProcessResult> {
  const { run, activity } = trial.workshop;
  const [file = "", ...rest] = argv;
  const command: Command = { file, arguments: rest, folder, environment };
  activity.output(`$ ${argv.map((one) => shown("", one)).join(" ")}\n`);
  const result = await run(command, { signal: activity.signal, ...options, onText: (text) => activity.output(text) });
  activity.output("\n");
  return result;
}

export function isWell({ ending }: ProcessResult): boolean {
  return ending.kind === "exited" && ending.code === 0;
}
