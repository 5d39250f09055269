import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, describe, it } from "node:test";
import { execa } from "execa";
import { build } from "../../../src/workshop/build/index.ts";
import type { BuildPlan } from "../../../src/workshop/project/types.ts";
import { bench, cmakePlan, environment, request, scratchFolder, writeFiles } from "./support.ts";

const { folder: scratch, remove } = scratchFolder("build-interrupted");
after(remove);
const cli = path.resolve(import.meta.dirname, "../../../src/cli/main.ts");

/** Its second step waits for a file that the test makes; its third links. `-GNinja` keeps the steps apart. */
function slowProject(name: string, generator = "Ninja"): string {
  const root = writeFiles(path.join(scratch, name), {
    "abiding.json": JSON.stringify({ build: [{ source: ".", folder: "build", arguments: ["-G", generator] }] }),
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.22)
project(slow C)
add_custom_command(OUTPUT made.c COMMAND \${CMAKE_SOURCE_DIR}/wait.sh COMMAND \${CMAKE_COMMAND} -E copy \${CMAKE_SOURCE_DIR}/slow.c made.c DEPENDS slow.c)
add_library(slow SHARED made.c first.c)
`,
    "slow.c": "int slow(void) { return 1; }\n",
    "first.c": "int first(void) { return 2; }\n",
    "wait.sh": `#!/bin/sh\ntrap '' TERM\necho $$ > "${scratch}/${name}.pid"\nwhile [ ! -e "${scratch}/${name}.go" ] && [ -d "${scratch}" ]; do sleep 0.05; done\n`,
  });
  fs.chmodSync(path.join(root, "wait.sh"), 0o755);
  return root;
}

const isAlive = (id: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(fs.readFileSync(`/proc/${id}/stat`, "utf8"));
  } catch {
    return false;
  }
};

