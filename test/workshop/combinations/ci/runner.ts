/** Runs a workflow as GitHub's runners would: each job in a folder of its own, scripts by bash, the actions that it uses by what they do to files. */
import assert from "node:assert/strict";
import { cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { execa } from "execa";
import { parse } from "yaml";

type Values = Readonly<Record<string, string>>;

interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Values;
  readonly run?: string;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly outputs?: Values;
  readonly permissions?: Values;
  readonly "runs-on": string | readonly string[];
  readonly "timeout-minutes": number;
  readonly strategy?: { readonly "fail-fast": boolean; readonly matrix: string };
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly on: { readonly schedule: readonly { readonly cron: string }[]; readonly workflow_dispatch: object };
  readonly permissions: Values;
  readonly env: Values;
  readonly jobs: Readonly<Record<"plan" | "try" | "merge", Job>>;
}

export function parsed(text: string): Workflow {
  return parse(text) as Workflow;
}

export interface Ran {
  readonly status: number;
  readonly log: string;
  readonly outputs: Values;
  readonly summary: string;
}

export class Runner {
  readonly workflow: Workflow;
  readonly #folder: string;
  readonly #remote: string;
  readonly #environment: Values;
  #jobs = 0;

  /** `remote`: what is checked out. */
  constructor(workflow: Workflow, folder: string, remote: string, environment: Values) {
    this.workflow = workflow;
    this.#folder = folder;
    this.#remote = remote;
    this.#environment = environment;
  }

  get artifacts(): string {
    return join(this.#folder, "artifacts");
  }

  /** `before`: what somebody else does before a step. */
  async run(name: keyof Workflow["jobs"], matrix: Values = {}, index = 0, before: (step: Step) => void = () => undefined): Promise<Ran> {
    this.#jobs += 1;
    const job = join(this.#folder, `job-${this.#jobs}`);
    const [workspace, temporary] = [join(job, "workspace"), join(job, "temp")];
    for (const one of [workspace, temporary]) mkdirSync(one, { recursive: true });
    const steps: Record<string, Values> = {};
    const expand = (text: string): string => text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
      const [, key] = /^matrix\.(\w+)$/.exec(expression) ?? [];
      if (key !== undefined) return matrix[key] ?? "";
      if (expression === "strategy.job-index") return String(index);
      if (expression === "runner.temp") return temporary;
      const [, step = "", output = ""] = /^steps\.(\w+)\.outputs\.(\w+)$/.exec(expression) ?? [];
      assert.notEqual(step, "", expression);
      return steps[step]?.[output] ?? "";
    });
    let status = 0;
    let log = "";
    const summary = join(job, "summary");
    writeFileSync(summary, "");
    for (const [number, step] of this.workflow.jobs[name].steps.entries()) {
      if (!(status === 0 || step.if === "always()") || (step.if === "matrix.python != ''" && (matrix["python"] ?? "") === "")) continue;
      before(step);
      if (step.run === undefined) {
        await this.#use(step, Object.fromEntries(Object.entries(step.with ?? {}).map(([key, value]) => [key, expand(String(value))])), workspace);
        continue;
      }
      const script = join(job, `${number}.sh`);
      writeFileSync(script, step.run);
      const output = join(job, `output-${number}`);
      writeFileSync(output, "");
      const result = await execa("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
        cwd: workspace, reject: false, all: true, extendEnv: false, stdin: "ignore",
        env: {
          ...this.#environment, ...this.workflow.env, ...Object.fromEntries(Object.entries(step.env ?? {}).map(([key, value]) => [key, expand(value)])), RUNNER_TEMP: temporary, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary,
          GITHUB_SERVER_URL: "https://github.example", GITHUB_REPOSITORY: "me/mine", GITHUB_RUN_ID: "42", GITHUB_REF_NAME: "main",
        },
      });
      log += `${result.all}\n`;
      if (step.id !== undefined) steps[step.id] = Object.fromEntries(readFileSync(output, "utf8").split("\n").filter((line) => line !== "").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
      if (status === 0) status = result.exitCode ?? 99;
    }
    return { status, log, outputs: Object.fromEntries(Object.entries(this.workflow.jobs[name].outputs ?? {}).map(([key, value]) => [key, expand(value)])), summary: readFileSync(summary, "utf8") };
  }

  async #use({ uses = "" }: Step, values: Values, workspace: string): Promise<void> {
    const [action] = uses.split("@");
    const place = join(workspace, values["path"] ?? "");
    switch (action) {
      case "actions/checkout":
        assert.equal(values["repository"], undefined);
        await execa("git", ["clone", "--quiet", this.#remote, place], { env: this.#environment, extendEnv: false });
        break;
      case "actions/upload-artifact": {
        const path = values["path"] ?? "";
        const found = globSync(path, { cwd: workspace }).map((one) => (one.startsWith("/") ? one : join(workspace, one))).filter((one) => !statSync(one).isDirectory() || globSync(join(one, "**/*")).length > 0);
        for (const one of found) cpSync(one, join(this.artifacts, values["name"] ?? "", statSync(one).isDirectory() ? "" : basename(one)), { recursive: true });
        break;
      }
      case "actions/download-artifact": {
        const to = values["path"]?.startsWith("/") === true ? values["path"] : place;
        // The folder is what the action makes in any case.
        mkdirSync(to, { recursive: true });
        for (const one of globSync(join(this.artifacts, values["pattern"] ?? values["name"] ?? ""))) cpSync(one, values["pattern"] === undefined ? to : join(to, relative(this.artifacts, one)), { recursive: true });
        break;
      }
      case "actions/setup-node":
      case "actions/setup-python":
        break;
      default:
        assert.fail(uses);
    }
  }
}
