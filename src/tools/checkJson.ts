import { bodiesOf } from "../engine/diagnosis/index.ts";
import { valueOf } from "../engine/model/index.ts";
import type { Body, BuiltBody, Condition, DeclaredTarget, Evidence, Fact, Finding, Gap, InstalledBody } from "../engine/model/index.ts";
import type { Diagnosis } from "../engine/diagnosis/index.ts";
import { docsOf, relativeTo, reportedLocation } from "./places.ts";

/** What is reported: a diagnosis, and those of its findings that are shown. */
interface Report {
  readonly diagnosis: Diagnosis;
  readonly findings: readonly Finding[];
}

interface BodyJson {
  readonly role: Body["role"];
  readonly name: string;
  readonly [member: string]: unknown;
}

interface CheckJson {
  readonly bodies: readonly BodyJson[];
  readonly [member: string]: unknown;
}

/** The report of docs/schema/check.schema.json. */
export function checkJson(report: Report): CheckJson {
  const { diagnosis, findings } = report;
  const { root } = diagnosis;
  const [first, ...others] = diagnosis.installed.map(againstOf);
  return {
    schema: 1,
    root,
    against: first ?? null,
    ...(others.length === 0 ? {} : { alsoAgainst: others }),
    bodies: bodiesOf(diagnosis).map((body) => (body.role === "built" ? builtOf(root, body, diagnosis) : bodyOf(root, body))),
    findings: findings.map((finding) => findingOf(root, finding)),
    ...(diagnosis.configured.length === 0 ? {} : { configured: diagnosis.configured.map((build) => configuredOf(root, build)) }),
    suppressed: diagnosis.suppressed,
    problems: gapsOf(report, "file"),
    notEvaluated: gapsOf(report, "evaluation"),
    notChecked: diagnosis.notChecked,
  };
}

function gapsOf(report: Report, kind: Gap["kind"]): readonly object[] {
  const { root, gaps } = report.diagnosis;
  return gaps
    .filter((gap) => gap.kind === kind)
    .map((gap) => ({ message: gap.message, path: relativeTo(root, gap.path), ...(gap.location === undefined ? {} : { location: reportedLocation(root, gap.location) }) }));
}

function configuredOf(root: string, build: Diagnosis["configured"][number]): object {
  return {
    folder: relativeTo(root, build.folder),
    targets: build.comparisons.map(({ target, outcome, differences }) => ({
      target,
      outcome,
      differences: differences.map(({ language, setting, read, truth, location }) => ({ language, setting, read, configured: truth ?? null, location: reportedLocation(root, location) })),
    })),
  };
}

function againstOf(body: InstalledBody): object {
  return { torch: valueOf(body.facts, "torch-version") ?? null, source: body.source, name: body.name };
}

function bodyOf(root: string, body: Body): BodyJson {
  return { role: body.role, name: body.name, ...(body.role === "declared" ? targetOf(root, body.target) : {}), facts: body.facts.map((fact) => factOf(root, fact)) };
}

/** A built file: where it lies, what it was built from, and whether it would load. */
function builtOf(root: string, body: BuiltBody, { built }: Diagnosis): BodyJson {
  const file = built.find((one) => one.body === body);
  return {
    role: body.role,
    name: body.name,
    path: relativeTo(root, body.path),
    ...(file === undefined ? {} : { origin: file.origin }),
    ...(file?.target === undefined ? {} : { target: file.target.name }),
    ...(file?.distribution === undefined ? {} : { distribution: `${file.distribution.name} ${file.distribution.version}` }),
    ...(file?.fit === undefined ? {} : { verdict: file.fit.verdict }),
    facts: body.facts.map((fact) => factOf(root, fact)),
  };
}

/** What tells targets of one name apart: where each is made, by which builder, and under which conditions. */
function targetOf(root: string, target: DeclaredTarget): object {
  return {
    builder: target.builder,
    kind: target.kind,
    location: reportedLocation(root, target.location),
    ...(target.conditions.length === 0 ? {} : { conditions: target.conditions.map((one) => conditionOf(root, one)) }),
  };
}

function conditionOf(root: string, condition: Condition): object {
  return { text: condition.text, branch: condition.branch, location: reportedLocation(root, condition.location) };
}

function factOf(root: string, fact: Fact): object {
  const [evidence] = fact.evidence;
  return {
    trait: fact.trait,
    value: fact.value === undefined ? null : fact.value,
    ...(fact.value === undefined && fact.expression !== undefined ? { expression: fact.expression } : {}),
    ...(fact.follows === undefined ? {} : { follows: fact.follows }),
    certainty: fact.certainty,
    ...(fact.languages === undefined ? {} : { languages: fact.languages }),
    ...(fact.conditions.length === 0 ? {} : { conditions: fact.conditions.map((one) => conditionOf(root, one)) }),
    evidence: evidenceOf(root, evidence),
  };
}

function evidenceOf(root: string, evidence: Evidence): object {
  switch (evidence.kind) {
    case "source":
      return {
        kind: "source",
        text: evidence.text,
        location: reportedLocation(root, evidence.location),
        ...(evidence.via.length === 0 ? {} : { via: evidence.via.map((step) => ({ what: step.what, location: reportedLocation(root, step.location) })) }),
      };
    case "file":
      return { kind: "file", path: evidence.path, what: evidence.what };
    case "catalogue":
      return { kind: "catalogue", table: evidence.table, row: evidence.row, source: evidence.source };
  }
}

export function findingOf(root: string, finding: Finding): object {
  return {
    rule: finding.rule,
    severity: finding.severity,
    message: finding.message,
    ...(finding.target === undefined ? {} : { target: finding.target }),
    location: reportedLocation(root, finding.location),
    related: finding.related.map((place) => ({ message: place.message, location: reportedLocation(root, place.location) })),
    against: finding.against.map((evidence) => evidenceOf(root, evidence)),
    fixes: finding.fixes.map((fix) => ({
      title: fix.title,
      preferred: fix.preferred,
      edits: fix.edits.map((edit) => ({ location: reportedLocation(root, edit.location), newText: edit.newText })),
    })),
    docs: docsOf(finding.rule),
  };
}
