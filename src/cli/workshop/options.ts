import * as fs from "node:fs";
import * as path from "node:path";
import { parseArgs } from "node:util";
import type { ParseArgsOptionsConfig } from "node:util";
import { UsageError } from "../arguments.ts";

/** What stands before and after "--": the second part is for the program that is started. */
export function splitAtDashes(argv: readonly string[]): { readonly own: readonly string[]; readonly others: readonly string[] } {
  const at = argv.indexOf("--");
  return at < 0 ? { own: argv, others: [] } : { own: argv.slice(0, at), others: argv.slice(at + 1) };
}

/** The project folder that a command's only operand names: the current one when there is none. Throws UsageError. */
export function projectFolder(command: string, operands: readonly string[], workingDirectory: string): string {
  if (operands.length > 1) {
    throw new UsageError(`${command} takes one folder, and got ${operands.length}: ${operands.join(" ")}.`);
  }
  const folder = path.resolve(workingDirectory, operands[0] ?? ".");
  const status = fs.statSync(folder, { throwIfNoEntry: false });
  if (status?.isDirectory() !== true) {
    throw new UsageError(status === undefined ? `${folder} does not exist.` : `${folder} is a file; name the folder of a project.`);
  }
  return fs.realpathSync(folder);
}

type Parsed<T extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>>;

/** Reads the command line after the command's name. Throws UsageError that names the options there are. */
export function readOptions<const T extends ParseArgsOptionsConfig>(command: string, argv: readonly string[], options: T): Parsed<T> {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`).join(", ");
    throw new UsageError(`${error instanceof Error ? error.message.split(". To specify")[0] ?? "" : String(error)}. ${command} takes ${known}.`);
  }
}

/** The Python that an option names; the folder of an environment stands for its Python. Throws UsageError. */
export function interpreterOption(option: string, text: string | undefined, workingDirectory: string): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  const place = path.resolve(workingDirectory, text);
  const status = fs.statSync(place, { throwIfNoEntry: false });
  if (status === undefined) {
    throw new UsageError(`${option} ${place} does not exist.`);
  }
  const inside = status.isDirectory() ? ["bin/python", "bin/python3", "Scripts/python.exe", "python.exe"].map((name) => path.join(place, name)).find((file) => fs.existsSync(file)) : place;
  if (inside === undefined) {
    throw new UsageError(`${option} ${place} holds no Python; name the executable, or the folder of a virtual environment.`);
  }
  return inside;
}

/** "90", "90s", "5m", "1h" in milliseconds. Throws UsageError. */
export function millisecondsOf(option: string, text: string): number {
  const [, number = "", unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*$/.exec(text) ?? [];
  if (!(Number(number) > 0)) {
    throw new UsageError(`${option} must be a time above zero such as 90s or 5m; it is "${text}".`);
  }
  return Math.round(Number(number) * ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit] ?? 1000));
}
