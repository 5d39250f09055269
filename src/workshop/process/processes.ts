/** The processes of this machine, as the system lists them. */
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { carries, markerVariable } from "./marker.ts";

/** A process id is used again after its process has ended; together with the start time it is not. */
export interface Identity {
  readonly id: number;
  readonly started: string;
}

export interface RunningProcess extends Identity {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** The fields of /proc/<pid>/stat; the name in brackets may hold anything (proc_pid_stat(5)). */
function readStat(id: number): RunningProcess & { readonly state: string } | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${id}/stat`, "latin1");
  } catch {
    return undefined;
  }
  const [state = "", parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Field 22 of the file; `rest` begins with field 7.
  const started = rest[15] ?? "";
  return { id, parent: Number(parent), group: Number(group), session: Number(session), started, state };
}

/** A zombie has ended; only its parent has not looked yet. */
function readLinux(id: number): RunningProcess | undefined {
  const one = readStat(id);
  return one === undefined || one.state === "Z" || one.state === "X" ? undefined : one;
}

/** Newest first: of a chain of processes that keeps forking only the newest is worth catching. */
function listLinux(): RunningProcess[] {
  return processIds().reverse().flatMap((id) => readLinux(id) ?? []);
}

/** macOS and the BSDs. `sess` of ps is a kernel address there, so that a session is not known. */
function listByPs(): RunningProcess[] {
  const { stdout } = spawnSync("/bin/ps", ["-axo", "pid=,ppid=,pgid=,stat=,lstart="], { encoding: "utf8", maxBuffer: 1 << 26, env: { LC_ALL: "C" } });
  return (stdout ?? "").split("\n").flatMap((line): RunningProcess[] => {
    const [, id, parent, group, state, started] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (state === undefined || started === undefined || state.startsWith("Z")) return [];
    return [{ id: Number(id), parent: Number(parent), group: Number(group), session: 0, started }];
  });
}

/** The living processes; on Windows none, there `taskkill` knows the tree. */
export function listProcesses(): RunningProcess[] {
  if (process.platform === "linux") return listLinux();
  return process.platform === "win32" ? [] : listByPs();
}

/** The living process with this id. */
export function findProcess(id: number): RunningProcess | undefined {
  return process.platform === "linux" ? readLinux(id) : listProcesses().find((one) => one.id === id);
}

/** The ids of all processes, of which nothing else is looked at. Linux only. */
export function processIds(): number[] {
  return readdirSync("/proc").map(Number).filter((id) => Number.isInteger(id) && id > 0);
}

/** Whether the process has the marker in its environment right now. Linux only. */
export function isMarked(id: number, marker: string): boolean {
  try {
    return carries(readFileSync(`/proc/${id}/environ`), marker);
  } catch {
    // Ended meanwhile, or another user's.
    return false;
  }
}

/** `ps -E` shows the environment of one's own processes behind their arguments (ps(1) of macOS). */
function markedByPs(marker: string): Set<number> {
  const { stdout } = spawnSync("/bin/ps", ["-axEww", "-o", "pid=,command="], { encoding: "utf8", maxBuffer: 1 << 28, env: { LC_ALL: "C" } });
  const lines = (stdout ?? "").split("\n").filter((line) => new RegExp(`\\s${markerVariable}=\\S*${marker}`).test(line));
  return new Set(lines.map((line) => Number.parseInt(line, 10)));
}

/** The identity of a child that was just started: it may have ended already, but nobody has looked yet. */
export function identityOf(id: number): Identity {
  const started = process.platform === "linux" ? readStat(id)?.started : findProcess(id)?.started;
  return { id, started: started ?? "" };
}

/** Tells which of the processes have a marker in their environment. Each is asked once: its environment stays what it was when it started. */
export function markerReader(marker: string): (all: readonly Identity[]) => Set<number> {
  const known = new Map<string, boolean>();
  const key = ({ id, started }: Identity): string => `${id} ${started}`;
  return (all) => {
    const unknown = all.filter((one) => !known.has(key(one)));
    if (process.platform === "linux") {
      for (const one of unknown) known.set(key(one), isMarked(one.id, marker));
    } else if (unknown.length > 0) {
      const marked = markedByPs(marker);
      for (const one of unknown) known.set(key(one), marked.has(one.id));
    }
    return new Set(all.filter((one) => known.get(key(one)) === true).map(({ id }) => id));
  };
}
