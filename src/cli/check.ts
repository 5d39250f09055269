import * as path from "node:path";
import { loadCatalogue } from "../engine/catalogue/index.ts";
import { compareSeverity, scanEnvironment } from "../engine/diagnosis/index.ts";
import type { Diagnosis } from "../engine/diagnosis/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import { valueOf } from "../engine/model/index.ts";
import type { Finding } from "../engine/model/index.ts";
import { isRuleName } from "../engine/rules/index.ts";
import { openWorkspace, subjectOf } from "../tools/workspace.ts";
import { fromHere } from "./against.ts";
import { oneOf, UsageError } from "./arguments.ts";
import type { Arguments, Format } from "./arguments.ts";
import { givenEnvironment } from "./environment.ts";
import { remoteOptions } from "./remote.ts";
import { stepwise } from "./stepwise.ts";
import type { Terminal } from "./terminal.ts";
import { githubReport } from "./reporters/github.ts";
import { jsonReport } from "./reporters/json.ts";
import { lineReader } from "./reporters/report.ts";
import type { Report } from "./reporters/report.ts";
import { sarifReport } from "./reporters/sarif.ts";
import { textReport } from "./reporters/text.ts";

const reporters: Readonly<Record<Format, (report: Report) => string>> = { text: textReport, json: jsonReport, sarif: sarifReport, github: githubReport };

/** `abiding check`. Answers the exit status. Throws UsageError when it cannot run. */
export async function check(given: Arguments, terminal: Terminal): Promise<number> {
  const format = oneOf("--format", given.format, ["text", "json", "sarif", "github"], "text");
  const failOn = oneOf("--fail-on", given.failOn, ["error", "warning", "never"], "error");
  for (const name of given.rules) {
    if (!isRuleName(name)) {
      throw new UsageError(`--rule ${name}: there is no such rule.`);
    }
  }
  const files = new NodeFiles();
  const { diagnosis, findings, unanswered } = await (given.environment ? environmentChecked(given, terminal, files) : projectChecked(given, terminal, files));
  const report: Report = {
    diagnosis,
    findings,
    version: terminal.version,
    colours: terminal.colours && given.output === undefined,
    workingDirectory: terminal.workingDirectory,
    lineOf: lineReader(files),
  };
  terminal.deliver(reporters[format](report), given.output);
  if (failOn !== "never" && findings.some((finding) => reaches(finding, failOn))) {
    return 1;
  }
  // A torch that abiding.json names and nobody could read was not checked against: that is no success.
  return unanswered === undefined ? 0 : 2;
}

interface Checked {
  readonly diagnosis: Diagnosis;
  readonly findings: readonly Finding[];
  /** Why what was asked for was not checked against. */
  readonly unanswered: string | undefined;
}

async function projectChecked(given: Arguments, terminal: Terminal, files: NodeFiles): Promise<Checked> {
  if (given.operands.length > 1) {
    throw new UsageError(`check takes one path, and got ${given.operands.length}: ${given.operands.join(" ")}.`);
  }
  const here = terminal.workingDirectory;
  const subject = subjectOf(given.operands[0], here);
  if (!subject.ok) {
    throw new UsageError(subject.message);
  }
  const opened = await openWorkspace({
    root: subject.root, files, catalogue: loadCatalogue(), environment: terminal.environment,
    ...(given.interpreter === undefined ? {} : { interpreter: path.resolve(here, given.interpreter) }),
  }, {
    ...(given.against.length === 0 ? {} : { against: given.against.map((one) => fromHere(one, here)) }),
    ...(given.rules.length === 0 ? {} : { only: given.rules }),
  }, remoteOptions(given, terminal));
  if (!opened.ok) {
    throw new UsageError(opened.message);
  }
  const diagnosis = opened.workspace.diagnose();
  return { diagnosis, unanswered: opened.unanswered, findings: subject.file === undefined ? diagnosis.findings : diagnosis.findings.filter((finding) => finding.location.path === subject.file) };
}

/** `check --environment [ENV]`: every extension that is installed beside the torch. */
async function environmentChecked(given: Arguments, terminal: Terminal, files: NodeFiles): Promise<Checked> {
  const body = await givenEnvironment(given, terminal, "check --environment");
  if (body.source !== "environment") {
    throw new UsageError(`${body.name} is no environment with installed packages.`);
  }
  if (valueOf(body.facts, "torch-version") === undefined) {
    throw new UsageError(`No torch is installed in ${body.name}: there is nothing to check its packages against.`);
  }
  const steps = scanEnvironment(body, { files, catalogue: loadCatalogue(), environment: terminal.environment, ...(given.rules.length === 0 ? {} : { only: given.rules }) });
  const diagnosis = await stepwise(steps, terminal);
  return { diagnosis, findings: diagnosis.findings, unanswered: undefined };
}

function reaches(finding: Finding, level: "error" | "warning"): boolean {
  return compareSeverity(finding.severity, level) <= 0;
}
