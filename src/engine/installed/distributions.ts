import * as path from "node:path";
import type { Files, InstalledDistribution } from "../model/index.ts";
import { seenIn } from "./facts.ts";

/** Requires-Dist stands before the long description, which may be large. */
const headOfMetadata = 32 * 1024;
const maximumDistributions = 5000;
/** Distributions whose requirements are read; of others only name and version. */
const related = /^(?:torch|pytorch|triton)/;

/** Distributions in a folder of the search path, by their *.dist-info and *.egg-info. */
export function distributionsIn(folder: string, files: Files): readonly InstalledDistribution[] {
  const found: InstalledDistribution[] = [];
  for (const entry of files.list(folder).slice(0, maximumDistributions * 4)) {
    const match = /^(.+?)-(\d[^-]*)(?:-py[\d.]+)?\.(dist-info|egg-info)$/.exec(entry);
    if (match === null || found.length >= maximumDistributions) {
      continue;
    }
    const [, rawName = "", version = "", kind] = match;
    // PEP 503.
    const name = rawName.toLowerCase().replace(/[-_.]+/g, "-");
    const metadata = path.join(folder, entry, kind === "dist-info" ? "METADATA" : "PKG-INFO");
    found.push({ name, version, requires: related.test(name) ? requirementsOf(metadata, files) : [], evidence: seenIn(path.join(folder, entry), `distribution ${rawName} ${version}`) });
  }
  return found;
}

/** The Requires-Dist lines of a METADATA or PKG-INFO file, as written. */
export function requirementsOf(metadata: string, files: Files): readonly string[] {
  const bytes = files.readBytes(metadata, 0, headOfMetadata);
  const head = bytes === undefined ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8").split(/\r?\n\r?\n/, 1)[0] ?? "";
  return [...head.matchAll(/^Requires-Dist:[ \t]*(.+?)[ \t]*$/gm)].flatMap(([, requirement]) => requirement ?? []);
}

/** The .dist-info folder of torch beside a torch package. */
export function torchDistribution(folder: string, files: Files): string | undefined {
  const entry = files.list(folder).find((name) => /^torch-\d[^-]*(?:-py[\d.]+)?\.(?:dist|egg)-info$/.test(name));
  return entry === undefined ? undefined : path.join(folder, entry);
}
