import assert from "node:assert/strict";
import { readArguments, UsageError } from "../../src/cli/arguments.ts";
import type { Arguments } from "../../src/cli/arguments.ts";
import type { Terminal } from "../../src/cli/terminal.ts";

export interface Outcome {
  readonly status: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** Commands in this process, which starts faster than one of their own: what they deliver, and why they cannot. */
export function commandLine(workingDirectory: string, environment: Terminal["environment"]): (command: (given: Arguments, terminal: Terminal) => Promise<number>, ...words: readonly string[]) => Promise<Outcome> {
  return async (command, ...words) => {
    let out = "";
    const terminal: Terminal = { workingDirectory, environment, version: "1.2.3", colours: false, progress: () => undefined, say: () => undefined, deliver: (text) => { out += text; } };
    try {
      return { status: await command(readArguments([command.name, ...words]), terminal), out, err: "" };
    } catch (error) {
      assert.ok(error instanceof UsageError, String(error));
      return { status: 2, out, err: error.message };
    }
  };
}
