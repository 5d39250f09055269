import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { findProgram } from "../process/index.ts";
import type { Command } from "../process/types.ts";
import type { Workshop } from "../workshop.ts";
import { lineOf } from "./places.ts";
import { isOwnFault } from "./signals.ts";
import type { StackFrame } from "./types.ts";

export interface Stack {
  readonly frames: readonly StackFrame[];
  /** How it was taken, or why it was not. */
  readonly note: string;
}

/** Frames that are kept. */
const depth = 16;
/** Crashes of one run whose stacks are taken: each may run the test again. */
const mostStacks = 5;
/** Milliseconds that gdb may take at most, reading of symbols included. */
const longest = 120_000;

/** Between a crash and the moment when systemd-coredump has put the core away. */
const corePause = 300;

/**
 * Takes the top of the stack of what crashed: from systemd's core dumps, from a core file, or by running the test again
 * under gdb.
 */
export class StackTaker {
  readonly #workshop: Workshop;
  #left = mostStacks;

  constructor(workshop: Workshop) {
    this.#workshop = workshop;
  }

  /** `processId`: of the process that crashed; absent when only a child of it did. */
  async take(command: Command, signal: string, started: Date, processId: number | undefined, timeLimit: number): Promise<Stack | undefined> {
    if (!isOwnFault(signal) || process.platform === "win32" || this.#workshop.activity.signal.aborted) return undefined;
    if (this.#left === 0) return { frames: [], note: `The stack was not taken: it was for ${mostStacks} crashes of this run already.` };
    this.#left -= 1;
    const gdb = findProgram("gdb", command.environment);
    const kept = processId === undefined ? undefined : await this.#fromCoredumpctl(command, processId);
    if (kept !== undefined) return kept;
    if (gdb === undefined) return { frames: [], note: "The stack is not known: gdb is not installed." };
    const core = processId === undefined ? undefined : coreOf(command, started, processId);
    return core === undefined ? this.#again(gdb, command, signal, timeLimit) : this.#fromCore(gdb, core, command);
  }

  async #fromCoredumpctl(command: Command, processId: number): Promise<Stack | undefined> {
    const coredumpctl = findProgram("coredumpctl", command.environment);
    if (coredumpctl === undefined || !pattern().includes("systemd-coredump")) return undefined;
    await setTimeout(corePause);
    const result = await this.#run({ ...command, file: coredumpctl, arguments: ["info", "--no-pager", String(processId)] }, longest);
    const frames = framesOfCoredumpctl(result.stdout);
    return frames.length === 0 ? undefined : { frames, note: "The stack is from systemd's core dump (coredumpctl)." };
  }

  async #fromCore(gdb: string, core: string, command: Command): Promise<Stack> {
    const { stdout } = await this.#run({ ...command, file: gdb, arguments: [...settings(), "-ex", backtrace, command.file, core] }, longest);
    const frames = framesOfGdb(stdout);
    return { frames, note: frames.length === 0 ? `gdb found no stack in ${core}.` : `The stack is from ${core}.` };
  }

  async #again(gdb: string, command: Command, signal: string, timeLimit: number): Promise<Stack> {
    const stops = ["-ex", "handle all nostop noprint pass", "-ex", `handle ${signal} stop print`];
    const { stdout, stderr } = await this.#run({ ...command, file: gdb, arguments: [...settings(), ...stops, "-ex", "run", "-ex", backtrace, "-ex", "kill", "--args", command.file, ...command.arguments] }, Math.min(longest, timeLimit * 2 + 10_000));
    // What the test prints could look like a stack: gdb's follows its own words on the signal.
    const at = stdout.lastIndexOf(`received signal ${signal}`);
    const frames = at === -1 ? [] : framesOfGdb(stdout.slice(at));
    if (frames.length > 0) return { frames, note: "The stack is from a second run, under gdb." };
    const refused = /ptrace: Operation not permitted|Could not trace the inferior/.test(stderr);
    if (/not in executable format/.test(stderr)) return { frames, note: `The stack is not known: ${path.basename(command.file)} is a script, which gdb does not start.` };
    return { frames, note: refused ? "The stack is not known: this system does not let gdb watch a process (ptrace)." : "The stack is not known: the test did not crash when it ran again under gdb." };
  }

  /** The streams apart: what gdb complains of may come in the middle of a line of the stack. */
  async #run(command: Command, timeLimit: number): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const { activity, run } = this.#workshop;
    const result = await run({ ...command, environment: { ...command.environment, DEBUGINFOD_URLS: "" } }, { signal: activity.signal, timeLimit, leftBehind: "end" });
    return { stdout: stripVTControlCharacters(result.stdout.text), stderr: stripVTControlCharacters(result.stderr.text) };
  }
}

