/** One at a time in a folder: several real processes, dead owners, other machines, deleted folders. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { CouldNotWrite, exclusively, runProcess } from "../../../src/workshop/process/index.ts";
import type { ProcessResult } from "../../../src/workshop/process/types.ts";
import { alive, command, environment, node, room, scratch, shell, until, type Scratch } from "./support.ts";

function listener(signal = new AbortController().signal): { signal: AbortSignal; note: (sentence: string) => void; notes: string[] } {
  const notes: string[] = [];
  return { signal, note: (sentence) => void notes.push(sentence), notes };
}

/** A process of its own that does something in a folder for as long as the file `go` is missing. */
function other(folder: Scratch, target: string, inside: string, options: Parameters<typeof runProcess>[1] = {}): Promise<ProcessResult> {
  const script = folder.file(`other-${randomUUID()}.mts`, `
    import { existsSync, appendFileSync } from "node:fs";
    import { exclusively, runProcess } from ${JSON.stringify(room)};
    const until = async (file) => { while (!existsSync(file)) await new Promise((next) => setTimeout(next, 20)); };
    const activity = { signal: new AbortController().signal, note: (text) => console.log(text) };
    await exclusively(${JSON.stringify(target)}, "build", activity, async () => { ${inside} });`);
  return runProcess(command(folder.path, node, script), options);
}

/** Starts such a process and kills it with SIGKILL once it has written the file `inside`. */
async function killedInside(folder: Scratch, target: string, inside: string): Promise<void> {
  let owner = 0;
  const run = other(folder, target, `${inside} appendFileSync(${JSON.stringify(join(folder.path, "inside"))}, "x"); await until("/nowhere");`, { onStart: (id) => (owner = id) });
  await until(() => existsSync(join(folder.path, "inside")), "the other one is inside");
  process.kill(owner, "SIGKILL");
  assert.deepEqual((await run).ending, { kind: "signalled", signal: "SIGKILL" });
}

const lockFiles = (target: string): string[] => readdirSync(target).filter((name) => name.startsWith(".abiding-lock"));

test("two windows: one waits, says for whom, and goes on when the other is done", async () => {
  using folder = scratch();
  const target = join(folder.path, "build");
  let owner = 0;
  const first = other(folder, target, `appendFileSync(${JSON.stringify(join(folder.path, "order"))}, "first "); await until(${JSON.stringify(join(folder.path, "go"))});`, { onStart: (id) => (owner = id) });
  await until(() => existsSync(join(folder.path, "order")), "the first is inside");
  const activity = listener();
  const second = exclusively(target, "smoke", activity, () => Promise.resolve(appendFileSync(join(folder.path, "order"), "second")));
  await until(() => activity.notes.length > 0, "the second says something");
  assert.match(activity.notes[0] ?? "", new RegExp(`^${target} is in use by "build" of process ${owner} of user \\S+ on ${hostname()}, begun \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC\\. Waiting until that is done\\.$`));
  folder.file("go", "");
  await second;
  assert.deepEqual([readFileSync(join(folder.path, "order"), "utf8"), activity.notes.length, (await first).output.text], ["first second", 1, ""]);
});

test("a folder that was made only for the lock goes with it, one that was there stays", async () => {
  using folder = scratch();
  const inside = (): Promise<boolean> => Promise.resolve(existsSync(join(folder.path, "made")));
  assert.equal(await exclusively(join(folder.path, "made"), "x", listener(), inside), true);
  assert.equal(existsSync(join(folder.path, "made")), false);
  mkdirSync(join(folder.path, "made"));
  await exclusively(join(folder.path, "made"), "x", listener(), inside);
  assert.equal(existsSync(join(folder.path, "made")), true);
});

test("a wait can be cancelled, and leaves nothing", async () => {
  using folder = scratch();
  const controller = new AbortController();
  const activity = listener(controller.signal);
  await exclusively(folder.path, "one", listener(), async () => {
    const waiting = exclusivelyElsewhere(folder.path, activity);
    await until(() => activity.notes.length > 0, "it waits");
    controller.abort(new Error("enough"));
    await assert.rejects(waiting, /^Error: enough$/);
  });
  assert.deepEqual(lockFiles(folder.path), []);
});

/** As from another window: outside of the work that holds the lock. */
function exclusivelyElsewhere(folder: string, activity: ReturnType<typeof listener>): Promise<void> {
  return new Promise((resolve, reject) => {
    elsewhere(() => void exclusively(folder, "two", activity, () => Promise.resolve()).then(resolve, reject));
  });
}
const pending: (() => void)[] = [];
const ticker = setInterval(() => pending.shift()?.(), 5);
ticker.unref();
const elsewhere = (work: () => void): void => void pending.push(work);

