/**
 * One piece of work at a time in a folder, whichever window, terminal or machine it comes from.
 *
 * The lock is a folder with one file whose name is its owner's identity, and it appears by renaming a prepared one:
 * that fails while there is a file in it, so that exactly one succeeds and a lock is whole or absent. A dead owner's
 * lock is freed by deleting his file by name; whoever decided that late cannot hit the lock of somebody else.
 */
import { access, constants, readFile, readdir, realpath, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Activity } from "../workshop.ts";
import { endTree } from "./ending.ts";
import { makeFolder } from "./folders.ts";
import { held, newIdentity } from "./marker.ts";
import { conditionOf, introduce, ourselvesAsOwner, parseOwner, type Owner } from "./owner.ts";
import { codeOf, sentenceOf } from "./sentences.ts";
import { isReadOnly, userStateFolderOf } from "./state.ts";
import { CouldNotWrite } from "./writeWhole.ts";

/** The lock: a folder of this name in the folder that is held. */
export const lockName = ".abiding-lock";
const ending = ".json";
/** Milliseconds between two looks at a lock that somebody else holds. */
const look = 200;
/** Milliseconds after which a prepared lock without an owner in it is nobody's any more. */
const abandoned = 60_000;

type Teller = Pick<Activity, "signal" | "note">;

interface Entry {
  readonly file: string;
  readonly id: string;
  /** Absent: the file is damaged. */
  readonly owner?: Owner;
}

async function entriesOf(lock: string): Promise<Entry[]> {
  const names = await readdir(lock).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  const entries = await Promise.all(names.filter((name) => name.endsWith(ending)).map(async (name): Promise<Entry | undefined> => {
    const file = join(lock, name);
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) return undefined;
    const owner = parseOwner(text);
    return { file, id: name.slice(0, -ending.length), ...(owner === undefined ? {} : { owner }) };
  }));
  return entries.filter((entry) => entry !== undefined);
}

/** What a rename says when somebody else has the lock, or the folder was deleted; Windows calls it a matter of permission. */
const taken = ["ENOTEMPTY", "EEXIST", "ENOENT", ...(process.platform === "win32" ? ["EPERM", "EACCES"] : [])];

