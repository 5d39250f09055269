/** Files and records that are whole whatever happens to their writers. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { CouldNotWrite, appendRecord, readRecords, runProcess, sentenceOf, stateFolder, writeWhole } from "../../../src/workshop/process/index.ts";
import { command, environment, node, room, scratch, until } from "./support.ts";

const isRoot = process.getuid?.() === 0;

test("a file is written whole, with its folder; its permissions and a link to it stay", async () => {
  using folder = scratch();
  const file = join(folder.path, "a/b/file");
  await writeWhole(file, "one");
  assert.equal(readFileSync(file, "utf8"), "one");
  chmodSync(file, 0o640);
  symlinkSync("a/b/file", join(folder.path, "link"));
  await writeWhole(join(folder.path, "link"), Buffer.from("two"));
  assert.deepEqual([readFileSync(file, "utf8"), statSync(file).mode & 0o777, lstatSync(join(folder.path, "link")).isSymbolicLink()], ["two", 0o640, true]);
  assert.deepEqual(readdirSync(join(folder.path, "a/b")), ["file"]);
});

test("a writer that is killed leaves the old file, and the next one tidies up", async () => {
  using folder = scratch();
  const file = folder.file("file", "old");
  const script = folder.file("writer.mts", `
    import { writeWhole } from ${JSON.stringify(room)};
    for (let turn = 0; ; turn += 1) await writeWhole(${JSON.stringify(file)}, String(turn % 10).repeat(3_000_000));`);
  for (let turn = 0; turn < 3; turn += 1) {
    let id = 0;
    const run = runProcess(command(folder.path, node, script), { onStart: (one) => (id = one) });
    await until(() => readdirSync(folder.path).some((name) => name.endsWith(".abiding-new")), "it writes");
    process.kill(id, "SIGKILL");
    await run;
    const text = readFileSync(file, "utf8");
    assert.ok(text === "old" || (text.length === 3_000_000 && new Set(text).size === 1));
  }
  await writeWhole(file, "new");
  assert.deepEqual([readdirSync(folder.path).sort(), readFileSync(file, "utf8")], [["file", "writer.mts"], "new"]);
});

test("a device is written to, not replaced", async () => {
  await assert.rejects(writeWhole("/dev/full", "x"), { message: "Could not write /dev/full: no space is left on the disk (ENOSPC)." });
  await writeWhole("/dev/null", "x");
  assert.deepEqual([lstatSync("/dev/full").isCharacterDevice(), lstatSync("/dev/null").isCharacterDevice()], [true, true]);
});

test("what another living writer is writing is left alone", async () => {
  using folder = scratch();
  const theirs = folder.file(`.file.${process.ppid}-1.abiding-new`, "");
  await writeWhole(join(folder.path, "file"), "x");
  assert.equal(existsSync(theirs), true);
});

test("no space: the old file stays whole, and it is said", async (t) => {
  if (!isRoot) return t.skip("needs root, to mount a small file system");
  using folder = scratch();
  const small = join(folder.path, "small");
  mkdirSync(small);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", small], { stdio: "pipe" });
  } catch {
    return t.skip("may not mount a file system here");
  }
  try {
    const file = join(small, "file");
    await writeWhole(file, "old");
    await assert.rejects(writeWhole(file, "x".repeat(1 << 20)), { message: `Could not write ${file}: no space is left on the disk (ENOSPC).` });
    assert.deepEqual([readFileSync(file, "utf8"), readdirSync(small)], ["old", ["file"]]);
    const records = join(small, "records.jsonl");
    await appendRecord(records, { turn: 1 });
    await assert.rejects(appendRecord(records, { text: "x".repeat(1 << 20) }), { message: `Could not add a record to ${records}: no space is left on the disk (ENOSPC).` });
    writeFileSync(file, "");
    assert.deepEqual((await readRecords(records)).records[0], { turn: 1 });
    const log = await runProcess(command(folder.path, "seq", "1", "100000"), { logFile: join(small, "log") });
    assert.deepEqual([log.ending, log.log?.problem], [{ kind: "exited", code: 0 }, `Could not write the log file ${join(small, "log")}: no space is left on the disk (ENOSPC). What was printed after that is not in it.`]);
  } finally {
    execFileSync("umount", [small]);
  }
});

test("a folder that may not be written to, one that is read-only and one that is a file are told apart", async (t) => {
  using folder = scratch();
  const file = folder.file("file", "");
  await assert.rejects(writeWhole(join(file, "x"), ""), (error) => error instanceof CouldNotWrite && error.message === `Could not write ${join(file, "x")}: a part of its path is not a folder (ENOTDIR).`);
  await assert.rejects(writeWhole(folder.path, ""), { message: `Could not write ${folder.path}: it is a folder (EISDIR).` });
  if (!isRoot) return t.skip("the rest needs root, to become another user and to mount");
  chmodSync(folder.path, 0o755);
  const script = folder.file("writer.mts", `
    import { writeWhole } from ${JSON.stringify(room)};
    await writeWhole(${JSON.stringify(join(folder.path, "x"))}, "").catch((error) => console.log(error.message));`);
  const result = await runProcess(command("/", "setpriv", "--reuid=64123", "--clear-groups", node, script));
  assert.equal(result.output.text, `Could not write ${join(folder.path, "x")}: permission was denied (EACCES).\n`);
});

test("an error without a known code speaks for itself", () => {
  assert.equal(sentenceOf(Object.assign(new Error("x"), { code: "EROFS" }), "write /a"), "Could not write /a: the file system is read-only (EROFS).");
  assert.equal(sentenceOf(new Error("it went away."), "read /a"), "Could not read /a: it went away.");
  assert.equal(sentenceOf("text", "read /a"), "Could not read /a: text.");
});

test("the state of a project keeps itself out of the repository", async () => {
  using folder = scratch();
  const [first, second] = await Promise.all([stateFolder(folder.path), stateFolder(folder.path)]);
  assert.deepEqual([first, second, readFileSync(join(first, ".gitignore"), "utf8")], [join(folder.path, ".abiding/local"), first, "*\n"]);
  writeFileSync(join(first, "x"), "");
  execFileSync("git", ["init", "-q", folder.path]);
  assert.equal(execFileSync("git", ["-C", folder.path, "status", "--porcelain"], { encoding: "utf8" }), "");
});

test("the state of a project that cannot be written to lies in the user's", async (t) => {
  if (!isRoot) return t.skip("needs root, to become a user who may not write");
  using folder = scratch();
  chmodSync(folder.path, 0o755);
  mkdirSync(join(folder.path, "project"));
  mkdirSync(join(folder.path, "state"));
  chmodSync(join(folder.path, "state"), 0o777);
  const script = folder.file("state.mts", `
    import { stateFolder } from ${JSON.stringify(room)};
    console.log(await stateFolder(${JSON.stringify(join(folder.path, "project"))}));`);
  const run = async (home: Record<string, string>): Promise<string> => (await runProcess({ ...command("/", "setpriv", "--reuid=64123", "--clear-groups", node, script), environment: { ...environment, ...home } })).output.text;
  const path = (await run({ XDG_STATE_HOME: join(folder.path, "state") })).trim();
  assert.match(path, new RegExp(`^${folder.path}/state/abiding/projects/project-[0-9a-f]{16}$`));
  assert.equal(readFileSync(join(path, "project"), "utf8"), `${folder.path}/project\n`);
  assert.equal((await run({ XDG_STATE_HOME: join(folder.path, "state") })).trim(), path);
});

test("records come back as they were added, whoever adds at the same time", async () => {
  using folder = scratch();
  const file = join(folder.path, "history/runs.jsonl");
  assert.deepEqual(await readRecords(file), { records: [], corrupt: [] });
  const script = folder.file("adds.mts", `
    import { appendRecord } from ${JSON.stringify(room)};
    for (let turn = 0; turn < 25; turn += 1) await appendRecord(${JSON.stringify(file)}, { writer: process.argv[2], turn, text: "é\\n".repeat(3000) });`);
  await Promise.all(["a", "b"].map((name) => runProcess(command(folder.path, node, script, name))));
  const { records, corrupt } = await readRecords(file);
  assert.deepEqual([records.length, corrupt], [50, []]);
  assert.deepEqual(records.filter((one) => (one as { writer: string }).writer === "b").map((one) => (one as { turn: number }).turn), Array.from({ length: 25 }, (_, turn) => turn));
});

test("a torn line costs itself, and the next record closes it off", async () => {
  using folder = scratch();
  const file = folder.file("runs.jsonl", "{\"a\":1}\n\nnot json\n{\"b\":2}\n{\"c\":");
  const torn = await readRecords(file);
  assert.deepEqual(torn.records, [{ a: 1 }, { b: 2 }]);
  assert.deepEqual(torn.corrupt.map(({ line }) => line), [3, 5]);
  assert.equal(torn.corrupt[1]?.problem, "the last line is not whole: its writer was stopped");
  await appendRecord(file, { d: 4 });
  const closed = await readRecords(file);
  assert.deepEqual(closed.records, [{ a: 1 }, { b: 2 }, { d: 4 }]);
  assert.deepEqual(closed.corrupt.map(({ line }) => line), [3, 5]);
  appendFileSync(file, "{\"e\":5}");
  assert.deepEqual((await readRecords(file)).records.at(-1), { e: 5 });
  await appendRecord(file, { f: 6 });
  assert.deepEqual((await readRecords(file)).records.slice(-2), [{ e: 5 }, { f: 6 }]);
});
