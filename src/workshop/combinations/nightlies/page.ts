/** A page of an index, laid over what is remembered of it. Nothing that was known is lost. */
import { parseWheelFileName } from "../../../engine/binaries/remote/index.ts";
import type { IndexFile, IndexPage } from "../../../engine/binaries/remote/index.ts";
import { normaliseName, parseVersion } from "../../../engine/model/index.ts";
import type { Memory, RememberedWheel } from "./types.ts";

export interface Laid {
  readonly memory: Memory;
  /** What of the page is not right, in sentences. */
  readonly problems: readonly string[];
}

/** Sentences about single files; more of a kind are counted. */
const mostTold = 5;

/** The page is none of this package: an error page, a login, an index without it. */
export function isNoIndex(page: IndexPage, packageName: string): boolean {
  return !page.files.some((file) => nameOf(file, packageName) !== undefined);
}

/** `now`: when the page was read, ISO 8601. */
export function layPage(memory: Memory, page: IndexPage, now: string): Laid {
  const known = new Map(memory.wheels.map((one) => [one.file, one]));
  const seen = new Map<string, RememberedWheel>();
  const twice: string[] = [];
  const differing: string[] = [];
  const changes: string[] = [];
  for (const file of page.files) {
    const wheel = wheelOf(file, memory, now);
    const before = wheel === undefined ? undefined : seen.get(wheel.file);
    if (wheel === undefined) continue;
    if (before === undefined) {
      const merged = merge(known.get(wheel.file), wheel, now);
      if (merged.changed !== undefined && merged.changed !== known.get(wheel.file)?.changed) changes.push(merged.changed);
      seen.set(wheel.file, merged);
    } else if (isSame(before, wheel)) {
      twice.push(wheel.file);
    } else {
      differing.push(wheel.file);
    }
  }
  const rest = memory.wheels.filter((one) => !seen.has(one.file)).map((one): RememberedWheel => (one.listed ? { ...one, listed: false } : one));
  return {
    memory: { ...memory, readAt: now, wheels: [...seen.values(), ...rest] },
    problems: [
      ...page.problems,
      ...(twice.length === 0 ? [] : [`${page.url} lists ${filesIn(twice)} more than once.`]),
      ...(differing.length === 0 ? [] : [`${page.url} lists ${filesIn(differing)} more than once, with different addresses or checksums; the first one is taken.`]),
      ...changes.slice(0, mostTold),
      ...(changes.length > mostTold ? [`${changes.length - mostTold} more wheels of ${page.url} changed under their names.`] : []),
    ],
  };
}

function filesIn(files: readonly string[]): string {
  const shown = [...new Set(files)];
  return shown.length > 3 ? `${shown.slice(0, 3).join(", ")} and ${shown.length - 3} more files` : shown.join(", ");
}

function nameOf(file: IndexFile, packageName: string): ReturnType<typeof parseWheelFileName> {
  const name = parseWheelFileName(file.name);
  return name !== undefined && normaliseName(name.distribution) === packageName && parseVersion(name.version) !== undefined ? name : undefined;
}

function wheelOf(file: IndexFile, memory: Memory, now: string): RememberedWheel | undefined {
  const name = nameOf(file, memory.package);
  if (name === undefined) return undefined;
  const day = dayOf(name.version);
  return {
    package: memory.package, version: name.version, file: file.name, url: withoutUser(file.url), index: memory.index,
    python: name.pythons.join("."), abi: name.abis.join("."), platforms: name.platforms,
    ...(file.sha256 === undefined ? {} : { sha256: file.sha256 }),
    ...(file.size === undefined ? {} : { size: file.size }),
    ...(file.requiresPython === undefined ? {} : { requiresPython: file.requiresPython }),
    ...(file.yanked === undefined ? {} : { yanked: file.yanked }),
    ...(file.metadata === undefined ? {} : { sidecar: file.metadata.sha256 ?? "" }),
    firstSeen: now, lastSeen: now, listed: true,
    ...(day === undefined ? {} : { day }),
  };
}

/** Pages may name a user in their links; what is remembered is without. */
function withoutUser(address: string): string {
  return address.replace(/^(https?:\/\/)[^/?#]*@/i, "$1");
}

/** "20261101" of "2.15.0.dev20261101+cu130". */
export function dayOf(version: string): string | undefined {
  const day = String(parseVersion(version)?.dev ?? "");
  return /^20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(day) ? day : undefined;
}

/** Two entries of one page with the same file name. */
function isSame(a: RememberedWheel, b: RememberedWheel): boolean {
  return a.url === b.url && (a.sha256 === undefined || b.sha256 === undefined || a.sha256 === b.sha256);
}

function merge(old: RememberedWheel | undefined, fresh: RememberedWheel, now: string): RememberedWheel {
  if (old === undefined) return fresh;
  const how = difference(old, fresh);
  if (how !== undefined) {
    return { ...fresh, firstSeen: old.firstSeen, changed: changedSentence(fresh, how, now) };
  }
  const { sha256, size, requires, changed, identity } = old;
  return {
    // What a page told before is kept where it is silent now.
    ...(sha256 === undefined ? {} : { sha256 }), ...(size === undefined ? {} : { size }), ...fresh, firstSeen: old.firstSeen,
    ...(requires === undefined ? {} : { requires }), ...(changed === undefined ? {} : { changed }), ...(identity === undefined ? {} : { identity }),
  };
}

/** `how`: "its SHA-256 was … and is …". */
export function changedSentence(wheel: Pick<RememberedWheel, "file" | "index">, how: string, now: string): string {
  return `${wheel.file} at ${wheel.index} was replaced by another file of the same name: ${how}, seen on ${now.slice(0, 10)}. What was predicted or tried with it before may not hold for it.`;
}

function difference(old: RememberedWheel, fresh: RememberedWheel): string | undefined {
  const differs = (a: string | number | undefined, b: string | number | undefined): boolean => a !== undefined && a !== "" && b !== undefined && b !== "" && a !== b;
  if (differs(old.sha256, fresh.sha256)) return `its SHA-256 was ${old.sha256?.slice(0, 12)}… and is ${fresh.sha256?.slice(0, 12)}…`;
  if (old.sha256 !== undefined && fresh.sha256 !== undefined) return undefined;
  if (differs(old.sidecar, fresh.sidecar)) return `the SHA-256 of its METADATA was ${old.sidecar?.slice(0, 12)}… and is ${fresh.sidecar?.slice(0, 12)}…`;
  if (differs(old.size, fresh.size)) return `it had ${old.size} bytes and has ${fresh.size}`;
  return undefined;
}
