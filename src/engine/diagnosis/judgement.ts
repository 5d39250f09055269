import type { LibraryImage } from "../binaries/library.ts";
import type { Catalogue } from "../catalogue/index.ts";
import { loadSymbolHistory } from "../catalogue/index.ts";
import { fit } from "../fit/index.ts";
import type { FitEnvironment, FitOptions, FitResult } from "../fit/index.ts";
import { valueOf } from "../model/index.ts";
import type { FileFit, Files, Finding, FitReport, Verdict } from "../model/index.ts";
import { rules } from "../rules/index.ts";
import type { BuiltFile, RuleContext } from "../rules/index.ts";
import { builtWithOfInstalled, torchPinnedBy } from "./builtWith.ts";
import type { Examined, ExaminedBinary } from "./examination.ts";
import { withGlibc } from "./machineGlibc.ts";
import { runRules } from "./runRules.ts";
import { dependentsFirst, variantsOf, withoutForeignTraits, withoutPrograms } from "./wheelMembers.ts";
import type { Member } from "./wheelMembers.ts";

export interface JudgementOptions {
  readonly catalogue: Catalogue;
  readonly files: Files;
  /** The GPU that would run it, when one is known. */
  readonly gpu?: FitOptions["gpu"];
}

const gravest: readonly Verdict[] = ["conflict", "unknown", "no-conflict"];

/** In a wheel with more libraries, those that nothing loads are not looked through for every name that is missing. */
const allSearched = 256;

/**
 * Compares a file, or every library of a wheel, with a torch, and says it as a report. A step is one library or one rule;
 * what is yielded names it.
 */
export function* judge(examined: Examined, environment: FitEnvironment, options: JudgementOptions): Generator<string, FitReport, undefined> {
  const together: FitEnvironment = { ...environment, companions: companionsOf(examined) };
  const history = loadSymbolHistory();
  const isWheel = examined.kind === "wheel";
  const { libraries, said } = isWheel ? withoutPrograms(examined.binaries) : { libraries: examined.binaries, said: [] };
  const fits = new Map<ExaminedBinary, FitResult>();
  for (const [one, dependents] of dependentsFirst(libraries)) {
    const { body, image } = one;
    yield `comparing ${body.name}`;
    const loadedBy = dependents.flatMap((other) => fits.get(other) ?? []);
    fits.set(one, withoutForeignTraits(fit(body, image, together, { catalogue: options.catalogue, history, loadedBy, ...(options.gpu === undefined ? {} : { gpu: options.gpu }), ...builtWith(examined, body.path, options) }), examined.wheel));
  }
  const members = libraries.flatMap((one): readonly Member[] => {
    const result = fits.get(one);
    return result === undefined ? [] : [{ body: one.body, fit: result, origin: isWheel ? "wheel" : "named", modified: 0 }];
  });
  const variants = variantsOf(members);
  const built = members.filter((one) => !variants.aside.has(one));
  const files = built.map((one) => fileFit(one.fit));
  const findings = yield* findingsOf(examined, built, environment, options);
  const { body } = environment;
  const [only] = files;
  const nothing = isWheel && libraries.length === 0 && examined.problems.length === 0 ? ["The wheel holds no shared library for Linux: there was nothing to compare with torch."] : [];
  const common = commonReleases(files);
  return {
    schema: 1,
    file: examined.file,
    against: { torch: valueOf(body.facts, "torch-version") ?? null, source: body.source, name: body.name },
    verdict: verdictOf(files, examined.problems),
    missing: files.flatMap((one) => one.missing),
    missingDependencies: files.flatMap((one) => one.missingDependencies),
    missingVersions: files.flatMap((one) => one.missingVersions),
    traits: isWheel ? [] : (only?.traits ?? []),
    releasesThatWouldDo: common,
    ...intervalOf(common),
    loaded: isWheel ? [] : (only?.loaded ?? []),
    findings: findings.map(({ rule, severity, message }) => ({ rule, severity, message, docs: `docs/rules/${rule}.md` })),
    notChecked: [...new Set([...examined.problems, ...nothing, ...said, ...variants.said, ...files.flatMap((one) => one.notChecked)])],
    ...(isWheel ? { members: members.map((one) => fileFit(one.fit)) } : {}),
  };
}

