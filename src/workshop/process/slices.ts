import { setImmediate } from "node:timers/promises";

/** Between pauses, in which signals and messages arrive. In milliseconds. */
const slice = 100;

/** Takes all steps of long work that starts no process, with pauses in between. Rejects with the signal's reason when cancelled. */
export async function inSlices<T>(steps: Generator<string, T, undefined>, signal: AbortSignal): Promise<T> {
  let paused = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - paused >= slice) {
      await setImmediate();
      signal.throwIfAborted();
      paused = performance.now();
    }
  }
}