test("inside the work the same folder is free, also by another name", async () => {
  using folder = scratch();
  mkdirSync(join(folder.path, "real"));
  symlinkSync("real", join(folder.path, "link"));
  const result = await exclusively(join(folder.path, "real"), "outer", listener(), () => exclusively(join(folder.path, "link"), "inner", listener(), () => Promise.resolve(42)));
  assert.equal(result, 42);
  assert.deepEqual(lockFiles(join(folder.path, "real")), []);
});

test("a failure inside frees the folder and is told as it is", async () => {
  using folder = scratch();
  await assert.rejects(exclusively(folder.path, "x", listener(), () => Promise.reject(new Error("mine"))), /^Error: mine$/);
  assert.deepEqual(lockFiles(folder.path), []);
});

test("a kill -9 of ourselves: the next start ends what was left and finds the folder as it was", async () => {
  using folder = scratch();
  const target = join(folder.path, "build");
  const name = randomUUID();
  // A build that ignores SIGTERM, with a compiler in a session of its own.
  await killedInside(folder, target, `
    void runProcess({ file: "/bin/sh", arguments: ["-c", "trap '' TERM; : ${name}; setsid sleep 100 & while :; do sleep 1; done"], folder: "/", environment: { ...process.env, NAME: ${JSON.stringify(name)} } });
    while ((await runProcess({ file: "/bin/sh", arguments: ["-c", "grep -la ${name} /proc/[0-9]*/environ | wc -l"], folder: "/", environment: process.env })).stdout.text < "3") ;`);
  assert.ok(alive(name).length >= 2, "the build goes on without its owner");
  const left = lockFiles(target);
  assert.equal(left.length, 1);
  const activity = listener();
  const seen = await exclusively(target, "build", activity, () => Promise.resolve(alive(name)));
  assert.deepEqual(seen, []);
  assert.equal(activity.notes.length, 1);
  assert.match(activity.notes[0] ?? "", /^\S+\/build was locked by "build" of process \d+ of user \S+ on \S+, begun [^.]+: that process does not run any more\. It left \d processes that were still running; they were ended\. Taking over\.$/);
  assert.deepEqual(readdirSync(target), []);
});

/** The lock of a dead process, changed. */
async function leftLock(folder: Scratch, change: Readonly<Record<string, unknown>>): Promise<string> {
  const target = join(folder.path, "target");
  await killedInside(folder, target, "");
  const [lock = ""] = lockFiles(target);
  const [file = ""] = readdirSync(join(target, lock));
  const path = join(target, lock, file);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")) as object, ...change }));
  return target;
}

test("a process that got the dead owner's number is not taken for it", async () => {
  using folder = scratch();
  const target = await leftLock(folder, { process: process.pid });
  const activity = listener();
  await exclusively(target, "x", activity, () => Promise.resolve());
  assert.match(activity.notes.join("\n"), /that process does not run any more\. It left no process running\. Taking over\.$/);
});

test("after a restart of the machine a lock is nobody's", async () => {
  using folder = scratch();
  const target = await leftLock(folder, { process: process.pid, boot: "another" });
  const activity = listener();
  await exclusively(target, "x", activity, () => Promise.resolve());
  assert.match(activity.notes.join("\n"), /the machine has been restarted since\. /);
});

test("of an owner on another machine, or in another container, nobody can tell: it is said, and how to go on", async () => {
  for (const [change, where] of [[{ host: "cluster7" }, "on the machine cluster7"], [{ namespace: "pid:[1]" }, "in another container of this machine"]] as const) {
    using folder = scratch();
    const target = await leftLock(folder, change);
    const activity = listener();
    const waiting = exclusively(target, "x", activity, () => Promise.resolve("done"));
    await until(() => activity.notes.length > 0, "it says so");
    const [, path = ""] = new RegExp(`It runs ${where.replaceAll(/[[\]]/g, "\\$&")}, so that nobody here can tell whether it still does\\. Waiting; if it does not, delete the folder (\\S+)\\.$`).exec(activity.notes[0] ?? "") ?? [];
    assert.equal(path, join(target, ".abiding-lock"), activity.notes[0]);
    rmSync(path, { recursive: true });
    assert.equal(await waiting, "done");
  }
});

test("a damaged lock is taken over, and what was prepared by a dead one is removed", async () => {
  using folder = scratch();
  const target = await leftLock(folder, {});
  const [file = ""] = readdirSync(join(target, ".abiding-lock"));
  mkdirSync(join(target, ".abiding-lock-dead"));
  writeFileSync(join(target, ".abiding-lock-dead", file), readFileSync(join(target, ".abiding-lock", file)));
  writeFileSync(join(target, ".abiding-lock", file), "{\"half");
  const activity = listener();
  await exclusively(target, "x", activity, () => Promise.resolve());
  assert.match(activity.notes.join("\n"), /was locked by somebody whose lock file is damaged: nobody can read who it was\./);
  assert.deepEqual(lockFiles(target), []);
});

