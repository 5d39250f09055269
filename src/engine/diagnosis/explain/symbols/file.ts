import * as path from "node:path";
import { demangle, familyOf, variantsOf } from "../../../binaries/mangling/index.ts";
import type { FitEnvironment } from "../../../fit/index.ts";
import type { ExplainedSymbol, FitReport, MissingSymbol } from "../../../model/index.ts";
import type { RecordedSymbols } from "../../../catalogue/index.ts";
import type { CauseName } from "../causes.ts";
import { causeOf, fixesOf, headlineOf, isUnknown, torchOf } from "./environment.ts";
import { lifeOf } from "./life.ts";
import { notLinked } from "./linking.ts";
import { explainedSymbol } from "./matter.ts";
import type { Judgement, Matter } from "./matter.ts";
import { inside, naming, range, shown, torches } from "./words.ts";

/** What reading the file that failed showed; undefined: it could not be read, or says nothing of this error. */
export function byFile(matter: Matter, otherwise: Judgement): Judgement | undefined {
  const { error, knowledge } = matter;
  const { environment } = knowledge;
  const fit = error.file === undefined || error.when === "link" ? undefined : knowledge.fitOf(error.file);
  if (fit === undefined || environment === undefined) {
    return undefined;
  }
  const missing = fit.missing.find((one) => isIt(one, matter));
  return missing === undefined ? found(matter, fit, environment, otherwise) : lacking(matter, missing, fit, environment, otherwise);
}

function isIt(missing: MissingSymbol, { error, life }: Matter): boolean {
  return missing.symbol === life.symbol || (error.isCut ? missing.symbol.startsWith(error.symbol) || missing.demangled.startsWith(error.symbol) : variantsOf(missing.symbol).includes(life.symbol) || missing.demangled === error.symbol);
}

/** The file lacks it in this environment, with all others that it lacks. */
function lacking(matter: Matter, missing: MissingSymbol, fit: FitReport, environment: FitEnvironment, otherwise: Judgement): Judgement {
  const { file, knowledge: { history }, life } = matter;
  const torch = torchOf(environment);
  const cause = causeOfFile(missing, matter, environment, otherwise);
  const all = fit.missing;
  const seen = naming(missing.because, file);
  const of = (kind: MissingSymbol["kind"]): number => all.filter((one) => one.kind === kind).length;
  const would = fit.releasesThatWouldDo ?? [];
  const rest = all.length === 1 ? [] : [`${file} lacks ${all.length} symbols in this environment, not only the one that the loader names first: ${kindWords(of)}.`];
  const base = cause === "library-not-linked" && missing.foundIn !== undefined
    ? notLinked({ ...matter, life: { ...matter.life, homes: [path.basename(missing.foundIn).replace(/\.so.*$/, "")] } }, { sure: true, because: [seen] })
    : otherwise.cause === cause && !byTorch.has(cause)
      ? otherwise
      : { cause, headline: headlineOf(cause, missing, matter, environment), because: [seen], fixes: fixesOf(cause, matter, { torch, isLink: false }) };
  const isBeside = missing.kind === "abi-twin" && missing.foundIn !== undefined && !/^lib(?:c10|torch)/.test(path.basename(missing.foundIn));
  const isMixed = cause === "libstdcxx-abi" && of("drift") > 0;
  const [only] = would;
  // Builds with the new std::string exist of releases whose official wheels have the old one.
  const builtFor = life.wants === 1 && life.either.length > 0 ? life.either : would;
  return {
    ...base,
    confidence: isUnknown(missing, matter) ? "likely" : "certain",
    headline: cause === "torch-drift" && would.length > 0 ? `${file} was built for ${torches(builtFor, history.releases)}; ${torch} does not have ${all.length === 1 ? shown(missing.demangled) : `${all.length} of its symbols`}.` : base.headline,
    because: [
      ...(base.because?.includes(seen) === true ? [] : [seen]),
      ...(base.because ?? []),
      ...rest,
      ...(cause === "torch-drift" && life.wants === undefined && of("abi-twin") === 0 && !seen.includes("std::string ABI") ? ["_GLIBCXX_USE_CXX11_ABI has nothing to do with it."] : []),
      ...(isMixed ? [`${of("drift")} of them are in ${torch} in neither spelling: it was built for another version of torch too, and the other _GLIBCXX_USE_CXX11_ABI alone would not do.`] : []),
      ...(would.length === 0 ? [] : [`Every torch symbol that it needs is in the official wheels of torch ${range(would, history.releases)} (${history.source}).`]),
    ],
    fixes: isBeside ? [`Compile both with the _GLIBCXX_USE_CXX11_ABI of ${torch}.`] : [...(base.fixes ?? []).filter((one) => would.length === 0 || !one.startsWith("Or use a torch")), ...(would.length === 0 || !byTorch.has(cause) ? [] : [`Or use a torch that has all that it needs: ${torches(would, history.releases)}.`])],
    ...(only !== undefined && would.length === 1 && byTorch.has(cause) ? { copy: `pip install "torch==${only}"` } : {}),
    needs: isUnknown(missing, matter) ? ["Which torch it was built with, and whether a source of its own defines the name."] : [],
    symbols: all.map((one) => explained(one, history)),
    fit,
  };
}

