import table from "../../../../data/cpython-stable-abi.json" with { type: "json" };
import type { WheelDisagreement } from "../../model/index.ts";
import { compareVersions } from "../../model/index.ts";
import { familyOf } from "../mangling/index.ts";
import type { WheelContent, WheelLibrary } from "./types.ts";

const since: ReadonlyMap<string, string> = new Map(table.releases.flatMap((release) => release.names.map((name) => [name, release.since] as const)));
const elsewhere: ReadonlyMap<string, string> = new Map(Object.entries(table.elsewhere).flatMap(([condition, names]) => names.map((name) => [name, condition] as const)));
/** The release that began the stable ABI (PEP 384). */
const first = "3.2";
/** From this release on CPython has an ABI for both its builds, with and without GIL (PEP 803). */
const firstFree = "3.15";
const namedAtMost = 4;

interface Use {
  readonly member: string;
  readonly symbol: string;
  /** undefined: not part of the stable ABI. */
  readonly since: string | undefined;
  /** Only builds with this condition have it. */
  readonly condition?: string;
}

/**
 * The lowest CPython whose stable ABI has all that the modules use; undefined when they use more, when there is none, or
 * when what they use is not known.
 */
export function abi3Floor(libraries: readonly WheelLibrary[]): string | undefined {
  if (!libraries.some(({ body }) => body.profile.modules.length > 0)) {
    return undefined;
  }
  let floor = first;
  for (const library of libraries) {
    for (const use of usesOf(library) ?? [undefined]) {
      if (use?.since === undefined) {
        return undefined;
      }
      floor = compareVersions(use.since, floor) > 0 ? use.since : floor;
    }
  }
  return floor;
}

/** Whether a library keeps to the stable ABI of any CPython; undefined: what it uses is not known. */
export function isWithinStableAbi(library: WheelLibrary): boolean | undefined {
  return usesOf(library)?.every((use) => use.since !== undefined);
}

/** Modules that are tagged for the stable ABI, by the wheel or by their own name, against what they use of CPython. */
export function judgeStableAbi({ where, name, libraries }: WheelContent): readonly WheelDisagreement[] {
  const promised = name.tags.abis.some((abi) => /^abi3t?$/.test(abi));
  const tagged = name.tags.pythons.flatMap((tag) => /^cp3(\d+)$/.exec(tag)?.[1] ?? []).map(Number);
  const baseline = promised && tagged.length > 0 ? `3.${Math.min(...tagged)}` : undefined;
  const beyond: Use[] = [];
  const newer: Use[] = [];
  for (const library of libraries) {
    const suffixes = library.body.profile.modules.map((one) => one.suffix);
    // A module for one CPython is not imported by others; that it is in such a wheel is said elsewhere.
    if (suffixes.some((one) => one?.startsWith("cpython-") === true) || !(promised || suffixes.some((one) => one?.startsWith("abi3") === true))) {
      continue;
    }
    for (const use of usesOf(library) ?? []) {
      if (use.since === undefined) {
        beyond.push(use);
      } else if (baseline !== undefined && compareVersions(use.since, baseline) > 0) {
        newer.push(use);
      }
    }
  }
  const promise = promised ? `The name says ${name.tags.pythons.join(".")}-${name.tags.abis.join(".")}` : "A module is named for the stable ABI of CPython";
  const say = (message: string, use: Use): WheelDisagreement => ({ kind: "abi3", weight: "error", member: use.member, message, evidence: [{ kind: "file", path: `${where}/${use.member}`, what: `needs ${use.symbol}` }, { kind: "catalogue", table: "cpython-stable-abi", row: use.symbol, source: table.source }] });
  const [outside] = beyond;
  const [late] = newer.sort((a, b) => compareVersions(b.since ?? "", a.since ?? ""));
  return [
    ...(outside === undefined ? [] : [say(`${promise}, which promises that every later CPython loads it. ${outside.member} needs ${listed(beyond)}, which ${count(beyond) === 1 ? "is" : "are"} not part of the stable ABI${outside.condition === undefined ? "" : ` of Linux (only builds with ${outside.condition} have ${outside.symbol})`}.`, outside)]),
    ...(late === undefined || baseline === undefined ? [] : [say(`${promise}, so that it installs on CPython ${baseline}. ${late.member} needs ${listed(newer)}, and ${late.symbol} is there from CPython ${late.since} on.`, late)]),
    ...(name.tags.abis.includes("abi3t") && baseline !== undefined && compareVersions(baseline, firstFree) < 0 ? [{ kind: "abi3" as const, weight: "error" as const, message: `The name says ${name.tags.pythons.join(".")}-${name.tags.abis.join(".")}. The stable ABI for builds without GIL begins with CPython ${firstFree}.`, evidence: [{ kind: "file" as const, path: where, what: `the tag abi3t with ${name.tags.pythons.join(".")}` }] }] : []),
  ];
}

/** What a library needs of CPython. Weak names may be missing and are tested for. */
function usesOf({ member, image }: WheelLibrary): readonly Use[] | undefined {
  const imports = image.imports();
  if (imports === undefined) {
    return undefined;
  }
  const uses: Use[] = [];
  for (const { name, binding } of imports) {
    if (binding !== "weak" && familyOf(name) === "python") {
      const condition = elsewhere.get(name);
      uses.push({ member, symbol: name, since: since.get(name), ...(condition === undefined ? {} : { condition }) });
    }
  }
  return uses;
}

function count(uses: readonly Use[]): number {
  return new Set(uses.map((one) => one.symbol)).size;
}

function listed(uses: readonly Use[]): string {
  const names = [...new Set(uses.map((one) => one.symbol))];
  return `${names.slice(0, namedAtMost).join(", ")}${names.length > namedAtMost ? ` and ${names.length - namedAtMost} more` : ""}`;
}
