import { createHash } from "node:crypto";
import type { Cell, CellWanted } from "../types.ts";

/** The cell that asks for this. Its id is the same from run to run, short enough for a folder, and begins with what it is. */
export function cellOf(wanted: CellWanted, commitName?: string): Cell {
  const { torch, index, packages, python, cuda, compiler, commit } = wanted;
  const asked = [torch, index, Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1)), python, cuda, compiler === undefined ? undefined : [compiler.name, compiler.cc, compiler.cxx, compiler.cudaHost], commit];
  const digest = createHash("sha256").update(JSON.stringify(asked)).digest("hex").slice(0, 8);
  const shown = [`torch-${torch}`, ...(python === undefined ? [] : [`py${python}`]), ...(compiler === undefined ? [] : [compiler.name.split("/").at(-1) ?? ""]), ...(commit === undefined ? [] : [commit.slice(0, 8)])];
  return { ...wanted, id: `${shown.join("-").replaceAll(/[^\w.-]+/g, "-").slice(0, 80)}-${digest}`, label: labelOf(wanted, commitName) };
}

function labelOf({ torch, packages, python, compiler, commit }: CellWanted, commitName: string | undefined): string {
  const beside = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const parts = [`torch ${torch}`, ...beside, ...(python === undefined ? [] : [`Python ${python}`]), ...(compiler === undefined ? [] : [compiler.name]), ...(commit === undefined ? [] : [commitName === undefined || commitName === commit ? `commit ${commit.slice(0, 10)}` : `${commitName} (${commit.slice(0, 10)})`])];
  return parts.join(", ");
}
