import table from "../../../data/torch-layouts.json" with { type: "json" };
import { releaseNumber } from "./releaseNumber.ts";

/** How one public class of torch lies in memory. */
export interface ClassLayout {
  /** "c10::TensorImpl". */
  readonly class: string;
  /** Bytes. */
  readonly size: number;
  readonly align: number;
  /** Offsets of members that inline code reads or writes. */
  readonly members: Readonly<Record<string, number>>;
  /** The table of virtual functions in order, "=0" for a pure one; empty for a class without. */
  readonly virtualFunctions: readonly string[];
}

export interface Layouts {
  readonly classes: readonly ClassLayout[];
  /** Values of enumerators that callers have compiled in: { "c10::ScalarType::NumOptions": 47 }. */
  readonly constants: Readonly<Record<string, number>>;
  readonly source: string;
}

/** A class whose size differs between two releases: code built with one reads the other's objects at wrong places. */
export interface LayoutChange {
  readonly class: string;
  /** Bytes. */
  readonly from: number;
  readonly to: number;
  readonly source: string;
}

/** What else differs between two releases that no symbol shows. */
export interface SilentChange {
  /** "member": its offset, in a class of the same size. "virtual-function": the slot. "constant": the value. */
  readonly kind: "member" | "virtual-function" | "constant";
  /** "c10::TensorImpl::storage_offset_", "c10::Allocator", "c10::DispatchKey::AutogradCPU". */
  readonly name: string;
  /** For virtual functions the first slot that differs, which is its function's name: undefined beyond the table's end. */
  readonly from: number | string | undefined;
  readonly to: number | string | undefined;
  readonly slot?: number;
  readonly source: string;
}

interface ClassRow {
  readonly since: string;
  readonly absent?: boolean;
  readonly size?: number;
  readonly align?: number;
  readonly members?: Readonly<Record<string, number | undefined>>;
  readonly virtual?: string;
}

type ConstantRow = readonly [since: string, value: number | null];

const classes = Object.entries(table.classes) as [string, readonly ClassRow[]][];
const constants = Object.entries(table.constants) as unknown as [string, readonly ConstantRow[]][];

/** The layouts of a release, "2.8.0" or "2.8.0+cu128"; undefined: not measured. */
export function layoutsOf(version: string): Layouts | undefined {
  const release = releaseOf(version);
  if (release === undefined) return undefined;
  return {
    classes: classes.flatMap(([name, rows]) => {
      const row = rowAt(rows, (one) => one.since, release);
      if (row?.size === undefined) return [];
      const members = Object.entries(row.members ?? {}).filter((entry): entry is [string, number] => entry[1] !== undefined);
      return [{ class: name, size: row.size, align: row.align ?? 1, members: Object.fromEntries(members), virtualFunctions: row.virtual?.split(" ") ?? [] }];
    }),
    constants: Object.fromEntries(constants.flatMap(([name, rows]) => {
      const value = rowAt(rows, (one) => one[0], release)?.[1] ?? null;
      return value === null ? [] : [[name, value]];
    })),
    source: table.source,
  };
}

/** Public classes whose size differs between two releases; undefined: one of the two was not measured. */
export function layoutChanges(from: string, to: string): readonly LayoutChange[] | undefined {
  return pairs(from, to)?.filter(({ before, after }) => before.size !== after.size)
    .map(({ before, after }) => ({ class: before.class, from: before.size, to: after.size, source: table.source }));
}

/** Offsets, slots of virtual functions and constants that differ, in classes of the same size; undefined: not measured. */
export function silentChanges(from: string, to: string): readonly SilentChange[] | undefined {
  const found: SilentChange[] = [];
  const same = pairs(from, to);
  if (same === undefined) return undefined;
  for (const { before, after } of same) {
    if (before.size === after.size) {
      for (const [name, offset] of Object.entries(before.members)) {
        const other = after.members[name];
        if (other !== undefined && other !== offset) found.push({ kind: "member", name: `${before.class}::${name}`, from: offset, to: other, source: table.source });
      }
    }
    const slot = firstDifferentSlot(before.virtualFunctions, after.virtualFunctions);
    if (slot !== undefined) found.push({ kind: "virtual-function", name: before.class, from: before.virtualFunctions[slot], to: after.virtualFunctions[slot], slot, source: table.source });
  }
  const after = layoutsOf(to)?.constants ?? {};
  for (const [name, value] of Object.entries(layoutsOf(from)?.constants ?? {})) {
    const other = after[name];
    if (other !== undefined && other !== value) found.push({ kind: "constant", name, from: value, to: other, source: table.source });
  }
  return found;
}

/** A pure virtual function has no name in the table, so it may be any; a table that only grew differs where the other ends. */
function firstDifferentSlot(before: readonly string[], after: readonly string[]): number | undefined {
  const length = Math.max(before.length, after.length);
  for (let slot = 0; slot < length; slot++) {
    const pure = before[slot] === "=0" || after[slot] === "=0";
    if (before[slot] !== after[slot] && !(pure && slot < before.length && slot < after.length)) return slot;
  }
  return undefined;
}

function pairs(from: string, to: string): readonly { readonly before: ClassLayout; readonly after: ClassLayout }[] | undefined {
  const before = layoutsOf(from);
  const after = layoutsOf(to);
  if (before === undefined || after === undefined) return undefined;
  const later = new Map(after.classes.map((one) => [one.class, one]));
  return before.classes.flatMap((one) => {
    const other = later.get(one.class);
    return other === undefined ? [] : [{ before: one, after: other }];
  });
}

/** The position of a release in the table. */
function releaseOf(version: string): number | undefined {
  const index = table.releases.indexOf(releaseNumber(version) ?? "");
  return index < 0 ? undefined : index;
}

function rowAt<Row>(rows: readonly Row[], since: (row: Row) => string, release: number): Row | undefined {
  return rows.findLast((row) => table.releases.indexOf(since(row)) <= release);
}
