import { readRequirements } from "../../../../../src/engine/sources/python/requirements/index.ts";
import type { Reading, Requirement } from "../../../../../src/engine/model/index.ts";
import { MemoryFiles } from "../../../../support/memory-files.ts";

/** Reads one file of a project under /p. */
export function read(name: string, text: string, others: Readonly<Record<string, string | Uint8Array>> = {}): Reading {
  return readRequirements(`/p/${name}`, new MemoryFiles({ [`/p/${name}`]: text, ...others }));
}

/** "line:start-end role[group] name|specifier|" of each requirement; the range is that of the version part, one-based line. */
export function shown(requirements: readonly Requirement[]): readonly string[] {
  return requirements.map((one) => {
    const range = one.specifierLocation?.range ?? one.location.range;
    const place = `${range.start.line + 1}:${range.start.character}-${range.end.character}`;
    return `${place} ${one.role}${one.group === undefined ? "" : `[${one.group}]`} ${one.name}|${one.known ? one.specifier : "?"}|${one.marker ?? ""}`;
  });
}
