/** Output without bound, and readers and disks that are slower than the child. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { runProcess } from "../../../src/workshop/process/index.ts";
import { LogFile } from "../../../src/workshop/process/logFile.ts";
import { LineSplitter, withoutSequences } from "../../../src/workshop/process/text.ts";
import { command, node, scratch, shell, until } from "./support.ts";

const runFile = join(import.meta.dirname, "../../../src/workshop/process/run.ts");

interface Observation {
  readonly ending: unknown;
  readonly lines: number;
  readonly longest: number;
  readonly leftOut: number;
  readonly log: unknown;
  readonly peak: number;
}

/** Runs a shell script in a process of its own, which then tells what it saw and how much memory it ever had, in MiB. */
async function observed(folder: string, script: string): Promise<Observation> {
  const program = `
    import { readFileSync } from "node:fs";
    import { runProcess } from ${JSON.stringify(runFile)};
    let [lines, longest] = [0, 0];
    const { ending, stdout, log } = await runProcess(
      { file: "/bin/sh", arguments: ["-c", ${JSON.stringify(script)}], folder: "/", environment: { PATH: process.env.PATH } },
      { onLine: ({ text }) => { lines += 1; longest = Math.max(longest, text.length); }, onText: () => undefined, logFile: ${JSON.stringify(join(folder, "log"))} });
    const peak = Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync("/proc/self/status", "latin1"))[1]) / 1024;
    console.log(JSON.stringify({ ending, lines, longest, leftOut: stdout.leftOut, log, peak }));`;
  const result = await runProcess(command(folder, node, "--input-type=module-typescript", "-e", program));
  assert.equal(result.stderr.text, "");
  return JSON.parse(result.stdout.text) as Observation;
}

test("a child that prints 1 GB fills neither memory nor disk", async () => {
  using folder = scratch();
  const line = "a line of a test that runs wild, on and on and on\n";
  const { ending, lines, leftOut, log, peak } = await observed(folder.path, `yes '${line.trim()}' | head -c 1000000000`);
  assert.deepEqual(ending, { kind: "exited", code: 0 });
  assert.equal(lines, 1_000_000_000 / line.length);
  assert.equal(leftOut, 1_000_000_000 - (256 << 10));
  assert.deepEqual(log, { path: join(folder.path, "log") });
  assert.ok(peak < 400, `${peak} MiB`);
  const written = readFileSync(join(folder.path, "log"), "utf8");
  const middle = `\n[Abiding: ${1_000_000_000 - (16 << 20)} bytes left out]\n`;
  assert.equal(written.length, (16 << 20) + middle.length);
  assert.equal(written.indexOf(middle), 15 << 20);
});

test("a line of 100 MB is cut, and says so", async () => {
  using folder = scratch();
  const { lines, longest, peak } = await observed(folder.path, "head -c 100000000 /dev/zero | tr '\\0' x");
  assert.equal(lines, 1);
  assert.equal(longest, 65536 + " [Abiding: 99934464 more characters of this line left out]".length);
  assert.ok(peak < 400, `${peak} MiB`);
});

test("a listener that takes its time holds the child", async () => {
  using folder = scratch();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let got = 0;
  const run = runProcess(shell(folder.path, "head -c 2000000 /dev/zero; touch done"), {
    onText: (text) => {
      got += text.length;
      return released;
    },
  });
  await until(() => got > 0, "something came");
  await delay(200);
  assert.equal(existsSync(join(folder.path, "done")), false);
  assert.ok(got <= 1 << 16, String(got));
  release();
  assert.deepEqual((await run).ending, { kind: "exited", code: 0 });
  assert.equal(got, 2_000_000);
});

test("a listener that never answers does not hold a cancel", async () => {
  using folder = scratch();
  const controller = new AbortController();
  const run = runProcess(shell(folder.path, "yes"), {
    signal: controller.signal,
    onText: () => {
      controller.abort();
      return new Promise<void>(() => undefined);
    },
  });
  assert.deepEqual((await run).ending, { kind: "cancelled" });
});

test("a listener that never answers does not hold the end of the process that it reads, once cancelled", async () => {
  using folder = scratch();
  const controller = new AbortController();
  const run = runProcess(shell(folder.path, "head -c 1000000 /dev/zero & sleep 0.2"), { signal: controller.signal, onText: () => new Promise<void>(() => undefined) });
  await delay(500);
  controller.abort();
  assert.deepEqual((await run).ending, { kind: "exited", code: 0 });
});

