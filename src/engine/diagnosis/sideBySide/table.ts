import * as path from "node:path";
import type { Agreement, BodiesView, BodyCell, BodyColumn, BodyRow, Finding, InstalledBody } from "../../model/index.ts";
import { place, shortPath, torchName } from "../../rules/support.ts";
import { agreementOf, missingOfTorch } from "./agreement.ts";
import type { Others, Side } from "./agreement.ts";
import type { Subject } from "./assign.ts";
import { beginningOf, declaredCell, observedCell, oneLine, requirementCell } from "./cells.ts";
import { isDisagreement, rowKinds, rowOf, titleOf } from "./kinds.ts";
import type { RowKind } from "./kinds.ts";
import type { Linked } from "./linked.ts";

type Target = BodiesView["targets"][number];

/** All that the table of one target is made from. */
export interface TableParts {
  readonly root: string;
  readonly subject: Subject;
  readonly linked: Linked;
  readonly installed: Side;
  /** The environment of the fifth column. */
  readonly also: Side | undefined;
}

/** Other copies of a module are named in one column, by their number. */
const shownFiles = 1;

/** Longer "names" are expressions. */
const longestName = 100;

export function tableOf(parts: TableParts): Target {
  const { subject: { body, built }, root } = parts;
  const [file] = built;
  return {
    name: oneLine(body?.name ?? (file === undefined ? "unknown" : shortPath(file.body.path, root)), longestName),
    builder: body?.target.builder ?? "unknown",
    ...(body !== undefined ? { location: body.target.location } : file !== undefined ? { location: beginningOf(file.body.path) } : {}),
    columns: columnsOf(parts),
    rows: [...rowKinds.flatMap((kind) => traitRow(kind, parts) ?? []), ...otherRows(parts)],
  };
}

function columnsOf({ root, subject: { body, built }, linked, installed, also }: TableParts): readonly BodyColumn[] {
  const [file] = built;
  const more = built.length - shownFiles;
  return [
    body === undefined ? { role: "declared", name: "declared", absent: "No build file that was read makes it." } : { role: "declared", name: place(body.target.location, root) },
    file === undefined ? { role: "built", name: "built", absent: notBuilt(body) } : { role: "built", name: `${shortPath(file.body.path, root)}${more > 0 ? ` and ${more} older` : ""}` },
    linked.column,
    environmentColumn("installed", installed, "No torch was found: choose an environment."),
    ...(also === undefined ? [] : [environmentColumn("also", also, "No torch was found there.")]),
  ];
}

function notBuilt(body: Subject["body"]): string {
  switch (body?.target.kind) {
    case "static":
    case "object":
      return "It becomes a part of other targets and is not loaded by itself.";
    case "executable":
      return "Programs are not looked for.";
    default:
      return "No file was found that was built from it.";
  }
}

export function environmentColumn(role: "installed" | "also", { installed }: Pick<Side, "installed">, absent: string): BodyColumn {
  return installed === undefined ? { role, name: role, absent } : { role, name: torchName(installed) };
}

function traitRow(kind: RowKind, parts: TableParts): BodyRow | undefined {
  const { subject, linked, installed, also } = parts;
  const others: Others = { declared: subject.body?.facts ?? [], built: subject.built[0]?.body.facts ?? [], linked: linked.facts, requirements: subject.requirements };
  const isForTorch = meetsTorch(subject);
  const agree = (side: Side): Agreement => agreementOf(kind, isForTorch ? side : { ...side, installed: undefined }, others);
  const agreement = agree(installed);
  const second = also === undefined ? undefined : agree(also);
  const cells = [...ownCells(kind, parts), ...[installed, ...(also === undefined ? [] : [also])].map((side) => (isForTorch ? environmentCell(kind, side) : {}))];
  const isTold = cells.slice(0, 3).some((cell) => cell.value !== undefined) || agreement.findings.length > 0 || (second?.findings.length ?? 0) > 0;
  const isShown = isTold || (kind.always === true && cells.some((cell) => cell.value !== undefined));
  return isShown ? { trait: kind.key, title: kind.title, cells, ...agreement, ...(second === undefined ? {} : { also: second }) } : undefined;
}

/** What links no torch has nothing to agree with it about, unless a file shows otherwise. */
function meetsTorch({ body, built }: Subject): boolean {
  const { torch = 0, "torch-stable": stable = 0 } = built[0]?.body.profile.imports ?? {};
  return body?.target.usesTorch !== false || torch + stable > 0;
}

