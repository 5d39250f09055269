import { onBuilt } from "./binaries/report.ts";
import { olderLibrary } from "./binaries/versions.ts";
import type { Rule } from "./rule.ts";

/** glibc comes with the system and cannot be brought along. */
export const glibcVersion: Rule = {
  name: "glibc-version",
  severity: "error",
  summary: "A built file needs a newer glibc than the machine that will load it has.",
  check: (context) => onBuilt(glibcVersion, context, (at, file) => olderLibrary(at, file, /^GLIBC_/, "glibc", "Build it on a system as old as the oldest that it is for (a manylinux image), or take an older build. Neither pip nor conda can replace glibc.")),
};