test("no space for the log does not lose the run", async () => {
  using folder = scratch();
  const result = await runProcess(shell(folder.path, "seq 1 100000; exit 4"), { logFile: "/dev/full" });
  assert.deepEqual(result.ending, { kind: "exited", code: 4 });
  assert.equal(result.stdout.text.endsWith("\n100000\n"), true);
  assert.deepEqual(result.log, { path: "/dev/full", problem: "Could not write the log file /dev/full: no space is left on the disk (ENOSPC). What was printed after that is not in it." });
});

test("a log that cannot be opened, and one that the test deletes, are told", async () => {
  using folder = scratch();
  const file = folder.file("file", "");
  const under = join(file, "log");
  const result = await runProcess(shell(folder.path, "echo x"), { logFile: under });
  assert.deepEqual([result.ending, result.log], [{ kind: "exited", code: 0 }, { path: under, problem: `Could not write the log file ${under}: a part of its path is not a folder (ENOTDIR). What was printed after that is not in it.` }]);
  const log = join(folder.path, "logs/run.log");
  const deleted = await runProcess(shell(folder.path, "echo x; sleep 0.1; rm -r logs; echo y"), { logFile: log });
  assert.deepEqual([deleted.ending, deleted.log], [{ kind: "exited", code: 0 }, { path: log, problem: `The log file ${log} was deleted or replaced while the command ran.` }]);
});

test("a test that deletes the folder in which it runs is a run like any other", async () => {
  using folder = scratch();
  folder.file("work/x", "");
  const result = await runProcess(shell(join(folder.path, "work"), `rm -r ${folder.path}/work; echo gone`));
  assert.deepEqual([result.ending, result.stdout.text], [{ kind: "exited", code: 0 }, "gone\n"]);
});

test("the log holds begin and end, and is worth reading while the child runs", async () => {
  using folder = scratch();
  const path = join(folder.path, "deep/er/log");
  const log = new LogFile(path, { head: 10, tail: 6, waiting: 1 << 20, refresh: 0 });
  await log.add(Buffer.from("0123456"));
  await log.add(Buffer.from("789abcdefghijk"));
  await until(() => existsSync(path) && statSync(path).size > 10, "the end was written");
  assert.equal(readFileSync(path, "utf8"), "0123456789\n[Abiding: 5 bytes left out]\nfghijk");
  void log.add(Buffer.from("LMéN"));
  assert.deepEqual(await log.close(), { path });
  assert.equal(readFileSync(path, "utf8"), "0123456789\n[Abiding: 10 bytes left out]\nkLMéN");
});

test("a log whose text fits is whole, however it came", async () => {
  using folder = scratch();
  const path = folder.file("log", "of an earlier run, which was longer");
  const log = new LogFile(path, { head: 10, tail: 6, waiting: 1, refresh: 0 });
  for (const letter of "0123456789abcdef") await log.add(Buffer.from(letter));
  assert.deepEqual(await log.close(), { path });
  assert.equal(readFileSync(path, "utf8"), "0123456789abcdef");
  rmSync(path);
});

test("lines are the same, however the text is cut", () => {
  const text = "a\r\n\r\nb\n\nc\rd\r\r\n\r\re\r";
  const whole: string[] = [];
  const splitter = new LineSplitter((line) => whole.push(line));
  splitter.add(text);
  splitter.finish();
  assert.deepEqual(whole, ["a", "", "b", "", "c", "d", "e"]);
  for (let at = 1; at < text.length; at += 1) {
    const cut: string[] = [];
    const other = new LineSplitter((line) => cut.push(line));
    other.add(text.slice(0, at));
    other.add(text.slice(at));
    other.finish();
    assert.deepEqual(cut, whole, `cut at ${at}`);
  }
});

test("terminal sequences are taken out, other text stays", () => {
  assert.equal(withoutSequences("\u001b[1;31merror:\u001b[m\u001b[K x \u001b]0;title\u0007y\u001b]8;;http://a\u001b\\z\u001b(B!\u001b7\u001b[?25l"), "error: x yz!");
  assert.equal(withoutSequences("plain [31m text"), "plain [31m text");
});