/** Declared, built, linked. */
function ownCells(kind: RowKind, { root, subject, linked }: TableParts): readonly BodyCell[] {
  const { body, built } = subject;
  const requirements = meetsTorch(subject) ? subject.requirements : [];
  const [file] = built;
  const declared = kind.key === "torch-version" ? requirementCell(requirements, root) : kind.declared === undefined || body === undefined ? {} : declaredCell(body, kind.declared, root);
  return [declared, file === undefined ? {} : builtCell(kind, file, root), observedCell(linked, kind.linked, [root])];
}

function builtCell(kind: RowKind, { body, fit }: Subject["built"][number], root: string): BodyCell {
  if (kind.key === "torch-symbols") {
    const { torch = 0, "torch-stable": stable = 0 } = body.profile.imports;
    const parts = [...(torch > 0 ? [`${torch} of its C++ interface`] : []), ...(stable > 0 ? [`${stable} of its stable ABI`] : [])];
    return parts.length === 0 ? {} : { value: `needs ${parts.join(" and ")}`, certainty: "observed", evidence: `${shortPath(body.path, root)}: its undefined symbols`, location: beginningOf(body.path) };
  }
  const own = observedCell(body, kind.built, [root]);
  const compared = own.value === undefined ? fit?.traits.find((one) => kind.compared.includes(one.trait)) : undefined;
  return compared === undefined ? own : { value: compared.built, certainty: "observed", location: beginningOf(body.path) };
}

function environmentCell(kind: RowKind, { installed, fit }: Side): BodyCell {
  if (installed === undefined) {
    return {};
  }
  if (kind.key === "torch-symbols") {
    const missing = fit === undefined ? [] : missingOfTorch(fit);
    const [first] = missing;
    if (fit === undefined || (fit.verdict === "unknown" && first === undefined)) {
      return {};
    }
    return first === undefined ? { value: "has them all", certainty: "observed" } : { value: `lacks ${missing.length}`, certainty: "observed", evidence: oneLine(first.demangled, 200) };
  }
  const own = observedCell(installed, kind.installed, placesOf(installed), kind.installedWords);
  const compared = own.value === undefined ? fit?.traits.find((one) => kind.compared.includes(one.trait)) : undefined;
  return compared === undefined ? own : { value: compared.installed, certainty: "observed" };
}

/** The folders from which the paths of an environment are short. */
function placesOf({ torchRoot, prefix }: InstalledBody): readonly string[] {
  return [...(torchRoot === undefined ? [] : [path.dirname(torchRoot)]), ...(prefix === undefined ? [] : [prefix])];
}

/** Rows of rules that compare no trait that both sides have: their value is where it is. */
function otherRows({ root, subject, installed, also }: TableParts): readonly BodyRow[] {
  return rowsOfRules([installed, ...(also === undefined ? [] : [also])], root, new Set(subject.built.map((one) => one.body.path)), 2);
}

/** `between`: how many columns stand between the declared one and the environments. */
export function rowsOfRules(sides: readonly Side[], root: string, builtFiles: ReadonlySet<string>, between: number): readonly BodyRow[] {
  const known = new Set(rowKinds.map((one) => one.key));
  const keys = new Set(sides.flatMap((side) => side.findings.map(({ finding }) => rowOf(finding))));
  return [...keys].filter((key) => between === 0 || !known.has(key)).map((key): BodyRow => {
    const kind: RowKind = { key, title: titleOf(key), compared: [] };
    const [agreement, also] = sides.map((side) => agreementOf(kind, side, nobody));
    const findings = sides.flatMap((side) => side.findings.map((one) => one.finding).filter((one) => rowOf(one) === key));
    const inBuilt = findings.filter((one) => builtFiles.has(one.location.path));
    const cells = [placeCell(findings.filter((one) => !inBuilt.includes(one)), root), ...(between === 0 ? [] : [placeCell(inBuilt, root), {}]), ...sides.map(() => ({}))];
    return { trait: key, title: kind.title, cells, agrees: null, findings: [], ...agreement, ...(also === undefined ? {} : { also }) };
  });
}

const nobody: Others = { declared: [], built: [], linked: [], requirements: [] };

function placeCell(findings: readonly Finding[], root: string): BodyCell {
  const [first] = findings.toSorted((a, b) => Number(isDisagreement(b)) - Number(isDisagreement(a)));
  if (first === undefined) {
    return {};
  }
  const places = new Set(findings.map((one) => place(one.location, root)));
  return { value: `${place(first.location, root)}${places.size > 1 ? ` and ${places.size - 1} more` : ""}`, certainty: "observed", location: first.location };
}
