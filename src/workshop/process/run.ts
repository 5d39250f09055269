/** One run of one command, from its start until nothing of it is left that should not be. */
import { endTree, isInhabited, killTreeNow, type EndReport } from "./ending.ts";
import { marked, newIdentity } from "./marker.ts";
import { Output, surface } from "./output.ts";
import { CouldNotStart, start, type Child } from "./start.ts";
import type { Tree } from "./tree.ts";
import type { Command, Ending, ProcessResult, RunOptions, RunProcess } from "./types.ts";

type Stop = Extract<Ending, { kind: "cancelled" | "timed-out" }>;

/** Longest time that a timer takes; a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** Why a run should stop before its command ends by itself. */
class Stopping {
  readonly stopped: Promise<Stop>;
  stop: (why: Stop) => void = () => undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #cancel = (): void => this.stop({ kind: "cancelled" });
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.stopped = new Promise((settle) => {
      this.stop = settle;
    });
    signal?.addEventListener("abort", this.#cancel, { once: true });
  }

  limit(milliseconds: number | undefined): void {
    if (milliseconds === undefined) return;
    this.#timer = setTimeout(() => this.stop({ kind: "timed-out", limit: milliseconds }), Math.min(milliseconds, longestTimer));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#cancel);
  }
}

interface Active {
  readonly stopping: Stopping;
  readonly finished: Promise<unknown>;
  tree?: Tree;
}

const active = new Set<Active>();
let isEnding = false;

/** The last resort, when this process exits without having waited: what it started goes with it. */
function endAtExit(): void {
  for (const { tree } of active) if (tree !== undefined) killTreeNow(tree);
}

/** Cancels every run and resolves when nothing of them is left: for the close of a window and Ctrl-C. What is started meanwhile is cancelled too. */
export async function endEverything(): Promise<void> {
  isEnding = true;
  try {
    while (active.size > 0) {
      for (const { stopping } of active) stopping.stop({ kind: "cancelled" });
      await Promise.all([...active].map(({ finished }) => finished));
    }
  } finally {
    isEnding = false;
  }
}

interface Outcome {
  readonly ending: Ending;
  readonly report: EndReport;
}

const nothingEnded: EndReport = { seen: 0, survivors: [] };

/** The command has ended by itself: its output is read, and what it left is ended if that is wished or the run is cancelled. */
async function clear(tree: Tree, output: Output, leftBehind: RunOptions["leftBehind"], stopping: Stopping): Promise<EndReport> {
  let isStopped = false;
  void stopping.stopped.then(() => {
    isStopped = true;
  });
  await output.settle(stopping.stopped);
  if (!isStopped && (leftBehind !== "end" || !await isInhabited(tree))) return nothingEnded;
  const report = await endTree(tree);
  await output.settle();
  return report;
}

async function follow(child: Child, tree: Tree, output: Output, options: RunOptions, stopping: Stopping): Promise<Outcome> {
  const first = await Promise.race([child.exited, stopping.stopped]);
  if ("kind" in first) {
    const { survivors } = await endTree(tree);
    await output.settle();
    return { ending: first, report: { seen: 0, survivors } };
  }
  const { code, signal } = first;
  const ending: Ending = signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "signalled", signal };
  return { ending, report: await clear(tree, output, options.leftBehind, stopping) };
}

async function perform(command: Command, options: RunOptions, one: Active, output: Output): Promise<Outcome> {
  const marker = newIdentity();
  try {
    if (isEnding || options.signal?.aborted === true) return { ending: { kind: "cancelled" }, report: nothingEnded };
    const child = await start(command, marked(command.environment, marker), options.input);
    one.tree = { marker, root: child.identity };
    output.read(child, options);
    one.stopping.limit(options.timeLimit);
    surface(() => options.onStart?.(child.identity.id));
    return await follow(child, one.tree, output, options, one.stopping);
  } catch (error) {
    if (error instanceof CouldNotStart) return { ending: error.ending, report: nothingEnded };
    throw error;
  }
}

async function runIn(command: Command, options: RunOptions, one: Active): Promise<ProcessResult> {
  const started = new Date();
  const begin = performance.now();
  const output = new Output(options);
  const { ending, report } = await perform(command, options, one, output);
  const duration = performance.now() - begin;
  const kept = await output.close();
  return { command, ending, started, duration, ...kept, ended: report.seen - report.survivors.length, ...(report.survivors.length === 0 ? {} : { survivors: report.survivors }) };
}

export const runProcess: RunProcess = async (command, options = {}) => {
  const stopping = new Stopping(options.signal);
  let settle: () => void = () => undefined;
  const one: Active = { stopping, finished: new Promise<void>((resolve) => (settle = resolve)) };
  if (active.size === 0) process.on("exit", endAtExit);
  active.add(one);
  try {
    return await runIn(command, options, one);
  } finally {
    active.delete(one);
    if (active.size === 0) process.off("exit", endAtExit);
    stopping.dispose();
    settle();
  }
};
