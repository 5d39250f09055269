/** How a process of ours is known again, even after it has left its parent, its process group and its session. */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Variables } from "./types.ts";

/** The variable that every child has: the identities of all runs and locks that it belongs to, the outermost first. */
export const markerVariable = "ABIDING_RUN";
const separator = ":";

export interface Held {
  readonly id: string;
  readonly folder: string;
}

/** The locks that the current piece of work holds (see `exclusively`): children started in it carry their identities. */
export const held = new AsyncLocalStorage<readonly Held[]>();

export function newIdentity(): string {
  return randomUUID();
}

function identities(list: string | undefined): string[] {
  return (list ?? "").split(separator).filter((id) => id !== "");
}

/**
 * The environment with the run's identity added. An Abiding that runs inside a run of another keeps the outer's
 * identity, so that the outer still finds the children of the inner.
 */
export function marked(environment: Variables, run: string): Variables {
  const outer = [...identities(process.env[markerVariable]), ...identities(environment[markerVariable])];
  const all = new Set([...outer, ...(held.getStore() ?? []).map(({ id }) => id), run]);
  return { ...environment, [markerVariable]: [...all].join(separator) };
}

const entryStart = Buffer.from(`${markerVariable}=`);

/** Whether an environment as the kernel keeps it (`NAME=value` entries, each ended by a zero byte; proc_pid_environ(5)) has the identity. */
export function carries(environ: Buffer, id: string): boolean {
  for (let at = environ.indexOf(entryStart); at !== -1; at = environ.indexOf(entryStart, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue;
    const end = environ.indexOf(0, at);
    const value = environ.toString("latin1", at + entryStart.length, end === -1 ? environ.length : end);
    if (identities(value).includes(id)) return true;
  }
  return false;
}