const byTorch: ReadonlySet<CauseName> = new Set(["libstdcxx-abi", "torch-drift", "torch-build", "stale-build", "stable-shim", "torch-cpu-only"]);

function causeOfFile(missing: MissingSymbol, matter: Matter, environment: FitEnvironment, otherwise: Judgement): CauseName {
  if (missing.kind === "other-library" || (missing.kind === "own" && otherwise.cause !== "torch-not-loaded")) {
    return otherwise.cause;
  }
  return causeOf(missing, matter, environment);
}

function kindWords(of: (kind: MissingSymbol["kind"]) => number): string {
  const words: readonly (readonly [MissingSymbol["kind"], string])[] = [
    ["abi-twin", "in the other std::string"], ["drift", "of another torch"], ["stable-shim", "of a newer stable ABI"],
    ["missing-library", "of a library that it does not load"], ["own", "of nobody known"], ["other-library", "of other libraries"],
  ];
  return words.flatMap(([kind, what]) => (of(kind) === 0 ? [] : [`${of(kind)} ${what}`])).join(", ");
}

function explained({ kind, symbol, demangled, torch, twin, nearest }: MissingSymbol, history: RecordedSymbols): ExplainedSymbol {
  const life = kind === "abi-twin" ? lifeOf({ symbol, isDemangled: false, isCut: false, system: "linux" }, history) : undefined;
  if (life?.twin !== undefined) {
    return explainedSymbol({ symbol, demangled }, life, history);
  }
  const successor = twin ?? nearest?.symbol;
  return { symbol, demangled, ...(torch === undefined ? {} : { torch }), ...(successor === undefined ? {} : { successor: { symbol: successor, demangled: demangle(successor) ?? successor } }) };
}

/** Read today, the file does not lack the symbol in this environment. */
function found(matter: Matter, fit: FitReport, environment: FitEnvironment, otherwise: Judgement): Judgement | undefined {
  const { file, name, life } = matter;
  const torch = torchOf(environment);
  if (fit.verdict === "unknown" && !fit.missing.some((one) => familyOf(one.symbol) === familyOf(life.symbol))) {
    return undefined;
  }
  const seen = fit.verdict === "conflict" && fit.missing.length > 0
    ? `${file}, as it is now, lacks ${fit.missing.length === 1 ? "another symbol" : `${fit.missing.length} other symbols`} in this environment, and not ${name}`
    : `${file}, as it is now, finds all its symbols with ${torch}`;
  return {
    ...otherwise,
    cause: otherwise.cause,
    confidence: "possible",
    because: [...(otherwise.because ?? []), `${seen}: ${inside(file)} was rebuilt since, or it failed with another torch, or without import torch before.`],
    needs: [...(otherwise.needs ?? []), "Whether the error still comes, and in which environment."],
    fit,
  };
}
