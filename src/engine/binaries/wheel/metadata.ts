import { ArchiveError } from "../archive/index.ts";
import type { Archive, Member } from "../archive/index.ts";

/** What the .dist-info folder of a wheel says. Absent texts leave their members empty. */
export interface Metadata {
  /** "torchvision-0.29.1.dist-info"; undefined: the archive has none. */
  readonly folder: string | undefined;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly requiresPython: string | undefined;
  readonly requires: readonly string[];
  readonly wheelVersion: string | undefined;
  readonly generator: string | undefined;
  readonly isPurelib: boolean | undefined;
  readonly wheelTags: readonly string[];
  /** The bytes that were read, by member. */
  readonly texts: ReadonlyMap<string, Uint8Array>;
  /** What is missing or could not be read, in sentences. */
  readonly problems: readonly string[];
}

const maximumText = 16 * 1024 * 1024;

/** Reads WHEEL, METADATA and RECORD. A member that is damaged costs only itself. Throws ByteSourceError. */
export async function readMetadata(archive: Archive): Promise<Metadata> {
  const folders = [...new Set([...archive.members.keys()].flatMap((name) => /^([^/]+\.dist-info)\//.exec(name)?.[1] ?? []))];
  const [folder] = folders;
  const problems: string[] = [];
  if (folder === undefined) {
    problems.push("It has no .dist-info folder: installers refuse it.");
  } else if (folders.length > 1) {
    problems.push(`It has ${folders.length} .dist-info folders (${folders.slice(0, 3).join(", ")}), where a wheel has one: installers refuse it.`);
  }
  const texts = new Map<string, Uint8Array>();
  for (const name of folder === undefined ? [] : ["WHEEL", "METADATA", "RECORD"]) {
    const member = archive.members.get(`${folder}/${name}`);
    if (member === undefined) {
      problems.push(`${folder}/${name} is missing${name === "RECORD" ? "" : ": installers refuse the wheel"}.`);
      continue;
    }
    const bytes = await readText(archive, member, problems);
    if (bytes !== undefined) {
      texts.set(member.name, bytes);
    }
  }
  const headers = (name: string) => readHeaders(decode(texts.get(`${folder}/${name}`)));
  const wheel = headers("WHEEL");
  const metadata = headers("METADATA");
  const purelib = first(wheel, "root-is-purelib")?.toLowerCase();
  return {
    folder,
    name: first(metadata, "name"),
    version: first(metadata, "version"),
    requiresPython: first(metadata, "requires-python"),
    requires: metadata.get("requires-dist") ?? [],
    wheelVersion: first(wheel, "wheel-version"),
    generator: first(wheel, "generator"),
    isPurelib: purelib === "true" ? true : purelib === "false" ? false : undefined,
    wheelTags: wheel.get("tag") ?? [],
    texts,
    problems,
  };
}

async function readText(archive: Archive, member: Member, problems: string[]): Promise<Uint8Array | undefined> {
  try {
    return await archive.read(member, maximumText);
  } catch (error) {
    if (error instanceof ArchiveError) {
      problems.push(error.message);
      return undefined;
    }
    throw error;
  }
}

/** The headers of a text as RFC 822 writes them, by name in lower case. A line that begins with a space continues the one before. */
export function readHeaders(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === "") {
      break;
    }
    if (/^[ \t]/.test(line)) {
      last?.push(`${last.pop() ?? ""} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    last = name === "" ? undefined : (found.get(name) ?? []);
    last?.push(line.slice(colon + 1).trim());
    if (last !== undefined) {
      found.set(name, last);
    }
  }
  return found;
}

function decode(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8").replace(/^\uFEFF/, "");
}

function first(headers: ReadonlyMap<string, readonly string[]>, name: string): string | undefined {
  return headers.get(name)?.[0];
}
