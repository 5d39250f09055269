/** action.yml and the workflow: what GitHub demands of them, and their scripts, run as the runner would. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { execa } from "execa";
import { parse } from "yaml";
import { root } from "../harness/locations.ts";

interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly shell?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly name: string;
  readonly description: string;
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly "runs-on": string; readonly "timeout-minutes": number; readonly steps: readonly Step[] }>>;
}

const action = parse(readFileSync(join(root, "action.yml"), "utf8")) as Action;
const workflow = parse(readFileSync(join(root, ".github", "workflows", "test.yml"), "utf8")) as Workflow;
const steps = [...action.runs.steps, ...Object.values(workflow.jobs).flatMap((job) => job.steps)];

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "abiding-action-")));
after(() => rmSync(scratch, { recursive: true, force: true }));
let runs = 0;

type Answers = Readonly<Record<string, string>>;

/** The values of one run: inputs, outputs of steps and the action's folder. */
function expand(text: string, inputs: Answers, outputs: Answers, actionPath: string): string {
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    if (expression === "github.action_path") return actionPath;
    const [, input] = /^inputs\.([\w-]+)$/.exec(expression) ?? [];
    const [, output] = /^steps\.check\.outputs\.([\w-]+)$/.exec(expression) ?? [];
    assert.ok(input !== undefined || output !== undefined, expression);
    return input !== undefined ? (inputs[input] ?? "") : (outputs[output ?? ""] ?? "");
  });
}

/** GITHUB_OUTPUT as the runner reads it: name<<DELIMITER, lines, DELIMITER. */
function readOutputs(file: string): Answers {
  const outputs: Record<string, string> = {};
  const lines = readFileSync(file, "utf8").split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const [, name, delimiter] = /^([\w-]+)<<(.+)$/.exec(lines[at] ?? "") ?? [];
    if (name === undefined || delimiter === undefined) {
      assert.equal(lines[at], "");
      continue;
    }
    const end = lines.indexOf(delimiter, at + 1);
    outputs[name] = lines.slice(at + 1, end).join("\n");
    at = end;
  }
  return outputs;
}

