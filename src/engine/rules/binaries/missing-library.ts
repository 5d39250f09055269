/** What a built file needs, is there, and is not loaded; or is not there and is no matter of versions. */
import type { BuiltFile, RuleContext } from "../rule.ts";
import { shortPath } from "../support.ts";
import { missingOthers } from "./dependencies.ts";
import { mayBeOneOfSeveral, ofDependency, stopsWith } from "./failures.ts";
import type { Observed } from "./report.ts";
import { nameOf } from "./subjects.ts";
import { traitSaid } from "./traits.ts";
import { lackingVersion } from "./versions.ts";
import { libraryName, listed, loaderSays, missingFromOthers, missingOf, needing, symbolsPhrase, torchOfFit } from "./words.ts";

export function notLoaded(context: RuleContext, file: BuiltFile): Observed | undefined {
  return notFound(context, file) ?? otherVersion(context, file) ?? symbolElsewhere(context, file) ?? ofOtherRelease(context, file) ?? traitSaid(context, file, "symbol-versions");
}

function symbolElsewhere(context: RuleContext, file: BuiltFile): Observed | undefined {
  const missing = missingOf(file, "missing-library");
  const [first] = missing;
  if (first === undefined || file.fit === undefined || file.origin === "jit-cache") return undefined;
  // Of a library that this torch does not have there is nothing to link.
  if (first.foundIn === undefined) {
    const needs = `${needing(context, file, first.neededBy)} ${symbolsPhrase(missing)}.`;
    return { message: `${needs} ${first.because} ${loaderSays(file, first.symbol)}`, shown: needs };
  }
  const owners = listed(missing.flatMap((one) => (one.foundIn === undefined ? [] : [libraryName(one.foundIn)])));
  const needs = `${needing(context, file, first.neededBy)} ${symbolsPhrase(missing)}, exported by ${owners} beside ${torchOfFit(file.fit)}, and nothing loads ${owners}. ${loaderSays(file, first.symbol)}`;
  return {
    message: `${needs} Link ${linkNames(owners)}. This is no ABI mismatch.`,
    shown: needs,
    against: [{ kind: "file", path: first.foundIn, what: `exports ${first.symbol}` }],
  };
}

/** "torch_python" of "libtorch_python.so", as a linker wants it. */
function linkNames(owners: string): string {
  return owners.replaceAll(/\blib([\w-]+)\.so(?:\.[\d.]+)?/g, "$1");
}

function notFound(context: RuleContext, file: BuiltFile): Observed | undefined {
  const missing = missingOthers(file);
  const [first] = missing;
  if (first === undefined || file.fit === undefined || mayBeOneOfSeveral(file)) return undefined;
  const by = first.providedBy === undefined ? "" : ` ${first.providedBy} brings it.`;
  const searched = first.searched.length === 0 ? "" : ` It was looked for in ${listed(first.searched.map((one) => shortPath(one, context.root)))}.`;
  const rest = missing.length === 1 ? "" : ` So are ${listed(missing.slice(1).map((one) => one.name))}.`;
  const stops = stopsWith(file, ofDependency(first));
  if (first.refused !== undefined) {
    const others = missing.length === 1 ? "" : ` It also needs ${listed(missing.slice(1).map((one) => one.name))}, which the loader does not take either.`;
    const who = needing(context, file, first.neededBy).replace(/ needs$/, "");
    return {
      message: `${first.because.replace(libraryName(first.neededBy), () => who)}${others} ${stops}`,
      ...(file.origin === "installed" ? { severity: "warning" as const } : {}),
      shown: `${nameOf(context, file)} needs ${first.name}, and what the loader finds is no library.`,
    };
  }
  return {
    message: `${needing(context, file, first.neededBy)} ${first.name}, which is not found.${rest}${searched} ${stops}${by}`,
    ...(file.origin === "installed" ? { severity: "warning" as const } : {}),
    shown: `${nameOf(context, file)} needs ${first.name}, which is not found.`,
  };
}

/** Versions of glibc and libstdc++ have rules of their own. */
const ofOthers = /^(?!(?:GLIBC|GLIBCXX|CXXABI)_)/;

/** A library that is there and lacks a version which the file asks of it. */
function otherVersion(context: RuleContext, file: BuiltFile): Observed | undefined {
  const said = mayBeOneOfSeveral(file) ? undefined : lackingVersion(context, file, ofOthers);
  return said === undefined ? undefined : { ...said, message: `${said.message} The file was linked against another release of that library.`, ...(file.origin === "installed" ? { severity: "warning" as const } : {}) };
}

/** A function of CUDA or of a library that is there, and that the one which would be loaded does not have. */
function ofOtherRelease(context: RuleContext, file: BuiltFile): Observed | undefined {
  const missing = missingFromOthers(file, "cuda", "own-or-other");
  const [first] = missing;
  if (first === undefined || mayBeOneOfSeveral(file)) return undefined;
  const needs = `${needing(context, file, first.neededBy)} ${symbolsPhrase(missing)}.`;
  return {
    message: `${needs} ${first.because} ${loaderSays(file, first.symbol)}`,
    ...(file.origin === "installed" ? { severity: "warning" as const } : {}),
    shown: needs,
  };
}
