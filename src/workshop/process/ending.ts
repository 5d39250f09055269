/** Ends a whole tree of processes: asks first, then freezes what is left so that it cannot fork away, and kills it. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { TreeView, signalOne, type Tree } from "./tree.ts";

/** Milliseconds in which a tool that was asked to end may tidy up: ninja deletes half-written outputs (its manual, "interrupted"). */
const grace = 500;
/** Milliseconds after which a process that SIGKILL did not end is given up: it is stuck in the kernel or not ours. */
const patience = 5000;
/** Milliseconds between two looks while the tree has its grace. */
const look = 25;

/** Looks at a tree whose members are being frozen; one that still grows then is hunted. */
const freezeRounds = 4;

export interface EndReport {
  /** Processes of the tree that were seen, its root not counted. */
  readonly seen: number;
  /** Those that could not be ended. */
  readonly survivors: readonly number[];
}

/**
 * Freezes the members, so that none can fork away or leave children without a parent, and kills them. The number of
 * those that were left.
 */
function killOnce(view: TreeView): number {
  const frozen = new Set<string>();
  // A group is stopped at once: nobody of it can fork while the tree is looked at.
  view.signalGroups("SIGSTOP");
  let members = view.members();
  for (let fresh = members, round = 0; fresh.length > 0 && round < freezeRounds; round += 1) {
    for (const one of fresh) {
      signalOne(one, "SIGSTOP");
      frozen.add(`${one.id} ${one.started}`);
    }
    members = view.members();
    fresh = members.filter((one) => !frozen.has(`${one.id} ${one.started}`));
  }
  view.signalGroups("SIGKILL");
  for (const one of members) signalOne(one, "SIGKILL");
  return members.length + view.hunt();
}

/** Whether two looks in a row find nobody: one can miss a process that is just handing over to a child. */
function isGone(view: TreeView): boolean {
  return view.members().length === 0 && view.members().length === 0;
}

function endOnWindows(tree: Tree): EndReport {
  if (tree.root === undefined) return { seen: 0, survivors: [] };
  const { SystemRoot = "C:\\Windows" } = process.env;
  spawnSync(join(SystemRoot, "System32", "taskkill.exe"), ["/PID", String(tree.root.id), "/T", "/F"], { windowsHide: true });
  return { seen: 0, survivors: [] };
}

async function ask(view: TreeView): Promise<void> {
  const asked = new Set<string>();
  for (const until = performance.now() + grace; performance.now() < until;) {
    const members = view.members();
    for (const one of members) {
      const key = `${one.id} ${one.started}`;
      if (asked.has(key)) continue;
      asked.add(key);
      signalOne(one, "SIGTERM");
      // A stopped process would look at the request only when it is continued.
      signalOne(one, "SIGCONT");
    }
    if (members.length === 0 && isGone(view)) return;
    await delay(look);
  }
}

/** Whether anybody is left in the tree who does not end by himself in a moment. */
export async function isInhabited(tree: Tree): Promise<boolean> {
  if (process.platform === "win32") return true;
  const view = new TreeView(tree);
  if (isGone(view)) return false;
  await delay(200);
  return !isGone(view);
}

/** Ends every process of the tree: SIGTERM, half a second, SIGKILL until nothing is left. */
export async function endTree(tree: Tree): Promise<EndReport> {
  // Not tried on a real Windows.
  if (process.platform === "win32") return endOnWindows(tree);
  const view = new TreeView(tree);
  await ask(view);
  for (const until = performance.now() + patience; performance.now() < until;) {
    if (killOnce(view) === 0 && isGone(view)) break;
    await delay(2);
  }
  return { seen: view.count, survivors: view.members().map(({ id }) => id) };
}

/** The same without asking and without waiting, for a process that is about to exit. */
export function killTreeNow(tree: Tree): void {
  if (process.platform === "win32") {
    endOnWindows(tree);
    return;
  }
  const view = new TreeView(tree);
  for (const until = performance.now() + 1000; performance.now() < until;) if (killOnce(view) === 0 && isGone(view)) return;
}
