import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../../harness/locations.ts";
import type { Command, Variables } from "../../../src/workshop/process/types.ts";

/** The environment of this process, whole. */
export const environment: Variables = Object.fromEntries(Object.entries(process.env).filter((one): one is [string, string] => one[1] !== undefined));

export const node = process.execPath;

export interface Scratch {
  readonly path: string;
  /** Writes a file and tells its path. */
  file(name: string, text: string, mode?: number): string;
  [Symbol.dispose](): void;
}

export function scratch(): Scratch {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "abiding-process-")));
  return {
    path,
    file(name, text, mode = 0o644) {
      mkdirSync(join(path, name, ".."), { recursive: true });
      writeFileSync(join(path, name), text, { mode });
      return join(path, name);
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

export function command(folder: string, file: string, ...parameters: string[]): Command {
  return { file, arguments: parameters, folder, environment };
}

export function shell(folder: string, script: string): Command {
  return command(folder, "/bin/sh", "-c", script);
}

/** Compiles a C program into the folder. */
export function compiled(folder: string, source: string): string {
  const program = join(folder, "program");
  writeFileSync(`${program}.c`, source);
  execFileSync("cc", ["-O1", "-o", program, `${program}.c`], { stdio: "pipe" });
  return program;
}

/** Living processes, other than this one, that have the text in their arguments or their environment. */
export function alive(text: string): number[] {
  return readdirSync("/proc").map(Number).filter((id) => id > 0 && id !== process.pid && isAlive(id) && ["cmdline", "environ"].some((file) => content(`/proc/${id}/${file}`).includes(text)));
}

/** Zombies have ended. */
export function isAlive(id: number): boolean {
  return /^\d+ \(.*\) [^ZX]/s.test(content(`/proc/${id}/stat`));
}

function content(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

export async function until(condition: () => boolean, what: string, limit = 20_000): Promise<void> {
  for (const end = performance.now() + limit; !condition(); await delay(20)) if (performance.now() > end) throw new Error(`Waited in vain until ${what}`);
}

/** Where a test's own script finds the room. */
export const room = join(root, "src/workshop/process/index.ts");
