/** What wheels ask for, by their METADATA: beside the wheel where the index has it there, else by ranges of the wheel. */
import { ArchiveError, ByteSourceError, openArchive } from "../../../engine/binaries/archive/index.ts";
import type { ByteSource } from "../../../engine/binaries/archive/index.ts";
import { httpSource, readRemote, readSidecar, withUserOf } from "../../../engine/binaries/remote/index.ts";
import type { RemoteOptions, Spending } from "../../../engine/binaries/remote/index.ts";
import { readHeaders } from "../../../engine/binaries/wheel/metadata.ts";
import { compareVersions } from "../../../engine/model/index.ts";
import { changedSentence } from "./page.ts";
import type { RememberedWheel } from "./types.ts";

/** What was learned of single files; laid over what is remembered. */
export interface Learned {
  /** By file. */
  readonly wheels: ReadonlyMap<string, Partial<RememberedWheel>>;
  readonly problems: readonly string[];
}

interface Means {
  /** The index's address as it was given, perhaps with a user. */
  readonly index: string;
  readonly now: string;
  readonly options: RemoteOptions & { readonly budget: Spending };
}

/** Versions whose METADATA is read in one go, the newest first; the others have their turn the next time. */
const mostVersions = 100;
/** Files read at a time. */
const together = 4;
/** After so many failures one after the other a server is left alone. */
const mostFailures = 4;
const largestMetadata = 4 * 1024 * 1024;

/**
 * Reads what wheels require whose METADATA was not read yet. All wheels of a version ask for the same torch, so that one of
 * each version is read; `isWanted` says which is preferred.
 */
export async function learnRequirements(wheels: readonly RememberedWheel[], isWanted: (wheel: RememberedWheel) => boolean, means: Means): Promise<Learned> {
  const versions = new Map<string, RememberedWheel[]>();
  for (const wheel of wheels.filter((one) => one.gone === undefined)) {
    versions.set(wheel.version, [...(versions.get(wheel.version) ?? []), wheel]);
  }
  const open = [...versions].filter(([, all]) => all.some(isWanted) && !all.some((one) => one.requires !== undefined)).sort(([a], [b]) => compareVersions(b, a)).slice(0, mostVersions);
  const learned = new Map<string, Partial<RememberedWheel>>();
  const problems: string[] = [];
  let failures = 0;
  let isSpent = false;
  const readOne = async ([, all]: (typeof open)[number]): Promise<void> => {
    const wheel = all.toSorted((a, b) => Number(isWanted(b)) - Number(isWanted(a)) || Number(b.listed) - Number(a.listed) || Number(b.sidecar !== undefined) - Number(a.sidecar !== undefined))[0];
    if (wheel === undefined) return;
    try {
      const { requires, ...seen } = await requirementsOf(wheel, means, problems);
      failures = 0;
      for (const one of all) learned.set(one.file, { requires });
      learned.set(wheel.file, { requires, ...seen });
    } catch (error) {
      if (!(error instanceof ByteSourceError) && !(error instanceof ArchiveError)) throw error;
      const problem = error instanceof ByteSourceError ? error.problem : "unreadable";
      if (problem === "missing") learned.set(wheel.file, { gone: means.now });
      else failures += 1;
      isSpent ||= problem === "budget" || problem === "cancelled";
      if (problem !== "cancelled") problems.push(`What ${wheel.file} requires is not known: ${error.message}`);
    }
  };
  for (let at = 0; at < open.length && failures < mostFailures && !isSpent; at += together) {
    await Promise.all(open.slice(at, at + together).map(readOne));
  }
  return { wheels: learned, problems: problems.length > mostFailures ? [...problems.slice(0, mostFailures), `${problems.length - mostFailures} more such wheels.`] : problems };
}

async function requirementsOf(wheel: RememberedWheel, means: Means, problems: string[]): Promise<Partial<RememberedWheel> & { readonly requires: readonly string[] }> {
  const { index, options } = means;
  const url = withUserOf(index, wheel.url);
  if (wheel.sidecar !== undefined) {
    try {
      const text = await readSidecar({ name: wheel.file, url, sha256: wheel.sha256, size: wheel.size, requiresPython: undefined, yanked: undefined, metadata: { sha256: wheel.sidecar === "" ? undefined : wheel.sidecar } }, options);
      if (text !== undefined) return { requires: requiresIn(text) };
    } catch (error) {
      if (!(error instanceof ByteSourceError) || (error.problem !== "missing" && error.problem !== "changed")) throw error;
      problems.push(`${error.message} METADATA was read from the wheel itself.`);
    }
  }
  return readRemote(url, options, async (source) => {
    const seen = noticed(wheel, source, means.now, problems);
    const archive = await openArchive(source);
    const member = [...archive.members.values()].find((one) => /^[^/]+\.dist-info\/METADATA$/.test(one.name));
    if (member === undefined) throw new ByteSourceError("unreadable", `${source.name} has no METADATA.`);
    const bytes = await archive.read(member, largestMetadata);
    return { ...seen, requires: requiresIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")) };
  });
}

function requiresIn(metadata: string): readonly string[] {
  return readHeaders(metadata).get("requires-dist") ?? [];
}

/** What the server says of a file, against what it said before and what the index says. */
function noticed(wheel: RememberedWheel, source: ByteSource, now: string, problems: string[]): Partial<RememberedWheel> {
  const identity = source.identity;
  if (wheel.identity !== undefined && wheel.identity !== identity) {
    const changed = changedSentence(wheel, `the server called it ${wheel.identity} and calls it ${identity}`, now);
    problems.push(changed);
    return { identity, size: source.size, changed };
  }
  if (wheel.size !== undefined && wheel.size !== source.size) {
    problems.push(`${wheel.file}: the index says that it has ${wheel.size} bytes, and the server says ${source.size}. The server's word is taken.`);
  }
  return { identity, size: source.size };
}

/** Asks for the first byte of each wheel: whether it is still there, and still the same. */
export async function learnPresence(wheels: readonly RememberedWheel[], means: Means): Promise<Learned> {
  const learned = new Map<string, Partial<RememberedWheel>>();
  const problems: string[] = [];
  let failures = 0;
  let isSpent = false;
  const ask = async (wheel: RememberedWheel): Promise<void> => {
    try {
      const source = await httpSource(withUserOf(means.index, wheel.url), means.options);
      learned.set(wheel.file, noticed(wheel, source, means.now, problems));
      failures = 0;
    } catch (error) {
      if (!(error instanceof ByteSourceError)) throw error;
      if (error.problem === "missing") {
        learned.set(wheel.file, { gone: means.now });
        return;
      }
      failures += 1;
      isSpent ||= error.problem === "budget" || error.problem === "cancelled";
      if (error.problem !== "cancelled") problems.push(`Whether ${wheel.file} is still there is not known: ${error.message}`);
    }
  };
  for (let at = 0; at < wheels.length && failures < mostFailures && !isSpent; at += together) {
    await Promise.all(wheels.slice(at, at + together).map(ask));
  }
  return { wheels: learned, problems };
}
