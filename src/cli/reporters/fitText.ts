import * as path from "node:path";
import { styleText } from "node:util";
import { shortNames } from "../../engine/binaries/mangling/index.ts";
import type { FileFit, FitReport, MissingSymbol, ReportedTrait, Verdict } from "../../engine/model/index.ts";
import { plural, wrap } from "./layout.ts";

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

const verdictStyle: Readonly<Record<Verdict, Style>> = { "no-conflict": ["bold", "green"], conflict: ["bold", "red"], unknown: ["bold", "yellow"] };

const kindWords: Readonly<Record<MissingSymbol["kind"], string>> = {
  "abi-twin": "the other std::string ABI: this torch exports the same function in the other spelling",
  drift: "another torch version: this torch does not export it",
  "missing-library": "of a library that the file does not load",
  "stable-shim": "a newer stable ABI: this torch does not have the function yet",
  own: "nobody's: a source of the project that was not compiled or linked",
  "other-library": "of another library",
};

/** Shown of each kind; `--format json` has all. */
const mostShown = 3;

/** `fits` for people: the verdict first, then what is missing and why, then what was compared, then what was not. */
export function fitText(report: FitReport, colours: boolean): string {
  const paint: Paint = (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
  const torch = `torch ${report.against.torch ?? "of unknown version"}`;
  const where = report.against.source === "catalogue" ? "from the catalogue of releases" : report.against.name;
  const out = [paint("bold", report.file), paint(verdictStyle[report.verdict], headline(report, torch)), `  ${where}`];
  const files = report.members ?? [report];
  const quiet = report.members === undefined ? [] : files.filter(isQuiet);
  for (const file of files.filter((one) => !quiet.includes(one))) {
    out.push(...fileLines(file, report, paint));
  }
  if (quiet.length > 0) {
    out.push("", ...wrap(`No conflict found in ${quiet.length === files.length ? "all" : `${quiet.length} of`} ${plural(files.length, "library").replace("librarys", "libraries")}: ${quiet.map((one) => memberName(one, report)).join(", ")}.`, "  "));
  }
  if (report.findings.length > 0) {
    out.push("", paint("underline", "Findings"));
    for (const finding of report.findings) {
      out.push(...wrap(shortNames(finding.message), "    ", `  ${paint(finding.severity === "error" ? "red" : "yellow", finding.severity)} ${finding.rule}: `));
    }
  }
  if (report.notChecked.length > 0) {
    out.push("", paint("underline", "Not checked"), ...report.notChecked.flatMap((sentence) => wrap(sentence, "  ")));
  }
  return `${out.join("\n")}\n`;
}

function headline(report: FitReport, torch: string): string {
  switch (report.verdict) {
    case "no-conflict":
      return (report.members ?? [report]).some((file) => file.traits.some((trait) => trait.agrees === false && trait.weight !== "info"))
        ? `Nothing was found that keeps it from loading with ${torch}, but they disagree.`
        : `No conflict with ${torch} found in what was checked.`;
    case "conflict":
      return `Would not work with ${torch}.`;
    case "unknown":
      return `Could not be told for ${torch}.`;
  }
}

function fileLines(file: FileFit, report: FitReport, paint: Paint): string[] {
  const out: string[] = [];
  const isMember = report.members !== undefined;
  if (isMember) {
    out.push("", paint("underline", memberName(file, report)));
  }
  const first = file.missing.find((symbol) => symbol.binding === "global");
  const [dependency] = file.missingDependencies;
  const [version] = file.missingVersions;
  if (dependency !== undefined) {
    out.push("", ...wrap(`The loader would say: ${dependency.refused ?? `${dependency.name}: cannot open shared object file: No such file or directory`}`, "  "));
  } else if (version !== undefined) {
    out.push("", ...wrap(`The loader would say: ${version.foundIn}: version \`${version.version}' not found`, "  "));
  } else if (first !== undefined) {
    out.push("", "  The loader would say", `    undefined symbol: ${first.symbol}`, ...(first.demangled === first.symbol ? [] : [`    ${shortNames(first.demangled)}`]));
  }
  for (const one of file.missingDependencies) {
    out.push("", `  ${paint("red", "library")} ${one.name}`, ...wrap(one.because, "    "), ...(one.providedBy === undefined ? [] : wrap(`${one.providedBy} brings it.`, "    ")));
  }
  for (const one of file.missingVersions) {
    out.push("", `  ${paint("red", "version")} ${one.version} of ${one.library}`, ...wrap(`${one.foundIn} would be loaded${one.highest === null ? "" : ` and ends at ${one.highest}`}.`, "    "));
  }
  for (const [kind, words] of Object.entries(kindWords)) {
    const symbols = file.missing.filter((symbol) => symbol.kind === kind);
    if (symbols.length > 0) {
      out.push("", `  ${paint("red", `${plural(symbols.length, "symbol")}`)}, ${words}`);
      out.push(...symbols.slice(0, mostShown).flatMap((symbol, index) => symbolLines(symbol, index === 0 || (kind !== "abi-twin" && symbol.because !== symbols[index - 1]?.because))));
      if (symbols.length > mostShown) {
        out.push(`    and ${symbols.length - mostShown} more; --format json lists all`);
      }
    }
  }
  if (file.releasesThatWouldDo !== null && file.missing.length > 0) {
    out.push("", ...wrap(file.releasesThatWouldDo.length === 0
      ? "No recorded torch release exports all that it needs."
      : `Torch releases that export all that it needs: ${ranges(file.releasesThatWouldDo, file.torch)}.`, "  "));
  }
  if (file.traits.length > 0) {
    out.push("", `  ${paint("dim", "compared")}`, ...traitLines(file.traits, new Set(report.findings.map((one) => one.rule)), paint));
  }
  return out;
}

function isQuiet(file: FileFit): boolean {
  return file.verdict === "no-conflict" && file.traits.every((trait) => trait.agrees !== false);
}

function symbolLines(symbol: MissingSymbol, withReason: boolean): string[] {
  const interval = symbol.torch === undefined || withReason ? "" : ` (torch ${ranges([], symbol.torch)})`;
  const out = wrap(`${shortNames(symbol.demangled)}${symbol.binding === "weak" ? " (weak)" : ""}${interval}`, "      ", "    ");
  return withReason ? [...out, ...wrap(shortNames(symbol.because), "      ")] : out;
}

/** What a finding says is not said a second time here. */
function traitLines(traits: readonly ReportedTrait[], said: ReadonlySet<string>, paint: Paint): string[] {
  const longest = Math.max(...traits.map((trait) => trait.trait.length));
  return traits.flatMap((trait) => {
    const mark = trait.agrees === true ? paint("green", "agrees  ") : trait.agrees === false ? paint(trait.weight === "error" ? "red" : "yellow", trait.weight === "info" ? "differs " : "DISAGREE") : paint("yellow", "unknown ");
    const line = `    ${mark} ${trait.trait.padEnd(longest)}  built ${trait.built}, there ${trait.installed}`;
    return trait.agrees === true || said.has(trait.trait) ? [line] : [line, ...wrap(shortNames(trait.because), "             ")];
  });
}

/** "2.3.0 to 2.7.1", "2.14.0 and later"; one by one where others lie between. */
function ranges(releases: readonly string[], interval: FileFit["torch"]): string {
  if (interval === undefined) {
    return releases.join(", ");
  }
  const { since, until } = interval;
  return until === null ? `${since} and later` : since === until ? since : `${since} to ${until}`;
}

function memberName(file: FileFit, report: FitReport): string {
  const relative = path.relative(report.file, file.file);
  return relative.startsWith("..") ? file.file : relative;
}
