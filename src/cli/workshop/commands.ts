import type { Terminal } from "../terminal.ts";

/** A command that starts processes: answers the exit status. Throws UsageError when it cannot run. */
export type WorkshopCommand = (argv: readonly string[], terminal: Terminal) => Promise<number>;

/** Each is loaded when it is called. */
export const workshopCommands: Readonly<Record<string, () => Promise<WorkshopCommand>>> = {
  build: async () => (await import("./build.ts")).build,
  benchmark: async () => (await import("./benchmark.ts")).benchmark,
  combinations: async () => (await import("./combinations/index.ts")).combinations,
  libtorch: async () => (await import("./libtorch.ts")).libtorch,
  smoke: async () => (await import("./smoke.ts")).smoke,
  stamp: async () => (await import("./stamp.ts")).stamp,
};
