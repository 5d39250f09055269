import { onBuilt } from "./binaries/report.ts";
import type { Observed } from "./binaries/report.ts";
import { nameOf } from "./binaries/subjects.ts";
import { disagreements, missesSymbols, torchOfFit } from "./binaries/words.ts";
import type { BuiltFile, Rule, RuleContext } from "./rule.ts";

/** The stamp holds what was true when the file was compiled. */
export const stamp: Rule = {
  name: "stamp",
  severity: "error",
  summary: "The ABI stamp in a built file is not true of the torch that it meets.",
  check: (context) => onBuilt(stamp, context, stamped),
};

/** Where symbols are missing they say more, and name the stamp. */
function stamped(context: RuleContext, file: BuiltFile): Observed | undefined {
  const [first] = file.origin === "jit-cache" || missesSymbols(file) ? [] : disagreements(file, "stamp");
  if (file.fit === undefined || first === undefined) return undefined;
  return {
    message: `${nameOf(context, file)} carries a stamp of its build that does not hold for ${torchOfFit(file.fit)}. ${first.because}`,
    severity: first.weight,
    against: first.evidence,
  };
}
