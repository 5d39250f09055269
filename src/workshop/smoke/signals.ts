import * as path from "node:path";
import { constants } from "node:os";

/** Signals by which a program dies of itself. https://man7.org/linux/man-pages/man7/signal.7.html */
const ownFaults: Readonly<Record<string, string>> = {
  SIGSEGV: "it reached for memory that is not its own",
  SIGABRT: "it aborted itself: a failed assertion, an exception that nobody caught, or damaged memory",
  SIGBUS: "it reached for memory that is not there, or in a file that was cut short",
  SIGFPE: "it divided by zero or made another impossible calculation",
  SIGILL: "it came to an instruction that this processor does not know",
  SIGTRAP: "it hit a trap",
  SIGSYS: "it made a system call that is not allowed",
};

export function isOwnFault(signal: string): boolean {
  return ownFaults[signal] !== undefined;
}

export function crashSentence(signal: string): string {
  const why = ownFaults[signal] ?? (signal === "SIGKILL" ? "it was killed from outside, perhaps because memory ran out" : undefined);
  return `It was ended by the signal ${signal}${why === undefined ? "" : `: ${why}`}.`;
}

/**
 * A shell answers 128 and the signal's number for a child that a signal ended
 * (https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html, 2.8.2).
 */
export function signalOfStatus(status: number): string | undefined {
  return Object.entries(constants.signals).find(([name, number]) => number === status - 128 && isOwnFault(name))?.[0];
}

/** Programs whose exit status can be that of a child. */
export function isShell(program: string): boolean {
  return /^(?:ba|da|k|z|a)?sh$/.test(path.basename(program)) || /\.(?:sh|bash)$/.test(program);
}
