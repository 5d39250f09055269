/** `abiding combinations`: what works together, what is predicted to, and what broke it. Each part is loaded when it is called. */
import { UsageError } from "../../arguments.ts";
import type { Terminal } from "../../terminal.ts";
import type { WorkshopCommand } from "../commands.ts";
import { combinationsHelp } from "./help.ts";

const parts: Readonly<Record<string, () => Promise<WorkshopCommand>>> = {
  list: async () => (await import("./list.ts")).list,
  record: async () => (await import("./record.ts")).record,
  merge: async () => (await import("./merge.ts")).merge,
  publish: async () => (await import("./publish.ts")).publish,
  cell: async () => (await import("./cell.ts")).cell,
  run: async () => (await import("./run.ts")).run,
  nightlies: async () => (await import("./nightlies.ts")).nightlies,
  bisect: async () => (await import("./bisect.ts")).bisect,
  ci: async () => (await import("./ci.ts")).ci,
  predict: async () => (await import("./predict.ts")).predict,
  roll: async () => (await import("./roll.ts")).roll,
};

/** Answers the exit status of the part that is named first. Throws UsageError when there is none of that name. */
export async function combinations(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h") {
    terminal.deliver(combinationsHelp, undefined);
    return name === undefined ? 2 : 0;
  }
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part === undefined) {
    throw new UsageError(`combinations has no part "${name}"; it has ${Object.keys(parts).join(", ")}.`);
  }
  return (await part())(rest, terminal);
}
