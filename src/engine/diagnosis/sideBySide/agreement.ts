import type { FitResult } from "../../fit/index.ts";
import { compareVersions, factsOf, publicVersion, satisfies, valueOf } from "../../model/index.ts";
import type { Agreement, Fact, Finding, InstalledBody, Requirement, Severity, Trait } from "../../model/index.ts";
import { compareSeverity } from "../diagnosis.ts";
import { oneLine } from "./cells.ts";
import { isDisagreement, rowOf } from "./kinds.ts";
import type { RowKind } from "./kinds.ts";

/** One side of the table: the torch that counts, what was found against it, and what loading the built file with it would do. */
export interface Side {
  readonly installed: InstalledBody | undefined;
  readonly findings: readonly { readonly index: number; readonly finding: Finding }[];
  readonly fit: FitResult | undefined;
}

/** What the other bodies have. */
export interface Others {
  readonly declared: readonly Fact[];
  readonly built: readonly Fact[];
  readonly linked: readonly Fact[];
  readonly requirements: readonly Requirement[];
}

/** Longer reasons are read at the finding itself. */
const longestReason = 400;

/**
 * Whether the bodies agree in what a row shows. A finding says that they don't; the comparisons of the loading model, and
 * equal facts of two bodies, say that they do; where neither is, nothing is said.
 */
export function agreementOf(kind: RowKind, side: Side, others: Others): Agreement {
  const own = side.findings.filter(({ finding }) => rowOf(finding) === kind.key).sort((a, b) => compareSeverity(a.finding.severity, b.finding.severity));
  const findings = own.map((one) => one.index);
  const gravest = own.find(({ finding }) => isDisagreement(finding))?.finding;
  if (gravest !== undefined) {
    return { agrees: false, because: oneLine(gravest.message, longestReason), findings, weight: weightOf(gravest.severity) };
  }
  if (kind.key === "torch-symbols") {
    return { ...symbols(side), findings: [...findings, ...side.findings.filter(({ finding }) => finding.rule === "libstdcxx-abi" && hasTwin(side)).map((one) => one.index)] };
  }
  const compared = side.fit?.traits.filter((one) => kind.compared.includes(one.trait)) ?? [];
  const speaking = compared.find((one) => one.agrees === false) ?? compared.find((one) => one.agrees === true) ?? compared[0];
  if (speaking !== undefined) {
    return { agrees: speaking.agrees ?? null, because: oneLine(speaking.because, longestReason), findings, ...(speaking.agrees === false ? { weight: speaking.weight } : {}) };
  }
  return { ...equalFacts(kind, side, others), findings };
}

function weightOf(severity: Severity): NonNullable<Agreement["weight"]> {
  return severity === "hint" ? "info" : severity;
}

function hasTwin({ fit }: Side): boolean {
  return fit?.missing.some((one) => one.kind === "abi-twin") ?? false;
}

type Said = Omit<Agreement, "findings">;

const ofTorch: ReadonlySet<string> = new Set(["abi-twin", "drift", "missing-library", "stable-shim"]);

/** Names of torch that the file needs and this torch does not give it. */
export function missingOfTorch(fit: FitResult): FitResult["missing"] {
  return fit.missing.filter((one) => ofTorch.has(one.kind) && one.binding === "global");
}

function symbols({ fit }: Side): Said {
  if (fit === undefined) {
    return { agrees: null };
  }
  const missing = missingOfTorch(fit);
  const [first] = missing;
  if (first !== undefined) {
    return { agrees: false, because: oneLine(first.because, longestReason), weight: "error" };
  }
  return fit.verdict === "unknown"
    ? { agrees: null, because: oneLine(fit.notChecked[0] ?? "It could not be told what this torch exports.", longestReason) }
    : { agrees: true, because: "This torch exports every name that the file needs of it." };
}

const nothing: Said = { agrees: null };
const unreported = "No rule reports it: it does not matter here, or the rule is switched off or silenced.";

function equalFacts(kind: RowKind, side: Side, others: Others): Said {
  const installed = side.installed?.facts ?? [];
  switch (kind.key) {
    case "torch-version":
      return torchVersions(installed, others);
    case "cxx-standard":
      return standards(installed, others);
    default:
      return sameValues(kind, installed, others);
  }
}

function torchVersions(installed: readonly Fact[], { linked, requirements }: Others): Said {
  const here = valueOf(installed, "torch-version");
  const built = valueOf(linked, "torch-version");
  if (here === undefined) {
    return nothing;
  }
  const excluding = requirements.find((one) => one.known && one.conditions.length === 0 && one.marker === undefined && satisfies(here, one.specifier) === false);
  if (excluding !== undefined) {
    return { agrees: null, because: `torch${excluding.specifier} is asked for, and ${here} is not among that. ${unreported}` };
  }
  if (built !== undefined) {
    // A stamp has the bare release where the label of the build was not known.
    const isSame = built === here || built === publicVersion(here);
    return isSame ? { agrees: true, because: `Built with torch ${built}, which is the one here.` } : { agrees: null, because: `Built with torch ${built}, and ${here} is here. ${unreported}` };
  }
  const bounded = requirements.some((one) => one.known && one.specifier !== "");
  return bounded ? { agrees: true, because: `torch ${here} is among what is asked for.` } : nothing;
}

function standards(installed: readonly Fact[], { declared, built }: Others): Said {
  const floor = valueOf(installed, "cxx-standard-floor");
  const values = [...factsOf(declared, "cxx-standard"), ...factsOf(built, "cxx-standard")].flatMap((fact) => fact.value ?? []);
  if (floor === undefined || values.length === 0) {
    return nothing;
  }
  return Math.min(...values) >= floor
    ? { agrees: true, because: `The headers of this torch demand C++${floor}.` }
    : { agrees: null, because: `The headers of this torch demand C++${floor}. ${unreported}` };
}

/** Two bodies at least, and nothing that could not be told. */
function sameValues(kind: RowKind, installed: readonly Fact[], { declared, built, linked }: Others): Said {
  // Architectures are a set, and compilers need not be the same.
  if (kind.key === "cuda-architectures" || kind.key === "compiler" || kind.installed === undefined || (kind.declared ?? kind.built) !== kind.installed) {
    return nothing;
  }
  const here = factsOf(installed, kind.installed).find((fact) => fact.value !== undefined)?.value;
  const given = [...of(declared, kind.declared), ...of(built, kind.built), ...of(linked, kind.linked)];
  if (here === undefined || given.length === 0) {
    return nothing;
  }
  // What is asked from torch while it is built agrees by construction.
  const others = given.filter((fact) => fact.follows !== "torch");
  if (others.length === 0) {
    return { agrees: true, because: "It is asked from torch when it is built." };
  }
  if (others.some((fact) => fact.value === undefined)) {
    return { agrees: null, because: "A value is known only when it is built." };
  }
  const same = others.every((fact) => isSame(kind.key, fact.value, here));
  return same ? { agrees: true, because: "They have the same value." } : { agrees: null, because: `They differ. ${unreported}` };
}

function of(facts: readonly Fact[], trait: Trait | undefined): readonly Fact[] {
  return trait === undefined ? [] : factsOf(facts, trait);
}

/** A library names CUDA by its major number alone. */
function isSame(key: string, one: Fact["value"], other: Fact["value"]): boolean {
  if (key === "cuda-version" && typeof one === "string" && typeof other === "string") {
    return /^\d+$/.test(one) ? other.split(".")[0] === one : compareVersions(one, other) === 0;
  }
  return JSON.stringify(one) === JSON.stringify(other);
}
