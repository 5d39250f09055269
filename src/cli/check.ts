import * as fs from "node:fs";
import * as path from "node:path";
import { loadCatalogue } from "../engine/catalogue/index.ts";
import { compareSeverity, openWheels, scanEnvironment, Workspace } from "../engine/diagnosis/index.ts";
import type { Diagnosis } from "../engine/diagnosis/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import { valueOf } from "../engine/model/index.ts";
import type { Finding, InstalledBody } from "../engine/model/index.ts";
import { isRuleName } from "../engine/rules/index.ts";
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
  const subject = subjectOf(given.operands, terminal.workingDirectory);
  const where = { catalogue: loadCatalogue(), environment: terminal.environment };
  const opened = new Map<string, InstalledBody>();
  const workspace = new Workspace(subject.root, files, {
    ...where,
    opened,
    ...(given.against.length === 0 ? {} : { against: given.against.map((one) => fromHere(one, terminal.workingDirectory)) }),
    ...(given.interpreter === undefined ? {} : { interpreter: path.resolve(terminal.workingDirectory, given.interpreter) }),
    ...(given.rules.length === 0 ? {} : { only: given.rules }),
  });
  const wheels = await openWheels(workspace.against(), { ...where, files, root: subject.root }, remoteOptions(given, terminal));
  if (!wheels.ok) {
    throw new UsageError(wheels.message);
  }
  for (const [spec, body] of wheels.opened) {
    opened.set(spec, body);
  }
  const unanswered = workspace.environmentProblem();
  if (unanswered !== undefined && given.against.length > 0) {
    throw new UsageError(unanswered);
  }
  const diagnosis = workspace.diagnose();
  return { diagnosis, unanswered, findings: subject.file === undefined ? diagnosis.findings : diagnosis.findings.filter((finding) => finding.location.path === subject.file) };
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

/** The project folder, and the file when one was named. */
function subjectOf(operands: readonly string[], workingDirectory: string): { readonly root: string; readonly file?: string } {
  if (operands.length > 1) {
    throw new UsageError(`check takes one path, and got ${operands.length}: ${operands.join(" ")}.`);
  }
  const given = path.resolve(workingDirectory, operands[0] ?? ".");
  const status = fs.statSync(given, { throwIfNoEntry: false });
  if (status === undefined) {
    throw new UsageError(`${given} does not exist.`);
  }
  if (status.isDirectory()) {
    return { root: fs.realpathSync(given) };
  }
  const file = fs.realpathSync(given);
  const here = fs.realpathSync(workingDirectory);
  const inside = !path.relative(here, file).startsWith("..");
  return { root: inside ? here : path.dirname(file), file };
}
