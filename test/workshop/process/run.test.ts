/** One command from its start to its end, with real processes. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { runProcess } from "../../../src/workshop/process/index.ts";
import type { OutputLine } from "../../../src/workshop/process/types.ts";
import { command, compiled, environment, node, scratch, shell } from "./support.ts";

test("exit code and signal are told apart", async () => {
  using folder = scratch();
  const exited = await runProcess(shell(folder.path, "exit 9"));
  assert.deepEqual(exited.ending, { kind: "exited", code: 9 });
  const signalled = await runProcess(shell(folder.path, "kill -9 $$"));
  assert.deepEqual(signalled.ending, { kind: "signalled", signal: "SIGKILL" });
  // What a shell reports of a child that was killed is an exit code.
  assert.deepEqual((await runProcess(shell(folder.path, "sh -c 'kill -9 $$'; exit $?"))).ending, { kind: "exited", code: 137 });
});

test("the result tells the command, both streams and both together", async () => {
  using folder = scratch();
  const asked = shell(folder.path, "echo one; echo two >&2; pwd");
  const result = await runProcess(asked);
  assert.equal(result.command, asked);
  assert.deepEqual(result.stdout, { text: `one\n${folder.path}\n`, leftOut: 0 });
  assert.deepEqual(result.stderr, { text: "two\n", leftOut: 0 });
  assert.deepEqual(result.output.text.split("\n").sort(), ["", folder.path, "one", "two"].sort());
  assert.equal(result.ended, 0);
  assert.equal(result.log, undefined);
  assert.equal(result.survivors, undefined);
});

test("arguments reach the program as they are", async () => {
  using folder = scratch();
  const odd = ["", " ", "a b", "$HOME", "`id`", "\"'", "*", "\\", "é\n", "-x"];
  const result = await runProcess(command(folder.path, node, "-e", "console.log(JSON.stringify(process.argv.slice(1)))", "--", ...odd));
  assert.deepEqual(JSON.parse(result.stdout.text), odd);
});

test("the environment is what was given, with the run's marker and nothing else", async () => {
  using folder = scratch();
  const result = await runProcess({ file: "/usr/bin/env", arguments: ["-0"], folder: folder.path, environment: { ONLY: "this\none" } });
  assert.match(result.stdout.text, /^ONLY=this\none\0ABIDING_RUN=[0-9a-f:-]+\0$/);
});

test("input reaches the program, without input there is none, and one that is not read harms nobody", async () => {
  using folder = scratch();
  assert.equal((await runProcess(command(folder.path, "cat"), { input: "héllo\n" })).stdout.text, "héllo\n");
  assert.deepEqual((await runProcess(command(folder.path, "cat"))).ending, { kind: "exited", code: 0 });
  assert.deepEqual((await runProcess(command(folder.path, "true"), { input: "x".repeat(1 << 20) })).ending, { kind: "exited", code: 0 });
});

test("characters that are cut between chunks stay whole, wrong bytes become U+FFFD", async () => {
  using folder = scratch();
  const pieces: string[] = [];
  // é in two pieces, then a byte that begins nothing, then the first byte of a character at the very end.
  const script = "printf 'a\\303'; sleep 0.1; printf '\\251b\\377c\\342'";
  const result = await runProcess(shell(folder.path, script), { onText: (text) => void pieces.push(text) });
  assert.equal(pieces[0], "a");
  assert.equal(pieces.join(""), "aéb\uFFFDc\uFFFD");
  assert.equal(result.stdout.text, "aéb\uFFFDc\uFFFD");
});

test("lines end as they do in terminals, and have no terminal sequences; text keeps them", async () => {
  using folder = scratch();
  const lines: OutputLine[] = [];
  const texts: string[] = [];
  const script = "printf '\\033[31mred\\033[0m\\r\\n\\r\\n10%%\\r'; sleep 0.1; printf '\\n\\n 20%%\\r 30%%\\r\\r\\n\\033]8;;http://x\\033\\\\link\\033]8;;\\007\\nlast'; sleep 0.1; echo err >&2";
  await runProcess(shell(folder.path, script), { onLine: (line) => lines.push(line), onText: (text) => void texts.push(text) });
  assert.deepEqual(lines.filter(({ stream }) => stream === "stdout").map(({ text }) => text), ["red", "", "10%", "", " 20%", " 30%", "link", "last"]);
  assert.deepEqual(lines.filter(({ stream }) => stream === "stderr"), [{ stream: "stderr", text: "err" }]);
  assert.equal(texts.join("").startsWith("\u001b[31mred\u001b[0m\r\n\r\n10%\r"), true);
});

test("of much output the begin and the end are kept, with a line that tells what is missing", async () => {
  using folder = scratch();
  const result = await runProcess(command(folder.path, "seq", "1", "1000"), { keep: 20 });
  assert.deepEqual(result.stdout, { text: "1\n2\n3\n4\n5\n[Abiding: 3873 bytes left out]\n\n999\n1000\n", leftOut: 3873 });
});

test("a time limit ends the run and is told as such", async () => {
  using folder = scratch();
  const result = await runProcess(shell(folder.path, "echo begun; sleep 100"), { timeLimit: 300 });
  assert.deepEqual(result.ending, { kind: "timed-out", limit: 300 });
  assert.equal(result.stdout.text, "begun\n");
  assert.deepEqual((await runProcess(shell(folder.path, "exit 0"), { timeLimit: 2 ** 40 })).ending, { kind: "exited", code: 0 });
});

test("a cancel before the start starts nothing", async () => {
  using folder = scratch();
  const result = await runProcess(shell(folder.path, "touch started"), { signal: AbortSignal.abort() });
  assert.deepEqual(result.ending, { kind: "cancelled" });
  assert.throws(() => rmSync(join(folder.path, "started")));
});

test("why a program could not be started is told apart", async () => {
  using folder = scratch();
  const reasonOf = async (file: string, at = folder.path, variables = environment, ...parameters: string[]): Promise<string> => {
    const { ending } = await runProcess({ file, arguments: parameters, folder: at, environment: variables });
    assert.equal(ending.kind, "not-started");
    return ending.kind === "not-started" ? `${ending.reason}: ${ending.message}` : "";
  };
  const script = folder.file("script", "#!/nowhere/python\n", 0o755);
  const plain = folder.file("plain", "text");
  mkdirSync(join(folder.path, "bin/tool"), { recursive: true });
  const path = { PATH: `${folder.path}:${folder.path}/bin` };

  assert.equal(await reasonOf("tool", folder.path, path), "not-found: The program \"tool\" was not found: it is in none of the 2 folders of PATH. Install it, or add its folder to PATH.");
  assert.equal(await reasonOf("tool", folder.path, {}), "not-found: The program \"tool\" was not found: PATH names no folder. Install it, or add its folder to PATH.");
  assert.equal(await reasonOf("/nowhere/tool"), "not-found: The program /nowhere/tool does not exist.");
  assert.equal(await reasonOf(folder.path), `not-executable: ${folder.path} is a folder, not a program.`);
  assert.equal(await reasonOf(script), `not-found: ${script} exists, but the interpreter that its first line names, or the loader that it was linked for, does not.`);
  assert.equal(await reasonOf(plain), `not-executable: ${plain} may not be executed: it lacks the permission (chmod +x gives it), or its file system is mounted without it.`);
  assert.equal(await reasonOf("plain", folder.path, path), `not-executable: ${plain} may not be executed: it lacks the permission (chmod +x gives it).`);
  assert.equal(await reasonOf("true", "/nowhere"), "no-folder: The folder /nowhere, where the command should run, does not exist.");
  assert.equal(await reasonOf("true", plain), `no-folder: ${plain}, where the command should run, is not a folder.`);
  assert.match(await reasonOf("/bin/echo", folder.path, environment, "x".repeat(3 << 20)), /^too-long: \/bin\/echo could not be started: its arguments \(3072 KiB\) and environment \(\d+ KiB\) are longer than the system takes \(E2BIG\)\.$/);
  assert.match(await reasonOf("/bin/echo", folder.path, environment, "a\0b"), /^other: Could not start \/bin\/echo: .*null bytes/);
  chmodSync(plain, 0o755);
  writeFileSync(plain, "");
  assert.equal(await reasonOf(plain), `not-executable: ${plain} is empty: its build was not finished, or the disk was full.`);
  writeFileSync(plain, Buffer.from("7f454c46020201", "hex"));
  assert.equal(await reasonOf(plain), `not-executable: ${plain} is cut off: its build was not finished, or the disk was full.`);
  // An ELF header of SPARC.
  writeFileSync(plain, Buffer.from("7f454c46020201000000000000000000000200020000", "hex"));
  assert.match(await reasonOf(plain), /^not-executable: .*plain is a program for another processor \(machine 2 in its ELF header\); this machine is \S+\.$/);
});

test("no room for another process is told as such", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("needs root, to limit the processes of another user");
  using folder = scratch();
  const script = `
    import { runProcess } from ${JSON.stringify(join(import.meta.dirname, "../../../src/workshop/process/run.ts"))};
    const command = { folder: "/", environment: { PATH: "/usr/bin:/bin" } };
    await runProcess({ ...command, file: "prlimit", arguments: ["--pid", String(process.pid), "--nproc=1"] });
    const { ending } = await runProcess({ ...command, file: "/bin/true", arguments: [] });
    console.log(JSON.stringify(ending));`;
  const file = folder.file("limited.mts", script);
  chmodSync(folder.path, 0o755);
  const result = await runProcess(command("/", "setpriv", "--reuid=64123", "--clear-groups", node, file));
  assert.equal(result.stderr.text, "");
  assert.deepEqual(JSON.parse(result.stdout.text), { kind: "not-started", reason: "no-resources", message: "Could not start /bin/true: the system has no room for another process (EAGAIN)." });
});

test("a program is looked up in the command's own PATH, not in ours and not in the folder", async () => {
  using folder = scratch();
  folder.file("cmake", "#!/bin/sh\necho mine\n", 0o755);
  folder.file("bin/cmake", "#!/bin/sh\necho theirs\n", 0o755);
  const printed = async (PATH: string): Promise<string> => (await runProcess({ file: "cmake", arguments: [], folder: folder.path, environment: { PATH } })).stdout.text;
  assert.equal(await printed("/nowhere:bin"), "theirs\n");
  assert.equal(await printed(":/nowhere"), "");
});

test("a mistake in a listener surfaces, and the run goes on", async () => {
  using folder = scratch();
  const script = folder.file("listener.mts", `
    import { runProcess } from ${JSON.stringify(join(import.meta.dirname, "../../../src/workshop/process/run.ts"))};
    process.on("uncaughtException", (error) => console.log("surfaced:", error.message));
    const { ending } = await runProcess({ file: "/bin/echo", arguments: ["x"], folder: "/", environment: {} }, { onLine: () => { throw new Error("mine"); }, onStart: () => { throw new Error("too"); } });
    console.log(JSON.stringify(ending));`);
  const result = await runProcess(command(folder.path, node, script));
  assert.deepEqual(result.stdout.text.trim().split("\n"), ["surfaced: too", "surfaced: mine", "{\"kind\":\"exited\",\"code\":0}"]);
});

test("a crash is a signal", async () => {
  using folder = scratch();
  const program = compiled(folder.path, "#include <stdlib.h>\nint main(void) { abort(); }\n");
  assert.deepEqual((await runProcess(command(folder.path, program))).ending, { kind: "signalled", signal: "SIGABRT" });
});
