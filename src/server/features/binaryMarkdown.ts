/** A binary and what loading it would do, as Markdown for a bug report. */
import type { BinaryProfile, FileFit, MissingSymbol } from "../../engine/model/index.ts";
import type { BinaryLibrary, BinaryView } from "../../protocol/index.ts";
import { code } from "../markdown.ts";

/** Of each kind; the command line's JSON has all. */
const mostShown = 20;

export function binaryMarkdown({ headline, inspect, fits, libraries, problem }: Omit<BinaryView, "markdown">): string {
  const lines = [`## Abiding: ${code(inspect.file)}`, ""];
  lines.push(fits === undefined ? (problem ?? headline) : `**${headline}** (${code(fits.against.name)})`, "");
  for (const library of libraries) {
    const profile = inspect.binaries.find((one) => one.profile.path === library.file)?.profile;
    const fit = fits?.members === undefined ? fits : fits.members.find((one) => one.file === library.file);
    lines.push(...libraryLines(library, profile, fit, inspect.kind === "wheel"));
  }
  if (inspect.wheel !== undefined && inspect.wheel.disagreements.length > 0) {
    lines.push("Wheel:", "", ...inspect.wheel.disagreements.map((one) => `- **${one.weight}** ${one.message}`), "");
  }
  if (fits !== undefined && fits.findings.length > 0) {
    lines.push("Findings:", "", ...fits.findings.map((one) => `- **${one.severity}** \`${one.rule}\`: ${one.message}`), "");
  }
  const notChecked = [...(fits?.notChecked ?? []), ...(fits === undefined ? inspect.problems : [])];
  if (notChecked.length > 0) {
    lines.push("Not checked:", "", ...notChecked.map((one) => `- ${one}`), "");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

function libraryLines(library: BinaryLibrary, profile: BinaryProfile | undefined, fit: FileFit | undefined, isMember: boolean): string[] {
  const lines = isMember ? [`### ${code(library.name)}`, ""] : [];
  if (library.loaderSays !== undefined) {
    lines.push("The loader would say:", "", "```", library.loaderSays.replaceAll("```", "'''"), "```", "");
  }
  const disagreeing = fit?.traits.filter((one) => one.agrees !== true) ?? [];
  if (disagreeing.length > 0) {
    lines.push("| trait | built | there | why |", "|---|---|---|---|", ...disagreeing.map((one) => `| ${[one.trait, one.built, one.installed, one.because].map(cell).join(" | ")} |`), "");
  }
  if (fit !== undefined && fit.missing.length > 0) {
    lines.push(`Missing symbols: ${fit.missing.length}`, "", ...fit.missing.slice(0, mostShown).map(symbolLine));
    lines.push(...(fit.missing.length > mostShown ? [`- and ${fit.missing.length - mostShown} more`, ""] : [""]));
  }
  if (profile !== undefined) {
    lines.push(`- kind: ${profile.kind}, ${profile.machine}, ${profile.size} bytes`);
    lines.push(...(profile.needed.length === 0 ? [] : [`- needs: ${profile.needed.map(code).join(", ")}`]));
    lines.push(...(profile.compilers.length === 0 ? [] : [`- compilers: ${profile.compilers.map(code).join(", ")}`]), "");
  }
  return lines;
}

function symbolLine(symbol: MissingSymbol): string {
  const nearest = symbol.nearest === undefined ? "" : ` Nearest: ${code(symbol.nearest.demangled)} in ${code(symbol.nearest.library)}.`;
  return `- ${code(symbol.demangled)} (${code(symbol.symbol)}): ${symbol.because}${nearest}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
