/**
 * Which processes belong to a run. Parent links lose a process whose parent has ended, groups and sessions lose one
 * that made its own, the marker in the environment loses one that cleaned it: so all of them are asked.
 */
import { findProcess, isMarked, listProcesses, markerReader, processIds, type Identity, type RunningProcess } from "./processes.ts";

export interface Tree {
  readonly marker: string;
  /** The process that we started; it leads its own session. Absent: a tree whose owner is gone. */
  readonly root?: Identity;
}

/** Looks without a find after which a hunt is over, and the milliseconds that one takes at most. Not time alone: on a busy machine we may be paused for all of it. */
const emptyLooks = 20;
const huntLimit = 100;

type ById = ReadonlyMap<number, RunningProcess>;

/** The process and its ancestors. */
function lineOf(id: number, byId: ById): Set<number> {
  const line = new Set([id]);
  for (let one = byId.get(id); one !== undefined && !line.has(one.parent); one = byId.get(one.parent)) line.add(one.parent);
  return line;
}

/** Whom no tree contains: us and our ancestors; and where a left tree contains us, what we have started. */
function outside(tree: Tree, all: readonly RunningProcess[], byId: ById): Set<number> {
  const ids = lineOf(process.pid, byId).add(1);
  if (tree.root === undefined) for (const { id } of all) if (lineOf(id, byId).has(process.pid)) ids.add(id);
  return ids;
}

/** Adds to `members` whoever `belongs`, until nobody is added any more. */
function close(all: readonly RunningProcess[], members: Map<number, RunningProcess>, belongs: (one: RunningProcess) => boolean): void {
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const one of all) if (!members.has(one.id) && belongs(one)) members.set(one.id, one);
  }
}

/** Follows a tree while it is being ended: remembers who belonged to it, so that those whom they leave behind are known. */
export class TreeView {
  readonly #tree: Tree;
  readonly #marked: (all: readonly Identity[]) => Set<number>;
  #byId: ById = new Map();
  /** Start times of all members seen so far by process id. */
  readonly #seen = new Map<number, string>();

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#marked = markerReader(tree.marker);
    if (tree.root !== undefined) this.#seen.set(tree.root.id, tree.root.started);
  }

  /** How many processes have been seen in the tree, the root not counted. */
  get count(): number {
    return this.#seen.size - (this.#tree.root === undefined ? 0 : 1);
  }

  /** The living members. */
  members(): RunningProcess[] {
    const all = listProcesses();
    const byId = new Map(all.map((one) => [one.id, one]));
    const not = outside(this.#tree, all, byId);
    const candidates = all.filter(({ id }) => !not.has(id));
    const marked = this.#marked(candidates);
    this.#byId = byId;
    const members = new Map<number, RunningProcess>();
    close(candidates, members, (one) => {
      const belongs = marked.has(one.id) || this.#seen.get(one.id) === one.started || members.has(one.parent) || this.#leads(one.session) || this.#leads(one.group);
      if (belongs) this.#seen.set(one.id, one.started);
      return belongs;
    });
    return [...members.values()];
  }

  /** Signals the process groups in which nobody but members can be, after a look. It reaches also those who are being forked. */
  signalGroups(signal: NodeJS.Signals): void {
    if (this.#byId.size === 0) return;
    for (const leader of this.#seen.keys()) {
      if (!this.#leads(leader)) continue;
      try {
        process.kill(-leader, signal);
      } catch {
        // No such group, or nobody of it is left.
      }
    }
  }

  /**
   * Kills processes that are newer than the last look as fast as they can be found, until none has come for a moment:
   * in a chain where each forks the next and exits, a whole look takes longer than a link lives. The number of those found.
   */
  hunt(): number {
    if (process.platform !== "linux") return 0;
    let found = 0;
    const old = new Set(this.#byId.keys());
    const until = performance.now() + huntLimit;
    for (let empty = 0; empty < emptyLooks && performance.now() < until; empty += 1) {
      for (const id of processIds().reverse()) {
        if (old.has(id)) continue;
        if (!isMarked(id, this.#tree.marker)) {
          old.add(id);
          continue;
        }
        found += 1;
        empty = 0;
        kill(id, "SIGKILL");
      }
    }
    return found;
  }

  /** A group or session is the tree's when a member leads it or led it, and nobody else has got its number since. */
  #leads(leader: number): boolean {
    const started = this.#seen.get(leader);
    const self = this.#byId.get(process.pid);
    return started !== undefined && (this.#byId.get(leader)?.started ?? started) === started && leader !== self?.session && leader !== self?.group;
  }
}

function kill(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // Ended in this instant, or another user's: the next look at the tree tells.
  }
}

/** Sends a signal to a process, unless its id belongs to another one by now. */
export function signalOne(one: Identity, signal: NodeJS.Signals): void {
  if (findProcess(one.id)?.started === one.started) kill(one.id, signal);
}
