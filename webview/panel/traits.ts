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

/** Targets have names only among those of one builder. */
export function targetKey({ name, builder }: Target): string {
  return `${builder}\n${name}`;
}

/** The one that was chosen, else the first with a disagreement, else the first. */
export function chosenTarget(view: BodiesView, kept: string | undefined): Target | undefined {
  return view.targets.find((one) => targetKey(one) === kept) ?? view.targets.find((one) => disagreementsOf(one) > 0) ?? view.targets[0];
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
