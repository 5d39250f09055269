import type { LoadedObject } from "./process.ts";
import type { ProcessModel } from "./process.ts";
import type { MissingVersion, TraitComparison } from "./types.ts";

export interface VersionAnswer {
  readonly missing: readonly MissingVersion[];
  /** Libraries whose versions could not be looked at, with the versions that are asked of them. */
  readonly unread: ReadonlyMap<string, readonly string[]>;
}

/**
 * Compares what newly loaded objects ask of others by version with what those define: the loader's message is
 * "version `GLIBCXX_3.4.32' not found". A library without any version definitions passes this comparison: what becomes of
 * its symbols is `withoutVersions`.
 */
export function compareSymbolVersions(objects: readonly LoadedObject[], model: ProcessModel): VersionAnswer {
  const missing: MissingVersion[] = [];
  const unread = new Map<string, string[]>();
  for (const object of objects) {
    for (const need of object.image?.versionNeeds() ?? []) {
      const provider = model.loaded(need.library);
      if (provider?.image === undefined) {
        unread.set(need.library, [...(unread.get(need.library) ?? []), ...need.versions]);
        continue;
      }
      const defined = provider.image.versionDefinitions();
      for (const version of defined.length === 0 ? [] : need.versions.filter((one) => !defined.includes(one))) {
        missing.push({ version, library: need.library, foundIn: provider.path, highest: highestOf(defined, version), neededBy: object.path });
      }
    }
  }
  return { missing, unread };
}

/**
 * A symbol that is asked for in a version of a library, found in that library, and the library has no versions of symbols
 * at all (no DT_VERSYM: it neither defines nor needs any): check_match in glibc's elf/dl-lookup.c ends the process. It
 * passes where another object of the scope answers before, or where the library has DT_VERSYM for what it needs itself.
 */
export function withoutVersions(objects: readonly LoadedObject[], scope: readonly LoadedObject[], model: ProcessModel): TraitComparison | undefined {
  for (const object of objects) {
    const bare = new Map((object.image?.versionNeeds() ?? []).flatMap(({ library }) => {
      const provider = model.loaded(library);
      return provider?.image?.hasSymbolVersions === false ? [[library, provider] as const] : [];
    }));
    for (const { name, version } of bare.size === 0 ? [] : object.image?.imports() ?? []) {
      const provider = bare.get(version?.library ?? "");
      if (provider === undefined || scope.find(({ image }) => image?.defines(name, version?.name)) !== provider) {
        continue;
      }
      const because = `${object.path} takes ${name} from ${version?.library} in version ${version?.name}, and ${provider.path}, which would be loaded, has no versions of symbols: ld.so ends the process with "Inconsistency detected by ld.so: dl-lookup.c: check_match: Assertion ... failed!". It is another build of the library than the one that the file was linked with.`;
      return { trait: "symbol-versions", built: `${name} in version ${version?.name} of ${version?.library}`, installed: `${provider.path} without versions`, agrees: false, weight: "error", because, evidence: [{ kind: "file", path: provider.path, what: "no DT_VERSYM" }] };
    }
  }
  return undefined;
}

/** The highest definition of the same series: of GLIBCXX for GLIBCXX_3.4.32. */
function highestOf(defined: readonly string[], like: string): string | undefined {
  return defined.filter((one) => seriesOf(one) === seriesOf(like)).sort(compareNumbers).at(-1);
}

/** "GLIBCXX" of "GLIBCXX_3.4.32". */
function seriesOf(version: string): string {
  return /^[^\d]*/.exec(version)?.[0].replace(/_$/, "") ?? "";
}

/** By their numbers: "GLIBC_2.4" before "GLIBC_2.17". */
export function compareNumbers(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => (text.match(/\d+/g) ?? []).map(Number));
  for (let index = 0; index < Math.max(a?.length ?? 0, b?.length ?? 0); index += 1) {
    const difference = (a?.[index] ?? -1) - (b?.[index] ?? -1);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}
