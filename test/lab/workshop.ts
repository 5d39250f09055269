/** Makes the files of experiments, once: what the same steps made with the same compilers is kept outside the checkout. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync, openSync, writeSync, closeSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { cacheFolder } from "../harness/locations.ts";
import type { Experiment, Step } from "./experiment.ts";
import type { Torch } from "./torches.ts";

export type Made = { readonly ok: true; readonly folder: string; readonly path: string } | { readonly ok: false; readonly text: string };

const versions = new Map<string, Promise<string>>();

/** The first line in which a compiler says who it is. */
function versionOf(program: string): Promise<string> {
  let answer = versions.get(program);
  if (answer === undefined) {
    answer = execa(program, ["--version"], { reject: false }).then((result) => `${program}: ${String(result.stdout ?? result.originalMessage)}`);
    versions.set(program, answer);
  }
  return answer;
}

/** Makes what the experiment asks for. A step that fails is told, never skipped. */
export async function make(experiment: Experiment, headers: Torch | undefined): Promise<Made> {
  const programs = [...new Set(experiment.steps.flatMap((step) => (step.do === "run" ? [step.program] : [])))].sort();
  const key = createHash("sha256")
    .update(JSON.stringify([experiment.id, experiment.steps, await Promise.all(programs.map(versionOf)), headers?.name]))
    .digest("hex").slice(0, 16);
  const folder = join(cacheFolder(), "lab", key);
  const path = join(folder, experiment.file);
  if (existsSync(path)) return { ok: true, folder, path };
  const scratch = `${folder}.making`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  for (const step of experiment.steps) {
    const failure = await take(step, scratch, folder, headers);
    if (failure !== undefined) return { ok: false, text: failure };
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(scratch, folder);
  return existsSync(path) ? { ok: true, folder, path } : { ok: false, text: `The steps made no ${experiment.file}.` };
}

async function take(step: Step, scratch: string, folder: string, headers: Torch | undefined): Promise<string | undefined> {
  switch (step.do) {
    case "write": {
      const path = join(scratch, step.file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, step.text);
      return undefined;
    }
    case "patch": {
      const file = openSync(join(scratch, step.file), "r+");
      writeSync(file, Uint8Array.from(step.bytes), 0, step.bytes.length, step.at);
      closeSync(file);
      return undefined;
    }
    case "truncate":
      truncateSync(join(scratch, step.file), step.size);
      return undefined;
    case "move":
      mkdirSync(dirname(join(scratch, step.to)), { recursive: true });
      renameSync(join(scratch, step.from), join(scratch, step.to));
      return undefined;
    case "run": {
      const output = step.args[step.args.indexOf("-o") + 1];
      if (output !== undefined) mkdirSync(dirname(join(scratch, output)), { recursive: true });
      const args = step.args.map((argument) => argument.replaceAll("{folder}", folder).replaceAll("{torch}", headers?.root ?? "").replaceAll("{include}", headers?.include ?? "").replaceAll("{python}", headers?.pythonInclude ?? ""));
      const result = await execa(step.program, args, { cwd: scratch, all: true, reject: false, stdin: "ignore", env: { LC_ALL: "C" } });
      return result.failed ? `${step.program} ${args.join(" ")}\n${result.all ?? ""}${result.originalMessage ?? ""}` : undefined;
    }
  }
}