/** Makes the lock ours if it is free. */
async function take(lock: string, owner: Owner): Promise<boolean> {
  const prepared = `${lock}-${owner.id}`;
  try {
    await makeFolder(prepared);
    await writeFile(join(prepared, `${owner.id}${ending}`), `${JSON.stringify(owner, undefined, 2)}\n`);
    // Windows renames onto no folder at all, POSIX onto an empty one.
    await rmdir(lock).catch(() => undefined);
    await rename(prepared, lock);
    return true;
  } catch (error) {
    await rm(prepared, { recursive: true, force: true });
    if (taken.includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}

/** Locks that were prepared by somebody who was killed before he could take or drop them. */
async function removeAbandoned(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    if (!name.startsWith(`${lockName}-`)) continue;
    const prepared = join(place, name);
    const [entry] = await entriesOf(prepared);
    const since = await stat(prepared).then(({ mtimeMs }) => Date.now() - mtimeMs, () => 0);
    const isDead = entry?.owner === undefined ? since > abandoned : conditionOf(entry.owner).kind === "dead";
    if (isDead) await rm(prepared, { recursive: true, force: true });
  }
}

async function release(lock: string, id: string): Promise<void> {
  // The folder may be gone, or hold somebody else's lock by now.
  await rm(join(lock, `${id}${ending}`), { force: true }).catch(() => undefined);
  await rmdir(lock).catch(() => undefined);
}

/** Ends what a dead owner left running, then frees his lock. */
async function inherit(called: string, { file, owner, id }: Entry, because: string, activity: Teller): Promise<void> {
  const { seen, survivors } = await endTree({ marker: id });
  const who = owner === undefined ? "somebody whose lock file is damaged" : introduce(owner);
  const left = seen === 0 ? "It left no process running." : `It left ${seen === 1 ? "a process that was" : `${seen} processes that were`} still running; ${seen === 1 ? "it was" : "they were"} ended.`;
  const stuck = survivors.length === 0 ? "" : ` These could not be ended: ${survivors.join(", ")}.`;
  activity.note(`${called} was locked by ${who}: ${because}. ${left}${stuck} Taking over.`);
  await rm(file, { force: true });
}

function waitingFor(called: string, lock: string, owner: Owner, where: string | undefined): string {
  const holder = `${called} is in use by ${introduce(owner)}.`;
  if (where === undefined) return `${holder} Waiting until that is done.`;
  return `${holder} It runs ${where}, so that nobody here can tell whether it still does. Waiting; if it does not, delete the folder ${lock}.`;
}

/** Rounds without a lock and without an owner, after which another process that comes and goes no longer explains it. */
const patience = 100;

async function acquire(called: string, place: string, owner: Owner, activity: Teller): Promise<string> {
  const lock = join(place, lockName);
  await removeAbandoned(place);
  for (let told = "", missed = 0;;) {
    activity.signal.throwIfAborted();
    const [entry] = await entriesOf(lock);
    if (entry === undefined) {
      if (await take(lock, owner)) return lock;
      missed += 1;
      if (missed === patience) activity.note(`${lock} holds something that is no lock, and nobody's work can begin while it does: delete that folder.`);
      // A folder that was deleted while we waited in it comes back; the wait keeps an odd file system from spinning.
      await makeFolder(place);
      await delay(Math.random() * 20);
      continue;
    }
    const condition = entry.owner === undefined ? { kind: "dead", because: "nobody can read who it was" } as const : conditionOf(entry.owner);
    if (condition.kind === "dead") {
      await inherit(called, entry, condition.because, activity);
      continue;
    }
    if (told !== entry.id && entry.owner !== undefined) activity.note(waitingFor(called, lock, entry.owner, condition.kind === "elsewhere" ? condition.where : undefined));
    told = entry.id;
    // Rejects with an error of its own when cancelled; the reason is thrown above.
    await delay(look, undefined, { signal: activity.signal }).catch(() => undefined);
  }
}

/** The folder that holds the lock: the folder itself, or one of the user's state when it cannot be written to. */
async function placeOf(folder: string): Promise<{ readonly place: string; readonly made: boolean }> {
  try {
    const made = await makeFolder(folder) !== undefined;
    await access(folder, constants.W_OK);
    return { place: await realpath(folder), made };
  } catch (error) {
    if (!isReadOnly(error)) throw error;
    return { place: await userStateFolderOf(folder), made: false };
  }
}

async function inWords<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = codeOf(error);
    // The cancel's reason, and mistakes, stay what they are.
    if (code === undefined || code === "ABORT_ERR") throw error;
    throw new CouldNotWrite(sentenceOf(error, `lock ${folder}`), { cause: error });
  }
}

/** Whether somebody works in the folder, or nobody can tell, as it would be on another machine. */
export async function isInUse(folder: string): Promise<boolean> {
  const entries = await inWords(folder, entriesOf(join(folder, lockName)));
  return entries.some(({ owner }) => owner !== undefined && conditionOf(owner).kind !== "dead");
}

/**
 * Does the work while nobody else works in the folder. Waits for whoever does, and says for whom; takes over from one
 * who died, and ends the processes that he left. Inside such work the same folder is free at once. Rejects with the
 * signal's reason when cancelled while waiting, and with `CouldNotWrite` when no lock can be made. `called`: what people
 * know the folder as, where it only stands for something.
 */
export async function exclusively<T>(folder: string, what: string, activity: Teller, work: () => Promise<T>, called = folder): Promise<T> {
  const owner = ourselvesAsOwner(newIdentity(), what);
  const outer = held.getStore() ?? [];
  const { place, made } = await inWords(folder, placeOf(folder));
  if (outer.some((one) => one.folder === place)) return work();
  const lock = await inWords(folder, acquire(called, place, owner, activity));
  try {
    return await held.run([...outer, { id: owner.id, folder: place }], work);
  } finally {
    await release(lock, owner.id);
    if (made) await rmdir(place).catch(() => undefined);
  }
}
