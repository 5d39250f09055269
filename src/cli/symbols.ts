import { loadCatalogue } from "../engine/catalogue/index.ts";
import { openEnvironment, symbolsReport } from "../engine/diagnosis/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import type { FitEnvironment } from "../engine/fit/index.ts";
import { oneOf, UsageError } from "./arguments.ts";
import type { Arguments } from "./arguments.ts";
import { remoteOptions } from "./remote.ts";
import { jsonText } from "./reporters/jsonText.ts";
import { printableDeep } from "./reporters/printable.ts";
import { symbolsText } from "./reporters/symbolsText.ts";
import type { Terminal } from "./terminal.ts";

/** `abiding symbols`. Answers the exit status: 0 a recorded release exports it, 1 none does or it is not recorded. Throws UsageError when it cannot run. */
export async function symbols(given: Arguments, terminal: Terminal): Promise<number> {
  const format = oneOf("--format", given.format, ["text", "json"], "text");
  const [name, ...others] = given.operands;
  if (name === undefined || name.trim() === "" || others.length > 0) {
    throw new UsageError("symbols takes one name: mangled, or as C++ writes it, in quotes: \"c10::cuda::SetDevice(int)\".");
  }
  const report = symbolsReport(name, await environmentOf(given, terminal));
  if (report.recorded.since === null) {
    throw new UsageError(report.recorded.source);
  }
  terminal.deliver(format === "json" ? jsonText(report) : symbolsText(printableDeep(report), terminal.colours && given.output === undefined), given.output);
  return report.known === "found" ? 0 : 1;
}

/** Only what is named is looked into: the question is about releases. */
async function environmentOf(given: Arguments, terminal: Terminal): Promise<FitEnvironment | undefined> {
  const [against, ...others] = given.against;
  if (others.length > 0) {
    throw new UsageError(`symbols looks into one torch, and got ${given.against.length}: ${given.against.join(" ")}.`);
  }
  if (against === undefined) {
    return undefined;
  }
  const answer = await openEnvironment(against, { root: terminal.workingDirectory, files: new NodeFiles(), catalogue: loadCatalogue(), environment: terminal.environment }, remoteOptions(given, terminal));
  if (!answer.ok) {
    throw new UsageError(answer.message);
  }
  terminal.progress("");
  return answer.environment;
}
