import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { UsageError } from "../../../../src/cli/arguments.ts";
import type { Terminal } from "../../../../src/cli/terminal.ts";
import { ci } from "../../../../src/cli/workshop/combinations/ci.ts";
import { ciMatrix, ciRecords, ciWorkflow, type CiRequest } from "../../../../src/workshop/combinations/ci/index.ts";
import type { Cell } from "../../../../src/workshop/combinations/types.ts";
import { root as checkout } from "../../../harness/locations.ts";
import type { NightlyIndex } from "../../../support/nightlyIndex.ts";
import { environment, scratchFolder } from "../../build/support.ts";
import { git, index, onlyIndex, project, python } from "../cells/support.ts";
import { parsed, Runner, type Workflow } from "./runner.ts";

const { folder: scratch, remove } = scratchFolder("ci");
after(remove);

const request: CiRequest = { abiding: { repository: "me/abiding", ref: "v1" }, project: ".", records: ".abiding/combinations.jsonl", schedule: "17 5 * * *", runsOn: ["ubuntu-24.04"], hasCommits: false, commits: false };

function stepsOf({ jobs }: Workflow): readonly (Workflow["jobs"]["plan"]["steps"][number])[] {
  return Object.values(jobs).flatMap((job) => job.steps);
}

async function command(...words: readonly string[]): Promise<{ readonly status: number; readonly out: string; readonly said: string }> {
  let [out, said] = ["", ""];
  const terminal: Terminal = { workingDirectory: scratch, environment: {}, version: "1.2.3", colours: false, progress: () => undefined, say: (text) => { said += text; }, deliver: (text) => { out += text; } };
  return { status: await ci(words, terminal), out, said };
}

const refused = async (...words: readonly string[]): Promise<string> => {
  const error = await command(...words).then(() => undefined, (reason: unknown) => reason);
  assert.ok(error instanceof UsageError, String(error));
  return error.message;
};

