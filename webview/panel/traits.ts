/** What the view of the bodies counts and chooses. */
import type { BodiesView, BodyColumn, BodyRow, Finding, Location } from "../../src/protocol/panel.ts";

export type Target = BodiesView["targets"][number];

export function disagrees(row: BodyRow): boolean {
  return row.agrees === false || row.also?.agrees === false;
}

export function disagreementsOf(target: Target): number {
  return target.rows.filter(disagrees).length;
}

export function disagreements(view: BodiesView): number {
  return view.targets.reduce((sum, target) => sum + disagreementsOf(target), 0);
}

/** What tells each target from the others: there may be several of a name, as each project in a folder has its own. */
export function targetKeys({ targets }: BodiesView): readonly string[] {
  return targets.map((one, index) => {
    const before = targets.slice(0, index).filter((other) => isNamedLike(one, other)).length;
    return `${one.builder}\n${one.name}${before === 0 ? "" : `\n${before}`}`;
  });
}

/** For people, where several targets have one name: the place of each, and its number among those that share that too. */
export function targetNotes({ root, targets }: BodiesView): readonly string[] {
  const placeOf = ({ location }: Target): string => (location === undefined ? "" : `${location.path.startsWith(`${root}/`) ? location.path.slice(root.length + 1) : location.path}:${location.range.start.line + 1}`);
  return targets.map((one) => {
    const named = targets.filter((other) => isNamedLike(one, other));
    const alike = named.filter((other) => placeOf(other) === placeOf(one));
    return named.length === 1 ? "" : [placeOf(one), alike.length === 1 ? "" : `${alike.indexOf(one) + 1} of ${alike.length}`].filter((text) => text !== "").join(", ");
  });
}

function isNamedLike(one: Target, other: Target): boolean {
  return one.name === other.name && one.builder === other.builder;
}

/** The one that was chosen, else the first with a disagreement, else the first. */
export function chosenTarget(view: BodiesView, kept: string | undefined): Target | undefined {
  return view.targets[targetKeys(view).indexOf(kept ?? "")] ?? view.targets.find((one) => disagreementsOf(one) > 0) ?? view.targets[0];
}

export const roleWords: Readonly<Record<BodyColumn["role"], string>> = { declared: "Declared", built: "Built", linked: "Linked", installed: "Installed", also: "Also" };

/** "setup.py:14"; an empty range at the begin means the file: a library has no lines. */
export function placeName({ path, range: { start, end } }: Location): string {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  const isFile = start.line === 0 && start.character === 0 && end.line === 0 && end.character === 0;
  return isFile ? name : `${name}:${start.line + 1}`;
}

/** Whether a finding that stands below says the reason already, which may have been cut. */
export function saysReason(because: string, findings: readonly Finding[]): boolean {
  const begin = because.endsWith("…") ? because.slice(0, -1) : because;
  return findings.some(({ message }) => message.startsWith(begin));
}
