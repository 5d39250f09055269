/** Symbol versions that a built file needs and the libraries of the machine do not have. */
import type { BuiltFile, RuleContext } from "../rule.ts";
import { shortPath } from "../support.ts";
import { missingVersionsOf, ofVersion, stopsWith } from "./failures.ts";
import { traitSaid } from "./traits.ts";
import type { Observed } from "./report.ts";
import { listed, loaderSays, missingFromOthers, needing, symbolsPhrase } from "./words.ts";

export function olderLibrary(context: RuleContext, file: BuiltFile, versions: RegExp, trait: "glibc" | "libstdcxx-version", remedy: string): Observed | undefined {
  const said = lackingVersion(context, file, versions);
  return said === undefined ? traitSaid(context, file, trait) ?? lackingName(context, file, trait, remedy) : { ...said, message: `${said.message} ${remedy}` };
}

/** Versions whose names are `versions` and that a library which is there does not define. */
export function lackingVersion(context: RuleContext, file: BuiltFile, versions: RegExp): Observed | undefined {
  const all = missingVersionsOf(file).filter((one) => versions.test(one.version));
  const [first] = all;
  if (first === undefined) return undefined;
  const missing = all.filter((one) => one.library === first.library);
  const offered = first.highest === undefined ? "" : `, which goes up to ${first.highest}`;
  const more = missing.length === 1 ? "" : ` (and ${listed(missing.slice(1).map((one) => one.version))})`;
  return {
    message: `${needing(context, file, first.neededBy)} ${first.version}${more} of ${first.library}, and the one that would be loaded is ${shortPath(first.foundIn, context.root)}${offered}. ${stopsWith(file, ofVersion(first))}`,
    against: [{ kind: "file", path: first.foundIn, what: first.highest === undefined ? `has no ${first.version}` : `defines versions up to ${first.highest}` }],
  };
}

/** A name without a version, or of a version that the library has. */
function lackingName(context: RuleContext, file: BuiltFile, trait: "glibc" | "libstdcxx-version", remedy: string): Observed | undefined {
  const missing = missingFromOthers(file, trait === "glibc" ? "glibc" : "libstdcxx");
  const [first] = missing;
  if (first === undefined) return undefined;
  return { message: `${needing(context, file, first.neededBy)} ${symbolsPhrase(missing)} of ${trait === "glibc" ? "glibc" : "libstdc++"}, which the one that would be loaded does not have. ${loaderSays(file, first.symbol)} ${remedy}` };
}
