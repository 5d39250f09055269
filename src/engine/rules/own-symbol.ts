import { onBuilt } from "./binaries/report.ts";
import { isOwn } from "./binaries/failures.ts";
import type { Observed } from "./binaries/report.ts";
import { loaderSays, missingOf, needing, symbolsPhrase } from "./binaries/words.ts";
import type { BuiltFile, Rule, RuleContext } from "./rule.ts";

/** A function that nobody installed defines: a source was left out of the build, or a library of the link. */
export const ownSymbol: Rule = {
  name: "own-symbol",
  severity: "error",
  summary: "A built file needs a symbol that belongs to no library of the environment: a source was not compiled or not linked.",
  check: (context) => onBuilt(ownSymbol, context, unowned),
};

function unowned(context: RuleContext, file: BuiltFile): Observed | undefined {
  const missing = missingOf(file, "own").filter((one) => isOwn(file, one));
  const [first] = missing;
  if (first === undefined || file.origin === "jit-cache") return undefined;
  const sources = file.target?.target.sources.map((one) => one.path.slice(Math.max(one.path.lastIndexOf("/"), one.path.lastIndexOf("\\")) + 1)) ?? [];
  const compiled = sources.length === 0 || sources.length > 8 ? "" : ` Target ${file.target?.name ?? ""} compiles ${sources.join(", ")}.`;
  return {
    message: `${needing(context, file, first.neededBy)} ${symbolsPhrase(missing)}, which neither it nor any library that it loads defines, nor torch, CUDA or Python. ${loaderSays(file, first.symbol)} A source that defines it was not compiled, or a library was not linked.${compiled} This is no ABI mismatch.`,
  };
}
