import { onBuilt } from "./binaries/report.ts";
import type { Observed } from "./binaries/report.ts";
import { nameOf } from "./binaries/subjects.ts";
import { disagreements, torchOfFit } from "./binaries/words.ts";
import type { BuiltFile, Rule, RuleContext } from "./rule.ts";

/** The stamp holds what was true when the file was compiled. */
export const stamp: Rule = {
  name: "stamp",
  severity: "error",
  summary: "The ABI stamp in a built file is not true of the torch that it meets.",
  check: (context) => onBuilt(stamp, context, stamped),
};

function stamped(context: RuleContext, file: BuiltFile): Observed | undefined {
  const differing = file.origin === "jit-cache" ? [] : disagreements(file, "stamp");
  if (file.fit === undefined || differing.length === 0) return undefined;
  const parts = differing.slice(0, 4).map((one) => `it was compiled with ${one.built} and meets ${one.installed}`);
  return {
    message: `${nameOf(context, file)} carries a stamp of its build that does not hold for ${torchOfFit(file.fit)}: ${parts.join("; ")}. ${[...new Set(differing.map((one) => one.because))].join(" ")}`,
    severity: differing.some((one) => one.weight === "error") ? "error" : differing.some((one) => one.weight === "warning") ? "warning" : "info",
    against: differing.flatMap((one) => one.evidence),
  };
}