test("what is no lock and lies in a lock's place is told, and the wait goes on until it is gone", async () => {
  using folder = scratch();
  const place = join(folder.path, ".abiding-lock");
  mkdirSync(place);
  writeFileSync(join(place, ".nfs0001"), "");
  const activity = listener();
  const work = exclusively(folder.path, "build", activity, () => Promise.resolve("done"));
  await until(() => activity.notes.length > 0, "it is told");
  assert.deepEqual(activity.notes, [`${place} holds something that is no lock, and nobody's work can begin while it does: delete that folder.`]);
  rmSync(place, { recursive: true });
  assert.equal(await work, "done");
  assert.deepEqual([activity.notes.length, lockFiles(folder.path)], [1, []]);
});

test("a folder that is deleted meanwhile does not matter, and neither does a lock that is not ours any more", async () => {
  using folder = scratch();
  const target = join(folder.path, "build");
  await exclusively(target, "x", listener(), () => Promise.resolve(rmSync(target, { recursive: true })));
  assert.equal(existsSync(target), false);
  let kept = "";
  await exclusively(target, "x", listener(), async () => {
    rmSync(target, { recursive: true });
    await new Promise<void>((resolve) => {
      elsewhere(() => void exclusively(target, "y", listener(), () => {
        resolve();
        return until(() => kept !== "", "the first is done");
      }));
    });
  });
  kept = lockFiles(target).join();
  assert.equal(kept, ".abiding-lock");
  await until(() => !existsSync(target) || lockFiles(target).length === 0, "the second is done");
});

test("six processes and a dead owner: never two at once, and each gets its turn", async () => {
  using folder = scratch();
  const target = await leftLock(folder, {});
  const record = join(folder.path, "record");
  // In and out would mix if two were inside.
  const inside = `
    const { writeFileSync, rmSync } = await import("node:fs");
    writeFileSync(${JSON.stringify(join(target, "occupied"))}, "", { flag: "wx" });
    await new Promise((next) => setTimeout(next, 15));
    rmSync(${JSON.stringify(join(target, "occupied"))});
    appendFileSync(${JSON.stringify(record)}, "x");`;
  const results = await Promise.all(Array.from({ length: 6 }, () => other(folder, target, inside)));
  assert.deepEqual(results.map(({ ending, stderr }) => [ending, stderr.text]), Array.from({ length: 6 }, () => [{ kind: "exited", code: 0 }, ""]));
  assert.equal(readFileSync(record, "utf8"), "xxxxxx");
  assert.deepEqual(readdirSync(target), []);
});

test("in a folder that cannot be written to the lock lies in the user's state; one that cannot be made is told", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("needs root, to become a user who may not write");
  using folder = scratch();
  chmodSync(folder.path, 0o755);
  const target = join(folder.path, "readonly");
  mkdirSync(target);
  const state = join(folder.path, "state");
  mkdirSync(state);
  chmodSync(state, 0o777);
  const script = folder.file("other.mts", `
    import { readdirSync } from "node:fs";
    import { exclusively } from ${JSON.stringify(room)};
    await exclusively(${JSON.stringify(target)}, "x", { signal: new AbortController().signal, note: console.log }, async () => {
      console.log(readdirSync(${JSON.stringify(target)}).length, readdirSync(${JSON.stringify(state)}, { recursive: true }).filter((name) => name.endsWith(".abiding-lock")).length);
    });`);
  const result = await runProcess({ ...command("/", "setpriv", "--reuid=64123", "--clear-groups", node, script), environment: { ...environment, XDG_STATE_HOME: state } });
  assert.deepEqual([result.ending, result.output.text], [{ kind: "exited", code: 0 }, "0 1\n"]);
  const file = folder.file("file", "");
  await assert.rejects(exclusively("/proc/nothing/here", "x", listener(), () => Promise.resolve()), (error) => error instanceof CouldNotWrite);
  assert.equal(existsSync(file), true);
});

test("children of the work carry the lock's identity, and lose it after the work", async () => {
  using folder = scratch();
  const identities = async (): Promise<string[]> => (await runProcess(shell(folder.path, "printf %s $ABIDING_RUN"))).stdout.text.split(":");
  const [inside, outside] = await exclusively(folder.path, "x", listener(), async () => {
    const [file = ""] = readdirSync(join(folder.path, ".abiding-lock"));
    return [await identities(), file.replace(".json", "")] as const;
  });
  assert.equal(inside.includes(outside), true);
  assert.equal((await identities()).length, inside.length - 1);
});
