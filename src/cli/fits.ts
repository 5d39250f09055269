import * as fs from "node:fs";
import * as path from "node:path";
import { loadCatalogue } from "../engine/catalogue/index.ts";
import { configurationName } from "../engine/diagnosis/configuration.ts";
import { judge, openEnvironment, targetOf } from "../engine/diagnosis/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import type { Verdict } from "../engine/model/index.ts";
import { oneOf, UsageError } from "./arguments.ts";
import type { Arguments } from "./arguments.ts";
import { open } from "./inspect.ts";
import { remoteOptions } from "./remote.ts";
import { fitText } from "./reporters/fitText.ts";
import { jsonText } from "./reporters/jsonText.ts";
import { printableDeep } from "./reporters/printable.ts";
import { stepwise } from "./stepwise.ts";
import type { Terminal } from "./terminal.ts";

const status: Readonly<Record<Verdict, number>> = { "no-conflict": 0, conflict: 1, unknown: 2 };

/** `abiding fits`. Answers the exit status: 0 no conflict found, 1 conflict, 2 could not tell. Throws UsageError when it cannot run. */
export async function fits(given: Arguments, terminal: Terminal): Promise<number> {
  const format = oneOf("--format", given.format, ["text", "json"], "text");
  const [against, ...others] = given.against;
  if (others.length > 0) {
    throw new UsageError(`fits compares with one torch, and got ${given.against.length}: ${given.against.join(" ")}.`);
  }
  const files = new NodeFiles();
  const catalogue = loadCatalogue();
  const remote = remoteOptions(given, terminal);
  const examined = await open(given, terminal, remote);
  try {
    const answer = await openEnvironment(against, {
      root: terminal.workingDirectory,
      files,
      catalogue,
      environment: terminal.environment,
      ...(given.interpreter === undefined ? {} : { interpreter: path.resolve(terminal.workingDirectory, given.interpreter) }),
    }, remote, targetOf(examined));
    if (!answer.ok) {
      throw new UsageError(answer.message);
    }
    const report = await stepwise(judge(examined, answer.environment, { catalogue, files, ...(given.gpu === undefined ? {} : { gpu: { capability: given.gpu } }) }), terminal);
    terminal.deliver(format === "json" ? jsonText(report) : fitText(printableDeep(report), terminal.colours && given.output === undefined), given.output);
    const root = given.record === "no-record" ? undefined : projectAround(terminal.workingDirectory) ?? (given.record === "record" ? terminal.workingDirectory : undefined);
    return root === undefined ? status[report.verdict] : (await import("./workshop/fitRecord.ts")).recordedFit(status[report.verdict], report, answer.environment.body, root, given, terminal);
  } finally {
    examined.dispose();
  }
}

/** The nearest folder upwards that may keep records: it has some, or an abiding.json. */
function projectAround(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if ([path.join(".abiding", "combinations.jsonl"), configurationName].some((name) => fs.existsSync(path.join(at, name)))) {
      return at;
    }
    if (at === path.dirname(at)) {
      return undefined;
    }
  }
}
