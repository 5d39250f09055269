/** Symbol versions of glibc and libstdc++ that a built file needs and the machine does not have. */
import type { BuiltFile, RuleContext } from "../rule.ts";
import { shortPath } from "../support.ts";
import { traitSaid } from "./traits.ts";
import type { Observed } from "./report.ts";
import { listed, loaderSays, loading, missingFromOthers, needing, symbolsPhrase } from "./words.ts";

export function olderLibrary(context: RuleContext, file: BuiltFile, versions: RegExp, trait: "glibc" | "libstdcxx-version", remedy: string): Observed | undefined {
  const missing = file.fit?.missingVersions.filter((one) => versions.test(one.version)) ?? [];
  const [first] = missing;
  if (first === undefined) return traitSaid(context, file, trait) ?? lackingName(context, file, trait, remedy);
  const offered = first.highest === undefined ? "" : `, which goes up to ${first.highest}`;
  const more = missing.length === 1 ? "" : ` (and ${listed(missing.slice(1).map((one) => one.version))})`;
  return {
    message: `${needing(context, file, first.neededBy)} ${first.version}${more} of ${first.library}, and the one that would be loaded is ${shortPath(first.foundIn, context.root)}${offered}. ${loading(file)} stops with "${first.foundIn}: version \`${first.version}' not found (required by ${first.neededBy})". ${remedy}`,
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
