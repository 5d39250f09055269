import { setImmediate } from "node:timers/promises";
import { printable } from "./reporters/printable.ts";
import type { Terminal } from "./terminal.ts";

/** Between pauses, in which signals arrive and progress is shown. In milliseconds. */
const slice = 100;

/** Takes all steps of long work, shows which one is done, and lets Ctrl-C come through in between. */
export async function stepwise<T>(steps: Generator<string, T, undefined>, terminal: Terminal): Promise<T> {
  let paused = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) {
      terminal.progress("");
      return step.value;
    }
    if (performance.now() - paused >= slice) {
      terminal.progress(printable(step.value));
      await setImmediate();
      paused = performance.now();
    }
  }
}
