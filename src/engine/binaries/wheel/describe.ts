import * as path from "node:path";
import { loadSymbolHistory } from "../../catalogue/index.ts";
import type { RecordedSymbols } from "../../catalogue/index.ts";
import type { WheelMember, WheelProfile } from "../../model/index.ts";
import type { Archive } from "../archive/index.ts";
import { readFileName } from "./fileName.ts";
import { judgeGrafts } from "./grafted.ts";
import { judgeIdentity } from "./identity.ts";
import { judgeLabels } from "./labels.ts";
import { readMetadata } from "./metadata.ts";
import { judgePlatform } from "./platformTag.ts";
import { isGrafted } from "./provided.ts";
import { judgePython } from "./pythonTag.ts";
import { judgeRecord } from "./record.ts";
import { judgeTorchRequirement } from "./requiresTorch.ts";
import { abi3Floor, judgeStableAbi } from "./stableAbi.ts";
import { torchNeeds } from "./torchNeeds.ts";
import type { WheelContent, WheelLibrary } from "./types.ts";

export interface WheelOptions {
  /** Reads every member and compares its content with RECORD. */
  readonly verify?: boolean;
  /** Members that are libraries and could not be read. */
  readonly unread?: readonly Pick<WheelLibrary, "member" | "size">[];
  /** What torch's releases export; absent: the table of data/. */
  readonly history?: RecordedSymbols;
}

const order = ["error", "warning", "info"];

/**
 * What a wheel says of itself, what it holds, and where the two differ. `libraries` are its ELF files, described.
 * Throws ByteSourceError.
 */
export async function describeWheel(archive: Archive, libraries: readonly WheelLibrary[], options: WheelOptions = {}): Promise<WheelProfile> {
  const where = archive.source.name;
  const metadata = await readMetadata(archive);
  const name = readFileName(fileNameOf(where));
  const content: WheelContent = { where, name, members: archive.members, metadata, libraries };
  const history = options.history ?? loadSymbolHistory();
  const platform = judgePlatform(content);
  const record = await judgeRecord(archive, content, options.verify === true);
  const needs = torchNeeds(content, history);
  const torch = needs === undefined ? undefined : judgeTorchRequirement(content, needs, history);
  const listed = ({ member, size }: Pick<WheelLibrary, "member" | "size">, isRead: boolean): WheelMember => ({ member, size, isGrafted: isGrafted(member, name.distribution), isRead });
  const disagreements = [
    ...judgeIdentity(content),
    ...record.disagreements,
    ...platform.disagreements,
    ...judgePython(content),
    ...judgeStableAbi(content),
    ...judgeLabels(content, needs, history),
    ...judgeGrafts(content),
    ...(torch?.disagreements ?? []),
  ];
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
    libraries: [...libraries.map((one) => listed(one, true)), ...(options.unread ?? []).map((one) => listed(one, false))],
    platformTag: platform.tag,
    platformTagBesideTorch: platform.tagBesideTorch,
    abi3Floor: abi3Floor(libraries),
    disagreements: disagreements.sort((a, b) => order.indexOf(a.weight) - order.indexOf(b.weight)),
    notKnown: [...platform.notKnown, ...record.notKnown, ...(torch?.notKnown ?? [])],
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