async function until(what: () => boolean, milliseconds = 20_000): Promise<void> {
  for (const end = performance.now() + milliseconds; !what();) {
    assert.ok(performance.now() < end, "waited too long");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const waiting = (name: string): number => Number(fs.readFileSync(path.join(scratch, `${name}.pid`), "utf8"));
/** The shell makes the file before it writes into it. */
const hasBegun = (name: string): boolean => fs.existsSync(path.join(scratch, `${name}.pid`)) && waiting(name) > 0;

describe("a build that is interrupted", () => {
  for (const generator of ["Ninja", "Unix Makefiles"]) {
    it(`by a cancel leaves no process, reports what was done, and goes on next time (${generator})`, async () => {
      const name = generator.replaceAll(" ", "");
      const root = slowProject(name, generator);
      const plan = cmakePlan(root);
      const workshop = bench();
      const work = build(request(root, plan, { arguments: ["-G", generator] }), workshop);
      await until(() => hasBegun(name));
      workshop.cancel();
      const cancelled = await work;
      assert.deepEqual([cancelled.outcome, cancelled.reason, cancelled.steps.map((step) => step.ending.kind)], ["cancelled", "The build was cancelled; what was finished stays, and the next build goes on from there.", ["exited", "cancelled"]]);
      assert.equal(isAlive(waiting(name)), false);
      fs.writeFileSync(path.join(scratch, `${name}.go`), "");
      const next = await build(request(root, plan), bench());
      assert.deepEqual([next.outcome, next.products.map((one) => path.relative(root, one.file))], ["built", ["build/libslow.so"]]);
    });
  }

  it("by Ctrl-C on the command line ends the tree, delivers the report and ends with 130", async () => {
    const root = slowProject("keyboard");
    const run = execa(process.execPath, [cli, "build", root, "--format", "json"], { cwd: scratch, reject: false, env: environment, extendEnv: false });
    await until(() => hasBegun("keyboard"));
    run.kill("SIGINT");
    const { exitCode, stdout, stderr } = await run;
    assert.equal(exitCode, 130, stderr);
    assert.equal((JSON.parse(stdout) as { outcome: string }).outcome, "cancelled");
    assert.match(stderr, /^abiding: Interrupted; waiting for what was started to end\.$/m);
    assert.equal(isAlive(waiting("keyboard")), false);
  });

  it("by kill -9 of ourselves is taken over by the next build, which ends what was left", async () => {
    const root = slowProject("killed");
    const run = execa(process.execPath, [cli, "build", root], { cwd: scratch, reject: false, env: environment, extendEnv: false });
    await until(() => hasBegun("killed"));
    run.kill("SIGKILL");
    await run;
    const left = waiting("killed");
    assert.equal(isAlive(left), true);
    const workshop = bench();
    const work = build(request(root, cmakePlan(root)), workshop);
    await until(() => waiting("killed") !== left && hasBegun("killed"));
    fs.writeFileSync(path.join(scratch, "killed.go"), "");
    const next = await work;
    assert.deepEqual([next.outcome, next.products.map((one) => path.relative(root, one.file))], ["built", ["build/libslow.so"]]);
    assert.match(workshop.notes.join("\n"), /was locked by .* Taking over\./);
    assert.equal(isAlive(left), false);
  });
});

describe("two builds of one folder", () => {
  it("come one after the other, and the second says for whom it waits", async () => {
    const root = slowProject("twice");
    const first = bench();
    const second = bench();
    const one = build(request(root, cmakePlan(root), { arguments: ["-GNinja"] }), first);
    await until(() => hasBegun("twice"));
    const other = build(request(root, cmakePlan(root)), second);
    await until(() => second.notes.length > 0);
    assert.match(second.notes[0] ?? "", /twice\/build.*abiding build cmake/s);
    fs.writeFileSync(path.join(scratch, "twice.go"), "");
    assert.deepEqual([(await one).outcome, (await other).outcome, (await other).products], ["built", "built", []]);
  });

  it("by commands of its own: no lock lies among the sources, and a second build waits all the same", async () => {
    const root = path.join(scratch, "own");
    fs.mkdirSync(root);
    const command = ["/bin/sh", "-c", `mkdir ${scratch}/own.busy || exit 1; ls -A >> ${scratch}/own.seen; sleep 0.5; rmdir ${scratch}/own.busy`];
    const plan: BuildPlan = { kind: "command", id: "own", label: "own", folder: root, steps: [command], variables: {}, shownBy: cmakePlan(root).shownBy, origin: "abiding.json" };
    const both = [bench(), bench()];
    const reports = await Promise.all(both.map(async (one) => build(request(root, plan), one)));
    assert.deepEqual(reports.map((one) => one.outcome), ["built", "built"]);
    assert.match(both.flatMap((one) => one.notes).join("\n"), /own is in use by .*abiding build own/);
    assert.equal(fs.readFileSync(path.join(scratch, "own.seen"), "utf8"), ".abiding\n.abiding\n");
  });

  it("by commands of its own: the log of each is kept", async () => {
    const root = path.join(scratch, "logs");
    fs.mkdirSync(root);
    const steps = ["one", "two"].map((word) => ["/bin/sh", "-c", `echo ${word}`]);
    const plan: BuildPlan = { kind: "command", id: "logs", label: "logs", folder: root, steps, variables: {}, shownBy: cmakePlan(root).shownBy, origin: "abiding.json" };
    const report = await build(request(root, plan), bench());
    assert.deepEqual(report.steps.map((step) => fs.readFileSync(step.log ?? "", "utf8")), ["one\n", "two\n"]);
  });

  it("can be called off while it waits", async () => {
    const root = slowProject("waits");
    const first = bench();
    const one = build(request(root, cmakePlan(root), { arguments: ["-GNinja"] }), first);
    await until(() => hasBegun("waits"));
    const second = bench();
    const other = build(request(root, cmakePlan(root)), second);
    await until(() => second.notes.length > 0);
    second.cancel();
    assert.deepEqual([(await other).outcome, (await other).steps], ["cancelled", []]);
    first.cancel();
    assert.equal((await one).outcome, "cancelled");
  });
});
