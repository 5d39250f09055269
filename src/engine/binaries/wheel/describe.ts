import * as path from "node:path";
import type { WheelProfile } from "../../model/index.ts";
import type { Archive } from "../archive/index.ts";
import { readFileName } from "./fileName.ts";
import { readMetadata } from "./metadata.ts";
import { judgePlatform } from "./platformTag.ts";
import { isGrafted } from "./provided.ts";
import type { WheelContent, WheelLibrary } from "./types.ts";

export interface WheelOptions {
  /** Reads every member and compares its content with RECORD. */
  readonly verify?: boolean;
}

/**
 * What a wheel says of itself, what it holds, and where the two differ. `libraries` are its ELF files, described.
 * Throws ByteSourceError.
 */
export async function describeWheel(archive: Archive, libraries: readonly WheelLibrary[], _options: WheelOptions = {}): Promise<WheelProfile> {
  const where = archive.source.name;
  const metadata = await readMetadata(archive);
  const name = readFileName(fileNameOf(where));
  const content: WheelContent = { where, name, members: archive.members, metadata, libraries };
  const platform = judgePlatform(content);
  return {
    path: where,
    fileName: name.fileName,
    size: archive.source.size,
    name: metadata.name ?? name.distribution,
    version: metadata.version ?? name.version,
    tags: name.tags,
    wheelTags: metadata.wheelTags,
    generator: metadata.generator,
    isPurelib: metadata.isPurelib,
    requiresPython: metadata.requiresPython,
    requires: metadata.requires,
    libraries: libraries.map(({ member, size }) => ({ member, size, isGrafted: isGrafted(member) })),
    platformTag: platform.tag,
    platformTagBesideTorch: platform.tagBesideTorch,
    abi3Floor: undefined,
    disagreements: platform.disagreements,
    notKnown: platform.notKnown,
  };
}

/** The last part of a path or address, without the address's query, and with "%2B" read as "+". */
function fileNameOf(where: string): string {
  if (!/^https?:\/\//i.test(where)) {
    return path.basename(where);
  }
  const last = where.split(/[?#]/, 1)[0]?.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
