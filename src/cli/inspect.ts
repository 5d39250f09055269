import { examine, inspectReport } from "../engine/diagnosis/index.ts";
import type { Examined } from "../engine/diagnosis/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import type { RemoteOptions } from "../engine/binaries/remote/index.ts";
import { oneOf, UsageError } from "./arguments.ts";
import type { Arguments } from "./arguments.ts";
import { remoteOptions } from "./remote.ts";
import { inspectText } from "./reporters/inspectText.ts";
import { jsonText } from "./reporters/jsonText.ts";
import { printable, printableDeep } from "./reporters/printable.ts";
import type { Terminal } from "./terminal.ts";

/** `abiding inspect`. Answers the exit status. Throws UsageError when the file cannot be read. */
export async function inspect(given: Arguments, terminal: Terminal): Promise<number> {
  const format = oneOf("--format", given.format, ["text", "json"], "text");
  const examined = await open(given, terminal, remoteOptions(given, terminal));
  try {
    const report = inspectReport(examined);
    terminal.deliver(format === "json" ? jsonText(report) : inspectText(printableDeep(report), terminal.colours && given.output === undefined), given.output);
    return examined.problems.length === 0 ? 0 : 2;
  } finally {
    examined.dispose();
  }
}

/** Opens the one file that a command is about. Throws UsageError. */
export async function open(given: Arguments, terminal: Terminal, remote: RemoteOptions): Promise<Examined> {
  const [file, ...others] = given.operands;
  if (file === undefined || others.length > 0) {
    throw new UsageError(`${given.command} takes one file: a shared library, a wheel or the address of a wheel.`);
  }
  const answer = await examine(file, { files: new NodeFiles(), root: terminal.workingDirectory, remote, verify: given.verify, progress: (what) => terminal.progress(printable(what)) });
  terminal.progress("");
  if (!answer.ok) {
    throw new UsageError(answer.message);
  }
  return answer.examined;
}
