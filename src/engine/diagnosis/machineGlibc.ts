import * as path from "node:path";
import { compareVersions } from "../model/index.ts";
import type { Fact, InstalledBody } from "../model/index.ts";
import type { FitEnvironment } from "../fit/index.ts";

/** The description of a torch on this machine, with the C library that would be loaded there: its highest version of symbols. */
export function withGlibc({ body, machine }: FitEnvironment): InstalledBody {
  if (machine === undefined) {
    return body;
  }
  for (const folder of machine.defaultFolders) {
    const file = path.join(folder, "libc.so.6");
    const versions = machine.open(file)?.versionDefinitions().flatMap((one) => /^GLIBC_(\d+\.\d+)/.exec(one)?.[1] ?? []) ?? [];
    const highest = versions.sort(compareVersions).at(-1);
    if (highest !== undefined) {
      const fact: Fact<"glibc"> = { trait: "glibc", value: highest, certainty: "observed", conditions: [], evidence: [{ kind: "file", path: file, what: `defines GLIBC_${highest}` }] };
      return { ...body, facts: [...body.facts, fact] };
    }
  }
  return body;
}
