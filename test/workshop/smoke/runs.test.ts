/** Runs as a whole: what is chosen, cancelled, repeated, kept from run to run, and what cannot be run at all. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { environmentThatMatters, findGpus } from "../../../src/workshop/smoke/circumstances.ts";
import { CannotDo } from "../../../src/workshop/workshop.ts";
import { alive } from "../process/support.ts";
import { byLabel, outcomes, Project, testFile } from "./support.ts";

const passing = (name: string, properties?: Readonly<Record<string, string>>) => ({ name, command: ["/bin/true"], ...(properties === undefined ? {} : { properties }) });
const failing = (name: string) => ({ name, command: ["/bin/false"] });

describe("what is chosen", () => {
  it("3,000 tests are listed, and three of them run", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", testFile(Array.from({ length: 3000 }, (_, number) => passing(`test ${number}`, { LABELS: `l${number % 10}`, DEPENDS: "test 0" }))));
    const { tests } = await project.discover([project.ctest()]);
    assert.equal(tests.length, 3001);
    const report = await project.run([project.ctest()], { only: ["test 7", "test 299?"], except: ["test 2990", "test 2992", "test 2993", "test 2994", "test 2995", "test 2996", "test 2997", "test 2998", "test 2999"] });
    assert.deepEqual(outcomes(report), { "test 7": "passed", "test 2991": "passed" });
  });

  it("by label, pattern, group and id; what means nothing is an error", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", testFile([passing("a.one", { LABELS: "quick" }), passing("a.two"), passing("b[1]*", { LABELS: "quick;gpu" })]));
    const plan = project.ctest();
    const run = async (request: Parameters<Project["run"]>[1]): Promise<readonly string[]> => Object.keys(outcomes(await project.run([plan], request)));
    assert.deepEqual(await run({ labels: ["quick"] }), ["a.one", "b[1]*"]);
    assert.deepEqual(await run({ only: ["a.*"] }), ["a.one", "a.two"]);
    assert.deepEqual(await run({ only: ["ctest:build"], except: ["a.one"] }), ["a.two", "b[1]*"]);
    assert.deepEqual(await run({ only: ["b[1]*"] }), ["b[1]*"], "a name that could be a pattern is a name");
    await assert.rejects(run({ only: ["a.oen"] }), (error) => error instanceof CannotDo && error.message === "--test a.oen: there is no such test. --list shows the 4 that there are.");
    await assert.rejects(run({ only: ["one"] }), (error) => error instanceof CannotDo && error.message === "--test one: there is no such test. Similar: a.one.");
    await assert.rejects(run({ labels: ["slow"] }), (error) => error instanceof CannotDo && error.message === "No test has the label slow. There are: gpu, quick.");
  });

  it("two tests of one name, in two folders, are two", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", `${testFile([passing("same")])}subdirs("inner")\n`);
    project.file("build/inner/CTestTestfile.cmake", testFile([failing("same")]));
    const report = await project.run([project.ctest()]);
    assert.deepEqual(report.results.map(({ id, outcome }) => [id, outcome]), [["ctest:build::same", "passed"], ["ctest:build::same#2", "failed"]]);
  });
});

describe("from run to run", () => {
  it("those that did not pass run again, and a test that is gone is forgotten", async () => {
    using project = new Project();
    const plans = [project.ctest("one"), project.ctest("two")];
    project.file("one/CTestTestfile.cmake", testFile([passing("good"), failing("bad"), failing("gone")]));
    project.file("two/CTestTestfile.cmake", testFile([failing("other")]));
    const state = (): readonly string[] => (JSON.parse(readFileSync(join(project.root, ".abiding/local/smoke.json"), "utf8")) as { readonly results: readonly { readonly label: string }[] }).results.map((one) => one.label);
    await project.run(plans);
    assert.deepEqual(state(), ["good", "bad", "gone", "other"]);
    project.file("one/CTestTestfile.cmake", testFile([passing("good"), failing("bad")]));
    const again = await project.run(plans, { failed: true });
    assert.deepEqual(outcomes(again), { bad: "failed", other: "failed" });
    // The other plan was not asked about: its results stay.
    project.file("one/CTestTestfile.cmake", testFile([passing("good"), passing("bad")]));
    await project.run(plans.slice(0, 1));
    assert.deepEqual(state(), ["good", "bad", "other"]);
    const none = await project.run(plans.slice(0, 1), { failed: true });
    assert.equal(none.outcome, "no-tests");
    assert.equal(none.problems[0]?.message, "Every test that was run the last time passed or was skipped; there is nothing to run again.");
  });

  it("damaged results are no obstacle", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", testFile([failing("bad")]));
    await project.run([project.ctest()]);
    writeFileSync(join(project.root, ".abiding/local/smoke.json"), "{\"schema\":1,\"results\":[{\"id\":");
    assert.equal((await project.run([project.ctest()], { failed: true })).problems[0]?.message, "No test has been run yet, so none has failed.");
    assert.equal((await project.run([project.ctest()])).outcome, "failed");
  });

  it("a test that passes only sometimes does not pass", async () => {
    using project = new Project();
    const count = join(project.root, "count");
    project.file("build/CTestTestfile.cmake", testFile([passing("always"), { name: "sometimes", command: ["/bin/sh", "-c", `echo x >> ${count}; test $(wc -l < ${count}) -ne 2`] }]));
    const report = await project.run([project.ctest()], { repeat: 3 });
    assert.deepEqual(outcomes(report), { always: "passed", sometimes: "failed" });
    assert.deepEqual(byLabel(report)["sometimes"]?.runs, { total: 3, passed: 2 });
    assert.equal(byLabel(report)["sometimes"]?.reason, "It passed 2 of 3 times. It ended with the exit status 1.");
    assert.deepEqual(byLabel(report)["always"]?.runs, { total: 3, passed: 3 });
  });

  it("two runs in one folder: one waits and says so", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", testFile([{ name: "alone", command: ["/bin/sh", "-c", `mkdir ${project.root}/busy || exit 1; sleep 0.5; rmdir ${project.root}/busy`] }]));
    const reports = await Promise.all([project.run([project.ctest()]), project.run([project.ctest()])]);
    assert.deepEqual(reports.map((one) => one.outcome), ["passed", "passed"]);
    assert.equal(project.notes.length, 1);
    assert.match(project.notes[0] ?? "", /smoke tests/);
    assert.ok(project.notes[0]?.startsWith(`${project.root} is in use by`), project.notes[0]);
  });

  it("meanwhile nothing of ours lies beside the project's own files", async () => {
    using project = new Project();
    await project.run([project.command("list", ["/bin/sh", "-c", `ls -A ${project.root} > ${project.root}/seen`])]);
    assert.equal(readFileSync(join(project.root, "seen"), "utf8"), ".abiding\nseen\n");
  });
});

describe("a cancel", () => {
  it("ends the test with its tree; what has ended is kept", async () => {
    using project = new Project();
    const mark = `abiding-cancel-${process.pid}`;
    project.file("build/CTestTestfile.cmake", testFile([passing("before"), {
      name: "stubborn", command: ["/bin/sh", "-c", `trap '' TERM; MARK=${mark} sh -c 'trap "" TERM; sleep 600' & echo up; sleep 600 # ${mark}`],
    }, passing("after")]));
    const running = project.run([project.ctest()]);
    for (const end = Date.now() + 20_000; !project.events.some((event) => event.kind === "output") && Date.now() < end;) await delay(20);
    project.stop.abort();
    const report = await running;
    const cancelled = Date.now();
    assert.equal(report.outcome, "cancelled");
    assert.deepEqual(outcomes(report), { before: "passed", stubborn: "cancelled" });
    assert.equal(byLabel(report)["stubborn"]?.output, "up\n");
    await delay(Math.max(0, cancelled + 2000 - Date.now()));
    assert.deepEqual(alive(mark), []);
    const state = readFileSync(join(project.root, ".abiding/local/smoke.json"), "utf8");
    assert.ok(state.includes("before") && !state.includes("stubborn"));
  });
});

describe("what a test can do to us", () => {
  it("a gigabyte of output stays within bounds, begin and end kept", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", testFile([{ name: "loud", command: ["/bin/sh", "-c", "echo first; yes 'a line of a test that runs wild' | head -c 1000000000; echo last"] }]));
    const report = await project.run([project.ctest()], { timeLimit: 300_000 });
    const { loud } = byLabel(report);
    assert.equal(loud?.outcome, "passed");
    assert.ok(loud.output.length < 200_000 && loud.output.startsWith("first\n") && loud.output.endsWith("last\n"), String(loud.output.length));
    const passedOn = project.events.reduce((sum, event) => sum + (event.kind === "output" ? event.text.length : 0), 0);
    assert.ok(passedOn < 1_200_000, String(passedOn));
    assert.ok(process.memoryUsage().rss < 700e6, String(process.memoryUsage().rss));
  });
});

describe("what cannot be run", () => {
  it("a folder that is not configured, or has no tests", async () => {
    using project = new Project();
    project.file("bare/CMakeCache.txt", "");
    project.file("empty/CTestTestfile.cmake", "");
    const { problems } = await project.discover([project.ctest("none"), project.ctest("bare"), project.ctest("empty")]);
    assert.deepEqual(problems.map((one) => one.message), [
      `${project.root}/none does not exist: the project is not configured yet. Build it first (abiding build).`,
      `${project.root}/bare has no CTestTestfile.cmake: the project is not configured to the end, or does not call enable_testing().`,
      `ctest knows no test in ${project.root}/empty.`,
    ]);
    const report = await project.run([project.ctest("none")]);
    assert.equal(report.outcome, "no-tests");
  });

  it("no test with the label of the plan", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", testFile([passing("a")]));
    const { problems } = await project.discover([project.ctest("build", ["smoke"])]);
    assert.equal(problems[0]?.message, `None of the 1 tests in ${project.root}/build has the label smoke.`);
  });

  it("no ctest", async () => {
    using project = new Project();
    project.variables = { PATH: join(project.root, "bin") };
    project.file("build/CTestTestfile.cmake", testFile([passing("a")]));
    const { problems } = await project.discover([project.ctest()]);
    assert.match(problems[0]?.message ?? "", /^ctest was not found: it comes with CMake and lists and describes the tests\./);
  });

  it("a ctest that is too old to list tests is not asked to: it would run them", async () => {
    using project = new Project();
    const touched = join(project.root, "touched");
    const ctest = project.file("bin/ctest", `#!/bin/sh\ncase "$1" in --version) echo "ctest version 3.10.2";; *) touch ${touched};; esac\n`);
    project.file("build/CMakeCache.txt", `CMAKE_CTEST_COMMAND:INTERNAL=${ctest}\n`);
    project.file("build/CTestTestfile.cmake", testFile([passing("a")]));
    const { problems } = await project.discover([project.ctest()]);
    assert.equal(problems[0]?.message, `${ctest} is of CMake 3.10.2; tests are listed by --show-only=json-v1, which came with CMake 3.14.`);
    assert.equal(existsSync(touched), false);
  });

  it("a ctest of CMake 3.14 to 3.20 does, without --output-junit", async () => {
    using project = new Project();
    const ctest = project.file("bin/ctest", "#!/bin/sh\ncase \"$*\" in --version) echo \"ctest version 3.16.3\";; *junit*) exit 9;; *) exec ctest \"$@\";; esac\n");
    project.file("build/CMakeCache.txt", `CMAKE_CTEST_COMMAND:INTERNAL=${ctest}\n`);
    project.file("build/CTestTestfile.cmake", testFile([passing("a")]));
    assert.deepEqual(outcomes(await project.run([project.ctest()])), { a: "passed" });
  });

  it("a test file that is not CMake", async () => {
    using project = new Project();
    project.file("build/CTestTestfile.cmake", "add_test(\n");
    const { problems } = await project.discover([project.ctest()]);
    assert.match(problems[0]?.message ?? "", /^ctest did not list the tests of .*: .+|^ctest knows no test in/);
  });
});

describe("commands", () => {
  it("pass and skip by their exit status", async () => {
    using project = new Project();
    const shell = (id: string, script: string) => project.command(id, ["/bin/sh", "-c", script]);
    const report = await project.run([shell("good", "exit 0"), shell("bad", "echo why >&2; exit 4"), shell("skip", "echo 'no GPU'; exit 77"), project.command("none", ["no-such-program"])]);
    assert.deepEqual(outcomes(report), { good: "passed", bad: "failed", skip: "skipped", none: "missing-executable" });
    assert.equal(byLabel(report)["bad"]?.output, "why\n");
    assert.match(byLabel(report)["none"]?.reason ?? "", /^The program "no-such-program" was not found/);
  });

  it("tell of the tests in them, when they print Gantry's form of report; one of them runs alone", async () => {
    using project = new Project();
    const test = (id: string, status: string) => ({ id, name: `test ${id}`, status, milliseconds: 1.5, text: `${status} of ${id}` });
    const text = JSON.stringify({ schema: 1, tool: "gantry.smoke", tests: [test("S01", "pass"), test("S02", "fail"), test("S03", "skip")] });
    project.file("report.json", text);
    const program = project.file("program", `#!/bin/sh\necho "$@" >> ${project.root}/calls\necho preparing\ncat ${project.root}/report.json\nexit 1\n`);
    const plan = project.command("own", [program]);
    const report = await project.run([plan]);
    assert.deepEqual(outcomes(report), { own: "failed", "test S01": "passed", "test S02": "failed", "test S03": "skipped" });
    assert.equal(byLabel(report)["own"]?.reason, "1 of its 3 tests failed: test S02.");
    assert.deepEqual(byLabel(report)["own"]?.cases, { total: 3, passed: 1, skipped: 1 });
    const { tests } = await project.discover([plan]);
    assert.deepEqual(tests.map((one) => one.id), ["own", "own::S01", "own::S02", "own::S03"]);
    await project.run([plan], { only: ["own::S02"] });
    assert.equal(readFileSync(join(project.root, "calls"), "utf8"), "\n--only S02\n");
  });
});

describe("circumstances", () => {
  it("GPUs by the driver's files; one that is hidden or not passed on is none", async () => {
    using project = new Project();
    project.variables = { PATH: "/nowhere" };
    const driver = "system/proc/driver/nvidia/gpus/0000:01:00.0/information";
    project.file(driver, "Model: \t\t NVIDIA H200\nIRQ: 12\n");
    const system = join(project.root, "system");
    assert.match((await findGpus(project.workshop, {}, system)).none ?? "", /^The driver knows NVIDIA H200, but there is no \/dev\/nvidia0/);
    project.file("system/dev/nvidia0", "");
    assert.deepEqual(await findGpus(project.workshop, {}, system), { names: ["NVIDIA H200"] });
    assert.equal((await findGpus(project.workshop, { CUDA_VISIBLE_DEVICES: "" }, system)).none, "CUDA_VISIBLE_DEVICES=\"\" hides every GPU.");
    assert.match((await findGpus(project.workshop, { PATH: "" }, join(project.root, "elsewhere"))).none ?? "", /^No NVIDIA GPU was found/);
  });

  it("the variables that matter, and no secrets", () => {
    assert.deepEqual(environmentThatMatters({
      LD_LIBRARY_PATH: "/lib", CUDA_HOME: "/cuda", TORCH_SHOW_CPP_STACKTRACES: "1", HOME: "/home/me", GITHUB_TOKEN: "x", TORCH_API_TOKEN: "x", CUDA_SECRET: "x",
      PYTHONPATH: "https://user:secret@host/x", OMP_NUM_THREADS: "2", SSH_AUTH_SOCK: "/s",
    }), { CUDA_HOME: "/cuda", LD_LIBRARY_PATH: "/lib", OMP_NUM_THREADS: "2", PYTHONPATH: "https://(not shown)@host/x", TORCH_SHOW_CPP_STACKTRACES: "1" });
  });
});
