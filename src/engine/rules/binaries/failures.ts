/** What stops the loading of a built file: the loader names the first failure, and the others show when that is mended. */
import type { MissingDependency, MissingSymbol, MissingVersion } from "../../fit/types.ts";
import { familyOf } from "../../binaries/mangling/index.ts";
import type { BuiltFile } from "../rule.ts";
import { isCuda, missingDependencies } from "./dependencies.ts";

/** Something that the loader says. */
interface Failure {
  /** The loader's words. */
  readonly text: string;
  /** What it is about, in a few words. */
  readonly subject: string;
}

export function ofDependency(one: MissingDependency): Failure {
  return { text: one.refused ?? `${one.name}: cannot open shared object file: No such file or directory`, subject: one.name };
}

export function ofVersion(one: MissingVersion): Failure {
  return { text: `${one.foundIn}: version \`${one.version}' not found (required by ${one.neededBy})`, subject: `version ${one.version} of ${one.library}` };
}

export function ofSymbol(symbol: string): Failure {
  return { text: `undefined symbol: ${symbol}`, subject: `the undefined symbol ${symbol}` };
}

/**
 * "Importing it stops with ...", said of the first failure alone: Python's ImportError, or dlopen's message for a library of
 * operators. The loader maps all libraries, then compares their versions, then binds symbols (elf/dl-open.c, dl_open_worker_begin).
 */
export function stopsWith(file: BuiltFile, failure: Failure): string {
  const loading = file.body.profile.kind === "python-module" ? "Importing it" : "Loading it";
  const first = firstFailure(file);
  return first === undefined || first.text === failure.text
    ? `${loading} stops with "${failure.text}".`
    : `${loading} stops earlier, at ${first.subject}; after that it would stop with "${failure.text}".`;
}

function firstFailure(file: BuiltFile): Failure | undefined {
  const isTriedInTurn = mayBeOneOfSeveral(file);
  const dependency = missingDependencies(file).find((one) => isCuda(file, one) || !isTriedInTurn);
  if (dependency !== undefined) return ofDependency(dependency);
  const version = missingVersionsOf(file)[0];
  if (version !== undefined) return ofVersion(version);
  const symbol = missingSymbols(file).find((one) => {
    if (one.kind === "own") return isOwn(file, one);
    return one.kind !== "other-library" || !isTriedInTurn || !["cuda", "own-or-other"].includes(familyOf(one.symbol));
  });
  return symbol === undefined ? undefined : ofSymbol(symbol.symbol);
}

/** A package brings libraries for several machines and tries them in turn (one for each FFmpeg, one for each backend). */
export function mayBeOneOfSeveral(file: BuiltFile): boolean {
  return file.origin === "installed" && file.body.profile.kind !== "python-module";
}

export function missingVersionsOf(file: BuiltFile): readonly MissingVersion[] {
  return file.fit?.missingVersions ?? [];
}

/** Symbols without which the loader refuses the file, in its order. A weak one may stay unresolved; where their version is missing the loader stops at that and never at them. */
export function missingSymbols(file: BuiltFile): readonly MissingSymbol[] {
  return file.fit?.missing.filter((one) => one.binding === "global" && !missingVersionsOf(file).some((version) => isCoveredBy(one, version))) ?? [];
}

function isCoveredBy({ version, versionOf }: MissingSymbol, missing: MissingVersion): boolean {
  return version === missing.version && (versionOf === undefined || versionOf === missing.library);
}

/** Whether a name of nobody's is missing for good. */
export function isOwn(file: BuiltFile, one: MissingSymbol): boolean {
  return one.kind === "own" && loadsByItself(file) && !mayBeTorchs(file, one.demangled);
}

/** A plain library of a package may count on its host, which has loaded the rest. */
function loadsByItself(file: BuiltFile): boolean {
  const { kind } = file.body.profile;
  return kind === "python-module" || kind === "operator-library" || (kind === "shared-library" && (file.target !== undefined || file.origin === "named"));
}

/** Of a release that is known by its recorded symbols, some of what libtorch_python exports is not on record. */
function mayBeTorchs(file: BuiltFile, demangled: string): boolean {
  return file.fit?.against.torchRoot === undefined && /\b(?:pybind11|at|c10|torch|caffe2)::/.test(demangled.split("(", 1)[0] ?? "");
}
