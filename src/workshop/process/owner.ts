/** Who holds a lock, and whether he is still there. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { findProcess, identityOf } from "./processes.ts";
import { codeOf } from "./sentences.ts";

export interface Owner {
  readonly id: string;
  readonly process: number;
  /** When the process started, as the system tells it. */
  readonly started: string;
  readonly host: string;
  /** What tells two machines of one name apart, and two starts of one machine, and two containers. Empty: not known. */
  readonly machine: string;
  readonly boot: string;
  readonly namespace: string;
  readonly user: string;
  readonly since: string;
  readonly what: string;
}

type Place = Pick<Owner, "host" | "machine" | "boot" | "namespace">;

function read(ask: () => string): string {
  try {
    return ask().trim();
  } catch {
    return "";
  }
}

/** machine-id(5), and the kernel's random/boot_id (random(4)). */
function place(): Place {
  return {
    host: hostname(),
    machine: read(() => readFileSync("/etc/machine-id", "latin1")),
    boot: read(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1")),
    namespace: read(() => readlinkSync("/proc/self/ns/pid")),
  };
}

export function ourselvesAsOwner(id: string, what: string): Owner {
  const user = read(() => userInfo().username);
  return { id, process: process.pid, started: identityOf(process.pid).started, ...place(), user, since: new Date().toISOString(), what };
}

const fields = ["id", "started", "host", "machine", "boot", "namespace", "user", "since", "what"] as const;

/** The owner that a lock file tells, or undefined when it tells none. */
export function parseOwner(text: string): Owner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const all: Record<string, unknown> = { ...value };
  if (!Number.isInteger(all["process"]) || fields.some((name) => typeof all[name] !== "string")) return undefined;
  return value as Owner;
}

export type Condition =
  | { readonly kind: "alive" }
  | { readonly kind: "dead"; readonly because: string }
  /** Nobody here can tell. */
  | { readonly kind: "elsewhere"; readonly where: string };

function isThere({ process: id, started }: Owner): boolean {
  const found = findProcess(id);
  if (found !== undefined) return found.started === started;
  try {
    process.kill(id, 0);
    // A zombie answers too; on Windows nothing but this answer is known.
    return process.platform === "win32";
  } catch (error) {
    // Another user's process, of which /proc may be hidden (proc(5), hidepid).
    return codeOf(error) === "EPERM";
  }
}

export function conditionOf(owner: Owner): Condition {
  const here = place();
  if (owner.host !== here.host || owner.machine !== here.machine) return { kind: "elsewhere", where: `on the machine ${owner.host}` };
  if (owner.boot !== here.boot) return { kind: "dead", because: "the machine has been restarted since" };
  if (owner.namespace !== here.namespace) return { kind: "elsewhere", where: "in another container of this machine" };
  return isThere(owner) ? { kind: "alive" } : { kind: "dead", because: "that process does not run any more" };
}

/** "“build” of process 4711 on host, since 19:20:05". */
export function introduce({ process: id, host, user, since, what }: Owner): string {
  const self = id === process.pid && host === hostname() ? ` (this one)` : "";
  return `"${what}" of process ${id}${self}${user === "" ? "" : ` of user ${user}`} on ${host}, begun ${since.replace("T", " ").replace(/\.\d+Z$/, " UTC")}`;
}