describe("the workflow", () => {
  it("may only read, and writes only in the job that merges, where that was asked for", () => {
    const reading = parsed(ciWorkflow(request));
    assert.deepEqual([reading.permissions, Object.values(reading.jobs).map((job) => job.permissions)], [{ contents: "read" }, [undefined, undefined, undefined]]);
    assert.doesNotMatch(ciWorkflow(request), /git (?:push|commit|add)/);
    const writing = parsed(ciWorkflow({ ...request, commits: true }));
    assert.deepEqual([writing.permissions, writing.jobs.plan.permissions, writing.jobs.try.permissions, writing.jobs.merge.permissions], [{ contents: "read" }, undefined, undefined, { contents: "write" }]);
    const keeps = (job: Workflow["jobs"]["plan"]): unknown => job.steps.find((step) => step.uses?.startsWith("actions/checkout@"))?.with?.["persist-credentials"];
    assert.deepEqual([keeps(writing.jobs.plan), keeps(writing.jobs.try), keeps(writing.jobs.merge), keeps(reading.jobs.merge)], [false, false, true, false]);
  });

  it("lets nothing into the text of a script, whatever the project is called", () => {
    const strange = "it's/a \"project\" ${{ github.token }} $(touch owned)";
    for (const text of [ciWorkflow(request), ciWorkflow({ ...request, project: strange, records: strange, commits: true, abiding: { command: ["/opt/my abiding", strange] } })]) {
      for (const { run } of stepsOf(parsed(text))) assert.doesNotMatch(run ?? "", /\$\{\{|it's|owned/);
    }
  });

  it("uses actions by a major version that exists, and ends in time", () => {
    // Seen in their releases: checkout v6, setup-node v6, setup-python v6, upload-artifact v7, download-artifact v8.
    const workflow = parsed(ciWorkflow({ ...request, commits: true }));
    assert.deepEqual([...new Set(stepsOf(workflow).flatMap(({ uses }) => uses ?? []))].sort(), ["actions/checkout@v6", "actions/download-artifact@v8", "actions/setup-node@v6", "actions/setup-python@v6", "actions/upload-artifact@v7"]);
    for (const job of Object.values(workflow.jobs)) assert.ok(job["timeout-minutes"] > 0);
    for (const step of stepsOf(workflow)) assert.equal((step.run === undefined) !== (step.uses === undefined), true);
  });

  it("has scripts that shellcheck has nothing to say of", { skip: existsSync("/usr/bin/shellcheck") ? false : "shellcheck is not installed" }, () => {
    for (const { run } of stepsOf(parsed(ciWorkflow({ ...request, commits: true })))) {
      if (run !== undefined) execFileSync("/usr/bin/shellcheck", ["--shell=bash", "-"], { input: `set -eo pipefail\n${run}\n`, encoding: "utf8" });
    }
  });
});

describe("the matrix", () => {
  const cell = (number: number, version: string): Cell => ({ id: `cell-${number}`, label: `cell ${number}`, torch: `2.${number % 7}.0`, python: version, packages: {} });

  it("has a job for each cell, and several cells in one where there are more than GitHub takes", () => {
    assert.deepEqual(ciMatrix({ cells: [cell(1, "3.11"), cell(2, "3.13t")] }), { include: [{ label: "cell 1", cells: "cell-1", torch: "2.1.0", python: "3.11" }, { label: "cell 2", cells: "cell-2", torch: "2.2.0", python: "3.13t" }] });
    const many = Array.from({ length: 1000 }, (_, number) => cell(number, number % 3 === 0 ? "3.11" : "3.13"));
    const { include } = ciMatrix({ cells: many });
    assert.ok(include.length <= 256 && include.length > 200, String(include.length));
    assert.deepEqual(include.flatMap(({ cells }) => cells.split("\n")).toSorted(), many.map(({ id }) => id).toSorted());
    for (const job of include) assert.deepEqual([...new Set(job.cells.split("\n").map((id) => many.find((one) => one.id === id)?.python))], [job.python]);
    assert.deepEqual(ciMatrix({ cells: [] }), { include: [] });
    assert.throws(() => ciMatrix({ results: [] }), /This is no plan/);
    assert.throws(() => ciRecords({ cells: [] }), /This is no report of a run/);
  });
});

describe("abiding combinations ci", () => {
  it("writes its file into the repository, again when nobody has changed it, and never over another's", async () => {
    const repository = join(scratch, "repository");
    const sub = join(repository, "libraries", "ops");
    mkdirSync(sub, { recursive: true });
    mkdirSync(join(repository, ".git"));
    const file = join(repository, ".github", "workflows", "combinations.yml");
    assert.match((await command(sub, "--from", "me/abiding@v1")).out, /combinations\.yml was written\./);
    assert.equal(parsed(readFileSync(file, "utf8")).env["PROJECT"], "project/libraries/ops");
    assert.match((await command(sub, "--from", "me/abiding@v1")).out, /is as it should be\.\n$/);
    await command(sub, "--from", "me/abiding@v2", "--schedule", "*/5 * * * MON-FRI", "--runs-on", "self-hosted", "--runs-on", "gpu");
    const second = parsed(readFileSync(file, "utf8"));
    assert.deepEqual([second.on.schedule, second.jobs.try["runs-on"], second.jobs.merge["runs-on"]], [[{ cron: "*/5 * * * MON-FRI" }], ["self-hosted", "gpu"], "ubuntu-24.04"]);
    const changed = readFileSync(file, "utf8").replace("timeout-minutes: 180", "timeout-minutes: 20");
    writeFileSync(file, changed);
    assert.match(await refused(sub, "--from", "me/abiding@v1"), /was changed by hand since .* --force replaces it/);
    assert.equal(readFileSync(file, "utf8"), changed);
    await command(sub, "--from", "me/abiding@v1", "--force");
    assert.match(readFileSync(file, "utf8"), /timeout-minutes: 180/);
    writeFileSync(file, "name: mine\n");
    assert.match(await refused(sub, "--from", "me/abiding@v1", "--force"), /was not written by `abiding combinations ci`, and stays as it is/);
    assert.deepEqual([readFileSync(file, "utf8"), readdirSync(join(file, ".."))], ["name: mine\n", ["combinations.yml"]]);
    assert.match((await command(sub, "--from", "me/abiding", "--output", "-")).out, /^name: combinations\n/);
  });

  it("asks which Abiding runs there, and takes nothing for it that could be something else", async () => {
    const bare = join(scratch, "bare");
    mkdirSync(bare, { recursive: true });
    assert.match(await refused(bare), /--from OWNER\/REPOSITORY\[@REF\], or --command/);
    assert.match(await refused(bare, "--from", "me/abiding; touch owned"), /--from must be OWNER\/REPOSITORY/);
    assert.match(await refused(bare, "--from", "me/abiding", "--schedule", "daily"), /--schedule must be five fields/);
    assert.match(await refused(bare, "--from", "me/abiding", "--runs-on", "${{ x }}"), /--runs-on must be a label/);
    assert.match(await refused(bare, "--command", "a\nb"), /line break/);
    assert.match(await refused("--matrix", join(scratch, "nowhere.json")), /nowhere\.json: it does not exist/);
  });
});

describe("the workflow, run as a runner would", () => {
  let served: NightlyIndex;
  let variables: Readonly<Record<string, string>>;
  before(async () => {
    served = await index({ days: 2 });
    variables = { ...environment, ...onlyIndex(served, scratch), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", GIT_AUTHOR_NAME: "test", GIT_AUTHOR_EMAIL: "test@example.invalid", GIT_COMMITTER_NAME: "test", GIT_COMMITTER_EMAIL: "test@example.invalid" };
  });
  after(() => served.stop());

  it("plans the matrix, tries its cells, merges their records and pushes them to the branch", async () => {
    const source = project(join(scratch, "a $(touch owned) project"), served.nightly(), { matrix: { torch: ["2.16.0.dev20261002"], python, compiler: ["gcc", "gcc-99"] }, executor: { kind: "slurm" } });
    const remote = join(scratch, "remote.git");
    execFileSync("git", ["clone", "--quiet", "--bare", source, remote]);
    await command(source, "--command", process.execPath, "--command", join(checkout, "src", "cli", "main.ts"), "--commit");
    const runner = new Runner(parsed(readFileSync(join(source, ".github", "workflows", "combinations.yml"), "utf8")), join(scratch, "runner"), remote, variables);
    const plan = await runner.run("plan");
    assert.equal(plan.status, 0, plan.log);
    const { include } = JSON.parse(plan.outputs["matrix"] ?? "") as { readonly include: readonly Readonly<Record<string, string>>[] };
    assert.deepEqual(include.map(({ label, python: version, torch }) => [label, version, torch]), ["gcc", "gcc-99"].map((compiler) => [`torch 2.16.0.dev20261002+cpu, Python ${python}, ${compiler}`, python, "2.16.0.dev20261002+cpu"]));
    const [passed, unknown] = [await runner.run("try", include[0], 0), await runner.run("try", include[1], 1)];
    assert.equal(passed.status, 0, passed.log);
    assert.equal(unknown.status, 1, unknown.log);
    assert.match(unknown.log, /^::error::A cell did not pass/m);
    // A cell that could not be told left no record, but its log.
    assert.deepEqual(readdirSync(runner.artifacts).toSorted(), ["combinations-logs-0", "combinations-logs-1", "combinations-records-0"]);
    const merged = await runner.run("merge", {}, 0, ({ name }) => {
      if (name !== "Commit") return;
      // Somebody else is quicker.
      writeFileSync(join(source, "other.txt"), "other\n");
      git(source, "add", "other.txt");
      git(source, "commit", "--quiet", "--message=other");
      git(source, "push", "--quiet", remote, "main");
    });
    assert.equal(merged.status, 0, merged.log);
    assert.match(merged.summary, /2\.16\.0\.dev20261002/);
    const records = execFileSync("git", ["-C", remote, "show", "main:.abiding/combinations.jsonl"], { encoding: "utf8" }).trim().split("\n").map((line) => JSON.parse(line) as { how: string; outcome: string; note: string; combination: { project: { changed?: boolean; commit?: string } } });
    assert.deepEqual(records.map(({ how, outcome, note }) => [how, outcome, note]), ["built", "loaded", "smoke"].map((how) => [how, "passed", "https://github.example/me/mine/actions/runs/42"]));
    assert.equal(records[0]?.combination.project.changed ?? false, false);
    assert.deepEqual(execFileSync("git", ["-C", remote, "show", "--name-only", "--format=%s", "main"], { encoding: "utf8" }).split("\n").filter((line) => line !== ""), ["Working combinations: what CI found", ".abiding/.gitattributes", ".abiding/combinations.jsonl"]);
    // Once more there is nothing new, and nothing is pushed.
    const before = execFileSync("git", ["-C", remote, "rev-parse", "main"], { encoding: "utf8" });
    const again = await runner.run("merge");
    assert.deepEqual([again.status, execFileSync("git", ["-C", remote, "rev-parse", "main"], { encoding: "utf8" })], [0, before], again.log);
    assert.match(again.log, /There is no new record\./);
  });
});
