import * as fs from "node:fs";
import * as path from "node:path";
import { loadCatalogue } from "../engine/catalogue/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import { errorFile, tooLong } from "../tools/errorFile.ts";
import { errorText, longestText } from "../tools/errorText.ts";
import { explained } from "../tools/explaining.ts";
import { fromHere, rootFolder } from "./against.ts";
import { oneOf, UsageError } from "./arguments.ts";
import type { Arguments } from "./arguments.ts";
import { remoteOptions } from "./remote.ts";
import { explainText } from "./reporters/explainText.ts";
import { jsonText } from "./reporters/jsonText.ts";
import { printableDeep } from "./reporters/printable.ts";
import type { Terminal } from "./terminal.ts";

/** `abiding explain`. Answers the exit status: 0 something was explained, 1 nothing was recognised. Throws UsageError when it cannot run. */
export async function explain(given: Arguments, terminal: Terminal): Promise<number> {
  const format = oneOf("--format", given.format, ["text", "json"], "text");
  const [against, ...others] = given.against;
  if (others.length > 0) {
    throw new UsageError(`explain compares with one torch, and got ${given.against.length}: ${given.against.join(" ")}.`);
  }
  const here = terminal.workingDirectory;
  const root = rootFolder(given.root, here);
  const text = await textOf(given.operands, terminal);
  const answer = await explained(text, against === undefined ? {} : { against: fromHere(against, here) }, {
    root,
    files: new NodeFiles(),
    catalogue: loadCatalogue(),
    environment: terminal.environment,
    ...(given.interpreter === undefined ? {} : { interpreter: path.resolve(here, given.interpreter) }),
  }, remoteOptions(given, terminal));
  terminal.progress("");
  if (!answer.ok) {
    throw new UsageError(answer.message);
  }
  const { report } = answer;
  terminal.deliver(format === "json" ? jsonText(report) : explainText(printableDeep(report), terminal.colours && given.output === undefined), given.output);
  return report.verdicts.length > 0 ? 0 : 1;
}

async function textOf(operands: readonly string[], terminal: Terminal): Promise<string> {
  const [operand = "-", ...others] = operands;
  if (others.length > 0) {
    throw new UsageError(`explain takes one file, and got ${operands.length}: ${operands.join(" ")}. A text that is no file goes to its standard input: … 2>&1 | abiding explain -`);
  }
  const target = path.resolve(terminal.workingDirectory, operand);
  const answer = operand === "-" ? errorText(await allOf(standardInput(terminal), "Standard input"), "Standard input")
    : isStream(target) ? errorText(await allOf(fs.createReadStream(target), operand), operand)
    : errorFile(target, "To explain a text itself: abiding explain - reads what is pasted or piped.");
  if (!answer.ok) {
    throw new UsageError(answer.message);
  }
  return answer.text;
}

/** A pipe, as that of `<(command)`, or a device: what it holds shows when it is read. */
function isStream(target: string): boolean {
  try {
    const status = fs.statSync(target);
    return !status.isFile() && !status.isDirectory();
  } catch {
    return false;
  }
}

function standardInput(terminal: Terminal): AsyncIterable<Buffer> {
  if (process.stdin.isTTY) {
    terminal.say(`Paste the error, the whole traceback or the end of the log, then press Enter and ${process.platform === "win32" ? "Ctrl-Z, Enter" : "Ctrl-D"}.\n`);
  }
  return process.stdin;
}

async function allOf(input: AsyncIterable<Buffer>, name: string): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of input) {
      parts.push(part);
      size += part.length;
      if (size > longestText) {
        throw new UsageError(tooLong(name));
      }
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new UsageError(`${name} cannot be read: ${code}.`);
  }
  return Buffer.concat(parts);
}
