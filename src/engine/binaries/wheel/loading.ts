import * as path from "node:path";
import type { WheelLibrary } from "./types.ts";

/**
 * What the modules and programs of a wheel need and do not find in it: NEEDED names with the member that needs them. The loader is followed from each of them by RPATH and
 * RUNPATH through the wheel, breadth first; a name that one of them has loaded already serves the others too. Libraries
 * that something in the wheel needs are looked at only through those that need them: their own paths may say less.
 * `stopAt`: names that every machine has, which are not followed.
 */
export function outsideNeeds(libraries: readonly WheelLibrary[], stopAt: ReadonlySet<string>): ReadonlyMap<string, string> {
  const byMember = new Map(libraries.map((one) => [one.member, one]));
  const neededSomewhere = new Set(libraries.flatMap((one) => one.body.profile.needed));
  const byName = new Map<string, string>();
  for (const root of libraries) {
    const isRoot = root.body.profile.modules.length > 0 || !neededSomewhere.has(path.posix.basename(root.member));
    if (isRoot) {
      follow(root, byMember, stopAt, byName);
    }
  }
  return byName;
}

interface Loaded {
  readonly library: WheelLibrary;
  /** RPATHs of those that asked for it, the nearest first. */
  readonly inherited: readonly string[];
}

function follow(root: WheelLibrary, byMember: ReadonlyMap<string, WheelLibrary>, stopAt: ReadonlySet<string>, outside: Map<string, string>): void {
  const seen = new Set<string>([path.posix.basename(root.member)]);
  const missing = new Map<string, string>();
  const queue: Loaded[] = [{ library: root, inherited: [] }];
  for (const { library, inherited } of queue) {
    const { rpath, runpath, needed } = library.body.profile;
    const own = runpath.length > 0 ? runpath : rpath;
    const folders = folderOf(library.member, own).concat(runpath.length > 0 ? [] : inherited);
    for (const name of needed) {
      if (isLoader(name) || stopAt.has(name) || seen.has(name)) {
        continue;
      }
      const found = folders.flatMap((folder) => byMember.get(path.posix.join(folder, name)) ?? [])[0];
      if (found === undefined) {
        missing.set(name, missing.get(name) ?? library.member);
        continue;
      }
      seen.add(name);
      if (found.body.profile.soname !== undefined) {
        seen.add(found.body.profile.soname);
      }
      // Who has a RUNPATH hands on the RPATHs above it, not its own.
      queue.push({ library: found, inherited: runpath.length > 0 ? inherited : folders });
    }
  }
  for (const [name, member] of missing) {
    if (!seen.has(name) && !outside.has(name)) {
      outside.set(name, member);
    }
  }
}

/** The dynamic loader itself: "ld-linux-x86-64.so.2". */
export function isLoader(name: string): boolean {
  return name.startsWith("ld-linux") || /^ld64\.so\.[12]$/.test(name);
}

/** Folders of the wheel that a search path leads to from a member. */
function folderOf(member: string, entries: readonly string[]): readonly string[] {
  const origin = path.posix.dirname(member);
  return entries.filter((entry) => /^\$(?:ORIGIN\b|\{ORIGIN\})/.test(entry)).map((entry) => path.posix.normalize(path.posix.join(origin, entry.replace(/^\$(?:ORIGIN|\{ORIGIN\})/, "."))));
}
