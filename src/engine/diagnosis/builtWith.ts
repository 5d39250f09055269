import * as path from "node:path";
import type { FitOptions } from "../fit/index.ts";
import { requirementsOf } from "../installed/index.ts";
import { parseRequirementText } from "../model/index.ts";
import type { Files } from "../model/index.ts";
import { recordedLibraries } from "./built/candidates.ts";

const mostFoldersUp = 8;

/** The torch that a package was built with, where its metadata pins one exactly: whoever builds against C++ that changes does so. */
export function torchPinnedBy(requires: readonly string[], metadata: string): FitOptions["builtWith"] {
  for (const text of requires) {
    const requirement = parseRequirementText(text);
    const version = requirement?.name === "torch" ? /^===?\s*(\d[^,*\s]*)$/.exec(requirement.specifier.trim())?.[1] : undefined;
    if (version !== undefined && requirement?.marker === undefined) {
      return { version, source: { kind: "file", path: metadata, what: `Requires-Dist: ${text}` } };
    }
  }
  return undefined;
}

/** The same for an installed file, by the distribution whose RECORD lists it. */
export function builtWithOfInstalled(file: string, files: Files): FitOptions["builtWith"] {
  let folder = path.dirname(file);
  for (let up = 0; up < mostFoldersUp && path.dirname(folder) !== folder; up += 1) {
    for (const name of files.list(folder).filter((one) => one.endsWith(".dist-info"))) {
      const info = path.join(folder, name);
      if (recordedLibraries(info, files).includes(file)) {
        const metadata = path.join(info, "METADATA");
        return torchPinnedBy(requirementsOf(metadata, files), metadata);
      }
    }
    folder = path.dirname(folder);
  }
  return undefined;
}
