import * as fs from "node:fs";
import * as path from "node:path";
import { ArchiveError, ByteSourceError, fileSource, openArchive } from "../../engine/binaries/archive/index.ts";
import type { Archive, Member } from "../../engine/binaries/archive/index.ts";
import { makeFolder, sentenceOf } from "../process/index.ts";
import { CannotDo } from "../workshop.ts";
import type { Activity } from "../workshop.ts";
import { requireSpace } from "./space.ts";

/** st_mode, <sys/stat.h>. */
const typeBits = 0o170000;
const regularFile = 0o100000;
const symbolicLink = 0o120000;
const longestTarget = 4096;
/** Blocks and folders beside the bytes of the files themselves. */
const overhead = 1.05;

interface Entry {
  readonly member: Member;
  /** Below the folder that it is unpacked into, with slashes. */
  readonly path: string;
}

/**
 * Unpacks the libtorch in an archive, a zip of libtorch or a wheel of torch, into a folder that does not exist yet: what is below
 * the folder that holds share/cmake/Torch. Everything is streamed and compared with its checksum; links that lead out are refused,
 * as is everything that the archive's reader refuses (names that lead out, overlaps, bombs). Throws CannotDo, ArchiveError and
 * ByteSourceError.
 */
export async function unpackLibtorch(file: string, name: string, target: string, activity: Activity): Promise<void> {
  const archive = await openArchive({ ...namedSource(await fileSource(file), name) });
  const entries = entriesOf(archive, name);
  const total = entries.reduce((sum, entry) => sum + entry.member.size, 0);
  await requireSpace(path.dirname(target), Math.ceil(total * overhead), `What is in ${name}`);
  const links = entries.filter((entry) => typeOf(entry.member) === symbolicLink);
  refuseDetours(name, entries, links);
  const folders = new Set<string>();
  let done = 0;
  for (const entry of entries.filter((one) => !links.includes(one))) {
    if (activity.signal.aborted) {
      throw new ByteSourceError("cancelled", `Unpacking ${name} was cancelled.`);
    }
    await within(path.join(target, path.posix.dirname(entry.path)), folders);
    await writeMember(archive, entry, path.join(target, entry.path), activity);
    done += entry.member.size;
    activity.progress(total === 0 ? 1 : done / total);
  }
  for (const { member, path: place } of links) {
    const to = Buffer.from(await archive.read(member, longestTarget)).toString("utf8");
    refuseTarget(name, member, place, to);
    await within(path.join(target, path.posix.dirname(place)), folders);
    attempt(path.join(target, place), () => fs.symlinkSync(to, path.join(target, place)));
  }
}

/** The same bytes under the name that people know. */
function namedSource(source: Awaited<ReturnType<typeof fileSource>>, name: string): Archive["source"] {
  return { name, size: source.size, identity: source.identity, bytesRead: 0, read: async (offset, length) => source.read(offset, length) };
}

function entriesOf(archive: Archive, name: string): readonly Entry[] {
  const roots = [...archive.members.keys()].flatMap((one) => /^(.*?)share\/cmake\/Torch\/TorchConfig\.cmake$/.exec(one)?.[1] ?? []).sort((a, b) => a.length - b.length);
  const [root] = roots;
  if (root === undefined) {
    throw new ArchiveError(name, "holds no libtorch: no share/cmake/Torch/TorchConfig.cmake is in it");
  }
  const entries: Entry[] = [];
  for (const [member, details] of archive.members) {
    if (member.startsWith(root) && member.length > root.length) {
      entries.push({ member: details, path: member.slice(root.length) });
    } else if (root === "torch/" && member.startsWith("torch.libs/")) {
      // Libraries that the wheel's repair put beside the package; those of torch search their own folder too.
      entries.push({ member: details, path: `lib/${member.slice("torch.libs/".length)}` });
    }
  }
  return entries;
}

function typeOf(member: Member): number {
  const type = (member.mode ?? 0) & typeBits;
  return type === 0 ? regularFile : type;
}

/** No member may be something else than a file or a link, or be written through a link. */
function refuseDetours(archive: string, entries: readonly Entry[], links: readonly Entry[]): void {
  const linked = new Set(links.map((entry) => entry.path));
  for (const { member, path: place } of entries) {
    const type = typeOf(member);
    if (type !== regularFile && type !== symbolicLink) {
      throw new ArchiveError(archive, "is neither a file nor a link", member.name, member.headerOffset);
    }
    for (let folder = path.posix.dirname(place); folder !== "."; folder = path.posix.dirname(folder)) {
      if (linked.has(folder)) {
        throw new ArchiveError(archive, `would be written through the link ${JSON.stringify(folder)}`, member.name, member.headerOffset);
      }
    }
  }
}

/** A link may climb at its beginning only, and not above the folder that is unpacked: then no chain of links leads out of it. */
function refuseTarget(archive: string, member: Member, place: string, target: string): void {
  const climb = /^(?:\.\.\/)*/.exec(target)?.[0] ?? "";
  const rest = target.slice(climb.length);
  const depth = place.split("/").length - 1;
  if (target === "" || target.includes("\0") || target.startsWith("/") || rest.split("/").includes("..") || climb.length / 3 > depth) {
    throw new ArchiveError(archive, `is a link that leads out of the archive: ${JSON.stringify(target.slice(0, 200))}`, member.name, member.headerOffset);
  }
}

async function writeMember(archive: Archive, { member }: Entry, file: string, activity: Activity): Promise<void> {
  // What its owner could not read or replace again would be of no use; set-user-id bits have no business here.
  const permissions = ((member.mode ?? 0) & 0o777) | 0o600;
  const handle = await attempt(file, async () => fs.promises.open(file, "wx", (member.mode ?? 0) === 0 ? 0o644 : permissions));
  try {
    for await (const piece of archive.stream(member)) {
      if (activity.signal.aborted) {
        throw new ByteSourceError("cancelled", `Unpacking ${archive.source.name} was cancelled.`);
      }
      await attempt(file, async () => {
        for (let at = 0; at < piece.length;) {
          at += (await handle.write(piece, at, piece.length - at)).bytesWritten;
        }
      });
    }
  } finally {
    await handle.close();
  }
}

async function within(folder: string, made: Set<string>): Promise<void> {
  if (!made.has(folder)) {
    await attempt(folder, async () => makeFolder(folder));
    made.add(folder);
  }
}

/** What a disk refuses is said of the file that it was about. */
function attempt<T>(file: string, work: () => T): T {
  const said = (error: unknown): CannotDo => new CannotDo(sentenceOf(error, `write ${file}`), { cause: error });
  try {
    const result = work();
    return result instanceof Promise ? (result.catch((error: unknown) => { throw said(error); }) as T) : result;
  } catch (error) {
    throw said(error);
  }
}
