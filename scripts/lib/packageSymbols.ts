import { compareVersions } from "../../src/engine/model/index.ts";
import { openTable, packTable } from "../data/torchSymbolsTable.ts";

/** Extensions for older torches are rare by now, and a fifth of the table is about them. */
const oldest = "1.13.0";
/**
 * Functions by which torch's dispatch reaches what at:: has as well, and readers of the fields of autograd nodes, which Python
 * reaches through their types: a tenth of the names, to which hardly any extension binds.
 */
const leftOut = [
  String.raw`^_ZN2at(?:\d\dcomposite(?:explicit|implicit)|10redispatch|(?:3cpu|4cuda)\d+[a-z_0-9]+E\w*6Tensor)`,
  String.raw`^_ZN5torch8autograd9generated\d+THP`,
];

/** data/torch-symbols.br as it is packaged: smaller, and saying what it leaves out. */
export function packageSymbols(file: Buffer, quality?: number): Buffer {
  const table = openTable(file);
  const kept = table.releases.map((one, column) => ({ one, column })).filter(({ one }) => compareVersions(one.version, oldest) >= 0);
  const others = table.releases.filter((one) => kept.every((other) => other.one !== one));
  const patterns = leftOut.map((one) => new RegExp(one));
  const masks = new Map([...table.masks]
    .filter(([name]) => !patterns.some((one) => one.test(name)))
    .map(([name, row]) => [name, Uint8Array.from(kept, ({ column }) => row[column] ?? 0)] as const)
    .filter(([, row]) => row.some((one) => one !== 0)));
  // Versions before "nightly".
  const missing = [...others.map(({ version }) => ({ version, why: `The table in this package begins with torch ${oldest}; that of Abiding's sources has it.` })), ...table.missing]
    .sort((one, other) => Number(!/^\d/.test(one.version)) - Number(!/^\d/.test(other.version)) || compareVersions(one.version, other.version));
  return packTable({ ...table, releases: kept.map(({ one }) => one), missing, leftOut, masks }, quality);
}
