/** What stands in a log, without what the programs around it put there. Lines are those of the given text. */
import assert from "node:assert/strict";
import test from "node:test";
import { readLog } from "../../../../../src/engine/diagnosis/explain/text/index.ts";

const loaderSays = "ImportError: /srv/env/ops/_C.so: undefined symbol: _ZN3c105ErrorD1Ev";

function textsOf(text: string): readonly string[] {
  return readLog(text).lines.map((line) => line.text);
}

function last(text: string): string | undefined {
  return textsOf(text).at(-1);
}

for (const [name, line] of [
  ["colours", `\x1b[1m\x1b[31mE       ${loaderSays}\x1b[0m`],
  ["gcc's colours", "\x1b[01m\x1b[K" + loaderSays + "\x1b[m\x1b[K"],
  ["colours whose escape was lost", "[01m[K" + loaderSays + "[m[K"],
  ["colours written out", "^[[31m" + loaderSays + "^[[0m"],
  ["a title and a link", "\x1b]0;python train.py\x07\x1b]8;;https://example.org\x1b\\" + loaderSays + "\x1b]8;;\x1b\\"],
  ["Buildkite's marks", "\x1b_bk;t=1717171717\x07" + loaderSays],
  ["a progress bar", ` 10%|█         | 1/10\r 90%|█████████ | 9/10\r${loaderSays}`],
  ["backspaces", "I|\b|\b\b" + "I" + loaderSays.slice(1).replace("ort", "orx\bt")],
  ["a byte order mark", "\ufeff" + loaderSays],
  ["a path that became a link when it was copied", loaderSays.replace("/srv/env/ops/_C.so", "[/srv/env/ops/_C.so](https://vscode-remote+ssh-002dremote-002bdev.vscode-resource.vscode-cdn.net/srv/env/ops/_C.so)")],
  ["zero-width and direction marks", loaderSays.replace("undefined", "\u200bundef\u202eined")],
  ["no-break spaces", loaderSays.replaceAll(" ", "\xa0")],
  ["UTF-16 read as bytes", [...loaderSays].join("\0") + "\0"],
  ["GitHub Actions", `2026-05-09T07:36:11.1234567Z ##[error]${loaderSays}`],
  ["gh run view", `build (3.11, cu130)\tRun tests\t2026-05-09T07:36:11.1234567Z ${loaderSays}`],
  ["a workflow command", `::error file=tests/run.py,line=3::${loaderSays}`],
  ["buildkit", `#12 34.56 ${loaderSays}`],
  ["buildkit in GitHub Actions", `2026-05-09T07:36:11.1234567Z #9 0.812 ${loaderSays}`],
  ["compose", `trainer-1  | ${loaderSays}`],
  ["kubectl", `[pod/trainer-5f7c9-xk2lp/main] ${loaderSays}`],
  ["syslog", `May  9 07:36:11 node7 python3[4242]: ${loaderSays}`],
  ["journald", `2026-05-09T07:36:11+0200 node7 python3[4242]: ${loaderSays}`],
  ["torchrun", `[rank0]: ${loaderSays}`],
  ["torchrun --tee", `[default3]:${loaderSays}`],
  ["mpirun", `[1,0]<stderr>:${loaderSays}`],
  ["Ray", `(TrainWorker pid=311, ip=10.0.0.4) ${loaderSays}`],
  ["vLLM", `(Worker_TP0 pid=123) ERROR 05-09 07:36:11 [core.py:586] ${loaderSays}`],
  ["Python's logging", `2026-05-09 07:36:11,123 ERROR ops.loader: ${loaderSays}`],
  ["Python's logging with dashes", `2026-05-09 07:36:11,123 - ops.loader - ERROR - ${loaderSays}`],
  ["basicConfig", `ERROR:ops.loader:${loaderSays}`],
  ["loguru", `2026-05-09 07:36:11.123 | ERROR    | ops.loader:load:12 - ${loaderSays}`],
  ["DeepSpeed", `[2026-05-09 07:36:11,123] [ERROR] [engine.py:12:load] ${loaderSays}`],
  ["glog", `E0509 07:36:11.123456 4242 loader.cpp:12] ${loaderSays}`],
  ["pytest", `E           ${loaderSays}`],
  ["pytest's summary", `FAILED tests/test_ops.py::test_load[cpu-float] - ${loaderSays}`],
  ["pip's box", `  │ ${loaderSays}`],
  ["a quote", `> > ${loaderSays}`],
  ["the prompt of Python", `>>> ${loaderSays}`],
  ["a record of docker", JSON.stringify({ log: `${loaderSays}\n`, stream: "stderr", time: "2026-05-09T07:36:11.1Z" })],
  ["a record of a logger", JSON.stringify({ level: "error", message: `worker died\n\u001b[31m${loaderSays}\u001b[0m` })],
  ["another member that has lines", JSON.stringify({ level: "error", msg: "worker failed", trace: `Traceback (most recent call last):\n${loaderSays}\n` })],
  ["a key of JSON", `      "text": ${JSON.stringify(`first\n${loaderSays}\n`)},`],
  ["a failed cell as an editor copies it", `{\n\t"name": "ImportError",\n\t"message": ${JSON.stringify(loaderSays)},`],
  ["the same behind other words", `It says:\n\t"message": ${JSON.stringify(loaderSays)},`],
  ["the title of an issue", `# ${loaderSays}`],
  ["a heading below it", `# It fails\n## ${loaderSays}`],
  ["a traceback in a comment", `import ops\n#Traceback (most recent call last):\n#  File "<string>", line 1, in <module>\n#${loaderSays}`],
  ["bytes of Python", `stderr=b'building\\n${loaderSays}'`.replace(/'$/, "")],
  ["a string of Python without its quotes", `Traceback (most recent call last):\\n  File \\"run.py\\", line 3, in <module>\\n${loaderSays}`],
  ["HTML", `<span class="red">${loaderSays.replace("/srv", "&#x2F;srv").replace(":", "&#58;")}</span>`],
  ["line ends of Windows", `${loaderSays}\r\r\n`.trimEnd() + "\r"],
] as const) {
  test(`${name} is no part of a line`, () => {
    assert.equal(last(line), loaderSays);
  });
}

test("what only looks like a prefix stays", () => {
  for (const line of [
    "   12 | #include <THC/THC.h>",
    "#0  0x00007f02 in c10::Error::Error() from /srv/torch/lib/libc10.so",
    "#10 0x00007f02 in main ()",
    "[12/345] Building CUDA object ops.cu.o",
    "[ 50%] Building CXX object ops.cpp.o",
    "(venv) $ python run.py",
    "std::vector<int> x[10];",
    "arr[3m]",
    "ERROR: Could not build wheels for ops",
    "C:\\new\\torch\\lib\\c10.dll",
    "  File \"C:\\Users\\me\\new\\train.py\", line 3, in <module>",
    "ninja: build stopped: subcommand failed.",
    "make[2]: *** [Makefile:12: all] Error 2",
    ">>> referenced by ops.cpp:12 (src/ops.cpp:12)",
    ">>>               ops.o:(run())",
    ">>> referenced 6 more times",
    ">>> defined in libops.a(ops.o)",
  ]) assert.deepEqual(textsOf(line), [line]);
});

test("what lld prints below an error keeps its arrows inside of a quotation", () => {
  assert.deepEqual(textsOf("> ld.lld: error: undefined symbol: f()\n> >>> referenced by ops.cpp\n> >>>               ops.o:(run())\n>>> import torch"), ["ld.lld: error: undefined symbol: f()", ">>> referenced by ops.cpp", ">>>               ops.o:(run())", "import torch"]);
});

test("a progress bar leaves its last state, whatever follows on the next line", () => {
  assert.deepEqual(textsOf("a 10%\ra 90%\ra 100%\nnext\n"), ["a 100%", "next"]);
  assert.deepEqual(textsOf("first\rsecond\rthird"), ["first", "second", "third"], "carriage returns alone end lines where nothing else does");
});

test("lines are numbered as in the given text, also where one of it holds several", () => {
  const notebook = JSON.stringify({ cells: [{ cell_type: "code", outputs: [{ output_type: "error", ename: "ImportError", evalue: "x", traceback: ["\u001b[0;31mImportError\u001b[0m   Traceback (most recent call last)", `\u001b[0;31m${loaderSays}`] }] }] }, null, 1);
  const at = readLog(notebook).lines.findIndex(({ text }) => text === loaderSays);
  const line = readLog(notebook).lines[at];
  assert.equal(notebook.split("\n")[(line?.first ?? 0) - 1]?.includes("undefined symbol"), true);
  const record = readLog(`one\n${JSON.stringify({ log: "two\nthree\n" })}\nfour`);
  assert.deepEqual(record.lines.map(({ text, first, last: end }) => [text, first, end]), [["one", 1, 1], ["two", 2, 2], ["three", 2, 2], ["four", 3, 3]]);
});

test("a notebook in one line shows the lines of its outputs", () => {
  const notebook = JSON.stringify({ cells: [{ cell_type: "code", source: ["import ops\n"], outputs: [{ traceback: [`frame\n${loaderSays}`] }] }], nbformat: 4 });
  assert.equal(textsOf(notebook).includes(loaderSays), true);
});

test("source in a record is not what a program wrote", () => {
  assert.deepEqual(textsOf(JSON.stringify({ msg: "ran", source: "import ops\nops.f()\n", detail: "one\ntwo" })), ["ran", "one", "two"]);
});

test("ends that were cut off are marked", () => {
  const cut = (text: string) => readLog(text).lines[0]?.isCut === true;
  assert.equal(cut("FAILED tests/a.py::b - ImportError: /srv/env/ops/_C.so: undefined sym..."), true);
  assert.equal(cut("command [...]"), true);
  assert.equal(cut("ops.so: undefined symbol: _ZN3c10 <truncated 3 lines>"), true);
  assert.equal(cut("ops.so: undefined symbol: _ZN3c105ErrorC1ENS_14SourceLoc"), true);
  assert.equal(cut("ops.so: undefined symbol: _ZN3c105ErrorC1Ev"), false);
  assert.equal(cut("Loading checkpoint shards."), false);
  assert.equal(cut("template <typename... T>"), false);
});

test("lines of each writer stand together, with their numbers", () => {
  const log = readLog(["starting", "[rank0]: Traceback (most recent call last):", "[rank1]: Traceback (most recent call last):", "[rank0]:   File \"run.py\", line 3, in <module>", "[rank1]:   File \"run.py\", line 4, in <module>", "[rank0]: OSError: a.so: file too short", "[rank1]: OSError: b.so: file too short"].join("\n"));
  assert.deepEqual(log.lines.map(({ writer, first }) => [writer, first]), [[undefined, 1], ["rank0", 2], ["rank0", 4], ["rank0", 6], ["rank1", 3], ["rank1", 5], ["rank1", 7]]);
  assert.deepEqual(log.exceptions.map(({ message, frames }) => [message, frames[0]?.line]), [["a.so: file too short", 3], ["b.so: file too short", 4]]);
});

test("the numbers of srun and ctest are writers", () => {
  const tasks = ["0: Traceback (most recent call last):", "1: Traceback (most recent call last):", '0:   File "run.py", line 3, in <module>', '1:   File "run.py", line 3, in <module>', `0: ${loaderSays}`, `1: ${loaderSays}`];
  assert.deepEqual(readLog(tasks.join("\n")).lines.map(({ writer, first }) => [writer, first]), [["0", 1], ["0", 3], ["0", 5], ["1", 2], ["1", 4], ["1", 6]]);
  assert.equal(readLog(tasks.join("\n")).exceptions.length, 2);
  assert.deepEqual(textsOf("Test project /srv/build\n    Start 7: ops\n\n7: Test command: /srv/build/ops\n7: terminate called\nresult"), ["Test project /srv/build", "    Start 7: ops", "", "result", "Test command: /srv/build/ops", "terminate called"]);
  assert.deepEqual(textsOf("intro\n1: first reason\n\n2: second reason\nmore\nwords"), ["intro", "1: first reason", "", "2: second reason", "more", "words"]);
});

test("a line of a megabyte keeps its ends", () => {
  const [line] = readLog(`begin ${"x".repeat(1_000_000)} end`).lines;
  assert.equal(line?.text.length, 32768 + " [...] ".length);
  assert.equal(line.text.startsWith("begin x") && line.text.endsWith("x end"), true);
});

test("lines of a diff are source: what stands behind its hunks is read again", () => {
  const diff = ["diff --git a/load.py b/load.py", "--- a/load.py", "+++ b/load.py", "@@ -4,2 +4,3 @@ OSError: a.so: file too short", ` ${loaderSays}`, `-${loaderSays}`, `+${loaderSays}`, "+x"];
  assert.deepEqual(textsOf([...diff, loaderSays].join("\n")), [...diff.slice(0, 3), "", "", "", "", "", loaderSays]);
  assert.deepEqual(textsOf(["\x1b[36m@@ -1 +1 @@\x1b[m", `\x1b[31m-${loaderSays}\x1b[m`, `\x1b[32m+${loaderSays}\x1b[m`, ` ${loaderSays}`].join("\n")), ["", "", "", ` ${loaderSays}`]);
  // A hunk that is cut short ends where no line of it stands.
  assert.deepEqual(textsOf(["@@ -1,9 +1,9 @@", " a", loaderSays, `+${loaderSays}`].join("\n")).slice(2), [loaderSays, `+${loaderSays}`]);
});
