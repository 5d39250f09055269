import { onBuilt } from "./binaries/report.ts";
import type { Observed } from "./binaries/report.ts";
import { disagreements, libraryName, loaderSays, missingOf, needing, releasesPhrase, signature, symbolsPhrase, torchOfFit } from "./binaries/words.ts";
import type { BuiltFile, Rule, RuleContext } from "./rule.ts";

/** torch's C++ interface changes with every minor release; a file built for another one asks for what is not there. */
export const torchSymbols: Rule = {
  name: "torch-symbols",
  severity: "error",
  summary: "A built file needs C++ symbols of torch that the installed torch does not export: it was built for another torch.",
  check: (context) => onBuilt(torchSymbols, context, drifted),
};

function drifted(context: RuleContext, file: BuiltFile): Observed | undefined {
  const missing = missingOf(file, "drift");
  const [first] = missing;
  if (first === undefined || file.fit === undefined || file.origin === "jit-cache") return undefined;
  const torch = torchOfFit(file.fit);
  const near = first.nearest === undefined ? "" : ` ${libraryName(first.nearest.library)} exports \`${signature(first.nearest.demangled)}\` instead of the first.`;
  const releases = releasesPhrase(file.fit, missing);
  const [stamped] = disagreements(file, "stamp");
  const isNever = file.fit.neverExported?.includes(first.symbol) === true;
  const away = isNever
    ? "No recorded release of torch exports the first: it belongs to another build of torch (a nightly, ROCm, one of its own), or a source that defines it was left out."
    : file.distribution === undefined || file.target !== undefined ? "Rebuild it against this torch." : `Install a build of ${file.distribution.name} for this torch.`;
  return {
    message: `${needing(context, file, first.neededBy)} ${symbolsPhrase(missing)}, which ${torch} does not export.${near} ${loaderSays(file, first.symbol)}${releases === undefined ? "" : ` ${releases}`}${stamped === undefined ? "" : ` ${stamped.because}`} ${away}${missingOf(file, "abi-twin").length > 0 ? "" : " _GLIBCXX_USE_CXX11_ABI has nothing to do with it."}`,
    against: first.torch === undefined ? [] : [{ kind: "catalogue", table: "torch-symbols", row: first.symbol, source: first.torch.source }],
  };
}
