/**
 * The bodies of a project side by side: what is declared, built, linked and installed for each target, trait by trait, and
 * where they disagree. Made from a diagnosis; reads nothing but the torch that a build names.
 */
import * as path from "node:path";
import type { Surroundings } from "../../installed/index.ts";
import type { BodiesView, DeclaredBody, Finding, Requirement } from "../../model/index.ts";
import { locationKey, torchName } from "../../rules/support.ts";
import { requirementsAround } from "../../rules/torch.ts";
import type { Diagnosis } from "../diagnosis.ts";
import type { Side } from "./agreement.ts";
import { assign, subjectsOf } from "./assign.ts";
import type { Subject } from "./assign.ts";
import { linkedFinder } from "./linked.ts";
import { environmentColumn, rowsOfRules, tableOf } from "./table.ts";

/** More tables than this are no view. Those with findings, files and torch come first. */
const mostTargets = 200;

/** `also`: the diagnosis of the same project against another environment, for a column of its own. */
export function bodiesView(diagnosis: Diagnosis, where: Surroundings, also?: Diagnosis): BodiesView {
  const { root } = diagnosis;
  const { findings, indexes } = joined(diagnosis.findings, also?.findings ?? []);
  const all = subjectsOf(diagnosis.declared, diagnosis.built, requirementsFinder(diagnosis));
  const assigned = assign(findings, all);
  const indexesOf = (subject: Subject): readonly number[] => assigned.of.get(subject) ?? [];
  const subjects = all.filter((one) => indexesOf(one).length > 0 || isOfInterest(one));
  const shown = ranked(subjects, indexesOf, findings).slice(0, mostTargets);
  const linkedOf = linkedFinder(diagnosis, where);
  const own = new Set(diagnosis.findings.keys());
  const side = (of: Diagnosis, isOwn: (index: number) => boolean, at: readonly number[], subject: Subject | undefined): Side => ({
    installed: of.installed[0],
    findings: at.filter(isOwn).flatMap((index) => (findings[index] === undefined ? [] : [{ index, finding: findings[index] }])),
    fit: subject?.built[0] === undefined ? undefined : of.built.find((one) => one.body.path === subject.built[0]?.body.path)?.fit,
  });
  const sides = (at: readonly number[], subject?: Subject): { readonly installed: Side; readonly also: Side | undefined } => ({
    installed: side(diagnosis, (index) => own.has(index), at, subject),
    also: also === undefined ? undefined : side(also, (index) => indexes.has(index), at, subject),
  });
  const targets = shown.map((subject) => tableOf({
    root, subject, linked: linkedOf(subject), ...sides(indexesOf(subject), subject),
  }));
  const project = projectTable(root, sides(assigned.rest));
  const leftOut = subjects.length - shown.length;
  const aside = all.length - subjects.length;
  return {
    root,
    targets: [...targets, ...project],
    findings,
    notChecked: [
      ...diagnosis.notChecked,
      ...(also === undefined ? [] : also.notChecked.filter((one) => !diagnosis.notChecked.includes(one)).map((one) => `With ${also.installed[0] === undefined ? "the other environment" : torchName(also.installed[0])}: ${one}`)),
      ...(aside > 0 ? [`${aside} ${aside === 1 ? "program or static library without a finding that does not use torch is" : "programs and static libraries without findings that do not use torch are"} not shown side by side.`] : []),
      ...(leftOut > 0 ? [`The project has ${subjects.length} targets; the ${shown.length} with findings, built files or torch are shown side by side.`] : []),
      ...(diagnosis.installed.length > 1 ? [`The project is checked against ${diagnosis.installed.length} torches; the first one stands in the table, and the findings are those of all.`] : []),
    ],
  };
}

function requirementsFinder(diagnosis: Diagnosis): (body: DeclaredBody | undefined) => readonly Requirement[] {
  const around = new Map<string, readonly Requirement[]>();
  return (body) => {
    const file = body?.target.location.path ?? path.join(diagnosis.root, "any");
    const folder = path.dirname(file);
    const known = around.get(folder) ?? requirementsAround(diagnosis, file);
    around.set(folder, known);
    return known;
  };
}

/** What others load, and whatever uses torch or was found built. */
function isOfInterest({ body, built }: Subject): boolean {
  return built.length > 0 || body?.target.usesTorch === true || !["executable", "static", "object"].includes(body?.target.kind ?? "");
}

/** The findings of both diagnoses, those of the first in front; `indexes` has the places of the second's. */
function joined(first: readonly Finding[], second: readonly Finding[]): { readonly findings: readonly Finding[]; readonly indexes: ReadonlySet<number> } {
  const findings = [...first];
  const places = new Map(first.map((finding, index) => [keyOf(finding), index]));
  const indexes = new Set(second.map((finding) => places.get(keyOf(finding)) ?? findings.push(finding) - 1));
  return { findings, indexes };
}

function keyOf(finding: Finding): string {
  return `${finding.rule} ${locationKey(finding.location)} ${finding.message}`;
}

function ranked(subjects: readonly Subject[], of: (subject: Subject) => readonly number[], findings: readonly Finding[]): readonly Subject[] {
  const worth = (subject: Subject): number => {
    const severities = of(subject).map((index) => findings[index]?.severity);
    return (severities.includes("error") ? 8 : severities.includes("warning") ? 6 : severities.length > 0 ? 4 : 0) + (subject.built.length > 0 ? 2 : 0) + (subject.body?.target.usesTorch === true ? 1 : 0);
  };
  return subjects.map((subject) => ({ subject, worth: worth(subject) })).sort((a, b) => b.worth - a.worth).map((one) => one.subject);
}

/** What concerns no single target: requirements, isolated builds, installed packages. */
function projectTable(root: string, { installed, also }: { readonly installed: Side; readonly also: Side | undefined }): BodiesView["targets"] {
  const sides = [installed, ...(also === undefined ? [] : [also])];
  const rows = rowsOfRules(sides, root, new Set(), 0);
  if (rows.length === 0) {
    return [];
  }
  const columns = [
    { role: "declared" as const, name: "the project as a whole" },
    environmentColumn("installed", installed, "No torch was found: choose an environment."),
    ...(also === undefined ? [] : [environmentColumn("also", also, "No torch was found there.")]),
  ];
  return [{ name: "The project", builder: "project", columns, rows }];
}