const backtrace = `bt ${depth + 8}`;

function settings(): readonly string[] {
  // -nx: no .gdbinit of a project is obeyed; and no scripts that lie beside libraries.
  return ["--batch", "-nx", "-iex", "set auto-load off", ...["startup-with-shell off", "pagination off", "width 0", "confirm off", "print frame-arguments none", "print entry-values no", "style enabled off"].flatMap((one) => ["-iex", `set ${one}`])];
}

/** Frames of the way from a failure to its signal, which say nothing of the failure. */
const machinery = /^(?:__pthread_kill\w*|__?GI_\w+|pthread_kill\S*|__GI___pthread_kill|gsignal|raise|__libc_message\w*|__libc_fatal|abort|__assert_fail\w*|__stack_chk_fail|__fortify_fail\w*|malloc_printerr|__cxxabiv1::.*|std::terminate.*|__gnu_cxx::__verbose_terminate_handler.*|_Unwind_\w+|\?\?)$/;

/** "#1  0x0000 in ns::f (x=...) at /src/a.cpp:12", "... from /lib/liba.so". https://sourceware.org/gdb/current/onlinedocs/gdb.html/Backtrace.html */
export function framesOfGdb(output: string): readonly StackFrame[] {
  const frames: StackFrame[] = [];
  for (const line of output.split("\n")) {
    const [, number, name, file, row, module] = /^#(\d+)\s+(?:0x[0-9a-f]+ in )?(.+?) \([^()]*\)(?: at (.+):(\d+)| from (.+))?$/.exec(line.trim()) ?? [];
    if (number === undefined || name === undefined) continue;
    // A second thread's stack.
    if (number === "0" && frames.length > 0) break;
    frames.push({ function: name, ...(module === undefined ? {} : { module }), ...(file === undefined || row === undefined || !path.isAbsolute(file) ? {} : { location: lineOf(file, Number(row)) }) });
  }
  return top(frames);
}

/** "#0  0x00007f raise (libc.so.6 + 0x38d22)". https://www.freedesktop.org/software/systemd/man/latest/coredumpctl.html */
export function framesOfCoredumpctl(output: string): readonly StackFrame[] {
  const frames: StackFrame[] = [];
  for (const line of output.split("\n")) {
    const [, number, name, module] = /^\s*#(\d+)\s+0x[0-9a-f]+ (.+) \((.+?) \+ 0x[0-9a-f]+\)$/.exec(line) ?? [];
    if (number === undefined || name === undefined || module === undefined) continue;
    if (number === "0" && frames.length > 0) break;
    frames.push({ function: name === "n/a" ? "??" : name, module });
  }
  return top(frames);
}

function top(frames: readonly StackFrame[]): readonly StackFrame[] {
  const first = frames.findIndex((frame) => !machinery.test(frame.function));
  return (first === -1 ? frames : frames.slice(first)).slice(0, depth);
}

/** https://man7.org/linux/man-pages/man5/core.5.html */
function pattern(): string {
  try {
    return fs.readFileSync("/proc/sys/kernel/core_pattern", "utf8").trim();
  } catch {
    return "";
  }
}

/** The core file that the process left, where the system writes such into its folder. */
function coreOf(command: Command, started: Date, processId: number): string | undefined {
  const given = pattern();
  if (given === "" || given.startsWith("|")) return undefined;
  const named = given.replace(/%(.)/g, (whole, letter: string) => ({ p: String(processId), e: path.basename(command.file).slice(0, 15), "%": "%" })[letter] ?? whole);
  return [named, `${named}.${processId}`].map((name) => path.resolve(command.folder, name)).find((file) => {
    const status = fs.statSync(file, { throwIfNoEntry: false });
    return status?.isFile() === true && status.mtimeMs >= started.getTime() - 1000;
  });
}
