import table from "../../../../data/manylinux-policies.json" with { type: "json" };

interface Row {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly machines: readonly string[];
  readonly versions: Readonly<Record<string, Readonly<Record<string, readonly string[] | undefined>> | undefined>>;
  readonly libraries: readonly string[];
  readonly forbidden?: Readonly<Record<string, readonly string[]>>;
}

/** What a platform tag promises: a file that keeps to it loads on every machine that the tag admits. */
export interface Policy {
  /** "manylinux_2_17". */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Allowed versions by family: "GLIBC" -> "2.5", ... Families that are not listed are not judged. */
  readonly versions: ReadonlyMap<string, ReadonlySet<string>>;
  readonly libraries: ReadonlySet<string>;
  /** Internals of a library, by its name. */
  readonly forbidden: ReadonlyMap<string, ReadonlySet<string>>;
}

export type Libc = "glibc" | "musl";

/** Sources of the rows, for evidence. */
export const policySource: string = table.source;

/** The policies for a machine, the strictest first. */
export function policiesOf(libc: Libc, machine: "x86_64" | "aarch64"): readonly Policy[] {
  const versions = new Map<string, Set<string>>();
  const libraries = new Set<string>();
  let forbidden: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  const policies: Policy[] = [];
  for (const row of (libc === "glibc" ? table.manylinux : table.musllinux) as readonly Row[]) {
    for (const [family, added] of Object.entries(row.versions[machine] ?? {})) {
      versions.set(family, new Set([...(versions.get(family) ?? []), ...(added ?? [])]));
    }
    for (const name of row.libraries) {
      libraries.add(name === "libc.so" ? `libc.musl-${machine}.so.1` : name);
    }
    forbidden = row.forbidden === undefined ? forbidden : new Map(Object.entries(row.forbidden).map(([library, names]) => [library, new Set(names)]));
    if (row.machines.includes(machine)) {
      policies.push({ name: row.name, aliases: row.aliases, versions: new Map(versions), libraries: new Set(libraries), forbidden });
    }
  }
  return policies;
}
