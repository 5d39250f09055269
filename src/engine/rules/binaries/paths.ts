/** Search paths of the machine that built a file, in a wheel that goes to others. */
import type { BuiltFile, RuleContext } from "../rule.ts";
import type { Observed } from "./report.ts";
import { nameOf } from "./subjects.ts";

export function leakedPath(context: RuleContext, file: BuiltFile): Observed | undefined {
  const { profile } = file.body;
  const sign = file.origin === "wheel" ? profile.signs.find((one) => one.what === "leaked-path") : undefined;
  const path = [...profile.runpath, ...profile.rpath].find((one) => one.startsWith("/"));
  if (sign === undefined || path === undefined) return undefined;
  return { message: `${nameOf(context, file)} tells the loader to search ${path}, a folder of the machine that built it: elsewhere it does not exist, or holds other libraries. Build with $ORIGIN paths, or drop the path from the wheel.`, severity: "info", against: [sign.evidence] };
}
