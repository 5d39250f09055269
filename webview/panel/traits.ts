/** What the view of the bodies counts and chooses. */
import type { BodiesView, BodyColumn, BodyRow } from "../../src/protocol/panel.ts";

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
