import { ArchiveError, ByteSourceError, openArchive } from "../../../engine/binaries/archive/index.ts";
import { readRemote } from "../../../engine/binaries/remote/index.ts";
import type { RemoteOptions } from "../../../engine/binaries/remote/index.ts";
import type { BisectReport, KnownWheel } from "../types.ts";

const versionFile = "torch/version.py";
const most = 64 * 1024;

/** The commit that a torch was built from, by torch/version.py in its wheel; undefined when it cannot be read. */
export async function gitVersionOf(wheel: KnownWheel, remote: RemoteOptions): Promise<string | undefined> {
  try {
    return await readRemote(wheel.sha256 === undefined ? wheel.url : `${wheel.url.replace(/#.*$/, "")}#sha256=${wheel.sha256}`, remote, async (source) => {
      const archive = await openArchive(source);
      const member = archive.members.get(versionFile);
      const text = member === undefined ? "" : Buffer.from(await archive.read(member, most)).toString("utf8");
      return /^git_version\s*=\s*['"]([0-9a-f]{7,40})['"]/m.exec(text)?.[1];
    });
  } catch (error) {
    if (error instanceof ArchiveError || error instanceof ByteSourceError) return undefined;
    throw error;
  }
}

/** Torch's commits between two builds, and where they are shown. Source: GitHub Docs, "Comparing commits". */
export function gitRange(older: string | undefined, newer: string | undefined): BisectReport["range"] {
  return older === undefined || newer === undefined || older === newer ? undefined : { from: older, to: newer, url: `https://github.com/pytorch/pytorch/compare/${older}...${newer}` };
}
