/** What the tests of records share: a folder, records as they come, the command line in this process. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import Ajv from "ajv";
import { UsageError } from "../../../../src/cli/arguments.ts";
import { combinations } from "../../../../src/cli/workshop/combinations/index.ts";
import { makeWorkshop } from "../../../../src/cli/workshop/workshop.ts";
import type { Terminal } from "../../../../src/cli/terminal.ts";
import type { CombinationRecord } from "../../../../src/workshop/combinations/types.ts";
import type { Variables } from "../../../../src/workshop/process/types.ts";
import type { Workshop } from "../../../../src/workshop/workshop.ts";
import { root } from "../../../harness/locations.ts";
import { writeTorch } from "../../../support/fake-torch.ts";

export const commit = "0123456789abcdef0123456789abcdef01234567";

/** A record, its combination aside as it mostly is. */
export function made(record: Partial<Omit<CombinationRecord, "combination">> = {}, combination: Partial<CombinationRecord["combination"]> = {}): CombinationRecord {
  return {
    schema: 1,
    combination: { project: { name: "ops", version: "1.2", commit }, torch: { version: "2.13.0+cpu" }, python: "3.12", cuda: null, platform: "linux-x86_64", gpu: null, ...combination },
    how: "smoke", outcome: "passed", when: "2026-11-20T10:00:00.000Z", by: "0.1.0", ...record,
  };
}

/** Lines of a file, each ended. */
export function lines(...values: readonly unknown[]): string {
  return values.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join("");
}

/** A schema of docs/schema, with those that it refers to. */
export function schema(name: string): ReturnType<Ajv["compile"]> {
  const load = (one: string): object => JSON.parse(fs.readFileSync(path.join(root, "docs/schema", `${one}.schema.json`), "utf8")) as object;
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  if (name !== "combination-record") ajv.addSchema(load("combination-record"), "combination-record.schema.json");
  return ajv.compile(load(name));
}

/** Without what belongs to whoever runs the tests. */
const inherited: Variables = Object.fromEntries(Object.entries(process.env).filter((one): one is [string, string] => one[1] !== undefined && !/^(?:VIRTUAL_ENV|CONDA_PREFIX|PYTHONPATH|GITHUB_.*|GIT_.*)$/.test(one[0])));

export class Folder {
  readonly root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "abiding-records-")));
  readonly variables: Variables = { ...inherited, HOME: this.root, XDG_CACHE_HOME: path.join(this.root, ".cache"), GIT_CONFIG_GLOBAL: os.devNull, GIT_CONFIG_NOSYSTEM: "1" };

  at(...parts: readonly string[]): string {
    return path.join(this.root, ...parts);
  }

  file(name: string, text: string): string {
    const place = this.at(name);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, text);
    return place;
  }

  read(name: string): string {
    return fs.readFileSync(this.at(name), "utf8");
  }

  /** A Python environment with a torch in it, none of which can be run. */
  environment(name: string, version = "2.13.0+cpu"): string {
    this.file(`${name}/pyvenv.cfg`, "home = /usr/bin\nversion = 3.12.4\n");
    this.file(`${name}/bin/python`, "");
    fs.mkdirSync(this.at(name, "lib/python3.12/site-packages"), { recursive: true });
    writeTorch(this.at(name, "lib/python3.12/site-packages/torch"), { version });
    this.file(`${name}/lib/python3.12/site-packages/torchvision-0.28.0+cpu.dist-info/METADATA`, "Name: torchvision\nVersion: 0.28.0+cpu\n");
    return this.at(name);
  }

  git(...words: readonly string[]): string {
    return execFileSync("git", ["-C", this.root, "-c", "user.name=a", "-c", "user.email=a@example.org", ...words], { encoding: "utf8", env: this.variables, stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  get workshop(): Workshop {
    const activity = { signal: new AbortController().signal, step: () => undefined, progress: () => undefined, output: () => undefined, note: () => undefined };
    return makeWorkshop(this.#terminal({ out: "", err: "" }), activity);
  }

  #terminal(said: { out: string; err: string }): Terminal {
    return {
      workingDirectory: this.root, environment: this.variables, version: "0.1.0", colours: false, progress: () => undefined, say: (text) => void (said.err += text),
      deliver: (text, file) => (file === undefined ? void (said.out += text) : fs.writeFileSync(this.at(file), text)),
    };
  }

  /** A command of the workshop in this process, which is quicker than to start the program. */
  async run(command: (argv: readonly string[], terminal: Terminal) => Promise<number>, ...args: readonly string[]): Promise<{ readonly status: number; readonly out: string; readonly err: string }> {
    const said = { out: "", err: "" };
    const status = await command(args, this.#terminal(said)).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      said.err += `abiding: ${error.message}\n`;
      return 2;
    });
    return { status, ...said };
  }

  abiding(...args: readonly string[]): ReturnType<Folder["run"]> {
    return this.run(combinations, ...args);
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.root, { recursive: true, force: true });
  }
}
