/** Tests of CTest: every way in which one can end, told apart. Test files are written as CMake writes them and read by the real ctest. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { machine } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { SmokeReport, TestResult } from "../../../src/workshop/smoke/types.ts";
import { byLabel, environment, has, Project, testFile } from "./support.ts";

const hasGdb = has("gdb", "--version");

describe("tests of CTest", () => {
  const project = new Project();
  let report: SmokeReport;
  let results: Readonly<Record<string, TestResult>>;
  after(() => project[Symbol.dispose]());

  before(async () => {
    const crash = project.program("crash", `
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <assert.h>
      static int read_through(int *pointer) { return *pointer; }
      int main(int count, char **words) {
        setvbuf(stdout, 0, _IONBF, 0);
        printf("before %s\\n", words[1]);
        if (!strcmp(words[1], "segfault")) return read_through((int *)8);
        if (!strcmp(words[1], "assert")) assert(count == 7);
        if (!strcmp(words[1], "free")) { char *memory = malloc(24); free(memory); free(memory); }
        return 0;
      }`, "-fno-builtin", "-Wno-use-after-free");
    const script = (name: string, text: string): string => project.file(name, `#!/bin/sh\n${text}\n`);
    const plain = project.file("not-executable", "text\n");
    const foreign = join(project.root, "foreign");
    // The first bytes of a program for AArch64, or for x86-64 where this machine is that.
    const header = Buffer.alloc(64);
    header.write("\u007fELF\u0002\u0001\u0001", "latin1");
    header.writeUInt16LE(2, 16);
    header.writeUInt16LE(machine() === "x86_64" ? 183 : 62, 18);
    writeFileSync(foreign, header);
    chmodSync(foreign, 0o755);
    project.file("build/gone/keep", "");
    project.file("build/CTestTestfile.cmake", testFile([
      { name: "passes", command: ["/bin/true"] },
      { name: "fails", command: [script("three", "echo said; exit 3")] },
      { name: "segfault", command: [crash, "segfault"] },
      { name: "assert", command: [crash, "assert"] },
      { name: "double free", command: [crash, "free"] },
      { name: "in a shell", command: ["/bin/sh", "-c", `ulimit -c 0; ${crash} segfault; exit $?`] },
      { name: "hangs", command: [script("hangs", "trap '' TERM; echo begun; sleep 600 & sleep 600")], properties: { TIMEOUT: "1" } },
      { name: "missing", command: [join(project.root, "nothing"), "x"] },
      { name: "unit_NOT_BUILT", command: ["unit_NOT_BUILT"] },
      { name: "not executable", command: [plain] },
      { name: "foreign", command: [foreign] },
      { name: "disabled", command: [script("disabled", `touch ${project.root}/disabled-ran`)], properties: { DISABLED: "ON" } },
      { name: "skips by status", command: [script("skips", "echo 'skipped: needs two disks'; exit 77")], properties: { SKIP_RETURN_CODE: "77" } },
      { name: "skips for a GPU", command: [script("gpu", "echo 'no CUDA device here'; exit 77")], properties: { SKIP_RETURN_CODE: "77", LABELS: "gpu" } },
      { name: "skips by words", command: [script("words", "echo 'SKIP me'")], properties: { SKIP_REGULAR_EXPRESSION: "SKIP [a-z]+" } },
      { name: "pass words", command: [script("pass", "echo all good; exit 5")], properties: { PASS_REGULAR_EXPRESSION: "all good" } },
      { name: "no pass words", command: ["/bin/true"], properties: { PASS_REGULAR_EXPRESSION: "never;nowhere" } },
      { name: "fail words", command: [script("failing", "echo ERROR 12")], properties: { FAIL_REGULAR_EXPRESSION: "ERROR [0-9]+" } },
      { name: "words far inside", command: [script("far", "yes filler | head -c 3000000; echo needle; yes filler | head -c 3000000")], properties: { PASS_REGULAR_EXPRESSION: "needle" } },
      { name: "will fail", command: ["/bin/false"], properties: { WILL_FAIL: "ON" } },
      { name: "should fail", command: ["/bin/true"], properties: { WILL_FAIL: "ON" } },
      { name: "crash that will fail", command: [crash, "segfault"], properties: { WILL_FAIL: "ON" } },
      { name: "wants a file", command: ["/bin/true"], properties: { REQUIRED_FILES: "/no/such/file" } },
      { name: "deletes its folder", command: [script("deletes", "rm -rf ../gone && echo deleted")], properties: { WORKING_DIRECTORY: join(project.root, "build/gone") } },
      { name: "after the folder is gone", command: ["/bin/true"], properties: { WORKING_DIRECTORY: join(project.root, "build/gone") } },
      { name: "leaves a child", command: [script("leaves", "nohup sleep 600 >/dev/null 2>&1 &")] },
      { name: "environment", command: ["/bin/sh", "-c", "echo \"$A|$B|$C|$D|${E-unset}\""], properties: {
        ENVIRONMENT: "A=one;B=two;E=gone", ENVIRONMENT_MODIFICATION: "B=string_append:more;C=path_list_prepend:/x;C=path_list_prepend:/y;D=set:a=b:c;E=unset:",
      } },
      { name: "a \"quoted\" näme; with 'all' [of] it $HOME", command: ["/bin/sh", "-c", "echo \"$1\"", "sh", "a;b \"c\" $d ü"] },
    ]));
    report = await project.run([project.ctest()], { timeLimit: 20_000 });
    results = byLabel(report);
  });

  const outcomeOf: readonly (readonly [string, TestResult["outcome"], RegExp])[] = [
    ["passes", "passed", /^$/],
    ["fails", "failed", /^It ended with the exit status 3\.$/],
    ["segfault", "crashed", /^It was ended by the signal SIGSEGV: it reached for memory that is not its own\./],
    ["assert", "crashed", /^It was ended by the signal SIGABRT/],
    ["double free", "crashed", /^It was ended by the signal SIGABRT/],
    ["in a shell", "crashed", /^The shell ended with the status 139, by which it tells that a program was ended by the signal SIGSEGV\./],
    ["hangs", "timed-out", /^It did not end within 1 s, and was ended with all that it had started\.$/],
    ["missing", "missing-executable", /^The program .*\/nothing does not exist: it is not built, or was removed\.$/],
    ["unit_NOT_BUILT", "missing-executable", /^The test program unit is not built, so its tests are not known\. Build the project first/],
    ["not executable", "not-run", /^It could not be started: .*not-executable may not be executed: it lacks the permission/],
    ["foreign", "not-run", /^It could not be started: .*\/foreign is a program for (?:AArch64|x86-64); this machine is \S+\.$/],
    ["disabled", "skipped", /^It is disabled \(DISABLED\)\.$/],
    ["skips by status", "skipped", /^It said: skipped: needs two disks$/],
    ["skips for a GPU", "skipped", /^It said: no CUDA device here\. No NVIDIA GPU was found/],
    ["skips by words", "skipped", /^It said: SKIP me$/],
    ["pass words", "passed", /^$/],
    ["no pass words", "failed", /^It did not print what it must \(PASS_REGULAR_EXPRESSION\): never or nowhere$/],
    ["fail words", "failed", /^It printed what it must not \(FAIL_REGULAR_EXPRESSION\): ERROR \[0-9\]\+$/],
    ["words far inside", "passed", /^$/],
    ["will fail", "passed", /^$/],
    ["should fail", "failed", /^It succeeded, and is expected to fail \(WILL_FAIL\)\.$/],
    ["crash that will fail", "crashed", /SIGSEGV/],
    ["wants a file", "not-run", /^A file that it requires is missing: \/no\/such\/file \(REQUIRED_FILES\)\.$/],
    ["deletes its folder", "passed", /^$/],
    ["after the folder is gone", "not-run", /^The folder .*\/build\/gone, where the command should run, does not exist\./],
    ["leaves a child", "passed", /^$/],
    ["environment", "passed", /^$/],
  ];
  for (const [label, outcome, reason] of outcomeOf) {
    it(`${label}: ${outcome}`, { skip: label === "skips for a GPU" && existsSync("/dev/nvidia0") ? "this machine has a GPU" : false }, () => {
      assert.equal(results[label]?.outcome, outcome);
      assert.match(results[label]?.reason ?? "", reason);
    });
  }

  it("tells why a test was skipped", () => {
    assert.equal(results["disabled"]?.skipped, "disabled");
    assert.equal(existsSync(join(project.root, "disabled-ran")), false);
    assert.equal(results["skips by status"]?.skipped, "other");
    if (!existsSync("/dev/nvidia0")) assert.equal(results["skips for a GPU"]?.skipped, "no-gpu");
  });

  it("keeps the ending as it was", () => {
    assert.deepEqual(results["segfault"]?.ending, { kind: "signalled", signal: "SIGSEGV" });
    assert.deepEqual(results["hangs"]?.ending, { kind: "timed-out", limit: 1000 });
    assert.deepEqual(results["fails"]?.ending, { kind: "exited", code: 3 });
  });

  it("keeps what was printed until then", () => {
    assert.equal(results["hangs"]?.output, "begun\n");
    assert.equal(results["segfault"]?.output, "before segfault\n");
  });

  it("keeps both ends of a long output and says what is missing", () => {
    const output = results["words far inside"]?.output ?? "";
    assert.ok(output.length < 200_000, String(output.length));
    assert.ok(output.startsWith("filler\n") && output.endsWith("filler\nfil"));
    assert.match(output, /left out/);
  });

  it("tells where an assertion stands", () => {
    const [message] = results["assert"]?.messages ?? [];
    assert.equal(message?.message, "Assertion failed: count == 7");
    assert.equal(message?.location?.path, join(project.root, "crash.c"));
    assert.equal(message?.location?.range.start.line, 10);
  });

  it("takes the stack of a crash", { skip: hasGdb ? false : "gdb is not installed" }, () => {
    const stack = results["segfault"]?.stack ?? [];
    assert.deepEqual(stack.map((frame) => frame.function).slice(0, 2), ["read_through", "main"]);
    assert.equal(stack[0]?.location?.path, join(project.root, "crash.c"));
    assert.equal(stack[0]?.location?.range.start.line, 5);
    assert.match(results["segfault"]?.reason ?? "", /The stack is from a second run, under gdb\.|The stack is from/);
    assert.equal(results["assert"]?.stack?.[0]?.function, "main", "the way from assert() to the signal says nothing");
  });

  it("ends what a test leaves behind", () => {
    assert.equal(results["leaves a child"]?.leftBehind, 1);
  });

  it("gives a test the environment that it declares", () => {
    assert.equal(results["environment"]?.output, "one|twomore|/y:/x|a=b:c|unset\n");
  });

  it("takes names and arguments as they are", () => {
    const name = "a \"quoted\" näme; with 'all' [of] it $HOME";
    assert.equal(results[name]?.outcome, "passed");
    assert.equal(results[name]?.output, "a;b \"c\" $d ü\n");
    assert.equal(results[name]?.id, `ctest:build::${name}`);
  });

  it("is a failure as a whole, and tells each start and end once", () => {
    assert.equal(report.outcome, "failed");
    for (const kind of ["started", "ended"] as const) {
      const ids = project.events.flatMap((event) => (event.kind === "started" && kind === "started" ? [event.id] : event.kind === "ended" && kind === "ended" ? [event.result.id] : []));
      assert.equal(new Set(ids).size, ids.length, kind);
    }
    const ended = project.events.filter((event) => event.kind === "ended");
    assert.equal(ended.length, report.results.length);
  });

  it("keeps the results in the state folder, out of the repository", () => {
    const state = JSON.parse(readFileSync(join(project.root, ".abiding/local/smoke.json"), "utf8")) as { readonly results: readonly { readonly label: string; readonly outcome: string }[] };
    assert.equal(state.results.find((one) => one.label === "segfault")?.outcome, "crashed");
    assert.equal(readFileSync(join(project.root, ".abiding/local/.gitignore"), "utf8"), "*\n");
  });
});

describe("fixtures and order", () => {
  const log = (project: Project, word: string, status = 0): readonly string[] => ["/bin/sh", "-c", `echo ${word} >> ${project.root}/log; exit ${status}`];

  it("sets up before, cleans up after, and holds DEPENDS", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", testFile([
      { name: "clean", command: log(project, "clean"), properties: { FIXTURES_CLEANUP: "db" } },
      { name: "user", command: log(project, "user"), properties: { FIXTURES_REQUIRED: "db" } },
      { name: "last", command: log(project, "last"), properties: { DEPENDS: "first" } },
      { name: "first", command: log(project, "first") },
      { name: "setup", command: log(project, "setup"), properties: { FIXTURES_SETUP: "db" } },
      { name: "other", command: log(project, "other") },
    ]));
    await project.run([project.ctest()]);
    const order = readFileSync(join(project.root, "log"), "utf8").trim().split("\n");
    assert.ok(order.indexOf("setup") < order.indexOf("user") && order.indexOf("user") < order.indexOf("clean"), order.join(" "));
    assert.ok(order.indexOf("first") < order.indexOf("last"), order.join(" "));
    assert.equal(order.length, 6);
  });

  it("runs the fixtures of a test that is run alone, and only them", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", testFile([
      { name: "setup", command: log(project, "setup"), properties: { FIXTURES_SETUP: "db" } },
      { name: "user", command: log(project, "user"), properties: { FIXTURES_REQUIRED: "db", LABELS: "smoke" } },
      { name: "clean", command: log(project, "clean"), properties: { FIXTURES_CLEANUP: "db" } },
      { name: "other", command: log(project, "other") },
    ]));
    // The plan names a label that the fixtures do not have.
    const report = await project.run([project.ctest("build", ["smoke"])], { only: ["user"] });
    assert.deepEqual(readFileSync(join(project.root, "log"), "utf8"), "setup\nuser\nclean\n");
    assert.equal(report.outcome, "passed");
  });

  it("does not run what needs a fixture that failed, and still cleans up", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", testFile([
      { name: "setup", command: log(project, "setup", 1), properties: { FIXTURES_SETUP: "db" } },
      { name: "user", command: log(project, "user"), properties: { FIXTURES_REQUIRED: "db" } },
      { name: "clean", command: log(project, "clean"), properties: { FIXTURES_CLEANUP: "db" } },
    ]));
    const { user, clean } = byLabel(await project.run([project.ctest()]));
    assert.equal(user?.outcome, "not-run");
    assert.equal(user?.reason, "The test that sets its fixture up, setup, did not pass.");
    assert.equal(clean?.outcome, "passed");
  });
});

describe("a test that is skipped on a machine with a GPU", () => {
  it("is not said to want one, unless the GPU is hidden from it", async () => {
    using project = new Project();
    project.file("bin/nvidia-smi", "#!/bin/sh\necho 'Some GPU'\n");
    const skips = project.command("skips", ["/bin/sh", "-c", "echo 'CUDA 12 is too old for it'; exit 77"]);
    const run = async (more: Readonly<Record<string, string>>) => {
      project.variables = { ...environment, PATH: `${join(project.root, "bin")}:${environment.PATH ?? ""}`, ...more };
      return byLabel(await project.run([skips]))["skips"];
    };
    const other = await run({ CUDA_VISIBLE_DEVICES: "0" });
    assert.deepEqual([other?.outcome, other?.skipped, other?.reason], ["skipped", "other", "It said: CUDA 12 is too old for it"]);
    const hidden = await run({ CUDA_VISIBLE_DEVICES: "" });
    assert.deepEqual([hidden?.skipped, hidden?.reason], ["no-gpu", "It said: CUDA 12 is too old for it. CUDA_VISIBLE_DEVICES=\"\" hides every GPU."]);
  });
});
