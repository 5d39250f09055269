/** Where cells that are being tried stand in the matrix. */
import type { CombinationsView } from "../../src/protocol/panel.ts";
import { columnFor } from "../../src/views/matrix.ts";
import type { Axis, Matrix, RunningCell } from "../../src/views/matrix.ts";
import type { LiveCell } from "./model.ts";

/** The value of a cell on an axis, as its records will have it; undefined where that is known only once it was tried. */
function valueOf({ cell }: LiveCell, axis: Axis, current: CombinationsView["current"]): string | null | undefined {
  switch (axis) {
    case "version":
      return cell.commit === undefined ? current?.version : undefined;
    case "commit":
      return cell.commit ?? current?.commit;
    case "python":
      return cell.python;
    case "cuda":
      return cudaOf(cell.cuda);
    case "platform":
      return current?.platform;
    case "compiler":
    case "gpu":
      return undefined;
  }
}

/** "13.0" for the variant "cu130". */
function cudaOf(variant: string | undefined): string | null | undefined {
  const digits = /^cu(\d+)(\d)$/.exec(variant ?? "");
  return variant === "cpu" ? null : digits === null ? undefined : `${digits[1] ?? ""}.${digits[2] ?? ""}`;
}

export function runningCells(live: ReadonlyMap<string, LiveCell>, axis: Axis, current: CombinationsView["current"]): readonly RunningCell[] {
  return [...live.values()].filter(({ state }) => state !== "ended").map((one) => {
    const value = valueOf(one, axis, current);
    return { torch: one.cell.torch, ...(current === undefined ? {} : { project: current.project }), ...(value === undefined ? {} : { value }) };
  });
}

/** By the row's torch and the column's key; "" for all cells of a row. Those that run come before those that wait. */
export function livePlaces(live: ReadonlyMap<string, LiveCell>, axis: Axis, current: CombinationsView["current"], { severalProjects }: Pick<Matrix, "severalProjects">): ReadonlyMap<string, readonly LiveCell[]> {
  const places = new Map<string, LiveCell[]>();
  const ordered = [...live.values()].filter(({ state }) => state !== "ended").sort((a, b) => Number(b.state === "running") - Number(a.state === "running"));
  for (const one of ordered) {
    const value = valueOf(one, axis, current);
    const column = value === undefined ? undefined : columnFor(axis, value, severalProjects ? current?.project : undefined).key;
    for (const key of column === undefined ? [placeKey(one.cell.torch, "")] : [placeKey(one.cell.torch, ""), placeKey(one.cell.torch, column)]) {
      places.set(key, [...(places.get(key) ?? []), one]);
    }
  }
  return places;
}

export function placeKey(torch: string, column: string): string {
  return `${torch}\n${column}`;
}
