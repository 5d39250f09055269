import { styleText } from "node:util";
import { shortNames } from "../../engine/binaries/mangling/index.ts";
import type { SymbolsReport } from "../../engine/diagnosis/index.ts";
import { plural, wrap } from "./layout.ts";

type Life = SymbolsReport["lives"][number];

/** `symbols` for people. */
export function symbolsText(report: SymbolsReport, colours: boolean): string {
  const out = report.lives.flatMap((life, at) => [...(at === 0 ? [] : [""]), ...lifeLines(life, report, colours)]);
  if (report.more > 0) out.push("", ...wrap(`${plural(report.more, "more name")} not shown: write more of the name.`, ""));
  if (report.lives.length === 0) out.push(...noneLines(report));
  return `${out.join("\n")}\n`;
}

function lifeLines(life: Life, report: SymbolsReport, colours: boolean): readonly string[] {
  const title = wrap(shortNames(life.demangled), "  ", "").map((line) => (colours ? styleText("bold", line, { validateStream: false }) : line));
  const mangled = life.demangled === life.symbol ? [] : [`  ${life.symbol}`];
  const notes = [
    `torch ${rangeWords(life, report)}, in ${life.libraries.join(", ")}`,
    ...(life.gaps.length === 0 ? [] : [`not in ${life.gaps.map(span).join(", ")}`]),
    ...unrecordedWords(life),
    ...(life.spellings.length < 2 ? [] : life.spellings.map((one) => `${span(one)} spell it ${one.symbol}${one.libstdcxxAbi === null ? "" : ` (_GLIBCXX_USE_CXX11_ABI=${one.libstdcxxAbi})`}`)),
    ...(life.predecessor === undefined ? [] : [`before it: ${shortNames(life.predecessor.demangled)} (${span(life.predecessor)})`]),
    ...(life.successor === undefined ? [] : [`after it: ${shortNames(life.successor.demangled)} (${span(life.successor)})`]),
    ...(life.there === undefined || report.against === null ? [] : [thereWords(life.there, report.against)]),
  ];
  return [...title, ...mangled, ...notes.flatMap((one) => wrap(one, "    ", "  "))];
}

function rangeWords({ since, until }: Life, { recorded }: SymbolsReport): string {
  if (until !== null) return since === until ? since : `${since} to ${until}`;
  return since === recorded.until ? `${since}, the newest recorded` : `${since} to ${recorded.until} and on`;
}

function span({ since, until }: { readonly since: string; readonly until: string | null }): string {
  return since === until ? since : until === null ? `${since} on` : `${since} to ${until}`;
}

function unrecordedWords({ since, unrecorded: { before, after, within } }: Life): readonly string[] {
  return [
    ...(before === null ? [] : [`may be older than ${since}: of torch ${before} nothing is recorded`]),
    ...(after === null ? [] : [`may last longer: of torch ${after} nothing is recorded`]),
    ...(within.length === 0 ? [] : [`of torch ${within.join(", ")} nothing is recorded`]),
  ];
}

function thereWords(there: NonNullable<Life["there"]>, { name }: NonNullable<SymbolsReport["against"]>): string {
  if (there.exported === null) return `what ${name} exports is not known`;
  return there.exported ? `${name} exports it: ${there.library ?? ""}` : `${name} does not export it`;
}

function noneLines({ query, asked, known, recorded, missing, suggestions }: SymbolsReport): readonly string[] {
  const what = known === "none"
    ? `No recorded release of torch (${recorded.since} to ${recorded.until}) exports ${query}.${asked === "name" && suggestions.length > 0 && query.includes("(") ? " In symbols a typedef stands as the type that it names." : ""}`
    : `${query} is not recorded: names of torch's C++ and C interfaces are (c10, at, torch, c10d, aoti_torch_...), not those of other projects, of torch's kernels or, in a package, of its dispatch. Whether a release exports it is not known.`;
  return [
    ...wrap(what, ""),
    ...(known === "none" && missing.length > 0 ? wrap(`Nothing is recorded of ${missing.map((one) => one.version).join(", ")}.`, "") : []),
    ...(suggestions.length === 0 ? [] : ["Names like it are recorded:", ...suggestions.flatMap((one) => wrap(shortNames(one), "    ", "  "))]),
  ];
}
