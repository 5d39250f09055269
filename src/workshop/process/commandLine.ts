/** A command as a person would type it. */
import { delimiter } from "node:path";
import { environmentDifference, shown } from "./environment.ts";
import type { Command, Variables } from "./types.ts";

export type Shell = "sh" | "powershell";

export interface CommandLineOptions {
  /** The shell that it is for. Default: PowerShell on Windows, else a POSIX shell. */
  readonly shell?: Shell;
  /** Begin with the change into the command's folder. */
  readonly folder?: boolean;
  /** The environment of the terminal that it will be pasted into: variables that differ from it are set. */
  readonly environment?: Variables;
}

/** POSIX: between single quotes every character stands for itself (XCU 2.2.2). */
function quotedForSh(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** PowerShell: in a single-quoted string only the quote itself is doubled (about_Quoting_Rules); typographic quotes count as quotes too. */
function quotedForPowerShell(text: string): string {
  return /^[A-Za-z0-9_+=:./\\-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll(/['‘’‚‛]/g, "$&$&")}'`;
}

/** Windows PowerShell hands arguments on in double quotes without escaping those inside (about_Parsing; PowerShell 7.3 changed it). */
function argumentForPowerShell(text: string): string {
  return /^-[A-Za-z0-9_-]+(?:=[A-Za-z0-9_./-]*)?$/.test(text) ? text : quotedForPowerShell(text);
}

interface Words {
  readonly command: (words: readonly string[]) => string;
  readonly enter: (folder: string) => string;
  readonly set: (name: string, value: string) => string;
  readonly unset: (name: string) => string;
  readonly secret: (name: string) => string;
  readonly and: string;
}

const sh: Words = {
  // A first word with `=` would be an assignment.
  command: ([file = "", ...rest]) => [file.includes("=") ? `'${file.replaceAll("'", `'\\''`)}'` : quotedForSh(file), ...rest.map(quotedForSh)].join(" "),
  enter: (folder) => `cd ${quotedForSh(folder)}`,
  set: (name, value) => `export ${name}=${quotedForSh(value)}`,
  unset: (name) => `unset ${name}`,
  secret: (name) => `: "\${${name}:?has a value that is not shown here: set it first}"`,
  and: " && ",
};

const powershell: Words = {
  command: ([file = "", ...rest]) => {
    const quoted = quotedForPowerShell(file);
    return [quoted === file ? file : `& ${quoted}`, ...rest.map(argumentForPowerShell)].join(" ");
  },
  enter: (folder) => `Set-Location -LiteralPath ${quotedForPowerShell(folder)}`,
  set: (name, value) => `\${env:${name}} = '${value.replaceAll(/['‘’‚‛]/g, "$&$&")}'`,
  unset: (name) => `Remove-Item -LiteralPath 'Env:${name}'`,
  secret: (name) => `if (-not \${env:${name}}) { throw '${name} has a value that is not shown here: set it first' }`,
  and: "; ",
};

/** For a list that only grew at its ends, what was added refers to the list as it is, so that the line stays short. */
function assignment(words: Words, name: string, before: string | undefined, after: string): string {
  if (words === sh && before !== undefined && before !== "") {
    if (after.endsWith(`${delimiter}${before}`)) return `export ${name}=${quotedForSh(after.slice(0, -before.length))}"$${name}"`;
    if (after.startsWith(`${before}${delimiter}`)) return `export ${name}="$${name}"${quotedForSh(after.slice(before.length))}`;
  }
  return words.set(name, after);
}

/** Only these can be set by a shell; others (`BASH_FUNC_x%%`) are left out. */
function isName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

function settings(words: Words, terminal: Variables, wanted: Variables): string[] {
  return environmentDifference(terminal, wanted).filter(({ name }) => isName(name)).map(({ name, kind }) => {
    if (kind === "unset") return words.unset(name);
    const value = wanted[name] ?? "";
    return shown(name, value) === value ? assignment(words, name, terminal[name], value) : words.secret(name);
  });
}

/** The command line, quoted so that a shell hands the program exactly the same arguments. */
export function commandLine(command: Command, options: CommandLineOptions = {}): string {
  const words = (options.shell ?? (process.platform === "win32" ? "powershell" : "sh")) === "sh" ? sh : powershell;
  return [
    ...(options.folder === true ? [words.enter(command.folder)] : []),
    ...(options.environment === undefined ? [] : settings(words, options.environment, command.environment)),
    words.command([command.file, ...command.arguments]),
  ].join(words.and);
}
