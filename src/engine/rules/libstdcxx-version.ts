import { onBuilt } from "./binaries/report.ts";
import { olderLibrary } from "./binaries/versions.ts";
import type { Rule } from "./rule.ts";

/** The libstdc++ that is loaded first serves the whole process: conda's before the system's. */
export const libstdcxxVersion: Rule = {
  name: "libstdcxx-version",
  severity: "error",
  summary: "A built file needs a newer libstdc++ than the one that will be loaded.",
  check: (context) => onBuilt(libstdcxxVersion, context, (at, file) => olderLibrary(at, file, /^(?:GLIBCXX|CXXABI)_/, "libstdcxx-version", "Build it with a compiler no newer than that libstdc++, or bring a newer one (conda-forge's libstdcxx, or the system's first on the search path).")),
};
