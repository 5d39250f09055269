/** Torch's stable ABI in a built file: functions that are too new for a torch, and symbols that do not belong to it. */
import { valueOf } from "../../model/index.ts";
import type { BuiltFile, RuleContext } from "../rule.ts";
import { place } from "../support.ts";
import { againstOf } from "./traits.ts";
import type { Observed } from "./report.ts";
import { nameOf } from "./subjects.ts";
import { disagreements, loaderSays, missingOf, needing, symbolsPhrase, torchOfFit } from "./words.ts";

/** Functions of the stable ABI that this torch does not have. */
export function newerShim(context: RuleContext, file: BuiltFile): Observed | undefined {
  const missing = missingOf(file, "stable-shim");
  const [first] = missing;
  if (file.fit === undefined || file.origin === "jit-cache") return undefined;
  const [minimum] = disagreements(file, "stable-abi-minimum");
  if (first === undefined) {
    if (minimum === undefined) return undefined;
    return { message: `${nameOf(context, file)} uses functions of torch's stable ABI that need torch ${minimum.built}, and ${torchOfFit(file.fit)} is older. ${minimum.because}`, severity: minimum.weight, against: minimum.evidence };
  }
  // A CPU build has no CUDA half of the interface; that is no matter of age.
  const isCuda = /cuda/i.test(first.symbol) && valueOf(file.fit.against.facts, "cuda-version") === null;
  const since = minimum?.built ?? first.torch?.since;
  const why = isCuda ? "it is a build without CUDA, which has no CUDA functions in its stable ABI" : since === undefined ? "it is older than the interface that the file was built for" : `the file needs torch ${since} or newer`;
  return {
    message: `${needing(context, file, first.neededBy)} ${symbolsPhrase(missing, "function")} of torch's stable ABI, which ${torchOfFit(file.fit)} does not have: ${why}. ${loaderSays(file, first.symbol)} ${isCuda ? "Use a torch that is built with CUDA." : file.distribution === undefined || file.target !== undefined ? "Use a newer torch, or build with a lower TORCH_TARGET_VERSION." : `Install a newer torch, or a build of ${file.distribution.name} for this one.`}`,
    against: [...(minimum?.evidence ?? againstOf(file, "torch-version"))],
  };
}

/** `claim` is where the target says that it keeps to the stable ABI. */
export function unstableImports(context: RuleContext, file: BuiltFile, claim: { readonly macro: string; readonly location: Parameters<typeof place>[0] } | undefined): Observed | undefined {
  const unstable = file.body.profile.imports.torch ?? 0;
  if (claim === undefined || unstable === 0 || file.origin === "jit-cache") return undefined;
  const name = nameOf(context, file);
  return {
    message: `${file.target === undefined ? "The target" : `Target ${file.target.name}`} claims torch's stable ABI (${claim.macro} at ${place(claim.location, context.root)}), and ${name} needs ${unstable} C++ ${unstable === 1 ? "symbol" : "symbols"} of torch that ${unstable === 1 ? "is" : "are"} not part of it: it works with the torch minor release that it was built with alone. Use the headers under torch/csrc/stable and torch/headeronly in all sources of the target.`,
    shown: `${name} needs ${unstable} C++ ${unstable === 1 ? "symbol" : "symbols"} of torch that ${unstable === 1 ? "is" : "are"} not part of the stable ABI.`,
    related: [{ message: `${claim.macro} is set here.`, location: claim.location }],
  };
}
