/** Whole trees end: whatever a process does to get away from its parent, and nobody else. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { endEverything, runProcess } from "../../../src/workshop/process/index.ts";
import type { ProcessResult, RunOptions } from "../../../src/workshop/process/types.ts";
import { alive, command, compiled, environment, node, room, scratch, shell, until } from "./support.ts";

/**
 * Each letter of the first argument is a child: `i`gnores SIGTERM, own process `g`roup, own `s`ession, `d`aemon that
 * forked twice, `c`hain of which each link forks the next and exits, `C`hain with a session for each link, `e`nvironment
 * emptied. All ignore SIGTERM. The second argument: microseconds that a link lives.
 * After two minutes they end by themselves: a chain that a killed test left would keep a processor busy for ever.
 */
const wild = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static int arrived[2];
static time_t last;
static void stay(void) { close(arrived[1]); alarm(120); for (;;) pause(); }
static void chain(int life, int sessions) {
  close(arrived[1]);
  for (;;) {
    if (fork() != 0 || time(NULL) > last) { usleep(life); _exit(0); }
    if (sessions) setsid();
  }
}
int main(int count, char **words) {
  char none;
  signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN); signal(SIGHUP, SIG_IGN);
  last = time(NULL) + 120;
  if (pipe2(arrived, O_CLOEXEC)) return 1;
  for (const char *kind = words[1]; *kind; kind++) {
    if (fork() != 0) continue;
    char *again[] = {words[0], "", "0", words[count - 1], NULL}, *nothing[] = {NULL};
    switch (*kind) {
      case 'g': setpgid(0, 0); stay();
      case 's': setsid(); stay();
      case 'd': setsid(); if (fork()) _exit(0); setsid(); close(0); close(1); close(2); if (chdir("/")) _exit(1); stay();
      case 'c': chain(atoi(words[2]), 0);
      case 'C': signal(SIGCHLD, SIG_IGN); chain(atoi(words[2]), 1);
      case 'e': close(1); execve(words[0], again, nothing);
      default: stay();
    }
  }
  close(arrived[1]);
  // The end of the pipe: everybody has got where he wants to be.
  if (read(arrived[0], &none, 1) != 0 || write(1, "ready\\n", 6) != 6) return 1;
  stay();
}`;

const folder = scratch();
const program = compiled(folder.path, wild);
after(() => folder[Symbol.dispose]());

/** Starts the program, cancels as soon as it is ready, and tells who lives two seconds later. */
async function cancelled(kinds: string, life: string): Promise<{ before: number; later: readonly number[]; result: ProcessResult }> {
  const name = randomUUID();
  const controller = new AbortController();
  let [before, began] = [0, 0];
  const result = await runProcess(command(folder.path, program, kinds, life, name), {
    signal: controller.signal,
    onLine: () => {
      before = alive(name).length;
      began = performance.now();
      controller.abort();
    },
  });
  const took = performance.now() - began;
  await delay(Math.max(0, 2000 - took));
  return { before, later: alive(name), result };
}

test("fifty times: two seconds after a cancel no process of the tree is alive", async () => {
  // Ten at a time: each spends most of its time in the half second that is given to those who ignore SIGTERM.
  const lanes = Array.from({ length: 10 }, async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const { before, later, result } = await cancelled("igsde", "0");
      // The program and five children; the one that is just being executed may not show its arguments yet.
      assert.ok(before === 5 || before === 6, `${before} processes`);
      assert.deepEqual(result.ending, { kind: "cancelled" });
      assert.deepEqual([later, result.survivors], [[], undefined]);
    }
  });
  await Promise.all(lanes);
});

test("chains that keep forking end too", async () => {
  for (const [kinds, life] of [["cC", "2000"], ["C", "500"], ["c", "500"]] as const) {
    const { later, result } = await cancelled(kinds, life);
    assert.deepEqual([result.ending, later, result.survivors], [{ kind: "cancelled" }, [], undefined], kinds);
  }
});

test("a tree that ends when it is asked is not kept waiting", async () => {
  const controller = new AbortController();
  const result = await runProcess(shell(folder.path, "trap 'echo tidied; exit 0' TERM; echo x; while :; do sleep 0.01; done"), { signal: controller.signal, onLine: ({ text }) => text === "x" && controller.abort() });
  assert.deepEqual([result.ending, result.stdout.text], [{ kind: "cancelled" }, "x\ntidied\n"]);
});

test("a time limit ends the whole tree", async () => {
  const name = randomUUID();
  const result = await runProcess(command(folder.path, program, "isd", "0", name), { timeLimit: 300 });
  assert.deepEqual([result.ending, alive(name)], [{ kind: "timed-out", limit: 300 }, []]);
});

test("the close of a window ends everything, and what is started meanwhile", async () => {
  const name = randomUUID();
  let ended: Promise<void> | undefined;
  const second: Promise<ProcessResult>[] = [];
  const first = runProcess(command(folder.path, program, "sd", "0", name), {
    onLine: () => {
      ended = endEverything();
      second.push(runProcess(command(folder.path, program, "s", "0", name)));
    },
  });
  assert.deepEqual((await first).ending, { kind: "cancelled" });
  await ended;
  assert.deepEqual((await second[0])?.ending, { kind: "cancelled" });
  assert.deepEqual(alive(name), []);
  assert.deepEqual((await runProcess(shell(folder.path, "exit 0"))).ending, { kind: "exited", code: 0 });
});

test("when this process exits without waiting, its children go with it", async () => {
  const name = randomUUID();
  const script = folder.file("exits.mts", `
    import { runProcess } from ${JSON.stringify(room)};
    void runProcess({ file: ${JSON.stringify(program)}, arguments: ["gsd", "0", ${JSON.stringify(name)}], folder: "/", environment: {} }, { onLine: () => process.exit(7) });`);
  assert.deepEqual((await runProcess(command(folder.path, node, script))).ending, { kind: "exited", code: 7 });
  assert.deepEqual(alive(name), []);
});

test("an Abiding inside a run: the outer ends what the inner started", async () => {
  const name = randomUUID();
  const controller = new AbortController();
  const script = folder.file("inner.mts", `
    import { runProcess } from ${JSON.stringify(room)};
    // The environment is whole and does not hold the outer's marker.
    void runProcess({ file: ${JSON.stringify(program)}, arguments: ["d", "0", ${JSON.stringify(name)}], folder: "/", environment: {} }, { onLine: () => console.log("ready") });`);
  const outer = await runProcess(command(folder.path, node, script), { signal: controller.signal, onLine: () => controller.abort() });
  assert.deepEqual([outer.ending, alive(name), outer.stderr.text], [{ kind: "cancelled" }, [], ""]);
});

const leaving = (name: string): string => `${program} '' 0 ${name} >/dev/null & echo done`;

test("what outlives the command stays, or is ended and counted", async () => {
  const name = randomUUID();
  const stays = await runProcess(shell(folder.path, `setsid ${leaving(name)}`));
  assert.deepEqual([stays.ending, stays.ended, stays.stdout.text, alive(name).length], [{ kind: "exited", code: 0 }, 0, "done\n", 1]);
  for (const id of alive(name)) process.kill(id, "SIGKILL");
  const goes = await runProcess(shell(folder.path, `setsid ${leaving(name)}`), { leftBehind: "end" });
  assert.deepEqual([goes.ending, goes.ended, goes.stdout.text, alive(name).length], [{ kind: "exited", code: 0 }, 1, "done\n", 0]);
});

test("a process that is about to end by itself is not counted as left behind", async () => {
  const result = await runProcess(shell(folder.path, "sleep 0.05 >/dev/null & echo done"), { leftBehind: "end" });
  assert.deepEqual([result.ending, result.ended], [{ kind: "exited", code: 0 }, 0]);
});

test("output that a left process holds open does not hold the run", async () => {
  for (const [leftBehind, left] of [["leave", 1], ["end", 0]] as const satisfies readonly (readonly [RunOptions["leftBehind"], number])[]) {
    const name = randomUUID();
    const result = await runProcess(shell(folder.path, `sh -c ': ${name}; echo early; sleep 0.3; echo late; sleep 100' & echo done; exit 3`), { leftBehind });
    assert.deepEqual([result.ending, result.stdout.text.split("\n").sort(), alive(name).length > 0], [{ kind: "exited", code: 3 }, ["", "done", "early", "late"], left > 0]);
    for (const id of alive(name)) process.kill(id, "SIGKILL");
  }
});

test("a left process that prints without end does not hold the run", async () => {
  const result = await runProcess(shell(folder.path, "(while :; do echo x; sleep 0.05; done) & exit 0"), { leftBehind: "end" });
  assert.deepEqual([result.ending, result.ended > 0], [{ kind: "exited", code: 0 }, true]);
});

test("nobody else is ended: a neighbour in the same folder, and the children of another run", async () => {
  const [mine, other] = [randomUUID(), randomUUID()];
  const [controller, neighbour] = [new AbortController(), new AbortController()];
  const lives = runProcess(command(folder.path, program, "isd", "0", other), { signal: neighbour.signal });
  await until(() => alive(other).length === 4, "the neighbour runs");
  await runProcess(command(folder.path, program, "isd", "0", mine), { signal: controller.signal, onLine: () => controller.abort() });
  assert.deepEqual([alive(mine).length, alive(other).length], [0, 4]);
  neighbour.abort();
  assert.deepEqual((await lives).ending, { kind: "cancelled" });
  assert.equal(alive(other).length, 0);
});

test("a child's process id is told when it has started", async () => {
  let told = 0;
  const result = await runProcess({ ...shell(folder.path, "echo $$; touch pid"), environment }, { onStart: (id) => (told = id) });
  assert.equal(result.stdout.text, `${told}\n`);
  assert.equal(existsSync(join(folder.path, "pid")), true);
});