/** The libraries that lie beside each other in a wheel. */
function companionsOf({ kind, binaries }: Examined): readonly LibraryImage[] {
  if (kind !== "wheel" || binaries.length <= allSearched) {
    return kind === "wheel" ? binaries.map((one) => one.image) : [];
  }
  const needed = new Set(binaries.flatMap((one) => one.body.profile.needed));
  return binaries.filter(({ body, image }) => needed.has(body.name) || needed.has(image.soname ?? "")).map((one) => one.image);
}

function builtWith(examined: Examined, file: string, { files }: JudgementOptions): Pick<FitOptions, "builtWith"> {
  const found = examined.wheel === undefined ? builtWithOfInstalled(file, files) : torchPinnedBy(examined.wheel.requires, examined.wheel.path);
  return found === undefined ? {} : { builtWith: found };
}

/**
 * The gravest of all files. What could not be read might conflict: then "no conflict" cannot be said. What a wheel's name,
 * metadata and RECORD say wrong are findings of their own, and no conflict with a torch.
 */
function verdictOf(files: readonly FileFit[], problems: readonly string[]): Verdict {
  const verdicts = new Set<Verdict>([...files.map((one) => one.verdict), ...(problems.length > 0 ? ["unknown" as const] : [])]);
  return gravest.find((one) => verdicts.has(one)) ?? "no-conflict";
}

function commonReleases(files: readonly FileFit[]): readonly string[] | null {
  // Where a file lacks more than another torch would bring, no release does for the whole.
  if (files.some((one) => one.releasesThatWouldDo === null && one.missing.length + one.missingDependencies.length + one.missingVersions.length > 0)) {
    return null;
  }
  const told = files.flatMap((one) => (one.releasesThatWouldDo === null ? [] : [one.releasesThatWouldDo]));
  const [first, ...others] = told;
  return first === undefined ? null : first.filter((release) => others.every((one) => one.includes(release)));
}

/** Releases that follow each other, as one interval. */
function intervalOf(would: readonly string[] | null): Pick<FileFit, "torch"> {
  const [since] = would ?? [];
  const last = would?.at(-1);
  if (would === null || since === undefined || last === undefined) {
    return {};
  }
  const { releases, source } = loadSymbolHistory();
  const isWhole = releases.indexOf(last) - releases.indexOf(since) === would.length - 1;
  return isWhole ? { torch: { since, until: last === releases.at(-1) ? null : last, source } } : {};
}

function fileFit(result: FitResult): FileFit {
  return {
    file: result.built.path,
    verdict: result.verdict,
    missing: result.missing,
    missingDependencies: result.missingDependencies,
    missingVersions: result.missingVersions.map((one) => ({ ...one, highest: one.highest ?? null })),
    traits: result.traits.map((one) => ({ ...one, agrees: one.agrees ?? null })),
    releasesThatWouldDo: result.releasesThatWouldDo ?? null,
    ...intervalOf(result.releasesThatWouldDo ?? null),
    loaded: result.loaded,
    notChecked: result.notChecked,
  };
}

function* findingsOf(examined: Examined, built: readonly BuiltFile[], environment: FitEnvironment, options: JudgementOptions): Generator<string, readonly Finding[], undefined> {
  const context: RuleContext = {
    root: examined.file,
    declared: [],
    observations: [],
    requirements: [],
    built,
    ...(examined.wheel === undefined ? {} : { wheels: [examined.wheel] }),
    installed: withGlibc(environment),
    toolchains: [],
    catalogue: options.catalogue,
    files: options.files,
    scan: () => undefined,
  };
  return (yield* runRules({ rules, settings: new Map() }, context)).findings;
}
