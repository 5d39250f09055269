import * as path from "node:path";
import { loadCatalogue } from "../engine/catalogue/index.ts";
import { openWheels } from "../engine/diagnosis/index.ts";
import { NodeFiles } from "../engine/files/index.ts";
import { describeDefault, profileOf, resolveAgainst } from "../engine/installed/index.ts";
import type { Evidence, Fact, InstalledBody } from "../engine/model/index.ts";
import { valueOf } from "../engine/model/index.ts";
import { torchName } from "../engine/rules/support.ts";
import { oneOf, UsageError } from "./arguments.ts";
import type { Arguments } from "./arguments.ts";
import { remoteOptions } from "./remote.ts";
import { jsonText } from "./reporters/jsonText.ts";
import { printableLines } from "./reporters/printable.ts";
import type { Terminal } from "./terminal.ts";

/** `abiding environment`. Answers the exit status. Throws UsageError when there is no torch to describe. */
export async function describe(given: Arguments, terminal: Terminal): Promise<number> {
  const format = oneOf("--format", given.format, ["text", "json"], "text");
  const body = await givenEnvironment(given, terminal, "environment");
  terminal.deliver(format === "json" ? jsonText(profileOf(body)) : printableLines(textOf(body)), given.output);
  return 0;
}

/** The environment that is named, else the one found around the folder. Throws UsageError when there is none. */
export async function givenEnvironment(given: Arguments, terminal: Terminal, command: string): Promise<InstalledBody> {
  const specs = [...given.operands, ...given.against];
  if (specs.length > 1) {
    throw new UsageError(`${command} takes one environment, and got ${specs.length}: ${specs.join(" ")}.`);
  }
  const where = {
    root: terminal.workingDirectory,
    files: new NodeFiles(),
    catalogue: loadCatalogue(),
    environment: terminal.environment,
    ...(given.interpreter === undefined ? {} : { interpreter: path.resolve(terminal.workingDirectory, given.interpreter) }),
  };
  const wheels = await openWheels(specs, where, remoteOptions(given, terminal));
  if (!wheels.ok) {
    throw new UsageError(wheels.message);
  }
  const body = specs[0] === undefined ? describeDefault(where) : resolve(specs[0], { ...where, opened: wheels.opened });
  if (body === undefined) {
    throw new UsageError(`No torch was found: not in a virtual environment around this folder, not in the active one, not with the Python on PATH. Name one: abiding ${command} PATH.`);
  }
  return body;
}

function resolve(spec: string, where: Parameters<typeof resolveAgainst>[1]): InstalledBody {
  const answer = resolveAgainst(spec, where);
  if (answer.ok) {
    return answer.body;
  }
  const folder = path.resolve(where.root, spec);
  const inside = where.files.status(folder)?.kind === "directory" ? describeDefault({ ...where, root: folder, environment: {} }) : undefined;
  if (inside?.prefix === undefined || path.relative(folder, inside.prefix).startsWith("..")) {
    throw new UsageError(answer.message);
  }
  return inside;
}

function textOf(body: InstalledBody): string {
  const lines = [valueOf(body.facts, "torch-version") === undefined ? `${body.name} (${body.source})` : torchName(body)];
  if (body.torchRoot !== undefined) {
    lines.push(`torch in ${body.torchRoot}`);
  }
  lines.push("");
  const longest = Math.max(0, ...body.facts.map((fact) => fact.trait.length));
  for (const fact of body.facts) {
    lines.push(`  ${fact.trait.padEnd(longest)}  ${valueText(fact)}`);
    for (const evidence of fact.evidence) {
      lines.push(`  ${"".padEnd(longest)}    ${evidenceText(evidence)}`);
    }
  }
  if (body.distributions.length > 0) {
    lines.push("", "Beside it", ...body.distributions.map((one) => `  ${one.name} ${one.version}`));
  }
  if (body.shadowed.length > 0) {
    lines.push("", "Other torches on the same search path, which lose to this one", ...body.shadowed.map((one) => `  ${one.path}${one.version === undefined ? "" : ` (torch ${one.version})`}`));
  }
  if (body.notKnown.length > 0) {
    lines.push("", "Not known", ...body.notKnown.map((sentence) => `  ${sentence}`));
  }
  return `${lines.join("\n")}\n`;
}

function valueText(fact: Fact): string {
  const { value } = fact;
  if (value === undefined) {
    return `not known (${fact.expression ?? "not readable"})`;
  }
  if (value === null) {
    return "none";
  }
  if (Array.isArray(value)) {
    return value.map((one: { sm: number; suffix: string; ptx: boolean; real: boolean }) => `${Math.floor(one.sm / 10)}.${one.sm % 10}${one.suffix}${one.ptx ? "+PTX" : ""}`).join(" ");
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function evidenceText(evidence: Evidence): string {
  switch (evidence.kind) {
    case "source":
      return `${evidence.location.path}:${evidence.location.range.start.line + 1}`;
    case "file":
      return `${evidence.path}: ${evidence.what}`;
    case "catalogue":
      return `${evidence.table}, ${evidence.row}: ${evidence.source}`;
  }
}
