/** The libstdc++ ABI that a built file shows. */
import { torchLibraryStem } from "../../catalogue/index.ts";
import { valueOf } from "../../model/index.ts";
import type { BuiltFile, RuleContext } from "../rule.ts";
import { abiFacts } from "../libstdcxx/claims.ts";
import { againstOf, traitSaid } from "./traits.ts";
import type { Observed } from "./report.ts";
import { nameOf } from "./subjects.ts";
import { isElsewhere, libraryName, loaderSays, missingOf, needing, symbolsPhrase, torchOfFit } from "./words.ts";

/** Symbols whose other std::string spelling torch exports: compiled with the other _GLIBCXX_USE_CXX11_ABI. */
export function otherStringAbi(context: RuleContext, file: BuiltFile): Observed | undefined {
  const missing = missingOf(file, "abi-twin");
  const [first] = missing;
  // What load() would take from its cache is the matter of stale-build.
  if (file.fit === undefined || file.origin === "jit-cache") return undefined;
  if (first === undefined) return nothingCrosses(context, file);
  const torch = torchOfFit(file.fit);
  const has = valueOf(file.fit.against.facts, "libstdcxx-abi");
  const own = valueOf(file.body.facts, "libstdcxx-abi") ?? (has === undefined ? undefined : has === 1 ? 0 : 1);
  const what = `${symbolsPhrase(missing)}, which ${exporter(first.foundIn, torch)}. ${loaderSays(file, first.symbol)}`;
  const needs = `${needing(context, file, first.neededBy)} ${what}`;
  const isOwn = own !== undefined && has !== undefined && own !== has && isTorchs(first.foundIn) && !isElsewhere(file, first.neededBy);
  return {
    message: `${isOwn ? `${nameOf(context, file)} is compiled with _GLIBCXX_USE_CXX11_ABI=${own}, and ${torch} is built with ${has}: it needs ${what}` : needs} ${isTorchs(first.foundIn) ? remedy(file, has) : `One of the two has to be built with the other's _GLIBCXX_USE_CXX11_ABI${has === undefined ? "" : `; torch has ${has}`}.`}`,
    shown: needs,
    against: againstOf(file, "libstdcxx-abi"),
  };
}

/** Mostly torch; a file may also load another C++ library, such as OpenCV. */
function exporter(library: string | undefined, torch: string): string {
  if (library === undefined) return `${torch} exports with the other std::string only`;
  const name = libraryName(library);
  return isTorchs(library) ? `${torch} exports with the other std::string only in ${name}` : `${name} exports with the other std::string only`;
}

function isTorchs(library: string | undefined): boolean {
  return library === undefined || torchLibraryStem(library) !== undefined;
}

/** The other ABI, and no function of torch with a std::string among those that the file calls: it loads, and stays fragile. */
function nothingCrosses(context: RuleContext, file: BuiltFile): Observed | undefined {
  const said = traitSaid(context, file, "libstdcxx-abi");
  return said === undefined ? undefined : { ...said, message: `${said.message} No such function is among those that it calls.`, severity: file.origin === "installed" ? "info" : "warning" };
}

/** Where the build files already ask for torch's value, the file is merely old. */
function remedy(file: BuiltFile, wanted: 0 | 1 | undefined): string {
  if (wanted === undefined) return "Rebuild it against this torch.";
  const declared = file.target === undefined ? [] : abiFacts(file.target, "CXX");
  if (declared.some((one) => one.value === wanted)) return `The build files ask for ${wanted} by now: rebuild it.`;
  return file.distribution === undefined || file.target !== undefined ? `Rebuild it with _GLIBCXX_USE_CXX11_ABI=${wanted}.` : `Install a build of ${file.distribution.name} with _GLIBCXX_USE_CXX11_ABI=${wanted} (wheel names say cxx11abi${wanted === 1 ? "TRUE" : "FALSE"}), or build it from source.`;
}
