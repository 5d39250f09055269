import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { execa } from "execa";
import { tail } from "../lib/step.ts";

/** Something that tiers need and that is not an npm package of this project. */
export interface Prerequisite {
  readonly name: string;
  /** Puts it in place when it is missing. Returns a few words about what is there; throws when it cannot be had. */
  prepare(): Promise<string>;
}

/** Runs a step of an installation; its output is shown only when it fails. */
export async function install(folder: string, program: string, ...parameters: string[]): Promise<void> {
  const result = await execa(program, parameters, { cwd: folder, all: true, reject: false, stdin: "ignore", env: { CI: "true", DEBIAN_FRONTEND: "noninteractive" } });
  if (result.failed) throw new Error(`\`${[program, ...parameters].join(" ")}\` failed: ${result.originalMessage ?? `exit code ${result.exitCode ?? "none"}`}\n${tail(result.all)}`);
}

/** Fills a folder under another name and renames it at the end: it is complete or absent, also when two runs meet. */
export async function fillFolder(folder: string, fill: (scratch: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  const scratch = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  try {
    await fill(scratch);
    renameSync(scratch, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
