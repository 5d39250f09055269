/** Symbols, libraries and torches in the words of a finding on a built file. */
import { basename } from "node:path";
import type { FitResult, MissingKind, MissingSymbol, TraitComparison } from "../../fit/types.ts";
import { familyOf } from "../../binaries/mangling/index.ts";
import { compareVersions, valueOf } from "../../model/index.ts";
import type { SymbolFamily } from "../../model/index.ts";
import type { BuiltFile, RuleContext } from "../rule.ts";
import { joinWords, shortPath, torchName } from "../support.ts";
import { releasePart } from "../torch.ts";
import { missingSymbols, ofSymbol, stopsWith } from "./failures.ts";
import { nameOf } from "./subjects.ts";

/** Symbols of a kind without which the loader refuses the file. */
export function missingOf(file: BuiltFile, kind: MissingKind): readonly MissingSymbol[] {
  return missingSymbols(file).filter((one) => one.kind === kind);
}

/** Missing names of libraries that are neither torch's nor the project's, by whose they are. */
export function missingFromOthers(file: BuiltFile, ...families: readonly SymbolFamily[]): readonly MissingSymbol[] {
  return file.origin === "jit-cache" ? [] : missingOf(file, "other-library").filter((one) => families.includes(familyOf(one.symbol)));
}

/** Whether the loader would stop for a symbol. */
export function missesSymbols(file: BuiltFile): boolean {
  return missingSymbols(file).length > 0;
}

/** Comparisons of a trait that came out as a disagreement. */
export function disagreements(file: BuiltFile, ...traits: readonly TraitComparison["trait"][]): readonly TraitComparison[] {
  return file.fit?.traits.filter((one) => one.agrees === false && traits.includes(one.trait)) ?? [];
}

/** Longer C++ signatures tell a reader nothing more. */
const longestSignature = 160;

export function signature(demangled: string): string {
  return demangled.length <= longestSignature ? demangled : `${demangled.slice(0, longestSignature - 1)}…`;
}

/** "`c10::Error::Error(...)` and 39 more symbols", the one that the loader names first. */
export function symbolsPhrase(missing: readonly MissingSymbol[], noun = "symbol"): string {
  const [first] = missing;
  const more = missing.length - 1;
  const lead = `\`${signature(first?.demangled ?? "")}\``;
  return more <= 0 ? lead : `${lead} and ${more} more ${noun}${more === 1 ? "" : "s"}`;
}

/** "build/_C.so needs", or "libops.so, which build/_C.so loads, needs". */
export function needing(context: RuleContext, file: BuiltFile, neededBy: string | undefined): string {
  const name = nameOf(context, file);
  return isElsewhere(file, neededBy) ? `${shortPath(neededBy ?? "", context.root)}, which ${name} loads, needs` : `${name} needs`;
}

/** Whether a need is that of a library which the file loads. */
export function isElsewhere(file: BuiltFile, neededBy: string | undefined): boolean {
  return neededBy !== undefined && neededBy !== file.body.path && neededBy !== file.body.name;
}

/** What a person sees for a missing symbol. */
export function loaderSays(file: BuiltFile, symbol: string): string {
  return stopsWith(file, ofSymbol(symbol));
}

/** The torch of a fit, as people name it. */
export function torchOfFit(fit: FitResult): string {
  return torchName(fit.against);
}

/** Where a library lies, in a few words: "libc10.so". */
export function libraryName(path: string): string {
  return basename(path);
}

/** Releases with every torch symbol that the file needs, and what that says of its age; undefined when nothing is known. */
export function releasesPhrase(fit: FitResult, missing: readonly MissingSymbol[]): string | undefined {
  const here = valueOf(fit.against.facts, "torch-version");
  const would = fit.releasesThatWouldDo ?? [];
  const [oldest] = would;
  const newest = would.at(-1);
  if (oldest !== undefined && newest !== undefined) {
    const range = oldest === newest ? `torch ${oldest}` : would.length === 2 ? `torch ${oldest} and ${newest}` : `torch ${oldest} to ${newest}`;
    const age = here === undefined ? "" : compareVersions(newest, releasePart(here)) < 0 ? ": the file was built for an older torch" : compareVersions(oldest, releasePart(here)) > 0 ? ": the file was built for a newer torch" : "";
    return `Of the releases recorded, ${range} ${oldest === newest ? "has" : "have"} all that it needs of torch${age}.`;
  }
  const known = missing.find((one) => one.torch !== undefined);
  if (known?.torch === undefined) return undefined;
  const { since, until } = known.torch;
  const isNewer = here !== undefined && compareVersions(since, releasePart(here)) > 0;
  if (until === null) return `The first is exported since torch ${since}${isNewer ? ": the file was built for a newer torch" : ""}.`;
  const isOlder = here !== undefined && compareVersions(until, releasePart(here)) < 0;
  return `The first was exported by torch ${since === until ? since : `${since} to ${until}`}${isNewer ? ": the file was built for a newer torch" : isOlder ? ": the file was built for an older torch" : ""}.`;
}

/** "libfoo.so.1, libbar.so.2 and 3 more". */
export function listed(names: readonly string[], most = 4): string {
  const distinct = [...new Set(names)];
  return distinct.length <= most ? joinWords(distinct) : `${distinct.slice(0, most - 1).join(", ")} and ${distinct.length - most + 1} more`;
}
