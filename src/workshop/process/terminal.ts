/** What the user's terminal would have in its environment. */
import { homedir, userInfo } from "node:os";
import { existsSync } from "node:fs";
import { runProcess } from "./run.ts";
import { markerVariable } from "./marker.ts";
import type { Ending, Variables } from "./types.ts";

/** Variables that a shell sets for itself, and TERM, which is another one while it is asked. */
const shellsOwn = new Set(["_", "SHLVL", "PWD", "OLDPWD", "TERM", markerVariable]);
const limit = 10_000;

export type TerminalEnvironment = { readonly environment: Variables } | { readonly problem: string };

function loginShell(base: Variables): string | undefined {
  let ofUser: string | null = null;
  try {
    ofUser = userInfo().shell;
  } catch {
    // A user without an entry in the password file, as in containers.
  }
  return [base["SHELL"], ofUser ?? undefined, "/bin/sh"].find((one) => one !== undefined && existsSync(one));
}

function problemOf(shell: string, ending: Ending): string {
  switch (ending.kind) {
    case "not-started": return `The login shell ${shell} could not be started: ${ending.message}`;
    case "timed-out": return `The login shell ${shell} did not answer within ${limit / 1000} seconds.`;
    case "exited": return `The login shell ${shell} ended with exit code ${ending.code} and printed no environment.`;
    default: return `The login shell ${shell} was stopped before it printed an environment.`;
  }
}

/**
 * The environment of a new terminal: the user's login shell is started once, reads its start-up files and prints it.
 * For comparing only, when asked; it runs what the user's start-up files hold. Never throws.
 */
export async function terminalEnvironment(base: Variables, signal?: AbortSignal): Promise<TerminalEnvironment> {
  // A terminal on Windows takes what the session has.
  if (process.platform === "win32") return { environment: base };
  const shell = loginShell(base);
  if (shell === undefined) return { problem: "No login shell was found: SHELL is not set, and the password file names none." };
  // Start-up files may print something before.
  const begin = "ABIDING-ENVIRONMENT-BEGINS";
  const { ending, stdout } = await runProcess(
    { file: shell, arguments: ["-ilc", `printf ${begin}; env -0`], folder: homedir(), environment: { ...base, TERM: "dumb" } },
    { timeLimit: limit, leftBehind: "end", keep: 8 << 20, ...(signal === undefined ? {} : { signal }) },
  );
  const at = stdout.text.lastIndexOf(begin);
  if (at === -1) {
    return { problem: problemOf(shell, ending) };
  }
  const entries = stdout.text.slice(at + begin.length).split("\0").flatMap((entry): [string, string][] => {
    const equals = entry.indexOf("=");
    const name = entry.slice(0, equals);
    return equals < 1 || shellsOwn.has(name) ? [] : [[name, entry.slice(equals + 1)]];
  });
  return { environment: { ...Object.fromEntries(entries), ...(base["TERM"] === undefined ? {} : { TERM: base["TERM"] }) } };
}
