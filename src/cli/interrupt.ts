/** Ctrl-C and the request to end, which schedulers and CI send: status as shells give it, 128 and the signal's number. */
const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const words = { SIGINT: "interrupted", SIGTERM: "asked to end", SIGHUP: "the terminal was closed" } as const;

const stopping: (() => void)[] = [];

/** Calls `stop` when the run is interrupted, and then ends the process: what it unpacked is removed on the way out. */
export function onInterrupt(stop: () => void): void {
  stopping.push(stop);
  if (stopping.length > 1) {
    return;
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      for (const one of stopping) {
        one();
      }
      process.stderr.write(`${process.stderr.isTTY ? "\r\u001b[K" : ""}abiding: ${words[signal]}; nothing was reported.\n`);
      process.exit(statuses[signal]);
    });
  }
}
