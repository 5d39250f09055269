/** Starts a child through execa, and says why one could not be started. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { machine } from "node:os";
import { isAbsolute, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { execa } from "execa";
import { foreignProcessor } from "./foreignProcessor.ts";
import { filesNamed, isFile, mayExecute, pathFolders } from "./findProgram.ts";
import { identityOf, type Identity } from "./processes.ts";
import { codeOf, sentenceOf } from "./sentences.ts";
import type { Command, Ending, NotStartedReason } from "./types.ts";

type NotStarted = Extract<Ending, { kind: "not-started" }>;

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Child {
  readonly identity: Identity;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
}

/** Thrown by `start`. */
export class CouldNotStart extends Error {
  readonly ending: NotStarted;

  constructor(reason: NotStartedReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.ending = { kind: "not-started", reason, message };
  }
}

/** Where a program is, by the PATH of the command's own environment; never the current folder, which Windows would search first. */
function locate({ file, folder, environment }: Command): string {
  if (isAbsolute(file) || /[/\\]/.test(file)) {
    const path = resolve(folder, file);
    if (!isFile(path)) {
      if (safely(() => statSync(path).isDirectory())) throw new CouldNotStart("not-executable", `${path} is a folder, not a program.`);
      throw new CouldNotStart("not-found", `The program ${path} does not exist.`);
    }
    if (!mayExecute(path)) throw new CouldNotStart("not-executable", `${path} may not be executed: it lacks the permission (chmod +x gives it), or its file system is mounted without it.`);
    return path;
  }
  const folders = pathFolders(environment).map((one) => resolve(folder, one));
  const present = filesNamed(file, folders, environment);
  const found = present.find(mayExecute);
  if (found !== undefined) return found;
  if (present[0] !== undefined) throw new CouldNotStart("not-executable", `${present[0]} may not be executed: it lacks the permission (chmod +x gives it).`);
  const where = folders.length === 0 ? "PATH names no folder" : folders.length === 1 ? "it is not in the one folder of PATH" : `it is in none of the ${folders.length} folders of PATH`;
  throw new CouldNotStart("not-found", `The program "${file}" was not found: ${where}. Install it, or add its folder to PATH.`);
}

function safely(ask: () => boolean): boolean {
  try {
    return ask();
  } catch {
    return false;
  }
}

/**
 * What the kernel does not take as a program the C library hands to /bin/sh (execvp(3)), which ends an empty file with
 * success and one for another processor with a syntax error.
 */
function checkFormat(path: string): void {
  if (process.platform === "win32") return;
  const head = Buffer.alloc(20);
  let size = 0;
  try {
    const file = openSync(path, "r");
    size = readSync(file, head);
    closeSync(file);
  } catch {
    // A program may be executed without being readable.
    return;
  }
  if (size === 0) throw new CouldNotStart("not-executable", `${path} is empty: its build was not finished, or the disk was full.`);
  if (head.toString("latin1", 0, 4) !== "\x7fELF" || process.platform !== "linux") return;
  if (size < head.length) throw new CouldNotStart("not-executable", `${path} is cut off: its build was not finished, or the disk was full.`);
  const processor = foreignProcessor(head);
  if (processor !== undefined) throw new CouldNotStart("not-executable", `${path} is a program for ${processor}; this machine is ${machine()}.`);
}

function checkFolder(folder: string): void {
  if (safely(() => statSync(folder).isDirectory())) return;
  throw new CouldNotStart("no-folder", isFile(folder) ? `${folder}, where the command should run, is not a folder.` : `The folder ${folder}, where the command should run, does not exist.`);
}

function kibibytes(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`;
}

function explain(error: unknown, command: Command, path: string): CouldNotStart {
  const code = codeOf(error);
  const say = (reason: NotStartedReason, message: string): CouldNotStart => new CouldNotStart(reason, message, error);
  switch (code) {
    case "ENOENT":
      // The program is there, so what is missing is what its first line names, or its loader.
      return say("not-found", `${path} exists, but the interpreter that its first line names, or the loader that it was linked for, does not.`);
    case "EACCES":
      return mayExecute(command.folder)
        ? say("not-executable", `${path} could not be executed: permission was denied (EACCES).`)
        : say("no-folder", `The folder ${command.folder} may not be entered: permission was denied (EACCES).`);
    case "ETXTBSY":
      return say("not-executable", `${path} is open for writing right now (ETXTBSY): wait until it is built or copied.`);
    case "E2BIG": {
      const line = [path, ...command.arguments].reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 0);
      const variables = Object.entries(command.environment).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value) + 2, 0);
      return say("too-long", `${path} could not be started: its arguments (${kibibytes(line)}) and environment (${kibibytes(variables)}) are longer than the system takes (E2BIG).`);
    }
    case "EAGAIN": case "ENOMEM": case "EMFILE": case "ENFILE":
      return say("no-resources", sentenceOf(error, `start ${path}`));
    default:
      return say("other", sentenceOf(error, `start ${path}`));
  }
}

/** execa puts its own words around the system's error. */
function original(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/**
 * Starts the command as the leader of its own process group and session (POSIX), with exactly the given environment.
 * Throws `CouldNotStart`.
 */
export async function start(command: Command, environment: Command["environment"], input: string | undefined): Promise<Child> {
  checkFolder(command.folder);
  const path = locate(command);
  checkFormat(path);
  let failed: unknown;
  try {
    const child = execa(path, command.arguments, {
      cwd: command.folder,
      env: environment,
      extendEnv: false,
      detached: process.platform !== "win32",
      windowsHide: true,
      buffer: false,
      encoding: "buffer",
      reject: false,
      cleanup: false,
      stdin: input === undefined ? "ignore" : "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    // What it resolves to is known from the events; it must only not be left unhandled.
    const result = child.then((value) => value, (error: unknown) => ({ cause: error }));
    const { pid } = child;
    if (pid !== undefined) {
      const exited = new Promise<Exit>((settle) => child.once("exit", (code, signal) => settle({ code, signal })));
      if (input !== undefined) feed(child.stdin, input);
      return { identity: identityOf(pid), stdout: child.stdout, stderr: child.stderr, exited };
    }
    failed = original((await result).cause);
  } catch (error) {
    failed = original(error);
  }
  throw explain(failed, command, path);
}

function feed(stdin: Writable | null, input: string): void {
  // A child that ends without reading its input is no failure of ours.
  stdin?.on("error", () => undefined);
  stdin?.end(input);
}
