import { shortNames } from "../../engine/binaries/mangling/index.ts";
import type { BoundingSymbol, BuiltAgainst } from "../../engine/model/index.ts";
import { plural } from "./layout.ts";

/** "torch 2.3.0 to 2.7.1", with a symbol that bounds it on each side. */
export function builtAgainstWords(against: BuiltAgainst): string {
  const { releases, since, until, kind, lower, lowerCount, upper, upperCount, symbols, unrecorded, unrecordedReleases } = against;
  const isConflict = releases.length === 0;
  const parts = [rangeWords(against)];
  if (lower[0] !== undefined) parts.push(isConflict ? `${named(lower[0], lowerCount)} came with ${since}` : `before ${since} there is no ${named(lower[0], lowerCount)}`);
  if (upper[0] !== undefined) parts.push(isConflict ? `${named(upper[0], upperCount)} went after ${until ?? ""}` : `after ${until ?? releases.at(-1) ?? ""} there is no ${named(upper[0], upperCount)}`);
  if (unrecorded > 0) parts.push(`no recorded release exports ${plural(unrecorded, "further name")} like torch's that it needs`);
  const gap = unrecordedReleases.length === 0 || lower.length > 0 ? "" : ` Of older releases nothing is recorded: ${unrecordedReleases.join(", ")}.`;
  return `${parts.join("; ")} (by ${plural(symbols, "name")} of torch${kind === "stable-abi" ? "'s stable ABI, alone" : ""}).${gap}`;
}

function rangeWords({ releases, since, until, kind }: BuiltAgainst): string {
  if (releases.length === 0) return "no recorded release of torch has all that it needs";
  if (until === null) return kind === "stable-abi" ? `torch ${since} or newer` : `torch ${since} or newer, as far as releases are recorded`;
  return since === until ? `torch ${since}` : `torch ${since} to ${until}`;
}

function named({ demangled }: BoundingSymbol, count: number): string {
  return `${shortNames(demangled)}${count > 1 ? ` (and ${count - 1} more)` : ""}`;
}