/** Runs the action's own steps one after the other, until one fails. */
async function run(workspace: string, given: Answers, actionPath = root) {
  const inputs = { ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, String(input.default)])), ...given };
  runs += 1;
  const folder = join(scratch, `run-${runs}`);
  mkdirSync(join(folder, "temp"), { recursive: true });
  let outputs: Answers = {};
  let log = "";
  const done: string[] = [];
  for (const [index, step] of action.runs.steps.entries()) {
    const wanted = step.if === undefined || (step.if === "inputs.command == ''" ? inputs["command"] === "" : inputs["upload"] === "true");
    if (!wanted) continue;
    done.push(step.name ?? "");
    if (step.run === undefined) {
      log += `${JSON.stringify(Object.fromEntries(Object.entries(step.with ?? {}).map(([key, value]) => [key, expand(value, inputs, outputs, actionPath)])))}\n`;
      continue;
    }
    const script = join(folder, `${index}.sh`);
    writeFileSync(script, step.run);
    const output = join(folder, `output-${index}`);
    writeFileSync(output, "");
    const own = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, expand(value, inputs, outputs, actionPath)]));
    const result = await execa("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
      cwd: workspace, reject: false, all: true, extendEnv: false,
      env: { ...process.env, VIRTUAL_ENV: undefined, CONDA_PREFIX: undefined, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`, ...own, GITHUB_OUTPUT: output, GITHUB_WORKSPACE: workspace, RUNNER_TEMP: join(folder, "temp") },
    });
    log += `${result.all}\n`;
    outputs = { ...outputs, ...readOutputs(output) };
    if (result.exitCode !== 0) return { status: result.exitCode, log, outputs, done };
  }
  return { status: 0, log, outputs, done };
}

interface Sarif {
  readonly version: string;
  readonly runs: readonly [{ readonly originalUriBaseIds: { readonly SRCROOT: { readonly uri: string } }; readonly results: readonly { readonly level: string; readonly locations: readonly [{ readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }] }[] }];
}

function places(file: string | undefined): readonly string[] {
  const log = JSON.parse(readFileSync(file ?? "", "utf8")) as Sarif;
  assert.equal(log.version, "2.1.0");
  return log.runs[0].results.map((result) => result.locations[0].physicalLocation.artifactLocation.uri);
}

const samples = join(scratch, "workspace");
cpSync(join(root, "samples"), samples, { recursive: true });

describe("action.yml", () => {
  it("has what GitHub demands of a composite action, and every value of its scripts comes by the environment", () => {
    assert.equal(action.runs.using, "composite");
    assert.ok(action.name !== "" && action.description !== "" && action.description.length <= 125);
    for (const [name, input] of Object.entries(action.inputs)) assert.deepEqual([typeof input.description, typeof input.default], ["string", "string"], name);
    for (const output of Object.values(action.outputs)) assert.match(output.value, /^\$\{\{ steps\.check\.outputs\.[\w-]+ \}\}$/);
    for (const step of action.runs.steps) {
      assert.equal((step.run === undefined) !== (step.uses === undefined), true, step.name);
      if (step.run !== undefined) assert.equal(step.shell, "bash", step.name);
    }
    for (const step of steps) assert.doesNotMatch(step.run ?? "", /\$\{\{/, step.name);
    // With NODE_ENV=production in the job, npm would leave out what builds Abiding.
    assert.match(action.runs.steps[0]?.run ?? "", /^\s*npm ci --include=dev\b/m);
    const docs = readFileSync(join(root, "docs", "github-action.md"), "utf8");
    assert.deepEqual([...docs.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name), [...Object.keys(action.inputs), ...Object.keys(action.outputs)]);
  });

  it("uses actions of others by a major version that exists", () => {
    // Seen in their releases: actions/checkout v6, actions/setup-node v6, actions/cache v5, actions/upload-artifact v7, github/codeql-action v4.
    assert.deepEqual([...new Set(steps.flatMap((step) => step.uses ?? []))].sort(), ["actions/cache@v5", "actions/checkout@v6", "actions/setup-node@v6", "actions/upload-artifact@v7", "github/codeql-action/upload-sarif@v4"]);
  });

  it("has scripts that shellcheck has nothing to say of", { skip: existsSync("/usr/bin/shellcheck") ? false : "shellcheck is not installed" }, () => {
    for (const step of steps) {
      if (step.run !== undefined) execFileSync("/usr/bin/shellcheck", ["--shell=bash", "-"], { input: `set -eo pipefail\n${step.run}\n`, encoding: "utf8" });
    }
  });

  it("fails for a skewed project, after its report was uploaded, with places that are the repository's", async () => {
    const result = await run(samples, { path: "skewed-extension", upload: "true", category: "mine" });
    assert.equal(result.status, 1, result.log);
    assert.deepEqual(result.done, ["Build Abiding", "Check", "Upload the report to code scanning", "Result"]);
    assert.equal(result.outputs["status"], "1");
    const uris = places(result.outputs["sarif-file"]);
    assert.equal(String(uris.length), result.outputs["findings"]);
    assert.ok(uris.length > 10);
    assert.deepEqual(uris.filter((uri) => !existsSync(join(samples, uri)) || !uri.startsWith("skewed-extension/")), []);
    assert.ok(result.log.includes(JSON.stringify({ sarif_file: result.outputs["sarif-file"], category: "mine" })));
    assert.match(result.log, /^error cxx-standard skewed-extension\/CMakeLists\.txt:6: The C\+\+ sources of targets /m);
    assert.match(result.log, /::error::Abiding found skew/);
  });

  it("passes a healthy project, and a skewed one when nothing shall fail", async () => {
    const healthy = await run(samples, { path: "healthy-extension" });
    assert.deepEqual([healthy.status, healthy.outputs["status"]], [0, "0"], healthy.log);
    assert.ok(!healthy.done.includes("Upload the report to code scanning"));
    const never = await run(samples, { path: "skewed-extension", "fail-on": "never" });
    assert.deepEqual([never.status, never.outputs["status"]], [0, "0"], never.log);
  });

  it("ends with 2 when nothing could be checked, and shows why", async () => {
    const missing = await run(samples, { path: "nowhere" });
    assert.equal(missing.status, 2);
    assert.match(missing.log, /nowhere does not exist/);
    const wrong = await run(samples, { path: "healthy-extension", "fail-on": "always" });
    assert.equal(wrong.status, 2);
    const other = await run(samples, { path: "healthy-extension", version: "99.0.0 $(touch version)" });
    assert.equal(other.status, 2);
    assert.match(other.log, /^::error::Abiding is 0\.1\.0, and the input version asks for 99\.0\.0/m);
    assert.ok(!existsSync(join(samples, "version")));
  });

  it("takes quotes, blanks and $(...) in inputs for letters", async () => {
    const strange = "it's a \"project\" $(touch owned) `touch owned` ; * --help";
    const workspace = join(scratch, "strange");
    cpSync(join(root, "samples", "skewed-extension"), join(workspace, strange), { recursive: true });
    copyFileSync(join(root, "samples", "skewed-extension", "setup.py"), join(workspace, "setup.py"));
    const result = await run(workspace, { path: strange, against: "\ntorch==2.13.0+cpu\r\n\ntorch==2.14.1+cu130\n", "sarif-file": "-o ut/$(touch owned) 'x'.sarif", "fail-on": "never" });
    assert.equal(result.status, 0, result.log);
    assert.equal(result.outputs["sarif-file"], join(workspace, "-o ut/$(touch owned) 'x'.sarif"));
    const uris = places(result.outputs["sarif-file"]);
    assert.ok(uris.length > 10);
    assert.deepEqual(uris.filter((uri) => !existsSync(join(workspace, decodeURIComponent(uri)))), []);
    assert.deepEqual([existsSync(join(workspace, "owned")), existsSync(join(workspace, strange, "owned"))], [false, false]);
    const hostile = await run(workspace, { path: strange, against: "$(touch owned)\n--help\n", "fail-on": "never" });
    assert.equal(hostile.status, 2, hostile.log);
    assert.ok(!existsSync(join(workspace, "owned")));
  });

  it("prints nothing of a project that the runner would obey", async () => {
    const workspace = join(scratch, "lines");
    cpSync(join(root, "samples", "healthy-extension"), workspace, { recursive: true });
    const result = await run(workspace, { path: "x\n::add-mask::y" });
    assert.equal(result.status, 2);
    const [, token] = /^::stop-commands::(abiding-\d+)$/m.exec(result.log) ?? [];
    assert.ok(token !== undefined && result.log.indexOf("::add-mask::") > result.log.indexOf(token));
    assert.ok(result.log.trimEnd().endsWith(`::${token}::`), result.log);
  });

  it("runs an installed Abiding where one is given, and builds none", async () => {
    const command = join(scratch, "my abiding");
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist", "cli.js")}" "$@"\n`);
    chmodSync(command, 0o755);
    const result = await run(samples, { path: "healthy-extension", command: `${command}\n`, version: "0.1.0" });
    assert.deepEqual([result.status, result.done], [0, ["Check", "Result"]], result.log);
  });
});

describe("the workflow", () => {
  it("tests pushes and pull requests with npm test, may only read, and ends in time", () => {
    assert.deepEqual(Object.keys(workflow.on), ["push", "pull_request"]);
    assert.deepEqual(workflow.permissions, { contents: "read" });
    const { test } = workflow.jobs;
    assert.equal(test?.["runs-on"], "ubuntu-24.04");
    assert.ok((test?.["timeout-minutes"] ?? 999) <= 60);
    assert.ok(test?.steps.some((step) => step.run === "npm test"));
    assert.ok(test?.steps.every((step) => (step.run === undefined) !== (step.uses === undefined)));
  });
});
