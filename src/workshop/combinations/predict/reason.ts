import * as path from "node:path";
import type { FitReport, MissingSymbol } from "../../../engine/model/index.ts";
import type { CombinationReason } from "../types.ts";

/** Records are committed: a file that lacks all of torch does not need all of it named. */
const mostSymbols = 20;

/** The rule that speaks of a missing symbol of a kind (design, section 3). */
const ruleOf: Readonly<Record<MissingSymbol["kind"], string | undefined>> = {
  "abi-twin": "libstdcxx-abi", drift: "torch-symbols", "missing-library": "missing-library", "stable-shim": "stable-abi", own: "own-symbol", "other-library": undefined,
};

/** Why a report says conflict, or cannot tell: what the loader would stop at first. undefined when it found no conflict. */
export function reasonOf(report: FitReport): CombinationReason | undefined {
  if (report.verdict === "no-conflict") return undefined;
  if (report.verdict === "unknown") return { message: report.notChecked.slice(0, 2).join(" ") || "What was read did not settle it." };
  const torch = `torch ${report.against.torch ?? "of unknown version"}`;
  const [dependency] = report.missingDependencies;
  if (dependency !== undefined) {
    return of(report, dependency.name, undefined, `${path.basename(dependency.neededBy)} needs ${dependency.name}. ${dependency.because}`);
  }
  const [version] = report.missingVersions;
  if (version !== undefined) {
    return of(report, version.version, undefined, `${path.basename(report.members?.find((one) => one.missingVersions.length > 0)?.file ?? report.file)} needs version ${version.version} of ${version.library}, which ${path.basename(version.foundIn)} does not have.`);
  }
  const missing = inLoadersOrder(report.missing);
  const [first] = missing;
  if (first !== undefined) {
    const others = missing.length === 1 ? "" : ` and ${missing.length - 1} more ${missing.length === 2 ? "symbol" : "symbols"}`;
    const message = `${path.basename(first.neededBy ?? lackingFile(report, first))} needs ${first.demangled}${others}, which ${torch} does not export.`;
    return { ...of(report, first.symbol, ruleOf[first.kind], message), symbols: missing.slice(0, mostSymbols).map((one) => one.symbol) };
  }
  const trait = (report.members ?? [report]).flatMap((one) => one.traits).find((one) => one.agrees === false && one.weight === "error");
  return of(report, trait?.built ?? "", trait?.trait, trait?.because ?? report.findings.find((one) => one.severity === "error")?.message ?? `It would not work with ${torch}.`);
}

/** Of a wheel the library in it. */
function lackingFile(report: FitReport, { symbol }: MissingSymbol): string {
  return report.members?.find((one) => one.missing.some((other) => other.symbol === symbol))?.file ?? report.file;
}

/** Those that stop the loading before weak ones, each once. */
export function inLoadersOrder(missing: readonly MissingSymbol[]): readonly MissingSymbol[] {
  const each = [...new Map(missing.map((one) => [one.symbol, one])).values()];
  return [...each.filter((one) => one.binding === "global"), ...each.filter((one) => one.binding !== "global")];
}

/** The rule is that of the finding which is about what is missing: others name it later in passing. `otherwise` where none does. */
function of(report: FitReport, subject: string, otherwise: string | undefined, message: string): CombinationReason {
  const errors = report.findings.filter((one) => one.severity === "error");
  const naming = errors.filter((one) => one.message.includes(subject)).sort((a, b) => a.message.indexOf(subject) - b.message.indexOf(subject));
  const rule = (naming.find((one) => one.rule === otherwise) ?? naming[0])?.rule ?? otherwise ?? errors[0]?.rule;
  return { message, ...(rule === undefined ? {} : { rule }) };
}
